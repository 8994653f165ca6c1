/*
 * supervisor.c - waits in one place for pvmrun, for the program's output and end, and for signals.
 *
 * It is a task beside the one for which it was started: the program enrols as that one, by the
 * variable PVMEPID, whose value the supervisor therefore leaves to it.
 */
#include "run/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/program.h"
#include "run/protocol.h"
#include "run/signals.h"

/* Milliseconds that a program has to end after SIGTERM. */
#define PATIENCE 5000

/* No task has it: with it a process that was spawned becomes a task beside. */
#define NO_TASK "1"

struct supervisor {
    int run;
    int signals;
    struct program program;
    int running;
    int over;           /* there is nothing to do any more */
    int status, signal; /* how the program has ended */
    size_t underway;    /* bytes of output that pvmrun has not written */
    char *input;        /* bytes for the program that it has not read */
    size_t input_length;
    int input_ended;
    long long deadline; /* when the program is killed; 0: it is not */
};

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void signal_program(const struct supervisor *supervisor, int number)
{
    if (supervisor->running)
        kill(-supervisor->program.pid, number);
}

/* The program is asked to end, and has to before long. */
static void end_program(struct supervisor *supervisor, int number)
{
    if (!supervisor->running) {
        supervisor->over = 1;
        return;
    }
    signal_program(supervisor, number);
    if (supervisor->deadline == 0)
        supervisor->deadline = now() + PATIENCE;
}

/* Output. -------------------------------------------------------------------------------------- */

static void send_output(struct supervisor *supervisor, int stream, const char *text, size_t length)
{
    pvm_initsend(PvmDataDefault);
    const int head[] = {stream, (int)length};
    pvm_pkint(head, 2, 1);
    pvm_pkbyte(text, head[1], 1);
    pvm_send(supervisor->run, TAG_OUTPUT);
    supervisor->underway += length;
}

/* Passes on what is there, a piece at most. False when there is nothing. */
static int pass_output(struct supervisor *supervisor, int stream)
{
    char text[PIECE_SIZE];
    int *fd = &supervisor->program.out[stream];
    ssize_t length = read(*fd, text, sizeof text);
    if (length > 0)
        send_output(supervisor, stream, text, (size_t)length);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) {
        close(*fd);
        *fd = -1;
    }
    return length > 0;
}

/*
 * What the program has left in its pipes. No more than they hold: a process that it has left behind
 * may write without end.
 */
static void pass_rest(struct supervisor *supervisor, int stream)
{
    for (size_t passed = 0; supervisor->program.out[stream] >= 0 && passed < 2 * OUTPUT_WINDOW;
         passed += PIECE_SIZE)
        if (!pass_output(supervisor, stream))
            return;
}

/* Input. --------------------------------------------------------------------------------------- */

static void close_input(struct supervisor *supervisor)
{
    if (supervisor->program.input >= 0)
        close(supervisor->program.input);
    supervisor->program.input = -1;
    supervisor->input_length = 0;
}

static void take_input(struct supervisor *supervisor)
{
    int length = received_number(0);
    if (length <= 0) {
        supervisor->input_ended = 1;
        return;
    }
    size_t total = supervisor->input_length + (size_t)length;
    supervisor->input = memory_resize(supervisor->input, total, 1);
    if (pvm_upkbyte(supervisor->input + supervisor->input_length, length, 1) == 0)
        supervisor->input_length = total;
}

/* A program that does not read any more has its input thrown away. */
static void pass_input(struct supervisor *supervisor)
{
    size_t waiting = supervisor->input_length;
    ssize_t written = supervisor->program.input < 0
                          ? (ssize_t)waiting
                          : write(supervisor->program.input, supervisor->input, waiting);
    if (written < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (written < 0) {
        close_input(supervisor);
        written = (ssize_t)waiting;
    } else {
        supervisor->input_length = waiting - (size_t)written;
        memmove(supervisor->input, supervisor->input + written, supervisor->input_length);
    }
    send_number(supervisor->run, TAG_INPUT_TAKEN, (int)written);
}

static void move_input(struct supervisor *supervisor)
{
    if (supervisor->input_length > 0)
        pass_input(supervisor);
    if (supervisor->input_length == 0 && supervisor->input_ended)
        close_input(supervisor);
}

/* The program. --------------------------------------------------------------------------------- */

static void tell_failure(const struct supervisor *supervisor)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&supervisor->program.status, 1, 1);
    pack_text(supervisor->program.why);
    pvm_send(supervisor->run, TAG_FAILED);
}

/* The daemon's log on a host that a private machine had is of no use to anybody afterwards. */
static void remove_log(void)
{
    const char *folder = getenv("PVM_TMP"), *machine = getenv("PVM_VMID");
    if (!machine)
        return;
    char *path =
        memory_text("%s/pvml.%ld.%s", folder && *folder ? folder : "/tmp", (long)getuid(), machine);
    unlink(path);
    free(path);
}

static void obey(struct supervisor *supervisor, const struct order *order)
{
    if (order->is_private && order->is_far)
        remove_log();
    supervisor->running = program_start(&supervisor->program, order);
    if (!supervisor->running) {
        tell_failure(supervisor);
        supervisor->over = 1;
    } else if (order->world > 1) {
        pvm_initsend(PvmDataDefault);
        pvm_send(supervisor->run, TAG_STARTED);
    }
}

