/*
 * kv_tpl.c - clients of tpl/servers/kv.c.
 *
 * usage: kv_tpl NAME CLIENTS REQUESTS ROUNDS
 *
 * The store has one node.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>
#include <tpl.h>

#include "load.h"
#include "service.h"

struct client {
    struct tpl *node;
    struct tpl_address server;
};

static void check(const char *what, int result)
{
    if (result < 0)
        load_fail(what, tpl_strerror(result));
}

static void *client_open(const char *server)
{
    struct client *client = calloc(1, sizeof *client);
    struct tpl_message *nodes;
    check("cannot start", tpl_start(&client->node, &(struct tpl_options){.nodes = 1}));
    check(server, service_find(client->node, server, SERVICE_LIST, &nodes));
    client->server = *(struct tpl_address *)nodes->data;
    tpl_free(nodes);
    return client;
}

static void client_put(void *own, const struct kv_item *item)
{
    const struct client *client = own;
    check("put", tpl_call(client->node, client->server, KV_PUT, item, kv_size(item), NULL, NULL));
}

static void client_get(void *own, struct kv_item *item)
{
    const struct client *client = own;
    struct tpl_message *answer;
    check("get",
          tpl_call(client->node, client->server, KV_GET, item, kv_size(item), NULL, &answer));
    if (!kv_read(item, answer->data, answer->size))
        load_fail("get", "that is no item");
    tpl_free(answer);
}

static void client_close(void *own)
{
    struct client *client = own;
    tpl_finish(client->node);
    pvm_exit();
    free(client);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return fputs("usage: kv_tpl NAME CLIENTS REQUESTS ROUNDS\n", stderr), 2;
    return load_run(&(struct load_client){client_open, client_put, client_get, client_close},
                    argv + 1);
}
