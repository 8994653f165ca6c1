/* main.c - the daemon of PVM: its command line, its start and its end. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/control.h"
#include "core/error.h"
#include "core/system.h"
#include "daemon/base/log.h"
#include "daemon/command_line.h"
#include "daemon/members/add_hosts.h"
#include "daemon/members/halt.h"
#include "daemon/requests/lifetime.h"
#include "daemon/rooms.h"
#include "daemon/start.h"
#include "daemon/tasks/spawn.h"

#define VERSION_OF_PVM "3.4.6"

/* Memory is not given back and taken again with every burst of messages. */
#define TRIM_THRESHOLD (16 << 20)

/*
 * Milliseconds for the former daemon of a host to end, if the host is added right after it was
 * deleted.
 */
#define SLAVE_PATIENCE 2000

static bool main_may_run(void)
{
    if (getuid() != 0 || getenv("PVM_ALLOW_ROOT"))
        return true;
    fprintf(stderr, "pvmd: PVM is not meant to be run by root: run it as an ordinary user, or set "
                    "PVM_ALLOW_ROOT\n");
    return false;
}

/*
 * Descriptors that the starter of the daemon left open are not for the daemon, nor for its tasks.
 */
static void main_close_inherited(void)
{
    closefrom(STDERR_FILENO + 1);
}

static int main_open_log(void)
{
    char path[ENVIRONMENT_PATH_SIZE];
    if (!environment_log_file(path, getuid())) {
        fprintf(
            stderr,
            "pvmd: the name of the log is too long: set PVM_TMP or PVM_VMID to a shorter one\n");
        return -1;
    }
    log_open(path, environment_get_number("PVMDLOGMAX", 1000000));
    return 0;
}

/* Where others may replace files, they may take the place of this daemon. */
static void main_check_folder(void)
{
    struct stat status;
    const char *folder = environment_temporary_folder();
    if (stat(folder, &status) < 0)
        return;
    bool ours = status.st_uid == getuid() || status.st_uid == 0;
    if (!ours || ((status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX)))
        log_write("other users can replace files in %s: set PVM_TMP to a folder of your own, or "
                  "give that one the sticky bit",
                  folder);
}

/* The daemon and its tasks work in other folders than the one it was started in. */
static bool main_knows_folder(void)
{
    if (*environment_temporary_folder() == '/')
        return true;
    fprintf(stderr, "pvmd: PVM_TMP is %s: set it to a path that starts with a slash\n",
            environment_temporary_folder());
    return false;
}

static void main_take_signal(struct daemon *daemon, int number)
{
    if (number == SIGCHLD) {
        lifetime_reap(daemon);
        return;
    }
    log_note("caught signal %d (%s): ending", number, strsignal(number));
    halt(daemon, number);
}

/* What is needed to know whether another daemon runs, and to be that daemon otherwise. */
static int main_claim_machine(struct daemon *daemon)
{
    if (loop_start(&daemon->loop) < 0 || signals_start(daemon, main_take_signal) < 0) {
        log_error("cannot start: %s%s", strerror(errno), error_remedy(errno));
        return -1;
    }
    if (listener_start(&daemon->post->listener, daemon) < 0)
        return -1;
    return address_file_claim(&daemon->address_file, daemon->post->listener.path,
                              &daemon->temporary_names);
}

static int main_start_parts(struct daemon *daemon, struct command_line *command)
{
    if (daemon->address_file.taken_over)
        log_write("took over %s, which a dead daemon had left", daemon->address_file.path);
    main_check_folder();
    return start_parts(daemon, command);
}

static void main_announce(struct daemon *daemon)
{
    const struct host *own = hosts_own(&daemon->post->hosts);
    char date[64];
    time_t now = time(NULL);
    struct tm local;
    log_set_tid(TID_DAEMON_BIT | own->part);
    log_note("%s (%u.%u.%u.%u:%u) %s %s", own->name, own->address >> 24, own->address >> 16 & 255,
             own->address >> 8 & 255, own->address & 255, own->port, own->architecture,
             VERSION_OF_PVM);
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime_r(&now, &local));
    log_note("ready %s", date);
    log_set_ready();
}

static void main_tell_address(const struct daemon *daemon)
{
    printf("%s\n", daemon->post->listener.path);
    fflush(stdout);
}

static int main_serve(struct daemon *daemon, const struct command_line *command, int waiting)
{
    setenv("PVMSOCK", daemon->post->listener.path, 1);
    main_announce(daemon);
    if (command->is_slave)
        slave_announce(&command->slave, daemon, waiting);
    else
        main_tell_address(daemon);
    add_hosts_of_file(daemon);
    spawn_plug_ins(daemon);
    if (loop_run(&daemon->loop) == 0)
        return daemon->exit_status;
    log_error("waiting failed: %s", strerror(errno));
    return 1;
}

/* The log is only opened by the daemon that runs: another one would write into it. */
static int main_be_daemon(struct daemon *daemon, struct command_line *command)
{
    int status = 1;
    int waiting = command->is_slave ? slave_go(&command->slave) : -1;
    daemon_prepare(daemon);
    if (command->is_slave)
        daemon->address_file.patience = SLAVE_PATIENCE;
    if (main_claim_machine(daemon) == 0 && main_open_log() == 0 &&
        main_start_parts(daemon, command) == 0)
        status = main_serve(daemon, command, waiting);
    daemon_finish(daemon);
    log_close();
    return status;
}

static int main_test(int count, char **words)
{
    printf("version %s, ddpro %d, tdpro %d, sdpro %d\n", VERSION_OF_PVM, CONTROL_DAEMON_PROTOCOL,
           CONTROL_TASK_PROTOCOL, SDPROTOCOL);
    for (int i = 0; i < count; i++)
        printf("argument %d: %s\n", i, words[i]);
    return 0;
}

static int main_run(struct daemon *daemon, struct command_line *command)
{
    if (!main_may_run() || !main_knows_folder())
        return 1;
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD);
#endif
    main_close_inherited();
    log_set_mask(command->mask);
    log_set_level(command->level, command->foreground);
    if (command->is_slave)
        slave_read_machine(&command->slave);
    return main_be_daemon(daemon, command);
}

int main(int count, char **words)
{
    static struct daemon daemon;
    static struct rooms rooms;
    static struct command_line command;
    command_line_read(&command, words + 1);
    switch (command.order) {
    case COMMAND_LINE_RUN:
        rooms_open(&rooms, &daemon);
        return main_run(&daemon, &command);
    case COMMAND_LINE_TEST:
        return main_test(count, words);
    case COMMAND_LINE_HELP:
        command_line_print_help();
        return 0;
    case COMMAND_LINE_VERSION:
        printf("pvmd (PVM) %s\n", VERSION);
        return 0;
    case COMMAND_LINE_WRONG:
        break;
    }
    return 1;
}
