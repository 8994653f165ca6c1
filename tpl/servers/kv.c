/*
 * kv.c - a key-value store on several nodes, which loses nothing when one of them dies.
 *
 * usage: kv serve NAME NODES   until `kv stop NAME`, SIGINT or SIGTERM
 *        kv client NAME        lines of its input: put KEY VALUE, get KEY, delete KEY
 *        kv stop NAME
 *
 * A key is kept by the first node that lives, counted from its hash on, and the one after that has
 * a copy before a change is answered. When a node dies, the others copy what they keep to the node
 * that is next now. A client goes on to the next node when a call says that one is dead. Versions
 * keep an older copy from replacing a newer one; so a deleted key leaves its version.
 *
 * Requests that wait for nobody are served at once (`prompt`). Changes wait for the copy at another
 * node, which waits for nobody, so that nodes whose pools are full of changes still get on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <tpl.h>

#include "kv_table.h"
#include "service.h"

static struct tpl *node;

/* The first node that lives from this number on. */
static int living(unsigned number)
{
    const unsigned count = (unsigned)tpl_count(node);
    while (!tpl_is_alive(node, (int)(number % count)))
        number++;
    return (int)(number % count);
}

/* Gives the next node a copy, if there is one that lives. */
static int pass_on(const struct kv_item *item)
{
    const int own = tpl_number(node);
    int next, result = TPL_DEAD;
    while (result == TPL_DEAD && (next = living((unsigned)own + 1)) != own)
        result = tpl_call(node, tpl_address(node, next, TPL_POOL), KV_COPY, item, kv_size(item),
                          NULL, NULL);
    return result == TPL_DEAD ? TPL_OK : result;
}

static void get(struct tpl_request *request, void *argument)
{
    struct kv_item item;
    (void)argument;
    if (kv_read(&item, request->data, request->size) && table_get(&item))
        tpl_answer(request, 0, &item, kv_size(&item));
    else
        tpl_refuse(request);
}

/* PUT, DELETE, and COPY from another node. */
static void change(struct tpl_request *request, void *argument)
{
    struct kv_item item;
    bool done = kv_read(&item, request->data, request->size);
    (void)argument;
    if (request->kind != KV_COPY) {
        item.version = 0;
        item.deleted = request->kind == KV_DELETE;
    }
    done = done && table_put(&item);
    if (done && request->kind != KV_COPY)
        done = pass_on(&item) == TPL_OK;
    if (done)
        tpl_answer(request, 0, NULL, 0);
    else
        tpl_refuse(request);
}

/* What this node keeps goes to the one that is next now. */
static void copy_if_own(const struct kv_item *item)
{
    if (living(table_hash(item->key)) == tpl_number(node))
        pass_on(item);
}

static void copy_all(struct tpl *self, int number, void *argument)
{
    (void)self, (void)argument;
    fprintf(stderr, "kv: node %d has died\n", number);
    table_visit(copy_if_own);
}

static const struct tpl_service services[] = {{.kind = KV_GET, .handler = get, .prompt = true},
                                              {.kind = KV_COPY, .handler = change, .prompt = true},
                                              {.kind = KV_PUT, .handler = change},
                                              {.kind = KV_DELETE, .handler = change},
                                              {.kind = SERVICE_LIST, .handler = service_manage},
                                              {.kind = SERVICE_STOP, .handler = service_manage},
                                              {.handler = NULL}};

/* Clients. ------------------------------------------------------------------------------------- */

/* Asks the node that keeps the key, which is the first that lives, and says what came of it. */
static void do_line(const char *word, const struct kv_item *item, const struct tpl_message *nodes)
{
    const struct tpl_address *addresses = nodes->data;
    const int kind = word[0] == 'p' ? KV_PUT : word[0] == 'g' ? KV_GET : KV_DELETE;
    unsigned number = table_hash(item->key), count = (unsigned)nodes->kind, left = count;
    struct tpl_message *answer = NULL;
    int result = TPL_DEAD;
    for (; result == TPL_DEAD && left > 0; left--)
        result =
            tpl_call(node, addresses[number++ % count], kind, item, kv_size(item), NULL, &answer);
    puts(answer && kind == KV_GET ? ((struct kv_item *)answer->data)->value : tpl_strerror(result));
    fflush(stdout);
    tpl_free(answer);
}

static int run_client(const char *name)
{
    struct tpl_message *nodes;
    struct kv_item item = {0};
    char line[1200], word[8];
    int result = tpl_start(&node, &(struct tpl_options){.nodes = 1});
    if (result < 0)
        return service_fail("cannot start", result);
    result = service_find(node, name, SERVICE_LIST, &nodes);
    while (nodes && fgets(line, sizeof line, stdin)) {
        item.value[0] = 0;
        if (sscanf(line, "%7s %63s %1023[^\n]", word, item.key, item.value) >= 2)
            do_line(word, &item, nodes);
    }
    tpl_free(nodes);
    tpl_finish(node);
    return result < 0 ? service_fail(name, result) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status = 2;
    if (argc == 4 && strcmp(argv[1], "serve") == 0)
        status = service_run(&node, argv, services, copy_all);
    else if (argc == 3 && strcmp(argv[1], "client") == 0)
        status = run_client(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "stop") == 0)
        status = service_stop(argv[2]);
    else
        fputs("usage: kv serve NAME NODES | kv client NAME | kv stop NAME\n", stderr);
    pvm_exit();
    return status;
}
