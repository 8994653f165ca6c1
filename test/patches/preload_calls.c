/* Threads that wait in different calls at once, in a task on libpvm3 of 3.4.6 with libpvm3threads.
 *
 * usage: preload_calls CASE
 *   mailbox   threads wait for mailbox entries while another asks for and makes them
 *   contexts  active buffers and the context are the thread's own
 *   notify    a thread waits for the end of tasks that another one spawns
 *   limit     a receive with a limit ends at it beside one without, and one that is stopped does not
 *   leave     pvm_exit ends the receives of other threads with an error
 *   routes    threads exchange messages with those of another task on a direct route
 *   behind    a message comes for the thread that waits first, behind another that nobody waits for
 * Prints "good" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

enum { COUNT = 8, TAG = 7, ROUNDS = 100 };

static void expect(const char *what, int value, int expected)
{
    if (value == expected)
        return;
    printf("%s is %d, not %d\n", what, value, expected);
    fflush(stdout);
    _Exit(EXIT_FAILURE);
}

static pthread_t start(void *(*run)(void *), int argument)
{
    pthread_t thread;
    expect("start of a thread", pthread_create(&thread, NULL, run, (void *)(size_t)argument), 0);
    return thread;
}

static void *wait_for_entry(void *number)
{
    char name[20];
    int value = -1;
    snprintf(name, sizeof name, "entry %d", (int)(size_t)number);
    expect("there is an entry", pvm_recvinfo(name, 0, PvmMboxWaitForInfo) > 0, 1);
    expect("unpack", pvm_upkint(&value, 1, 1), 0);
    expect("the entry", value, (int)(size_t)number);
    return NULL;
}

static void mailbox(void)
{
    pthread_t threads[COUNT];
    for (int round = 0; round < 3; round++) {
        char name[20];
        for (int i = 0; i < COUNT; i++)
            threads[i] = start(wait_for_entry, i);
        for (int i = COUNT - 1; i >= 0; i--) {
            int value;
            snprintf(name, sizeof name, "entry %d", i);
            expect("insert", pvm_insert(name, 0, i), 0);
            expect("lookup", pvm_lookup(name, 0, &value), 0);
            expect("what is found", value, i);
        }
        for (int i = 0; i < COUNT; i++) {
            pthread_join(threads[i], NULL);
            snprintf(name, sizeof name, "entry %d", i);
            expect("delete", pvm_delete(name, 0), 0);
        }
    }
}

static void *use_context(void *number)
{
    int own = pvm_newcontext();
    expect("the context before", pvm_setcontext(own), PvmBaseContext);
    for (int round = 0; round < ROUNDS; round++) {
        int value = (int)(size_t)number * ROUNDS + round, got = -1;
        int send = pvm_initsend(PvmDataDefault);
        expect("a buffer", send > 0, 1);
        expect("packf", pvm_packf("%d", value), 0);
        expect("the send buffer", pvm_getsbuf(), send);
        expect("send", pvm_send(pvm_mytid(), TAG), 0);
        int received = pvm_recv(-1, TAG);
        expect("receive buffer", pvm_getrbuf(), received);
        expect("unpackf", pvm_unpackf("%d", &got), 0);
        expect("own message", got, value);
        expect("the context", pvm_getcontext(), own);
    }
    return NULL;
}

static void contexts(void)
{
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++)
        threads[i] = start(use_context, i);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    expect("the context of the first thread", pvm_getcontext(), PvmBaseContext);
    expect("its send buffer", pvm_getsbuf(), 0);
}

static void *count_ends(void *unused)
{
    for (int i = 0; i < COUNT; i++)
        expect("word of an end", pvm_recv(-1, TAG) > 0, 1);
    return unused;
}

static void notify(void)
{
    char program[] = "sleep", hour[] = "3600";
    char *words[] = {hour, NULL};
    pthread_t counter = start(count_ends, 0);
    for (int i = 0; i < COUNT; i++) {
        int tid;
        expect("spawn", pvm_spawn(program, words, PvmTaskDefault, NULL, 1, &tid), 1);
        expect("notify", pvm_notify(PvmTaskExit, TAG, 1, &tid), 0);
        expect("kill", pvm_kill(tid), 0);
    }
    pthread_join(counter, NULL);
}

static atomic_int returned;

static void *receive(void *tag)
{
    int result = pvm_recv(-1, (int)(size_t)tag);
    atomic_store(&returned, 1);
    return (void *)(size_t)(result < 0);
}

static void *receive_for_a_moment(void *unused)
{
    struct timeval moment = {0, 1000};
    expect("nothing", pvm_trecv(-1, TAG, &moment), 0);
    atomic_store(&returned, 1);
    return unused;
}

static void limit(void)
{
    pthread_t leader = start(receive, TAG + 1);
    for (int round = 0; round < ROUNDS; round++)
        receive_for_a_moment(NULL);
    pvm_psend(pvm_mytid(), TAG + 1, NULL, 0, PVM_BYTE);
    pthread_join(leader, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t limited = 0;
        struct timeval longer = {0, 2000};
        atomic_store(&returned, 0);
        pthread_t receiver = start(receive, TAG + 1);
        expect("interrupt", pvm_interrupt_recv(), 0);
        limited = start(receive_for_a_moment, 0);
        expect("nothing", pvm_trecv(-1, TAG, &longer), 0);
        pthread_join(limited, NULL);
        expect("send", pvm_psend(pvm_mytid(), TAG + 1, NULL, 0, PVM_BYTE), 0);
        expect("resume", pvm_resume_recv(), 0);
        pthread_join(receiver, NULL);
        expect("nobody to resume", pvm_resume_recv(), PvmNotFound);
    }
}

static void leave(void)
{
    void *failed;
    pthread_t receiver = start(receive, TAG);
    expect("interrupt", pvm_interrupt_recv(), 0);
    expect("resume", pvm_resume_recv(), 0);
    expect("exit", pvm_exit(), 0);
    pthread_join(receiver, &failed);
    expect("an error", failed != NULL, 1);
}

/* The partner of a thread is the thread of the same number in the other task. */
static int partner;

