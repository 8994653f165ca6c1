/* What happens to a task whose threads are cancelled inside its calls?
 *
 * usage: cancel AREA [ROUNDS]
 *   recv, trecv, precv, recvf, barrier   a thread that waits in that call is cancelled, ROUNDS
 *            times: as the one that watches for others, and as one of the others
 *   held     a thread whose cancellation is pending gets through all calls
 *   load     threads that receive are cancelled while messages come: each message is received by
 *            one of those that are left
 *   handler  a message handler and what it calls are not cancelled
 * Prints "checked N" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "fail.h"

enum { TAG = 7, OTHER_TAG = 8, NEVER_TAG = 9, WORKERS = 4, MESSAGES = 50, ITEMS = 100000 };

static int self, rounds;
static long checked;

static void send_number(int tag, int number)
{
    pvm_initsend(PvmDataRaw);
    pvm_pkint(&number, 1, 1);
    expect("send", pvm_send(self, tag), 0);
}

static void receive_number(int tag, int number)
{
    int value = -1;
    if (pvm_recv(-1, tag) <= 0)
        fail("receive fails");
    expect("unpack", pvm_upkint(&value, 1, 1), 0);
    expect("the number", value, number);
    checked++;
}

/* ---- one call that waits ---- */

static void *in_recv(void *unused)
{
    pvm_recv(-1, NEVER_TAG);
    return unused;
}

static void *in_trecv(void *unused)
{
    const struct timeval limit = {.tv_sec = 1000};
    pvm_trecv(-1, NEVER_TAG, &limit);
    return unused;
}

static void *in_precv(void *unused)
{
    static int items[ITEMS];
    pvm_precv(-1, NEVER_TAG, items, ITEMS, PVM_INT, NULL, NULL, NULL);
    return unused;
}

static void *in_barrier(void *unused)
{
    pvm_barrier("cancelled", 1000000);
    return unused;
}

static int match_by_tag(int bufid, int tid, int tag)
{
    int bytes, its;
    (void)tid;
    return pvm_bufinfo(bufid, &bytes, &its, NULL) < 0 ? 0 : its == tag;
}

/* It sleeps in its receive when it can be interrupted there, and then goes on. */
static void await_receiver(void)
{
    expect("interrupt", pvm_interrupt_recv(), 0);
    expect("resume", pvm_resume_recv(), 0);
}

static void cancel(pthread_t thread)
{
    void *result = NULL;
    expect("pthread_cancel", pthread_cancel(thread), 0);
    pthread_join(thread, &result);
    expect("the thread was cancelled", result == PTHREAD_CANCELED, 1);
}

static void *receive_other(void *unused)
{
    receive_number(OTHER_TAG, 5);
    return unused;
}

static void cancel_in(void *(*call)(void *))
{
    for (int i = 0; i < rounds; i++) {
        pthread_t leads, waits, follows;
        pthread_create(&leads, NULL, call, NULL);
        await_receiver();
        pthread_create(&waits, NULL, receive_other, NULL);
        pthread_create(&follows, NULL, call, NULL);
        for (int thread = 0; thread < 3; thread++)
            await_receiver();
        cancel(i % 2 ? follows : leads);
        cancel(i % 2 ? leads : follows);
        send_number(OTHER_TAG, 5);
        pthread_join(waits, NULL);
        send_number(NEVER_TAG, i); /* nobody waits for it any more */
        receive_number(NEVER_TAG, i);
    }
}

/* ---- all calls, with a cancellation that is pending ---- */

static atomic_int done;

/* So that the receive of it does not sleep, which is a point of cancellation. */
static void await_message(void)
{
    while (pvm_probe(-1, OTHER_TAG) == 0)
        pvm_pstat(self);
}

