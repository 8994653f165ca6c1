/*
 * tpl_events.c - what tells a thread that there is something for it, or that there will be nothing?
 *
 * usage: tpl_events descriptor     one node
 *        tpl_events death          three nodes, of which number 1 dies
 *        tpl_events farewell       one node, and a guest, which is none any more but lives on
 *
 * Each node that lives prints "good" at its end.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>
#include <tpl.h>

#include "tpl_check.h"

enum { SPEAK = 1, SPEAK_AND_DIE, NEWS, OTHER_NEWS };
enum { DONE_TAG = 1 };

static const struct timespec past = {0, 0};
static struct tpl *node;

/* The last words of a node that may die. */
static void speak(struct tpl_request *request, void *argument)
{
    (void)argument;
    for (int i = 0; i < 3; i++)
        GIVES(tpl_send(node, request->from, i, NULL, 0), TPL_OK);
    if (request->kind == SPEAK_AND_DIE)
        kill(getpid(), SIGKILL);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static const struct tpl_service services[] = {{.kind = SPEAK, .handler = speak},
                                              {.kind = SPEAK_AND_DIE, .handler = speak},
                                              {.handler = NULL}};

static void take(struct tpl_address from, int kind)
{
    struct tpl_message *message;
    GIVES(tpl_receive_from(node, from, kind, NULL, &message), TPL_OK);
    CHECK(message->from.tid == from.tid && (kind == TPL_ANY || message->kind == kind));
    tpl_free(message);
}

/* Another thread waits without a deadline, and so as one that is idle. */
static void *hear_of_death(void *argument)
{
    struct tpl_message *message;
    tpl_here(node);
    GIVES(tpl_receive_from(node, *(struct tpl_address *)argument, TPL_ANY, NULL, &message),
          TPL_DEAD);
    CHECK(!message);
    tpl_retire(node);
    return NULL;
}

static void case_death(void)
{
    struct tpl_address dies = tpl_address(node, 1, TPL_ANY), lives = tpl_address(node, 2, TPL_ANY);
    struct tpl_message *message;
    pthread_t thread;
    GIVES(tpl_receive_from(node, tpl_address(node, 9, TPL_ANY), 0, NULL, &message), TPL_BAD);
    GIVES(tpl_receive_from(node, (struct tpl_address){0, 1}, 0, NULL, &message), TPL_BAD);
    GIVES(tpl_receive_from(node, lives, TPL_ANY, NULL, NULL), TPL_BAD);
    GIVES(tpl_receive_from(node, (struct tpl_address){lives.tid + 1000, TPL_ANY}, TPL_ANY, NULL,
                           &message),
          TPL_DEAD);
    GIVES(tpl_receive_from(node, lives, TPL_ANY, &past, &message), TPL_LATE);
    CHECK(pthread_create(&thread, NULL, hear_of_death, &dies) == 0);
    GIVES(tpl_call(node, lives, SPEAK, NULL, 0, NULL, NULL), TPL_OK);
    GIVES(tpl_call(node, dies, SPEAK_AND_DIE, NULL, 0, NULL, NULL), TPL_DEAD);
    take(dies, 1);
    take(tpl_address(node, 1, TPL_POOL), 0); /* what a handler without an address sent */
    take(dies, TPL_ANY);
    GIVES(tpl_receive_from(node, dies, TPL_ANY, NULL, &message), TPL_DEAD);
    GIVES(tpl_receive_from(node, dies, TPL_ANY, &past, &message), TPL_DEAD);
    for (int i = 0; i < 3; i++)
        take(lives, i);
    pthread_join(thread, NULL);
}

static bool is_readable(int descriptor, int milliseconds)
{
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, milliseconds) == 1;
}

static void *send_news(void *argument)
{
    GIVES(tpl_send(node, *(struct tpl_address *)argument, NEWS, NULL, 0), TPL_OK);
    return NULL;
}

static void receive_one(int kind)
{
    struct tpl_message *message;
    GIVES(tpl_receive(node, kind, &past, &message), TPL_OK);
    tpl_free(message);
}

