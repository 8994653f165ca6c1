/*
 * tpl_mix.c - nodes that call and send at random until nothing is left to do: does the termination
 * detection say so neither too early nor never?
 *
 * usage: tpl_mix NODES DEPTH
 *
 * One request makes two others at random nodes, and so on to the depth, and each sends a message to
 * a thread. All of them must have come before tpl_finish returns. Each node prints what it has sent
 * and received, through the first one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <pvm3.h>
#include <tpl.h>

#include "tpl_check.h"

#define LISTENER 2 /* the second thread that takes an address */
#define CALLS    50

enum { ECHO = 1, SPREAD, READY };

struct mix {
    struct tpl *node;
    pthread_barrier_t listening;
    atomic_uint turn;
    atomic_long sent, received, spread;
};

static struct tpl_address anyone(struct mix *mix, int thread)
{
    unsigned turn = atomic_fetch_add(&mix->turn, 1) * 2654435761U;
    return tpl_address(mix->node, (int)(turn >> 8) % tpl_count(mix->node), thread);
}

static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    GIVES(tpl_answer(request, request->kind, request->data, request->size), TPL_OK);
}

static void spread(struct tpl_request *request, void *argument)
{
    struct mix *mix = argument;
    int depth;
    memcpy(&depth, request->data, sizeof depth);
    depth--;
    mix->spread++;
    for (int i = 0; i < 2 && depth > 0; i++) {
        GIVES(tpl_ask(mix->node, anyone(mix, TPL_POOL), SPREAD, &depth, sizeof depth, NULL),
              TPL_OK);
        GIVES(tpl_send(mix->node, anyone(mix, LISTENER), depth, &depth, sizeof depth), TPL_OK);
        mix->sent++;
    }
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void *listen_to_all(void *argument)
{
    struct mix *mix = argument;
    struct tpl_message *message;
    int result;
    CHECK(tpl_here(mix->node).thread == LISTENER);
    pthread_barrier_wait(&mix->listening);
    while ((result = tpl_receive(mix->node, TPL_ANY, NULL, &message)) == TPL_OK) {
        CHECK(message->size == sizeof(int) && *(int *)message->data == message->kind);
        mix->received++;
        tpl_free(message);
    }
    GIVES(result, TPL_OVER);
    return NULL;
}

static void call_some(struct mix *mix)
{
    for (int i = 0; i < CALLS; i++) {
        char text[20];
        struct tpl_message *answer;
        snprintf(text, sizeof text, "%d", i);
        GIVES(tpl_call(mix->node, anyone(mix, TPL_POOL), ECHO, text, sizeof text, NULL, &answer),
              TPL_OK);
        CHECK(answer->kind == ECHO && answer->size == sizeof text &&
              strcmp(answer->data, text) == 0);
        tpl_free(answer);
    }
}

/* A message to a thread that is not there yet would be dropped. */
static void await_listeners(struct mix *mix)
{
    GIVES(tpl_send(mix->node, tpl_address(mix->node, 0, TPL_MAIN), READY, NULL, 0), TPL_OK);
    for (int i = 0; tpl_number(mix->node) == 0 && i < tpl_count(mix->node); i++) {
        struct tpl_message *ready;
        GIVES(tpl_receive(mix->node, READY, NULL, &ready), TPL_OK);
        tpl_free(ready);
    }
}

int main(int argc, char **argv)
{
    struct mix mix = {.node = NULL};
    CHECK(argc == 3);
    int depth = atoi(argv[2]);
    const struct tpl_service services[] = {{.kind = ECHO, .handler = echo, .argument = &mix},
                                           {.kind = SPREAD, .handler = spread, .argument = &mix},
                                           {.handler = NULL}};
    const struct tpl_options options = {.nodes = atoi(argv[1]),
                                        .program = "tpl_mix",
                                        .arguments = argv + 1,
                                        .services = services,
                                        .window = 1 << 12};
    pthread_t listener;
    pthread_barrier_init(&mix.listening, NULL, 2);
    pvm_catchout(stdout);
    GIVES(tpl_start(&mix.node, &options), TPL_OK);
    CHECK(pthread_create(&listener, NULL, listen_to_all, &mix) == 0);
    pthread_barrier_wait(&mix.listening);
    await_listeners(&mix);
    call_some(&mix);
    if (tpl_number(mix.node) == 0)
        GIVES(tpl_call(mix.node, anyone(&mix, TPL_POOL), SPREAD, &depth, sizeof depth, NULL, NULL),
              TPL_OK);
    GIVES(tpl_finish(mix.node), TPL_OK);
    pthread_join(listener, NULL);
    printf("spread %ld sent %ld received %ld\n", (long)mix.spread, (long)mix.sent,
           (long)mix.received);
    fflush(stdout);
    pvm_exit();
    return 0;
}