static void *call_all(void *unused)
{
    int *list, value, count, nobody = -1;
    struct pvmhostinfo *hosts;
    struct pvmtaskinfo *tasks;
    struct pvmmboxinfo *names;
    struct timeval clock, delta;
    pthread_cancel(pthread_self());
    pvm_config(&count, &value, &hosts);
    pvm_tasks(0, &count, &tasks);
    pvm_mstat(".");
    pvm_pstat(self);
    pvm_hostsync(pvm_tidtohost(self), &clock, &delta);
    pvm_getmboxinfo("", &count, &names);
    pvm_getnoresets(&list, &count);
    pvm_freecontext(pvm_newcontext());
    pvm_notify(PvmTaskExit, OTHER_TAG, 1, &self);
    pvm_notify(PvmTaskExit | PvmNotifyCancel, OTHER_TAG, 1, &self);
    await_message();
    pvm_recv(-1, OTHER_TAG);
    pvm_putinfo("entry", pvm_initsend(PvmDataDefault), 0);
    pvm_recvinfo("entry", 0, 0);
    pvm_delinfo("entry", 0, 0);
    pvm_getfds(&list);
    pvm_setopt(PvmRoute, PvmRouteDirect);
    pvm_spawn("cancel-does-not-exist", NULL, PvmTaskDefault, NULL, 1, &nobody);
    for (int i = 0; i < 10; i++) {
        send_number(OTHER_TAG, i);
        await_message();
        receive_number(OTHER_TAG, i);
        pvm_mcast(&self, 1, OTHER_TAG);
        pvm_psend(self, OTHER_TAG, &i, 1, PVM_INT);
        await_message();
        pvm_precv(-1, OTHER_TAG, &value, 1, PVM_INT, NULL, NULL, NULL);
        pvm_probe(-1, OTHER_TAG);
        pvm_nrecv(-1, OTHER_TAG);
    }
    done = 1;
    pthread_testcancel();
    return unused;
}

static void test_held(void)
{
    pthread_t thread;
    void *result;
    pvm_setopt(PvmAutoErr, 0);
    pthread_create(&thread, NULL, call_all, NULL);
    pthread_join(thread, &result);
    expect("all calls are done", done, 1);
    expect("the thread was cancelled", result == PTHREAD_CANCELED, 1);
    send_number(TAG, 1);
    receive_number(TAG, 1);
}

/* ---- load ---- */

static atomic_long received;

static void *receive_and_count(void *unused)
{
    for (;;) {
        pvm_recv(-1, TAG);
        atomic_fetch_add(&received, 1);
    }
    return unused;
}

static void test_load(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, receive_and_count, NULL);
    for (int i = 0; i < rounds; i++) {
        for (int message = 0; message < MESSAGES; message++) {
            send_number(TAG, message);
            if (message == i % MESSAGES) {
                cancel(workers[i % WORKERS]);
                pthread_create(&workers[i % WORKERS], NULL, receive_and_count, NULL);
            }
        }
    }
    for (int i = 0; i < WORKERS; i++)
        cancel(workers[i]);
    while (pvm_nrecv(-1, TAG) > 0)
        received++;
    expect("messages received", received, (long)rounds * MESSAGES);
    checked = received;
}

/* ---- handler ---- */

static int handle(int bufid)
{
    (void)bufid;
    pthread_cancel(pthread_self());
    send_number(OTHER_TAG, 3);
    receive_number(OTHER_TAG, 3);
    done = 1;
    return 0;
}

static void test_handler(void)
{
    pthread_t thread;
    void *result;
    pvm_addmhf(-1, TAG, pvm_getcontext(), handle);
    pthread_create(&thread, NULL, in_recv, NULL);
    await_receiver();
    pvm_psend(self, TAG, &self, 1, PVM_INT);
    pthread_join(thread, &result);
    expect("the handler is done", done, 1);
    expect("the thread was cancelled", result == PTHREAD_CANCELED, 1);
    send_number(OTHER_TAG, 1);
    receive_number(OTHER_TAG, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void *(*call)(void *);
        void (*run)(void);
    } areas[] = {{.name = "recv", .call = in_recv},       {.name = "trecv", .call = in_trecv},
                 {.name = "precv", .call = in_precv},     {.name = "recvf", .call = in_recv},
                 {.name = "barrier", .call = in_barrier}, {.name = "held", .run = test_held},
                 {.name = "load", .run = test_load},      {.name = "handler", .run = test_handler}};
    if (argc < 2)
        return 2;
    rounds = argc > 2 ? atoi(argv[2]) : 1;
    self = pvm_mytid();
    if (strcmp(argv[1], "recvf") == 0)
        pvm_recvf(match_by_tag);
    if (strcmp(argv[1], "barrier") == 0)
        pvm_joingroup("cancelled");
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        if (strcmp(argv[1], areas[i].name) == 0 && areas[i].run)
            areas[i].run();
        else if (strcmp(argv[1], areas[i].name) == 0)
            cancel_in(areas[i].call);
    }
    printf("checked %ld\n", checked);
    pvm_exit();
    return 0;
}
