/*
 * hoster.c - a hoster: starts the pvmds of new hosts in place of the master pvmd.
 *
 * usage: hoster                         on the master's host, in a running virtual machine
 *        PVM_HOSTER=/path/hoster pvm    from the start
 *
 * The master asks with SM_STHOST to start a command on each of some hosts, and wants the line that
 * the pvmd prints there, or the name of an error. This hoster does what the master does itself: it
 * runs the command through the remote shell. A site has its own ways, a batch system or containers
 * perhaps: remote_command is the place for them.
 */
#define _GNU_SOURCE /* pipe2 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "service.h"

enum { SECONDS_TO_START = 60, LONGEST_LINE = 1000 };

struct start {
    int tid;       /* of the new pvmd */
    char *login;   /* [USER@]HOST */
    char *command; /* what to run there */
    char *machine; /* the id of the virtual machine, or "" */
    pid_t process; /* of the remote shell */
    int output;    /* what it prints, -1 for none */
    char line[LONGEST_LINE];
};

/* In the new process: becomes the remote shell. */
static void remote_command(const struct start *start)
{
    char *at = strchr(start->login, '@');

    if (at) {
        *at = '\0';
        execlp(pvmgetrsh(), pvmgetrsh(), at + 1, "-l", start->login, start->command, (char *)NULL);
    } else {
        execlp(pvmgetrsh(), pvmgetrsh(), start->login, start->command, (char *)NULL);
    }
    perror(pvmgetrsh());
    _exit(127);
}

/* The pvmd reads the id of the machine, and waits for the end of its input before it goes on. */
static void start_begin(struct start *start)
{
    int input[2], output[2];

    start->output = -1;
    if (pipe2(input, O_CLOEXEC) < 0)
        return;
    if (pipe2(output, O_CLOEXEC) < 0) {
        close(input[0]);
        close(input[1]);
        return;
    }
    start->process = fork();
    if (start->process == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        remote_command(start);
    }
    if (start->machine[0] != '\0')
        dprintf(input[1], "PVM_VMID=%s\n", start->machine);
    close(input[0]);
    close(input[1]);
    close(output[1]);
    start->output = output[0];
}

/* Reads the line of the pvmd, until the deadline. */
static int line_read(struct start *start, time_t deadline)
{
    size_t length = 0;

    while (length < sizeof start->line - 1) {
        struct pollfd wanted = {.fd = start->output, .events = POLLIN};
        time_t left = deadline - time(NULL);
        if (left < 0 || poll(&wanted, 1, (int)left * 1000) <= 0)
            return -1;
        if (read(start->output, start->line + length, 1) <= 0)
            return -1;
        if (start->line[length] == '\n') {
            start->line[length] = '\0';
            return 0;
        }
        length++;
    }
    return -1;
}

static void start_end(struct start *start, time_t deadline)
{
    int started = start->output >= 0 && line_read(start, deadline) == 0;

    printf("%s: %s\n", start->login, started ? start->line : "did not start");
    if (!started)
        strcpy(start->line, "PvmCantStart");
    if (start->output >= 0)
        close(start->output);
    if (start->process > 0) {
        if (!started)
            kill(start->process, SIGKILL);
        waitpid(start->process, NULL, 0);
    }
}

/* All hosts are started side by side; the answer goes back when each has started or failed. */
static void serve(const struct request *request)
{
    int count = service_int();
    if (count < 0 || count > request->bytes / 4)
        return;
    struct start *starts = service_allocate((size_t)count * sizeof *starts);
    for (int i = 0; i < count; i++) {
        starts[i].tid = service_int();
        free(service_string(request)); /* the host's option so= */
        starts[i].login = service_string(request);
        starts[i].command = service_string(request);
        free(service_string(request)); /* the command for Windows */
        starts[i].machine = service_string(request);
        start_begin(&starts[i]);
    }
    time_t deadline = time(NULL) + SECONDS_TO_START;
    for (int i = 0; i < count; i++)
        start_end(&starts[i], deadline);
    service_begin(request->wait);
    service_put_int(count);
    for (int i = 0; i < count; i++) {
        service_put_int(starts[i].tid);
        pvm_pkstr(starts[i].line);
        free(starts[i].login);
        free(starts[i].command);
        free(starts[i].machine);
    }
    pvm_send(request->source, SM_STHOSTACK);
    free(starts);
}

int main(void)
{
    int buffer, result = pvm_reg_hoster();

    if (result < 0) {
        fprintf(stderr, "hoster: %s\n",
                result == PvmAlready ? "there is one already" : pvm_strerror());
        return EXIT_FAILURE;
    }
    signal(SIGPIPE, SIG_IGN); /* a remote shell may end before it reads */
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("hoster t%x is ready\n", (unsigned)pvm_mytid());
    pvm_setopt(PvmResvTids, 1); /* the tags of the pvmd are negative */
    while ((buffer = pvm_recv(-1, SM_STHOST)) > 0) {
        struct request request = service_request(buffer);
        if (request.source == OWN_PVMD)
            serve(&request);
    }
    return EXIT_SUCCESS;
}
