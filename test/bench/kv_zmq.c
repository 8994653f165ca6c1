/*
 * kv_zmq.c - the key-value store of tpl/servers/kv.c, with one node, on ZeroMQ, and its clients.
 *
 * usage: kv_zmq serve ADDRESS WORKERS
 *        kv_zmq load ADDRESS CLIENTS REQUESTS ROUNDS
 *
 * The server is built as the guide to ZeroMQ builds one: a ROUTER socket for the clients, a DEALER
 * socket from which the workers get requests in turn, and a proxy between the two. A request is the
 * kind and the item, an answer a result and the item.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <zmq.h>

#include "kv_table.h"
#include "load.h"

#define WORKERS_AT "inproc://workers"

/* What travels: the number is the kind of a request, or whether it was done. */
struct parcel {
    int number;
    struct kv_item item;
};

static size_t parcel_size(const struct parcel *parcel)
{
    return offsetof(struct parcel, item) + kv_size(&parcel->item);
}

static bool parcel_read(struct parcel *parcel, const void *data, size_t size)
{
    const size_t head = offsetof(struct parcel, item);
    if (size <= head)
        return false;
    memcpy(&parcel->number, data, sizeof parcel->number);
    return kv_read(&parcel->item, (const char *)data + head, size - head);
}

static void check(int result, const char *what)
{
    if (result < 0)
        load_fail(what, zmq_strerror(zmq_errno()));
}

static void *socket_of(void *context, int type)
{
    const int unlimited = 0, at_once = 0;
    void *socket = zmq_socket(context, type);
    if (!socket)
        load_fail("zmq_socket", zmq_strerror(zmq_errno()));
    zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
    zmq_setsockopt(socket, ZMQ_LINGER, &at_once, sizeof at_once);
    return socket;
}

/* The server. ---------------------------------------------------------------------------------- */

static void handle(struct parcel *parcel)
{
    if (parcel->number == KV_GET) {
        parcel->number = table_get(&parcel->item);
        return;
    }
    parcel->item.version = 0;
    parcel->item.deleted = parcel->number == KV_DELETE;
    parcel->number = table_put(&parcel->item);
    parcel->item.value[0] = 0;
}

/* Serves until the context ends. */
static void *work(void *context)
{
    char client[256], data[sizeof(struct parcel)];
    void *socket = socket_of(context, ZMQ_DEALER);
    int named, size;
    check(zmq_connect(socket, WORKERS_AT), "zmq_connect");
    while ((named = zmq_recv(socket, client, sizeof client, 0)) >= 0 &&
           (size = zmq_recv(socket, data, sizeof data, 0)) >= 0) {
        struct parcel parcel;
        if (size > (int)sizeof data || !parcel_read(&parcel, data, (size_t)size))
            continue;
        handle(&parcel);
        zmq_send(socket, client, (size_t)named, ZMQ_SNDMORE);
        zmq_send(socket, &parcel, parcel_size(&parcel), 0);
    }
    zmq_close(socket);
    return NULL;
}

static int serve(const char *address, int workers)
{
    void *context = zmq_ctx_new();
    void *clients = socket_of(context, ZMQ_ROUTER), *pool = socket_of(context, ZMQ_DEALER);
    pthread_t thread;
    check(zmq_bind(clients, address), address);
    check(zmq_bind(pool, WORKERS_AT), WORKERS_AT);
    for (int i = 0; i < workers; i++)
        if (pthread_create(&thread, NULL, work, context) != 0)
            abort();
    puts("serving"), fflush(stdout);
    return zmq_proxy(clients, pool, NULL); /* until a signal ends the process */
}

/* Clients. ------------------------------------------------------------------------------------- */

struct client {
    void *context, *socket;
};

static void *client_open(const char *address)
{
    struct client *client = calloc(1, sizeof *client);
    client->context = zmq_ctx_new();
    client->socket = socket_of(client->context, ZMQ_DEALER);
    check(zmq_connect(client->socket, address), address);
    return client;
}

static void ask(const struct client *client, int kind, const struct kv_item *item,
                struct parcel *answer)
{
    const struct parcel request = {kind, *item};
    char data[sizeof *answer];
    check(zmq_send(client->socket, &request, parcel_size(&request), 0), "zmq_send");
    int size = zmq_recv(client->socket, data, sizeof data, 0);
    check(size, "zmq_recv");
    if (!parcel_read(answer, data, (size_t)size) || !answer->number)
        load_fail("request", "it was refused");
}

static void client_put(void *own, const struct kv_item *item)
{
    struct parcel answer;
    ask(own, KV_PUT, item, &answer);
}

static void client_get(void *own, struct kv_item *item)
{
    struct parcel answer;
    ask(own, KV_GET, item, &answer);
    memcpy(item, &answer.item, kv_size(&answer.item));
}

static void client_close(void *own)
{
    struct client *client = own;
    zmq_close(client->socket);
    zmq_ctx_term(client->context);
    free(client);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "serve") == 0)
        return serve(argv[2], atoi(argv[3]));
    if (argc == 6 && strcmp(argv[1], "load") == 0)
        return load_run(&(struct load_client){client_open, client_put, client_get, client_close},
                        argv + 2);
    fputs("usage: kv_zmq serve ADDRESS WORKERS | kv_zmq load ADDRESS CLIENTS REQUESTS ROUNDS\n",
          stderr);
    return 2;
}