static void exchange_one(int number, int first, int round)
{
    int got = -1;
    for (int step = 0; step < 2; step++) {
        if (step == first) {
            pvm_initsend(round % 2 ? PvmDataRaw : PvmDataDefault);
            expect("pack", pvm_pkint(&round, 1, 1), 0);
            expect("send", pvm_send(partner, TAG + number), 0);
            continue;
        }
        expect("receive", pvm_recv(partner, TAG + number) > 0, 1);
        expect("unpack", pvm_upkint(&got, 1, 1), 0);
        expect("the number", got, round);
    }
}

static void *exchange(void *number)
{
    const int first = pvm_parent() > 0; /* the child answers */
    for (int round = 0; round < ROUNDS; round++)
        exchange_one((int)(size_t)number, first, round);
    return NULL;
}

/* The first call of a thread on either side may ask for the route while others send already. */
static void routes(void)
{
    char program[] = "preload_calls", word[] = "routes";
    char *words[] = {word, NULL};
    pthread_t threads[COUNT];
    int *descriptors;
    int before = pvm_getfds(&descriptors);
    pvm_setopt(PvmRoute, PvmRouteDirect);
    partner = pvm_parent();
    if (partner < 0)
        expect("spawn", pvm_spawn(program, words, PvmTaskDefault, NULL, 1, &partner), 1);
    for (int i = 0; i < COUNT; i++)
        threads[i] = start(exchange, i);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    expect("there is a route", pvm_getfds(&descriptors) > before, 1);
    exchange_one(COUNT, pvm_parent() > 0, 0); /* both have looked */
}

/* The first call of pvm_interrupt_recv returns when the first thread waits, the other when both do. */
static void behind(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        threads[i] = start(receive, TAG + i);
        expect("interrupt", pvm_interrupt_recv(), 0);
    }
    for (int i = 0; i < 2; i++)
        expect("resume", pvm_resume_recv(), 0);
    printf("tid %x\n", (unsigned)pvm_mytid());
    fflush(stdout);
    pthread_join(threads[0], NULL);
    expect("send", pvm_psend(pvm_mytid(), TAG + 1, NULL, 0, PVM_BYTE), 0);
    pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"mailbox", mailbox}, {"contexts", contexts}, {"notify", notify}, {"limit", limit},
                 {"leave", leave},     {"routes", routes},     {"behind", behind},
                 {NULL, NULL}};
    int i = 0;
    while (argc == 2 && cases[i].name && strcmp(cases[i].name, argv[1]) != 0)
        i++;
    if (argc != 2 || !cases[i].name)
        return 2;
    expect("own tid", pvm_mytid() > 0, 1);
    cases[i].run();
    if (cases[i].run != leave)
        pvm_exit();
    printf("good\n");
    return EXIT_SUCCESS;
}
