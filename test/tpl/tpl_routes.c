/*
 * tpl_routes.c - does a node receive on many connections, a direct route for each other node?
 *
 * usage: tpl_routes NODES    node 0 prints how many descriptors it waited on
 *
 * All send to node 0 and get answers from it, one after the other, so that each message comes while
 * its receiving thread sleeps on all connections.
 */
#include <pvm3.h>

#include "tpl_check.h"

enum { ECHO = 1, HELLO, ROUNDS = 3 };

static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    GIVES(tpl_answer(request, 0, request->data, request->size), TPL_OK);
}

static void meet_all(struct tpl *node)
{
    int *descriptors;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 1; i < tpl_count(node); i++) {
            struct tpl_message *message;
            GIVES(tpl_send(node, tpl_address(node, i, TPL_MAIN), HELLO, NULL, 0), TPL_OK);
            GIVES(tpl_receive(node, HELLO, NULL, &message), TPL_OK);
            CHECK(message->from.tid == tpl_address(node, i, TPL_MAIN).tid);
            tpl_free(message);
            GIVES(tpl_call(node, tpl_address(node, i, TPL_POOL), ECHO, "x", 1, NULL, NULL), TPL_OK);
        }
    tpl_enter(node);
    printf("%d\n", pvm_getfds(&descriptors));
    tpl_leave(node);
}

static void meet_first(struct tpl *node)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct tpl_message *message;
        GIVES(tpl_receive(node, HELLO, NULL, &message), TPL_OK);
        tpl_free(message);
        GIVES(tpl_call(node, tpl_address(node, 0, TPL_POOL), ECHO, "x", 1, NULL, NULL), TPL_OK);
        GIVES(tpl_send(node, tpl_address(node, 0, TPL_MAIN), HELLO, NULL, 0), TPL_OK);
    }
}

int main(int argc, char **argv)
{
    const struct tpl_service services[] = {{.kind = ECHO, .handler = echo}, {0}};
    CHECK(argc == 2);
    const struct tpl_options options = {.nodes = atoi(argv[1]),
                                        .program = "tpl_routes",
                                        .arguments = argv + 1,
                                        .services = services};
    struct tpl *node;
    pvm_setopt(PvmRoute, PvmRouteDirect);
    GIVES(tpl_start(&node, &options), TPL_OK);
    if (tpl_number(node) == 0)
        meet_all(node);
    else
        meet_first(node);
    GIVES(tpl_finish(node), TPL_OK);
    pvm_exit();
    return 0;
}
