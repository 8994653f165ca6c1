/*
 * Signals that interrupt the library's calls: each call goes on as if there had been none.
 *
 * signals receive ROUNDS   a thread is hit by signals while it sleeps in each of the calls that
 * wait;
 *                          the message that it waits for comes only then
 * signals send ROUNDS      large messages to oneself, more than the sockets hold, under signals
 * signals task ROUNDS      pvm_sendsig to oneself and to another task with threads, and pvm_tickle,
 * by
 *                          several threads
 * signals wait             a task whose threads all wait, for others to kill
 *
 * Prints "ok" when all went well, or what did not.
 */
#include <pthread.h>
#include <pvm3.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HITS = 5,
    CALLS = 4,
    THREADS = 3,
    TAG = 1,
    READY_TAG = 2,
    HIT_TAG = 3,
    LARGE = 4 * 1024 * 1024
};

static int me, rounds;
static atomic_int hits;
static atomic_bool over;
static int bell[2] = {-1, -1}; /* a pipe that the handler writes to, if there is one */

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    printf("not so: %s\n", what);
    exit(1);
}

static void note(int signal)
{
    (void)signal;
    hits++;
    if (bell[1] >= 0 && write(bell[1], "!", 1) != 1)
        abort();
}

static void install(int flags)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = flags};

    sigaction(SIGUSR1, &action, NULL);
}

static void give(int tid, int tag, int number)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    expect(pvm_send(tid, tag) == 0, "a message is sent");
}

/* Under fire --------------------------------------------------------------------------------- */

static int receive_by(int call, int tag)
{
    struct timeval hour = {3600, 0};
    int number = -1, source, got_tag, length, error = 0;

    switch (call) {
    case 0:
        error = pvm_recv(-1, tag);
        break;
    case 1:
        error = pvm_trecv(-1, tag, &hour);
        break;
    case 2:
        error = pvm_precv(-1, tag, &number, 1, PVM_INT, &source, &got_tag, &length);
        return error < 0 ? error : number;
    case 3: /* a request to the pvmd that waits */
        error = pvm_recvinfo("signals", tag, PvmMboxWaitForInfo);
        break;
    }
    if (error <= 0)
        return error - 1000;
    pvm_upkint(&number, 1, 1);
    return number;
}

static void *receive(void *argument)
{
    (void)argument;
    for (int i = 0; i < rounds; i++)
        expect(receive_by(i % CALLS, i + 10) == i, "the receive gets its message");
    return NULL;
}

/* A direct index per round: the receiver waits until there is such an entry. */
static void answer(int i)
{
    int number = i;

    if (i % CALLS == 3) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&number, 1, 1);
        expect(pvm_putinfo("signals", pvm_getsbuf(), PvmMboxDirectIndex(i + 10)) == i + 10,
               "an entry is put");
    } else if (i % CALLS == 2) {
        expect(pvm_psend(me, i + 10, &number, 1, PVM_INT) == 0, "a number is sent");
    } else {
        give(me, i + 10, i);
    }
}

static void under_fire(void)
{
    pthread_t receiver;

    pthread_create(&receiver, NULL, receive, NULL);
    for (int i = 0; i < rounds; i++) {
        int before = hits;
        while (hits < before + HITS) { /* some find it on its way from one call to the next */
            pthread_kill(receiver, SIGUSR1);
            sched_yield();
        }
        answer(i);
    }
    pthread_join(receiver, NULL);
}

static void *fire(void *target)
{
    while (!over) {
        pthread_kill(*(pthread_t *)target, SIGUSR1);
        sched_yield();
    }
    return NULL;
}

static void large_messages(void)
{
    pthread_t self = pthread_self(), gunner;
    char *sent = malloc(LARGE), *received = malloc(LARGE);

    pthread_create(&gunner, NULL, fire, &self);
    for (int i = 0; i < rounds; i++) {
        int before = hits;
        while (hits == before) /* the other thread may not run at once */
            sched_yield();
        memset(sent, 'a' + i % 26, LARGE);
        expect(pvm_psend(me, TAG, sent, LARGE, PVM_BYTE) == 0, "a large message is sent");
        expect(pvm_precv(-1, TAG, received, LARGE, PVM_BYTE, NULL, NULL, NULL) == 0, "it comes");
        expect(memcmp(sent, received, LARGE) == 0, "it is whole");
    }
    over = true;
    pthread_join(gunner, NULL);
    free(sent);
    free(received);
}

/* Signals by the virtual machine ------------------------------------------------------------- */

static void *wait_for_end(void *argument)
{
    (void)argument;
    pvm_recv(-1, TAG);
    return NULL;
}

static void *tickle(void *argument)
{
    int what[] = {6}, count, answers[10];

    (void)argument;
    while (!over) {
        expect(pvm_tickle(1, what, &count, answers) == 0, "the pvmd is tickled");
        expect(pvm_pstat(me) == 0, "the task runs");
    }
    return NULL;
}

/*
 * Counts and reports each signal; the pvmd may not send the next before, for signals do not queue.
 */
static void wait_among_threads(void)
{
    pthread_t threads[THREADS];
    char byte;

    expect(pipe(bell) == 0, "there is a pipe");
    install(0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, wait_for_end, NULL);
    give(pvm_parent(), READY_TAG, 0);
    for (int told = 1;; told++) {
        while (read(bell[0], &byte, 1) != 1)
            ;
        give(pvm_parent(), HIT_TAG, told);
    }
}

static void among_tasks(char *program)
{
    char *arguments[] = {"wait", NULL};
    pthread_t threads[THREADS];
    int child = 0, number = 0;

    expect(pvm_spawn(program, arguments, PvmTaskDefault, "", 1, &child) == 1, "a task starts");
    expect(pvm_recv(child, READY_TAG) > 0, "it is ready");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, tickle, NULL);
    for (int i = 1; i <= rounds; i++) {
        int before = hits;
        expect(pvm_sendsig(me, SIGUSR1) == 0, "a signal is sent to oneself");
        while (hits == before)
            sched_yield();
        expect(pvm_sendsig(child, SIGUSR1) == 0, "a signal is sent to a task");
        expect(pvm_recv(child, HIT_TAG) > 0, "it tells of it");
        expect(pvm_upkint(&number, 1, 1) == 0 && number == i, "every signal comes once");
    }
    expect(pvm_notify(PvmTaskExit, TAG, 1, &child) == 0, "its end is of interest");
    expect(pvm_kill(child) == 0, "it is killed");
    expect(pvm_recv(-1, TAG) > 0, "its end is told");
    expect(pvm_pstat(child) == PvmNoTask, "it is over");
    over = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    setvbuf(stdout, NULL, _IOLBF, 0);
    me = pvm_mytid();
    expect(me > 0, "the task enrols");
    rounds = argc > 2 ? atoi(argv[2]) : 20;
    install(0);
    if (strcmp(part, "receive") == 0)
        under_fire();
    else if (strcmp(part, "send") == 0)
        large_messages();
    else if (strcmp(part, "task") == 0)
        among_tasks("signals");
    else
        wait_among_threads();
    pvm_exit();
    printf("ok\n");
    return 0;
}
