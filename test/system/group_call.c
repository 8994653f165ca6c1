/* Whose buffers and context are used while one thread is in a group call and another one calls?
 *
 * usage: group_call AREA     with a group server that runs; the group "g" has another member
 *   kept     the other thread keeps a buffer that it does not send, and sleeps
 *   context  threads have taken turns before: the other thread sees the task's context
 *   own      afterwards each thread finds its own buffer
 * The group call is caught in the middle: pvm_pkstr, with which it packs its question, is ours. Prints
 * "done" at the end; what is wrong is printed instead and the exit status is 1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <pvm3.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "fail.h"

enum { TAG = 7, VALUE = 42 };

extern struct timeval *pvmgs_tmout;

static int self;

/* ---- the other thread: sleeps, but for one call after the other ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*call)(void);
} other = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *obey(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&other.lock);
    for (;;) {
        while (!other.call)
            pthread_cond_wait(&other.changed, &other.lock);
        other.call();
        other.call = NULL;
        pthread_cond_broadcast(&other.changed);
    }
    return NULL;
}

static void on_other(void (*call)(void))
{
    pthread_mutex_lock(&other.lock);
    other.call = call;
    pthread_cond_broadcast(&other.changed);
    while (other.call)
        pthread_cond_wait(&other.changed, &other.lock);
    pthread_mutex_unlock(&other.lock);
}

/* ---- the group call that is caught ---- */

static void (*meanwhile)(void); /* what the other thread does then */

int pvm_pkstr(const char *text)
{
    int (*pack)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "pvm_pkstr");
    void (*call)(void) = meanwhile;
    meanwhile = NULL;
    if (call)
        on_other(call);
    return pack(text);
}

static void group_call(void (*call)(void))
{
    static struct timeval patience = {.tv_sec = 10};
    pvmgs_tmout = &patience;
    meanwhile = call;
    expect("the size of the group", pvm_gsize("g"), 1);
    expect("what is left to do", meanwhile != NULL, 0);
}

/* ---- what threads do ---- */

static void pack(int value)
{
    pvm_initsend(PvmDataRaw);
    expect("pack", pvm_pkint(&value, 1, 1), 0);
}

static void expect_message(int value)
{
    int got = -1;
    if (pvm_recv(-1, TAG) <= 0)
        fail("receive fails");
    expect("unpack", pvm_upkint(&got, 1, 1), 0);
    expect("the message", got, value);
}

static void keep(void)
{
    pack(VALUE);
}

static void send_kept(void)
{
    expect("send", pvm_send(self, TAG), 0);
}

static void ask_context(void)
{
    expect("the context", pvm_getcontext(), PvmBaseContext);
}

/* ---- the areas ---- */

static void test_kept(void)
{
    group_call(keep);
    on_other(send_kept);
    expect_message(VALUE);
}

static void test_own(void)
{
    group_call(keep);
    pack(1);
    on_other(send_kept);
    expect_message(VALUE);
    expect("send", pvm_send(self, TAG), 0);
    expect_message(1);
}

static void test_context(void)
{
    pack(VALUE);
    on_other(send_kept);
    expect_message(VALUE);
    group_call(ask_context);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } areas[] = {{"kept", test_kept}, {"own", test_own}, {"context", test_context}};
    pthread_t thread;
    if (argc < 2)
        return 2;
    self = pvm_mytid();
    pthread_create(&thread, NULL, obey, NULL);
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
        if (strcmp(argv[1], areas[i].name) == 0)
            areas[i].run();
    pvm_exit();
    printf("done\n");
    return 0;
}
