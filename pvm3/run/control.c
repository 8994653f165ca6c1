/* control.c - messages, signals, times. */
#include "run/control.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/guests.h"
#include "run/input.h"
#include "run/lines.h"
#include "run/progress.h"
#include "run/protocol.h"
#include "run/signals.h"
#include "run/start.h"
#include "run/worlds.h"

/* Milliseconds that programs have to end when they are told to, and their supervisors to say so. */
#define PATIENCE 10000

/* A rank is told of what was written in steps of so many bytes. */
#define TAKEN_STEP (OUTPUT_WINDOW / 4)

/* As long as more bytes wait for an outlet, nobody is told that his were written. */
#define OUTLET_LIMIT (1 << 20)

/* With what pvmrun ends when the time of --timeout is over, as timeout(1) does. */
#define STATUS_TIMEOUT 124

enum ending { ENDING_NOT, ENDING_ASKED, ENDING_KILLED, ENDING_GIVEN_UP };

struct control {
    struct run *run;
    int signals;
    struct input input;
    enum ending ending;
    long long deadline; /* of the ending, 0: none */
    long long limit;    /* of --timeout, 0: none */
};

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int control_open_signals(void)
{
    /* After nohup the end of the terminal is no end. */
    bool stays = signal(SIGHUP, SIG_DFL) == SIG_IGN;
    const int awaited[] = {SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, stays ? 0 : SIGHUP,
                           0};
    if (stays)
        signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTTIN, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    return signals_open(awaited);
}

/* The end. ------------------------------------------------------------------------------------- */

static void signal_rank(const struct control *control, const struct rank *rank, int number)
{
    if (control->run->job.tasks != TASKS_PROCESSES) {
        if (rank->state == RANK_RUNS && number != SIGUSR1 && number != SIGUSR2)
            guests_end(rank);
        return;
    }
    if (rank->state == RANK_SPAWNED)
        pvm_sendsig(rank->tid, number);
    else if (rank->state == RANK_READY || rank->state == RANK_RUNS)
        send_number(rank->supervisor, TAG_SIGNAL, number);
}

static void signal_all(const struct control *control, int number)
{
    for (int i = 0; i < control->run->size; i++)
        signal_rank(control, &control->run->ranks[i], number);
    if (number == SIGKILL)
        guests_kill(control->run);
}

static struct world *world_of(const struct run *run, int number)
{
    return &run->worlds[run->ranks[number].world];
}

static void set_status(struct run *run, int status)
{
    if (run->has_status || status == 0)
        return;
    run->status = status;
    run->has_status = true;
}

/* All are asked to end, and killed if they do not. */
static void end_all(struct control *control, int number)
{
    if (control->ending >= ENDING_KILLED)
        return;
    control->ending = number == SIGKILL ? ENDING_KILLED : ENDING_ASKED;
    control->deadline = now() + PATIENCE;
    signal_all(control, number);
}

static void give_up(struct control *control)
{
    fputs("pvmrun: some programs did not end: see `ps -a` of the console pvm\n", stderr);
    control->ending = ENDING_GIVEN_UP;
    set_status(control->run, EXIT_FAILURE);
}

static void end_rank(struct control *control, int number, int status)
{
    struct run *run = control->run;
    struct rank *rank = &run->ranks[number];
    if (rank->state == RANK_OVER)
        return;
    rank->state = RANK_OVER;
    rank->status = status;
    run->over++;
    lines_end(run, number);
    if (!world_of(run, number)->failed)
        set_status(run, status);
}

/* A program that ends now was asked to. */
static bool is_expected(const struct control *control, int number)
{
    return control->ending != ENDING_NOT || world_of(control->run, number)->failed;
}

/* A world cannot be spawned whole: its task is told, and no rank of it is left. */
static void fail_world(struct control *control, struct world *world)
{
    struct run *run = control->run;
    worlds_refuse(world, PvmNoFile);
    for (int i = world->first; i < world->first + world->size; i++) {
        if (run->ranks[i].state == RANK_PLACED)
            end_rank(control, i, EXIT_FAILURE);
        else
            signal_rank(control, &run->ranks[i], SIGKILL);
    }
}

/* A rank has ended as it should not: those of its world that is being spawned end, or all. */
static void end_others(struct control *control, int number)
{
    struct world *world = world_of(control->run, number);
    if (world->asker != 0 && world->answered < world->size)
        fail_world(control, world);
    else if (!control->run->job.recovers)
        end_all(control, SIGTERM);
}

