/*
 * A task with threads that forks: neither it nor its children may notice anything of each other but
 * what they send.
 *
 * fork children ROUNDS   forks while a thread sends itself numbered messages, another receives
 * them,
 *                        a third one packs, and a handler answers; the children in turn end at once,
 *                        run the ends of the program, become another program, enrol and send the
 *                        parent a word, use what they inherited, and are another program at once
 * fork routed ROUNDS     the same, but the messages go to another task and back, over a direct
 * route fork echo              that task fork handler           forks in a message handler and in a
 * matcher; the child returns from there
 *
 * Prints "ok" when all went well, or what did not.
 */
#include <pthread.h>
#include <pvm3.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each child of `children` has a tag of its own for its word, from FIRST_WORD_TAG on. */
enum { KINDS = 6, NUMBER_TAG = 1, HANDLED_TAG = 3, END_TAG = 4, FIRST_WORD_TAG = 10, GOOD = 42 };

extern int pvmmytid;
extern char **environ;
static int me, rounds, word_tag = FIRST_WORD_TAG;
static int partner; /* who sends back what the threads send: the task itself, or another one */
static atomic_bool over;
static atomic_int handled;

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    printf("process %d, task t%x: not so: %s\n", (int)getpid(), (unsigned)pvmmytid, what);
    fflush(stdout);
    _exit(1);
}

/*
 * Asked by AddressSanitizer's search for leaks: what the parent's other threads held on their stacks
 * has nobody in a child.
 */
static bool is_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_child;
}

/*
 * AddressSanitizer's malloc is not made ready for a fork, as that of the C library is: a child
 * would wait for a lock that another thread had. So no thread forks there while others pack, which
 * takes memory right then.
 */
#ifdef __SANITIZE_ADDRESS__
static const bool forks_apart = true;
#else
static const bool forks_apart = false;
#endif
static pthread_mutex_t packing = PTHREAD_MUTEX_INITIALIZER;

static void begin_packing(void)
{
    if (forks_apart)
        pthread_mutex_lock(&packing);
}

static void end_packing(void)
{
    if (forks_apart)
        pthread_mutex_unlock(&packing);
}

/*
 * The allocator of ThreadSanitizer is not made ready for a fork either. There a child that waits for a
 * lock of the allocator is ended by its alarm, given up, and another one takes its place.
 */
#ifdef __SANITIZE_THREAD__
enum { PATIENCE = 10 };
static const bool may_give_up = true;
#else
enum { PATIENCE = 60 };
static const bool may_give_up = false;
#endif

static void begin_child(void)
{
    alarm(PATIENCE);
    is_child = true;
}

static void give(int tid, int tag, int number)
{
    begin_packing();
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    end_packing();
    expect(pvm_send(tid, tag) == 0, "a message is sent");
}

static int take(int tag)
{
    int number = -1;

    expect(pvm_recv(-1, tag) > 0, "a message comes");
    expect(pvm_upkint(&number, 1, 1) == 0, "it holds a number");
    return number;
}

static void *send_numbers(void *argument)
{
    int number = 0;

    (void)argument;
    for (; !over; number++) {
        give(partner, NUMBER_TAG, number);
        give(partner, HANDLED_TAG, number);
        expect(take(END_TAG) == number, "the receiver keeps pace");
    }
    give(partner, NUMBER_TAG, -1);
    return NULL;
}

static void *receive_numbers(void *argument)
{
    int number, expected = 0;

    (void)argument;
    while ((number = take(NUMBER_TAG)) >= 0) {
        expect(number == expected++, "numbers come in order");
        give(partner, END_TAG, number);
    }
    return NULL;
}

static void *pack(void *argument)
{
    static const int numbers[1000];

    (void)argument;
    while (!over) {
        begin_packing();
        pvm_initsend(PvmDataDefault);
        pvm_pkint((int *)numbers, 1000, 1);
        pvm_export("NOTHING");
        pvm_unexport("NOTHING");
        end_packing();
    }
    return NULL;
}

/* Sends back what comes, over direct routes. */
static void echo(void)
{
    int source, tag, number = 0;

    pvm_setopt(PvmRoute, PvmRouteDirect);
    for (;;) {
        expect(pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, &source) == 0, "a message comes");
        expect(pvm_upkint(&number, 1, 1) == 0, "it holds a number");
        give(source, tag, number);
    }
}

static int start_echo(void)
{
    char *arguments[] = {"echo", NULL};
    int tid = -1;

    pvm_setopt(PvmRoute, PvmRouteDirect);
    expect(pvm_spawn("fork", arguments, PvmTaskDefault, "", 1, &tid) == 1, "a partner starts");
    return tid;
}

static int handle(int buffer)
{
    (void)buffer;
    handled++;
    return 0;
}

/* The child has its own life: another tid, none of the parent's messages, and its own end. */
static void live(int parent, int kind, int buffer)
{
    int number = -1;

    expect(pvmmytid == -1, "a child is no task");
    pvm_recvf(NULL);
    expect(pvm_getopt(PvmAutoErr) == 0, "it has the options of its parent");
    if (kind == 4) {
        /* What was packed before the fork. */
        expect(pvm_getsbuf() == buffer, "it has the active buffer of its parent");
        expect(pvm_send(parent, word_tag) == 0, "it can send that");
        expect(pvm_pkint(&kind, 1, 1) == 0 && pvm_freebuf(buffer) == 0, "the buffer is its own");
    } else {
        expect(pvm_nrecv(-1, -1) == 0, "none of the parent's messages comes to it");
        give(parent, word_tag, GOOD);
    }
    expect(pvm_mytid() > 0 && pvm_mytid() != parent, "it has a tid of its own");
    expect(pvm_parent() == PvmNoParent, "it was not spawned");
    give(pvm_mytid(), word_tag, GOOD);
    number = take(word_tag);
    expect(number == GOOD, "it can send to itself");
    expect(pvm_exit() == 0, "it can leave");
    _exit(GOOD);
}