/* A thread with a descriptor of its own. */
static void *await_end(void *argument)
{
    struct tpl_message *message;
    int descriptor = tpl_descriptor(node);
    CHECK(descriptor >= 0 && descriptor != *(int *)argument);
    CHECK(is_readable(descriptor, -1));
    GIVES(tpl_receive(node, TPL_ANY, &past, &message), TPL_STOPPED);
    return NULL;
}

static void case_descriptor(void)
{
    struct tpl_address main_thread = tpl_here(node);
    pthread_t thread;
    GIVES(tpl_descriptor(NULL), TPL_BAD);
    GIVES(tpl_send(node, main_thread, NEWS, NULL, 0), TPL_OK);
    int descriptor = tpl_descriptor(node);
    CHECK(descriptor >= 0 && tpl_descriptor(node) == descriptor);
    CHECK(is_readable(descriptor, 0)); /* of what came before it */
    GIVES(tpl_send(node, main_thread, OTHER_NEWS, NULL, 0), TPL_OK);
    receive_one(OTHER_NEWS);
    CHECK(is_readable(descriptor, 0));
    receive_one(NEWS);
    CHECK(!is_readable(descriptor, 0));
    for (int i = 0; i < 100; i++) {
        CHECK(pthread_create(&thread, NULL, send_news, &main_thread) == 0);
        CHECK(is_readable(descriptor, -1));
        receive_one(TPL_ANY);
        CHECK(!is_readable(descriptor, 0));
        pthread_join(thread, NULL);
    }
    CHECK(pthread_create(&thread, NULL, await_end, &descriptor) == 0);
    tpl_stop(node);
    CHECK(is_readable(descriptor, 0));
    pthread_join(thread, NULL);
}

/* A guest ends as a process only when the host has noticed that it is no node any more. */
static void case_farewell(void)
{
    struct tpl_message *message;
    char *words[] = {"guest", NULL};
    GIVES(tpl_publish(node, "host"), TPL_OK);
    tpl_enter(node);
    CHECK(pvm_spawn("tpl_events", words, PvmTaskDefault, NULL, 1, NULL) == 1);
    tpl_leave(node);
    GIVES(tpl_receive(node, NEWS, NULL, &message), TPL_OK);
    const struct tpl_address guest = {message->from.tid, TPL_ANY};
    tpl_free(message);
    GIVES(tpl_receive_from(node, guest, TPL_ANY, NULL, &message), TPL_DEAD);
    tpl_enter(node);
    CHECK(pvm_initsend(PvmDataDefault) > 0 && pvm_send(guest.tid, DONE_TAG) == 0);
    tpl_leave(node);
}

static void be_guest(void)
{
    const struct tpl_options options = {.nodes = 1};
    struct tpl_address host;
    GIVES(tpl_start(&node, &options), TPL_OK);
    GIVES(tpl_find(node, "host", &host), TPL_OK);
    host.thread = TPL_MAIN;
    GIVES(tpl_send(node, host, NEWS, NULL, 0), TPL_OK);
    GIVES(tpl_finish(node), TPL_OK);
    CHECK(pvm_recv(-1, DONE_TAG) > 0);
    pvm_exit();
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    if (strcmp(argv[1], "guest") == 0) {
        be_guest();
        return 0;
    }
    const bool stops = strcmp(argv[1], "descriptor") == 0;
    const bool dies = strcmp(argv[1], "death") == 0;
    const struct tpl_options options = {.nodes = dies ? 3 : 1,
                                        .program = "tpl_events",
                                        .arguments = argv + 1,
                                        .services = services};
    GIVES(tpl_start(&node, &options), TPL_OK);
    if (tpl_number(node) == 0 && dies)
        case_death();
    else if (stops)
        case_descriptor();
    else if (!dies)
        case_farewell();
    GIVES(tpl_finish(node), stops ? TPL_STOPPED : TPL_OK);
    puts("good");
    fflush(stdout);
    pvm_exit();
    return 0;
}