static void start_program(struct supervisor *supervisor, const char *cookie)
{
    struct order order = {0};
    setenv("PVMEPID", cookie, 1);
    if (!supervisor->running && order_unpack(&order))
        obey(supervisor, &order);
    order_free(&order);
}

static void reap(struct supervisor *supervisor)
{
    int how;
    if (!supervisor->running || waitpid(supervisor->program.pid, &how, WNOHANG) <= 0)
        return;
    supervisor->running = 0;
    supervisor->over = 1;
    supervisor->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    supervisor->status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    if (supervisor->deadline > 0) /* what the program has left behind was to end with it */
        kill(-supervisor->program.pid, SIGKILL);
    pass_rest(supervisor, 0);
    pass_rest(supervisor, 1);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&supervisor->status, 1, 1);
    pvm_pkint(&supervisor->signal, 1, 1);
    pvm_send(supervisor->run, TAG_ENDED);
}

/* Waiting. ------------------------------------------------------------------------------------- */

static void take_message(struct supervisor *supervisor, int buffer, const char *cookie)
{
    int tag;
    pvm_bufinfo(buffer, NULL, &tag, NULL);
    switch (tag) {
    case TAG_START:
        start_program(supervisor, cookie);
        break;
    case TAG_INPUT:
        take_input(supervisor);
        break;
    case TAG_OUTPUT_TAKEN:
        supervisor->underway -= (size_t)received_number(0);
        break;
    case TAG_SIGNAL:
        end_program(supervisor, received_number(SIGTERM));
        break;
    case TAG_RUN_GONE:
        end_program(supervisor, SIGTERM);
        break;
    }
}

/* False when the virtual machine is gone. */
static int take_messages(struct supervisor *supervisor, const char *cookie)
{
    int buffer;
    while (!supervisor->over && (buffer = pvm_nrecv(-1, -1)) != 0) {
        if (buffer < 0)
            return 0;
        take_message(supervisor, buffer, cookie);
    }
    return 1;
}

static void take_signals(struct supervisor *supervisor)
{
    int number;
    while ((number = signals_take(supervisor->signals)) != 0) {
        if (number == SIGCHLD)
            reap(supervisor);
        else
            end_program(supervisor, number);
    }
}

enum { FD_SIGNALS, FD_OUT, FD_ERR, FD_INPUT, FD_MESSAGES, FD_MOST = FD_MESSAGES + 64 };

static int list_fds(const struct supervisor *supervisor, struct pollfd *fds)
{
    int *messages, count = pvm_getfds(&messages);
    int takes_output = supervisor->underway < OUTPUT_WINDOW;
    const struct program *program = &supervisor->program;
    int has_input = supervisor->input_length > 0;
    fds[FD_SIGNALS] = (struct pollfd){.fd = supervisor->signals, .events = POLLIN};
    fds[FD_OUT] = (struct pollfd){.fd = takes_output ? program->out[0] : -1, .events = POLLIN};
    fds[FD_ERR] = (struct pollfd){.fd = takes_output ? program->out[1] : -1, .events = POLLIN};
    fds[FD_INPUT] = (struct pollfd){.fd = has_input ? program->input : -1, .events = POLLOUT};
    for (int i = 0; i < count && FD_MESSAGES + i < FD_MOST; i++)
        fds[FD_MESSAGES + i] = (struct pollfd){.fd = messages[i], .events = POLLIN};
    return FD_MESSAGES + (count > 0 ? count : 0);
}

static int patience(const struct supervisor *supervisor)
{
    if (supervisor->deadline == 0)
        return -1;
    long long left = supervisor->deadline - now();
    return left > 0 ? (int)left : 0;
}

static void wait_for_anything(struct supervisor *supervisor)
{
    struct pollfd fds[FD_MOST];
    int count = list_fds(supervisor, fds);
    if (poll(fds, (nfds_t)count, patience(supervisor)) < 0)
        return;
    if (supervisor->deadline > 0 && patience(supervisor) == 0) {
        signal_program(supervisor, SIGKILL);
        supervisor->deadline = now() + PATIENCE;
    }
    if (fds[FD_OUT].revents)
        pass_output(supervisor, 0);
    if (fds[FD_ERR].revents)
        pass_output(supervisor, 1);
    if (fds[FD_SIGNALS].revents)
        take_signals(supervisor);
}

static void serve(struct supervisor *supervisor, const char *cookie)
{
    int has_machine = 1;
    while (!supervisor->over) {
        if (has_machine && !take_messages(supervisor, cookie)) {
            has_machine = 0;
            end_program(supervisor, SIGTERM);
        }
        move_input(supervisor);
        if (!supervisor->over)
            wait_for_anything(supervisor);
    }
}

int supervisor_run(int run, int context)
{
    static const int awaited[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, 0};
    struct supervisor supervisor = {.run = run, .program = {.input = -1, .out = {-1, -1}}};
    const char *given = getenv("PVMEPID");
    char *cookie = memory_text("%s", given ? given : "");
    supervisor.signals = signals_open(awaited);
    signal(SIGPIPE, SIG_IGN);
    setenv("PVMEPID", NO_TASK, 1);
    if (pvm_mytid() < 0)
        return EXIT_FAILURE;
    pvm_setcontext(context);
    pvm_notify(PvmTaskExit, TAG_RUN_GONE, 1, &run);
    send_number(run, TAG_HELLO, getpid());
    serve(&supervisor, cookie);
    free(cookie);
    free(supervisor.input);
    free(supervisor.program.why);
    pvm_exit();
    return EXIT_SUCCESS;
}