static void end_rank_by_signal(struct control *control, int number, int status, int signal)
{
    char name[RANK_NAME_SIZE];
    end_rank(control, number, status);
    if (signal == 0 || is_expected(control, number))
        return;
    fprintf(stderr, "pvmrun: rank %s on %s was killed by signal %d (%s)\n",
            rank_name(control->run, number, name), control->run->ranks[number].host->name, signal,
            strsignal(signal));
    end_others(control, number);
}

static void end_rank_lost(struct control *control, int number)
{
    char name[RANK_NAME_SIZE];
    const struct rank *rank = &control->run->ranks[number];
    bool expected = is_expected(control, number);
    if (rank->state == RANK_OVER)
        return;
    if (!expected)
        fprintf(stderr, "pvmrun: rank %s on %s is lost: %s or its host has ended\n",
                rank_name(control->run, number, name), rank->host->name,
                rank->supervisor ? "its supervisor" : "its process");
    end_rank(control, number, 128 + SIGKILL);
    if (!expected)
        end_others(control, number);
}

/* Messages. ------------------------------------------------------------------------------------ */

/* The rank of a supervisor, -1 if it has none. */
static int rank_of_supervisor(const struct run *run, int tid)
{
    for (int i = 0; i < run->size; i++)
        if (run->ranks[i].supervisor == tid)
            return i;
    return -1;
}

static int rank_of_task(const struct run *run, int tid)
{
    for (int i = 0; i < run->size; i++)
        if (run->ranks[i].tid == tid)
            return i;
    return -1;
}

static void take_hello(struct control *control, int supervisor)
{
    struct run *run = control->run;
    int pid = received_number(0);
    for (int i = 0; i < run->size; i++) {
        struct rank *rank = &run->ranks[i];
        if (rank->state != RANK_SPAWNED || rank->pid != pid ||
            rank->host->tid != pvm_tidtohost(supervisor))
            continue;
        rank->supervisor = supervisor;
        rank->state = RANK_READY;
        pvm_notify(PvmTaskExit, TAG_SUPERVISOR_GONE, 1, &supervisor);
        struct world *world = world_of(run, i);
        world->ready++;
        if (i < run->worlds[0].size)
            progress_show(world->ready, world->size);
        if (is_expected(control, i))
            signal_rank(control, rank, SIGTERM);
        else if (world->ready == world->size)
            start_go(run, world);
        return;
    }
}

static void take_output(struct control *control, int number)
{
    char text[PIECE_SIZE];
    int stream = received_number(0), length = received_number(0);
    if (length <= 0 || (size_t)length > sizeof text || pvm_upkbyte(text, length, 1) < 0)
        return;
    lines_take(control->run, number, stream == 1, text, (size_t)length);
    control->run->ranks[number].owed += (size_t)length;
}

/* What a task prints that has no supervisor; a count that is not positive tells of its state. */
static void take_printed(struct control *control)
{
    char text[PIECE_SIZE];
    int number = rank_of_task(control->run, received_number(0)), length = received_number(0);
    if (number >= 0 && length > 0 && (size_t)length <= sizeof text &&
        pvm_upkbyte(text, length, 1) == 0)
        lines_take(control->run, number, 0, text, (size_t)length);
}

static void take_failure(struct control *control, int number)
{
    char name[RANK_NAME_SIZE];
    int status = received_number(EXIT_FAILURE);
    char *why = unpack_text();
    bool expected = is_expected(control, number);
    if (!expected)
        fprintf(stderr, "pvmrun: rank %s on %s did not start: %s\n",
                rank_name(control->run, number, name), control->run->ranks[number].host->name,
                why ? why : "");
    free(why);
    if (!expected && world_of(control->run, number)->asker != 0)
        end_others(control, number);
    end_rank(control, number, status);
    if (!is_expected(control, number))
        end_all(control, SIGTERM);
}

/* A rank that was spawned runs: its task is told when all do. */
static void take_start(struct control *control, int number)
{
    struct world *world = world_of(control->run, number);
    if (!world->failed && ++world->answered == world->size)
        worlds_answer(control->run, world);
}

static void take_word_of_rank(struct control *control, int number, int tag)
{
    struct rank *rank = &control->run->ranks[number];
    switch (tag) {
    case TAG_OUTPUT:
        take_output(control, number);
        break;
    case TAG_INPUT_TAKEN:
        rank->underway -= (size_t)received_number(0);
        break;
    case TAG_ENDED: {
        int status = received_number(0), signal = received_number(0);
        end_rank_by_signal(control, number, status, signal);
        break;
    }
    case TAG_FAILED:
        take_failure(control, number);
        break;
    case TAG_STARTED:
        take_start(control, number);
        break;
    }
}

static void take_status(struct control *control, int tid)
{
    int number = rank_of_task(control->run, tid);
    if (number >= 0) {
        control->run->ranks[number].status = received_number(0);
        control->run->ranks[number].tells_status = false;
    }
}

