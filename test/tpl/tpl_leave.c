/*
 * tpl_leave.c - what becomes of requests, calls and names when a node ends while its process lives?
 *
 * usage: tpl_leave serve    prints what it does; goes on with each line of its input
 *        tpl_leave ask      likewise, when the other one is "serving"
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <pvm3.h>

#include "tpl_check.h"

#define WORKERS 2 /* and so many requests that keep them */
#define KEPT    2

enum { ECHO = 1, KEEP, BLOCK, READY };

static struct tpl *node;
static struct tpl_request *kept[KEPT];
static int keeping, blocking;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* The request without data went to the node that had left; its asker may have ended when it is handled. */
static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    bool late = request->size == 0;
    int result = tpl_answer(request, 0, request->data, request->size);
    CHECK(result == TPL_OK || (late && result == TPL_DEAD));
}

static void keep(struct tpl_request *request, void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    kept[keeping++] = request;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* Until the program is stopped; then nobody wants the answer. */
static void block(struct tpl_request *request, void *argument)
{
    struct tpl_message *message;
    (void)argument;
    pthread_mutex_lock(&lock);
    blocking++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    GIVES(tpl_receive(node, TPL_ANY, NULL, &message), TPL_STOPPED);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_STOPPED);
}

static const struct tpl_service services[] = {{.kind = ECHO, .handler = echo},
                                              {.kind = KEEP, .handler = keep},
                                              {.kind = BLOCK, .handler = block},
                                              {0}};

static void say(const char *text)
{
    puts(text);
    fflush(stdout);
}

static void await_line(void)
{
    char line[100];
    CHECK(fgets(line, sizeof line, stdin));
}

static void begin(void)
{
    const struct tpl_options options = {.nodes = 1, .services = services, .workers = WORKERS};
    GIVES(tpl_start(&node, &options), TPL_OK);
    GIVES(tpl_publish(node, "shop"), TPL_OK);
    say("serving");
}

/* Stops when every request of the asker has come, and one of those that are kept is answered. */
static void serve(void)
{
    struct tpl_message *message;
    begin();
    GIVES(tpl_receive(node, READY, NULL, &message), TPL_OK);
    tpl_free(message);
    pthread_mutex_lock(&lock);
    while (keeping < KEPT || blocking < WORKERS)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    tpl_stop(node);
    GIVES(tpl_answer(kept[0], 0, NULL, 0), TPL_STOPPED);
    GIVES(tpl_finish(node), TPL_STOPPED);
    say("left");
    await_line();
    begin();
    await_line();
    GIVES(tpl_finish(node), TPL_OK);
}

static void ask(void)
{
    const int kinds[] = {KEEP, KEEP, BLOCK, BLOCK, ECHO, ECHO};
    enum { ASKED = sizeof kinds / sizeof kinds[0] };
    struct tpl_future *futures[ASKED];
    struct tpl_address shop, nobody;
    GIVES(tpl_start(&node, &(struct tpl_options){.nodes = 1}), TPL_OK);
    GIVES(tpl_find(node, "shop", &shop), TPL_OK);
    for (int i = 0; i < ASKED; i++)
        GIVES(tpl_ask(node, shop, kinds[i], "x", 1, &futures[i]), TPL_OK);
    GIVES(tpl_send(node, (struct tpl_address){shop.tid, TPL_MAIN}, READY, NULL, 0), TPL_OK);
    for (int i = 0; i < ASKED; i++)
        GIVES(tpl_await(futures[i], NULL, NULL), TPL_STOPPED);
    say("all is stopped");
    await_line();
    GIVES(tpl_call(node, shop, ECHO, NULL, 0, NULL, NULL), TPL_DEAD);
    GIVES(tpl_send(node, (struct tpl_address){shop.tid, TPL_MAIN}, READY, NULL, 0), TPL_DEAD);
    GIVES(tpl_find(node, "shop", &nobody), TPL_NOT_FOUND);
    say("nobody serves");
    await_line();
    GIVES(tpl_find(node, "shop", &shop), TPL_OK);
    GIVES(tpl_call(node, shop, ECHO, "x", 1, NULL, NULL), TPL_OK);
    GIVES(tpl_finish(node), TPL_OK);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    if (strcmp(argv[1], "serve") == 0)
        serve();
    else
        ask();
    pvm_exit();
    say("good");
    return 0;
}