/* Another program, which ends well if it has no socket and nothing to poll. */
static char *arguments_of_shell[] = {"/bin/sh", "-c",
                                     "for file in /proc/self/fd/*; do case $(readlink $file) in "
                                     "socket:*|anon_inode:*) exit 1;; esac; "
                                     "done; exit 42",
                                     NULL};

static void run_child(int kind, int buffer)
{
    if (kind == 0)
        _exit(GOOD);
    if (kind == 1)
        exit(GOOD);
    if (kind == 2)
        execv(arguments_of_shell[0], arguments_of_shell);
    live(me, kind, buffer);
}

/* Without the library being told: descriptors must close by themselves. */
static pid_t spawn_shell(void)
{
    pid_t child = -1;

    expect(posix_spawn(&child, arguments_of_shell[0], NULL, NULL, arguments_of_shell, environ) == 0,
           "a program starts");
    return child;
}

/* How a child of the kind ended, as waitpid gives it. */
static int end_of_child(int kind)
{
    int status = -1, number = GOOD, buffer = pvm_initsend(PvmDataDefault);

    pvm_pkint(&number, 1, 1);
    begin_packing();
    pid_t child = kind == 5 ? spawn_shell() : fork();
    end_packing();
    if (child == 0)
        run_child(kind, buffer);
    expect(waitpid(child, &status, 0) == child, "the child ends");
    return status;
}

static void run_children(void)
{
    int given_up = 0;

    for (int i = 0; i < rounds; word_tag++) {
        int kind = i % KINDS, status = end_of_child(kind);

        expect(pvm_mytid() == me && pvm_pstat(me) == 0, "the parent is what it was");
        if (may_give_up && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            given_up++;
            expect(given_up <= rounds / 5, "few children are given up");
            continue;
        }
        expect(WIFEXITED(status) && WEXITSTATUS(status) == GOOD, "the child ends well");
        if (kind == 3 || kind == 4)
            expect(take(word_tag) == GOOD, "the child's word comes");
        i++;
    }
    if (given_up > 0)
        printf("given up: %d children\n", given_up);
    /* Some of these may have had their say before. */
    for (int tag = FIRST_WORD_TAG; given_up > 0 && tag < word_tag; tag++)
        pvm_nrecv(-1, tag);
}

static void children(bool routed)
{
    pthread_t sender, receiver, packer;

    partner = routed ? start_echo() : me;

    pvm_addmhf(-1, HANDLED_TAG, PvmBaseContext, handle);
    pthread_create(&sender, NULL, send_numbers, NULL);
    pthread_create(&receiver, NULL, receive_numbers, NULL);
    pthread_create(&packer, NULL, pack, NULL);
    run_children();
    over = true;
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    pthread_join(packer, NULL);
    expect(handled > 0, "the handler ran");
    if (routed)
        expect(pvm_kill(partner) == 0, "the partner ends");
    expect(pvm_nrecv(-1, -1) == 0, "nothing is left");
}

/* Forks within a call of the library; the child comes back from there with an error, or with a copy
 * of the message if that came before. */
static pid_t forked = -1;

static int fork_in_handler(int buffer)
{
    (void)buffer;
    forked = fork();
    return 0;
}

static int fork_in_matcher(int buffer, int tid, int tag)
{
    int message_tag = -1;

    (void)tid;
    pvm_bufinfo(buffer, NULL, &message_tag, NULL);
    if (message_tag == tag && forked < 0)
        forked = fork();
    return forked == 0 ? 0 : message_tag == tag;
}

static void end_of_fork(int result, bool may_have_come)
{
    int status = -1;

    if (forked == 0) {
        expect(result == PvmSysErr || may_have_come, "in the child the receive fails");
        live(me, 3, 0);
    }
    expect(result > 0, "in the parent the message comes");
    expect(take(word_tag) == GOOD, "the child's word comes");
    expect(waitpid(forked, &status, 0) == forked, "the child ends");
    expect(WIFEXITED(status) && WEXITSTATUS(status) == GOOD, "the child ends well");
    forked = -1;
}

static void within_calls(void)
{
    int handler = pvm_addmhf(-1, HANDLED_TAG, PvmBaseContext, fork_in_handler);

    give(me, HANDLED_TAG, 0);
    give(me, NUMBER_TAG, 0);
    end_of_fork(pvm_recv(-1, NUMBER_TAG), true);
    expect(pvm_delmhf(handler) == 0, "the handler is the parent's");
    pvm_recvf(fork_in_matcher);
    give(me, NUMBER_TAG, 0);
    end_of_fork(pvm_recv(-1, NUMBER_TAG), false);
    pvm_recvf(NULL);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    pthread_atfork(NULL, NULL, begin_child);
    me = pvm_mytid();
    expect(me > 0, "the task enrols");
    pvm_setopt(PvmAutoErr, 0);
    rounds = argc > 2 ? atoi(argv[2]) : 100;
    if (argc > 1 && strcmp(argv[1], "handler") == 0)
        within_calls();
    else if (argc > 1 && strcmp(argv[1], "echo") == 0)
        echo();
    else
        children(argc > 1 && strcmp(argv[1], "routed") == 0);
    expect(pvm_exit() == 0, "the parent can leave");
    printf("ok\n");
    return 0;
}