/* A task spawns a world. */
static void take_request(struct control *control, int asker)
{
    struct world *world = worlds_spawn(control->run, asker);
    if (world && !start_spawn(control->run))
        fail_world(control, world);
}

/* What tasks send to their parent. Whatever else that is, nobody waits for it. */
static void take_word_of_task(struct control *control, int buffer)
{
    int tag, source;
    pvm_bufinfo(buffer, NULL, &tag, &source);
    if (tag == TAG_STATUS)
        take_status(control, source);
    if (tag == TAG_SPAWN && control->ending == ENDING_NOT)
        take_request(control, source);
    /* Others that abort because the first one is dead come later. */
    if (tag != TAG_ABORT || control->ending != ENDING_NOT)
        return;
    int status = received_number(EXIT_FAILURE) & 255;
    control->run->has_status = true;
    control->run->status = status;
    end_all(control, SIGTERM);
}

static int take_next(int context)
{
    pvm_setcontext(context);
    return pvm_nrecv(-1, -1);
}

/* What tasks have sent so far. How many words, or an error when the virtual machine is gone. */
static int take_words_of_tasks(struct control *control)
{
    int buffer, count = 0;
    while ((buffer = take_next(PvmBaseContext)) > 0) {
        pvm_setcontext(control->run->context);
        take_word_of_task(control, buffer);
        count++;
    }
    pvm_setcontext(control->run->context);
    return buffer < 0 ? buffer : count;
}

/* A process whose tasks are not processes has ended: it does not before pvmrun has. */
static void take_holder_gone(struct control *control)
{
    if (control->ending != ENDING_NOT)
        return;
    fputs("pvmrun: a process that held tasks has ended: all its tasks are lost\n", stderr);
    set_status(control->run, 128 + SIGKILL);
    end_all(control, SIGTERM);
}

/* A task that went before it had a supervisor; otherwise that one tells of its end. */
static void take_task_gone(struct control *control, int tid)
{
    int number = rank_of_task(control->run, tid);
    if (number >= 0 && control->run->job.tasks != TASKS_PROCESSES) {
        take_words_of_tasks(control); /* what it has said of its status came before */
        if (control->run->ranks[number].tells_status)
            end_rank_lost(control, number);
        else
            end_rank(control, number, control->run->ranks[number].status);
    } else if (number >= 0 && control->run->ranks[number].state == RANK_SPAWNED)
        end_rank_lost(control, number);
}

static void take_message(struct control *control, int buffer)
{
    int tag, source;
    pvm_bufinfo(buffer, NULL, &tag, &source);
    if (tag == TAG_HELLO) {
        take_hello(control, source);
    } else if (tag == TAG_TASK_GONE) {
        take_task_gone(control, received_number(0));
    } else if (tag == TAG_HOLDER_GONE) {
        take_holder_gone(control);
    } else if (tag == TAG_PRINTED) {
        take_printed(control);
    } else {
        int number = rank_of_supervisor(control->run,
                                        tag == TAG_SUPERVISOR_GONE ? received_number(0) : source);
        if (number >= 0 && tag == TAG_SUPERVISOR_GONE)
            end_rank_lost(control, number);
        else if (number >= 0)
            take_word_of_rank(control, number, tag);
    }
}

/* False when the virtual machine is gone. */
static bool take_messages(struct control *control)
{
    int buffer, words;
    do {
        while ((buffer = take_next(control->run->context)) > 0)
            take_message(control, buffer);
        words = buffer < 0 ? buffer : take_words_of_tasks(control);
    } while (words > 0); /* which may have let further messages come in */
    return words == 0;
}

/* Output. -------------------------------------------------------------------------------------- */

static void tell_taken(struct run *run)
{
    for (int i = 0; i < run->size; i++) {
        struct rank *rank = &run->ranks[i];
        if (rank->owed < TAKEN_STEP || rank->state != RANK_RUNS)
            continue;
        send_number(rank->supervisor, TAG_OUTPUT_TAKEN, (int)rank->owed);
        rank->owed = 0;
    }
}

static void write_outlet(struct control *control, struct outlet *outlet)
{
    bool worked = outlet->error == 0;
    outlet_write(outlet);
    if (!worked || outlet->error == 0)
        return;
    if (outlet->fd == STDOUT_FILENO)
        fprintf(stderr, "pvmrun: cannot write to the standard output: %s\n",
                strerror(outlet->error));
    set_status(control->run, EXIT_FAILURE);
    end_all(control, SIGTERM);
}

