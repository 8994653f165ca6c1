/* slave.c - the start of a slave. */
#include "daemon/members/slave.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/hosts/membership.h"
#include "daemon/members/halt.h"
#include "daemon/members/member_room.h"

#define POSITIONAL_WORDS 5
#define MACHINE_WORD     "PVM_VMID="
#define SALT_DIGITS      16
#define KEY_PATIENCE     10000 /* milliseconds; a remote shell may have no input for the daemon */

static bool slave_read_number(const char *word, long least, long most, long *number)
{
    char *end;
    *number = strtol(word, &end, 10);
    return end != word && *end == '\0' && *number >= least && *number <= most;
}

bool slave_read(struct slave *slave, char **words)
{
    long master, mtu, index;
    uint16_t port;
    for (int i = 0; i < POSITIONAL_WORDS; i++)
        if (!words[i])
            return false;
    if (words[POSITIONAL_WORDS] || !slave_read_number(words[0], 1, TID_HOST_MAX, &master) ||
        !environment_parse_address(words[1], &slave->master_address, &slave->master_port) ||
        !slave_read_number(words[2], HOST_MTU_LEAST, INT32_MAX, &mtu) ||
        !slave_read_number(words[3], 1, TID_HOST_MAX, &index) || index == master ||
        !environment_parse_address(words[4], &slave->address, &port))
        return false;
    slave->master_index = (uint32_t)master;
    slave->master_mtu = (int)mtu;
    slave->index = (uint32_t)index;
    return true;
}

/* False at the end of the input, or when nothing is there. */
static bool slave_read_byte(char *byte, bool wait)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t size = read(STDIN_FILENO, byte, 1);
    if (size < 0 && errno == EAGAIN && wait && poll(&input, 1, KEY_PATIENCE) > 0)
        size = read(STDIN_FILENO, byte, 1);
    return size == 1;
}

static void slave_read_line(const struct slave *slave, char *line, size_t room)
{
    size_t size = 0;
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags >= 0 && fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK) == 0) {
        while (size < room - 1 && slave_read_byte(line + size, slave->key_comes) &&
               line[size] != '\n')
            size++;
        fcntl(STDIN_FILENO, F_SETFL, flags);
    }
    line[size] = '\0';
}

void slave_read_machine(struct slave *slave)
{
    char line[512], *rest = line, *word;
    slave_read_line(slave, line, sizeof line);
    while ((word = strtok_r(rest, " \t", &rest)) != NULL)
        if (strncmp(word, MACHINE_WORD, strlen(MACHINE_WORD)) == 0)
            setenv("PVM_VMID", word + strlen(MACHINE_WORD), 1);
        else if (slave->key_comes && strncmp(word, SLAVE_KEY_WORD, strlen(SLAVE_KEY_WORD)) == 0)
            snprintf(slave->key, sizeof slave->key, "%s", word + strlen(SLAVE_KEY_WORD));
    explicit_bzero(line, sizeof line);
}

int slave_go(const struct slave *slave)
{
    int ends[2];
    char byte;
    if (slave->foreground || pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (pid == 0) {
        close(ends[0]);
        setsid();
        return ends[1];
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    _exit(0);
}

/* Without a key the host is as one of 3.4.6. */
static bool slave_take_key(struct slave *slave, struct daemon *daemon)
{
    bool taken =
        machine_key_read(&daemon->post->machine_key, slave->key, slave->master_index, slave->index);
    explicit_bzero(slave->key, sizeof slave->key);
    if (taken || !daemon->settings.keyed_peers_only)
        return true;
    log_error("the master has told no key of the virtual machine, and PVM_PEERS is ours");
    return false;
}

int slave_know_master(struct slave *slave, struct daemon *daemon)
{
    struct hosts *hosts = &daemon->post->hosts;
    if (!slave_take_key(slave, daemon))
        return -1;
    struct host *master = membership_add(hosts, slave->master_index << TID_HOST_SHIFT);
    if (!master) {
        log_error("no memory to start");
        return -1;
    }
    hosts_describe(master, &(struct host_facts){.name = "",
                                                .architecture = "",
                                                .address = slave->master_address,
                                                .port = slave->master_port,
                                                .mtu = slave->master_mtu});
    hosts->master = master;
    return 0;
}

static void slave_end_unused(struct loop_timer *timer)
{
    struct daemon *daemon = LIST_OWNER(timer, struct member_room, idle_end)->daemon;
    log_error("the master did not take this host into its table: ending");
    halt(daemon, 0);
}

/* No terminal, no output; whoever waits for this daemon is told that it runs. */
static void slave_detach(struct slave_starter *starter)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    if (starter->waiting >= 0)
        close(starter->waiting);
}

/* The starter has closed its end, or is gone. */
static void slave_leave_starter(struct loop_source *source, uint32_t events)
{
    struct slave_starter *starter = LIST_OWNER(source, struct slave_starter, source);
    (void)events;
    loop_close(&LIST_OWNER(starter, struct member_room, starter)->daemon->loop, source);
    slave_detach(starter);
}

/* False when standard input is nothing that an end could come from. */
static bool slave_await_starter(struct daemon *daemon)
{
    int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    loop_source_start(&daemon->member_room->starter.source, slave_leave_starter);
    if (input >= 0 &&
        loop_watch(&daemon->loop, &daemon->member_room->starter.source, input, EPOLLIN) == 0)
        return true;
    if (input >= 0)
        close(input);
    return false;
}

/* In one line. The salt shows the master that this daemon holds the secret. */
static void slave_print(const struct daemon *daemon)
{
    const struct host *own = hosts_own(&daemon->post->hosts);
    const struct machine_key *key = &daemon->post->machine_key;
    char address[ENVIRONMENT_ADDRESS_SIZE], salt[sizeof " salt<>" + SALT_DIGITS] = "";
    environment_format_address(address, own->address, own->port);
    if (key->known)
        snprintf(salt, sizeof salt, " salt<%0*" PRIx64 ">", SALT_DIGITS,
                 key->salts[own->part >> TID_HOST_SHIFT]);
    dprintf(STDOUT_FILENO, "ddpro<%d> arch<%s> ip<%s> mtu<%d> dsig<%u>%s\n",
            CONTROL_DAEMON_PROTOCOL, own->architecture, address, HOST_MTU, own->signature, salt);
}

/* Milliseconds. Who holds the secret is taken into the table as soon as its line has come. */
static int slave_patience(const struct daemon *daemon)
{
    const int64_t patience = daemon->settings.host_patience;
    if (!daemon->post->machine_key.known)
        return SLAVE_SECONDS * 1000;
    return patience < SLAVE_SECONDS_LEAST * 1000 ? SLAVE_SECONDS_LEAST * 1000 : (int)patience;
}

void slave_announce(const struct slave *slave, struct daemon *daemon, int waiting)
{
    slave_print(daemon);
    daemon->member_room->starter.waiting = waiting;
    if (!slave->foreground && (slave->by_hand || !slave_await_starter(daemon)))
        slave_detach(&daemon->member_room->starter);
    loop_timer_start(&daemon->member_room->idle_end, slave_end_unused);
    loop_timer_set(&daemon->loop, &daemon->member_room->idle_end, slave_patience(daemon));
}
