/*
 * preload_stress.c - the stress of test/race on what libpvm3 of 3.4.6 can do at all, whoever calls:
 * messages keep to one route, since they overtake each other when it changes, and what a message
 * handler has to send is sent by another thread, for which pvm_exit waits.
 *
 * usage: preload_stress TASK SECONDS    TASK 0, 1 and 2 are to run at once
 */
#include <pthread.h>
#include <stdlib.h>

#include <pvm3.h>

enum { MOST_LETTERS = 1000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t sent;
    int count;
    int unsent; /* those that are being sent are not counted above, but are here */
    struct {
        int tid;
        int tag;
    } letters[MOST_LETTERS];
} post = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .filled = PTHREAD_COND_INITIALIZER,
          .sent = PTHREAD_COND_INITIALIZER};

static _Thread_local int handling;
static int (*handler)(int bufid);

static int handle_marked(int bufid)
{
    handling = 1;
    handler(bufid);
    handling = 0;
    return 0;
}

static void *send_letters(void *unused)
{
    pthread_mutex_lock(&post.lock);
    for (;;) {
        while (post.count == 0)
            pthread_cond_wait(&post.filled, &post.lock);
        int last = --post.count;
        int tid = post.letters[last].tid, tag = post.letters[last].tag;
        pthread_mutex_unlock(&post.lock);
        if (pvm_psend(tid, tag, NULL, 0, PVM_BYTE) < 0)
            abort();
        pthread_mutex_lock(&post.lock);
        post.unsent--;
        pthread_cond_signal(&post.sent);
    }
    return unused;
}

static int exit_when_all_is_sent(void)
{
    pthread_mutex_lock(&post.lock);
    while (post.unsent > 0)
        pthread_cond_wait(&post.sent, &post.lock);
    pthread_mutex_unlock(&post.lock);
    return pvm_exit();
}

static int send_or_post(int tid, int tag, void *bytes, int size, int type)
{
    if (!handling)
        return pvm_psend(tid, tag, bytes, size, type);
    if (size != 0)
        abort();
    pthread_mutex_lock(&post.lock);
    if (post.count == MOST_LETTERS)
        abort();
    post.letters[post.count].tid = tid;
    post.letters[post.count++].tag = tag;
    post.unsent++;
    pthread_cond_signal(&post.filled);
    pthread_mutex_unlock(&post.lock);
    return 0;
}

static int add_marked(int tid, int tag, int context, int (*function)(int bufid))
{
    pthread_t sender;
    handler = function;
    if (pthread_create(&sender, NULL, send_letters, NULL) != 0)
        abort();
    pthread_detach(sender);
    return pvm_addmhf(tid, tag, context, handle_marked);
}

#define pvm_psend(tid, tag, bytes, size, type) send_or_post(tid, tag, bytes, size, type)
#define pvm_addmhf(tid, tag, context, handler) add_marked(tid, tag, context, handler)
#define pvm_exit()                             exit_when_all_is_sent()
#define pvm_setopt(what, value)                (pvm_setopt)((what), ((void)(value), PvmDontRoute))

#include "../race/stress.c"