static void write_outlets(struct control *control)
{
    struct outlet *outlets = control->run->outlets;
    write_outlet(control, &outlets[0]);
    write_outlet(control, &outlets[1]);
    if (outlet_waiting(&outlets[0]) + outlet_waiting(&outlets[1]) < OUTLET_LIMIT)
        tell_taken(control->run);
}

/* Waiting. ------------------------------------------------------------------------------------- */

static void take_signal(struct control *control, int number)
{
    switch (number) {
    case SIGCONT:
        control->input.paused = false;
        break;
    case SIGUSR1:
    case SIGUSR2:
        signal_all(control, number);
        break;
    default:
        set_status(control->run, 128 + number);
        end_all(control, control->ending == ENDING_NOT ? number : SIGKILL);
    }
}

static void take_signals(struct control *control)
{
    int number;
    while ((number = signals_take(control->signals)) != 0)
        take_signal(control, number);
}

static void look_at_clock(struct control *control)
{
    long long time = now();
    if (control->limit > 0 && time >= control->limit) {
        control->limit = 0;
        fputs("pvmrun: the time of --timeout is over\n", stderr);
        set_status(control->run, STATUS_TIMEOUT);
        end_all(control, SIGTERM);
    }
    if (control->deadline == 0 || time < control->deadline)
        return;
    if (control->ending == ENDING_ASKED)
        end_all(control, SIGKILL);
    else
        give_up(control);
}

/* Milliseconds until there is something to do without anything that happens, -1: none. */
static int patience(const struct control *control)
{
    long long until = control->deadline;
    if (control->limit > 0 && (until == 0 || control->limit < until))
        until = control->limit;
    if (until == 0)
        return -1;
    long long left = until - now();
    return left <= 0 ? 0 : left > 1000000 ? 1000000 : (int)left + 1;
}

enum { FD_SIGNALS, FD_INPUT, FD_OUT, FD_ERR, FD_MESSAGES, FD_MOST = FD_MESSAGES + 64 };

static int watched_outlet(const struct outlet *outlet)
{
    return outlet_waiting(outlet) > 0 ? outlet->fd : -1;
}

static int list_fds(const struct control *control, struct pollfd *fds)
{
    const struct run *run = control->run;
    int *messages, count = pvm_getfds(&messages), listed = FD_MESSAGES;
    bool reads = control->ending == ENDING_NOT && input_is_wanted(&control->input, run);
    fds[FD_SIGNALS] = (struct pollfd){.fd = control->signals, .events = POLLIN};
    fds[FD_INPUT] = (struct pollfd){.fd = reads ? STDIN_FILENO : -1, .events = POLLIN};
    fds[FD_OUT] = (struct pollfd){.fd = watched_outlet(&run->outlets[0]), .events = POLLOUT};
    fds[FD_ERR] = (struct pollfd){.fd = watched_outlet(&run->outlets[1]), .events = POLLOUT};
    for (int i = 0; i < count && listed < FD_MOST; i++)
        fds[listed++] = (struct pollfd){.fd = messages[i], .events = POLLIN};
    return listed;
}

static void wait_for_anything(struct control *control)
{
    struct pollfd fds[FD_MOST];
    int count = list_fds(control, fds);
    if (poll(fds, (nfds_t)count, patience(control)) < 0)
        return;
    if (fds[FD_SIGNALS].revents)
        take_signals(control);
    if (fds[FD_INPUT].revents)
        input_pass(&control->input, control->run);
}

static void lose_machine(struct control *control)
{
    fputs("pvmrun: the virtual machine has ended\n", stderr);
    set_status(control->run, EXIT_FAILURE);
    control->ending = ENDING_GIVEN_UP;
}

void control_run(struct run *run, int signals, bool all_started)
{
    struct control control = {.run = run, .signals = signals};
    for (int i = 0; i < run->size; i++)
        run->over += run->ranks[i].state == RANK_PLACED;
    if (run->job.timeout > 0)
        control.limit = now() + (long long)(run->job.timeout * 1000);
    if (!all_started) {
        set_status(run, EXIT_FAILURE);
        end_all(&control, SIGTERM);
    }
    while (run->over < run->size && control.ending != ENDING_GIVEN_UP) {
        if (!take_messages(&control))
            lose_machine(&control);
        write_outlets(&control);
        look_at_clock(&control);
        if (run->over < run->size && control.ending != ENDING_GIVEN_UP)
            wait_for_anything(&control);
    }
    if (control.ending == ENDING_NOT && guests_are_lost(run))
        take_holder_gone(&control);
    for (int i = 0; i < run->size; i++)
        lines_end(run, i);
    outlet_finish(&run->outlets[0]);
    outlet_finish(&run->outlets[1]);
}
