/*
 * stream.c - streams of blocks, as sound or film are sent, to many clients, each at its own pace.
 *
 * usage: stream serve NAME NODES          until `stream stop NAME`, SIGINT or SIGTERM
 *        stream watch NAME CLIENTS BLOCKS PACE
 *        stream stop NAME
 *
 * `watch` is many clients in one process; the i-th takes a block each i * PACE milliseconds, and
 * checks it. A client has AHEAD blocks asked for and asks for the next one when it takes one. So a
 * slow client has no more than AHEAD blocks anywhere, and nothing at a server waits for it:
 * the window is its own. A client whose server dies goes on with the next one where it was.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pvm3.h>
#include <tpl.h>

#include "service.h"

#define CLIENTS 500
#define BLOCK   8192 /* bytes */
#define AHEAD   4

enum { NEXT = 1 };

struct place {
    int stream, block;
};

struct client {
    pthread_t thread;
    const struct tpl_message *servers; /* their addresses */
    int number, blocks, changes, result;
    long pace;
};

static struct tpl *node;

/* Any server has all streams. */
static void fill(unsigned char *block, struct place place)
{
    unsigned state = (unsigned)place.stream * 2654435761U + (unsigned)place.block + 1;
    for (int i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)((state = state * 1664525U + 1013904223U) >> 24);
}

static void serve(struct tpl_request *request, void *argument)
{
    unsigned char block[BLOCK];
    (void)argument;
    if (request->size != sizeof(struct place)) {
        tpl_refuse(request);
        return;
    }
    fill(block, *(const struct place *)request->data);
    tpl_answer(request, 0, block, sizeof block);
}

static const struct tpl_service services[] = {{.kind = NEXT, .handler = serve},
                                              {.kind = SERVICE_LIST, .handler = service_manage},
                                              {.kind = SERVICE_STOP, .handler = service_manage},
                                              {.handler = NULL}};

/* Clients. ------------------------------------------------------------------------------------- */

static int ask(const struct client *client, int block, struct tpl_future **future)
{
    const struct place place = {client->number, block};
    const struct tpl_address *servers = client->servers->data;
    const int server = (client->number + client->changes) % client->servers->kind;
    return tpl_ask(node, servers[server], NEXT, &place, sizeof place, future);
}

/* Takes block after block from one server, from *next on, until it has all or that is dead. */
static int take(struct client *client, int *next)
{
    struct tpl_future *futures[AHEAD] = {NULL};
    struct timespec time;
    unsigned char expected[BLOCK];
    int result = TPL_OK, asked = *next;
    clock_gettime(CLOCK_MONOTONIC, &time);
    while (result == TPL_OK && *next < client->blocks) {
        struct tpl_message *block = NULL;
        for (; result == TPL_OK && asked < client->blocks && asked < *next + AHEAD; asked++)
            result = ask(client, asked, &futures[asked % AHEAD]);
        if (result == TPL_OK)
            result = tpl_await(futures[*next % AHEAD], NULL, &block), futures[*next % AHEAD] = NULL;
        if (result != TPL_OK)
            break;
        fill(expected, (struct place){client->number, *next});
        if (block->size != BLOCK || memcmp(block->data, expected, BLOCK) != 0)
            result = TPL_BAD;
        tpl_free(block);
        ++*next;
        time.tv_nsec +=
            client->pace * 1000000; /* the pace of who plays it, not a wait for something */
        time.tv_sec += time.tv_nsec / 1000000000;
        time.tv_nsec %= 1000000000;
        if (client->pace > 0)
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    }
    for (int i = 0; i < AHEAD; i++)
        if (futures[i])
            tpl_cancel(futures[i]);
    return result;
}

static void *play(void *argument)
{
    struct client *client = argument;
    int next = 0;
    while ((client->result = take(client, &next)) == TPL_DEAD &&
           client->changes < client->servers->kind)
        client->changes++;
    return NULL;
}

static int run_clients(const char *name, int count, int blocks, int pace)
{
    static struct client clients[CLIENTS];
    struct tpl_message *servers;
    int changes = 0, bad = 0;
    int result = tpl_start(&node, &(struct tpl_options){.nodes = 1, .window = CLIENTS * AHEAD});
    if (result < 0)
        return service_fail("cannot start", result);
    result = service_find(node, name, SERVICE_LIST, &servers);
    for (int i = 0; servers && i < count; i++) {
        clients[i] = (struct client){
            .servers = servers, .number = i, .blocks = blocks, .pace = (long)i * pace};
        if (pthread_create(&clients[i].thread, NULL, play, &clients[i]) != 0)
            abort();
    }
    puts("playing"), fflush(stdout);
    for (int i = 0; servers && i < count; i++) {
        pthread_join(clients[i].thread, NULL);
        changes += clients[i].changes;
        if (clients[i].result < 0)
            bad += service_fail("a stream ended", clients[i].result);
    }
    tpl_free(servers);
    tpl_finish(node);
    if (result < 0)
        return service_fail(name, result);
    printf("%d streams, %d of them broken, %d times another server\n", count, bad, changes);
    return bad > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status = 2, count = argc == 6 ? atoi(argv[3]) : 0;
    if (argc == 4 && strcmp(argv[1], "serve") == 0)
        status = service_run(&node, argv, services, NULL);
    else if (count >= 1 && count <= CLIENTS && strcmp(argv[1], "watch") == 0)
        status = run_clients(argv[2], count, atoi(argv[4]), atoi(argv[5]));
    else if (argc == 3 && strcmp(argv[1], "stop") == 0)
        status = service_stop(argv[2]);
    else
        fputs("usage: stream serve NAME NODES | stream watch NAME CLIENTS BLOCKS PACE |"
              " stream stop NAME\n",
              stderr);
    pvm_exit();
    return status;
}
