/*
 * kv.c - a key-value store on several nodes, which loses nothing when one of them dies.
 *
 * usage: kv serve NAME NODES   until `kv stop NAME`, SIGINT or SIGTERM
 *        kv client NAME        lines of its input: put KEY VALUE, get KEY, delete KEY
 *        kv stop NAME
 *
 * A key is kept by the first node that lives, counted from its hash on, and the one after that has a
 * copy before a change is answered. When a node dies, the others copy what they keep to the node
 * that is next now. A client finds the nodes by their names, and goes on to the next one when a call
 * says that a node is dead. Versions keep an older copy from replacing a newer one; so a deleted key
 * leaves its version.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <tpl.h>

#define NODES   64
#define BUCKETS 4096

enum { PUT = 1, GET, DELETE, COPY, LIST, STOP };

struct item {
    unsigned version;
    int deleted;
    char key[64], value[1024];
};

struct entry {
    struct entry *next;
    struct item item;
};

static struct tpl *node;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *table[BUCKETS]; /* entries stay */

static unsigned hash_of(const char *key)
{
    unsigned hash = 2166136261U; /* FNV-1a */
    while (*key)
        hash = (hash ^ (unsigned char)*key++) * 16777619U;
    return hash;
}

/* The entry of a key; NULL if there is none, and none can be made. */
static struct entry *entry_of(const char *key, bool make)
{
    struct entry **link = &table[hash_of(key) % BUCKETS];
    while (*link && strcmp((*link)->item.key, key) != 0)
        link = &(*link)->next;
    if (!*link && make && (*link = calloc(1, sizeof **link)) != NULL)
        strcpy((*link)->item.key, key);
    return *link;
}

/* The first node that lives from this number on. */
static int living(unsigned number)
{
    const unsigned count = (unsigned)tpl_count(node);
    while (!tpl_is_alive(node, (int)(number % count)))
        number++;
    return (int)(number % count);
}

static int pass_on(const struct item *item)
{
    int next, result = TPL_DEAD;
    while (result == TPL_DEAD &&
           (next = living((unsigned)tpl_number(node) + 1)) != tpl_number(node))
        result =
            tpl_call(node, tpl_address(node, next, TPL_POOL), COPY, item, sizeof *item, NULL, NULL);
    return result == TPL_DEAD ? TPL_OK : result; /* nobody else lives */
}

/* All requests for an item. Anybody may send anything. */
static void serve(struct tpl_request *request, void *argument)
{
    struct item item = {0};
    struct entry *entry = NULL;
    bool done = request->size == sizeof item, changes = request->kind != GET;
    (void)argument;
    if (done)
        memcpy(&item, request->data, sizeof item);
    item.key[sizeof item.key - 1] = item.value[sizeof item.value - 1] = 0;
    if (request->kind != COPY)
        item.deleted = request->kind == DELETE;
    pthread_mutex_lock(&lock);
    done = done && (entry = entry_of(item.key, changes)) != NULL;
    if (done && (request->kind == PUT || request->kind == DELETE))
        item.version = entry->item.version + 1;
    if (done && changes && item.version > entry->item.version)
        entry->item = item;
    if (done && !changes)
        item = entry->item;
    pthread_mutex_unlock(&lock);
    if (done && changes && request->kind != COPY)
        done = pass_on(&item) == TPL_OK;
    if (done && (changes || !item.deleted))
        tpl_answer(request, 0, &item, changes ? 0 : sizeof item);
    else
        tpl_refuse(request);
}

/* A node has died: what this one keeps goes to the one that is next now. */
static void copy_all(struct tpl *self, int number, void *argument)
{
    (void)self, (void)argument;
    fprintf(stderr, "kv: node %d has died\n", number);
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_lock(&lock);
        for (struct entry *entry = table[i]; entry; entry = entry->next) {
            struct item item = entry->item;
            pthread_mutex_unlock(&lock);
            if (living(hash_of(item.key)) == tpl_number(node))
                pass_on(&item);
            pthread_mutex_lock(&lock);
        }
        pthread_mutex_unlock(&lock);
    }
}

/* The addresses of all nodes; or the end. */
static void manage(struct tpl_request *request, void *argument)
{
    struct tpl_address nodes[NODES];
    const bool stops = request->kind == STOP;
    (void)argument;
    for (int i = 0; i < tpl_count(node); i++)
        nodes[i] = tpl_address(node, i, TPL_POOL);
    tpl_answer(request, tpl_count(node), nodes, (size_t)tpl_count(node) * sizeof *nodes);
    if (stops)
        tpl_stop(node);
}

static int fail(const char *what, int result)
{
    return fprintf(stderr, "kv: %s: %s\n", what, tpl_strerror(result)), EXIT_FAILURE;
}

/* Each node has a name of its own, so that those that live are found. */
static const char *name_of(const char *name, int number)
{
    static char text[256];
    snprintf(text, sizeof text, "%.200s.%d", name, number);
    return text;
}

static int run_node(const char *name, int count, char **arguments)
{
    static const struct tpl_service services[] = {
        {PUT, serve, NULL, false},  {GET, serve, NULL, false},   {DELETE, serve, NULL, false},
        {COPY, serve, NULL, false}, {LIST, manage, NULL, false}, {STOP, manage, NULL, false},
        {.handler = NULL}};
    int result = tpl_start(&node, &(struct tpl_options){.nodes = count,
                                                        .program = "kv",
                                                        .arguments = arguments,
                                                        .services = services,
                                                        .workers = 2 * NODES,
                                                        .signals = true,
                                                        .lost = copy_all});
    if (result < 0)
        return fail("cannot start", result);
    if ((result = tpl_publish(node, name_of(name, tpl_number(node)))) < 0)
        tpl_stop(node);
    puts("serving"), fflush(stdout);
    tpl_run(node);
    int end = tpl_finish(node);
    return result < 0 ? fail(name, result) : end == TPL_STOPPED ? EXIT_SUCCESS : fail("ended", end);
}

/* Asks the node that keeps the key, which is the first that lives, and says what came of it. */
static void do_line(const char *word, const struct item *item, const struct tpl_message *nodes)
{
    const struct tpl_address *addresses = nodes->data;
    const int kind = word[0] == 'p' ? PUT : word[0] == 'g' ? GET : DELETE;
    unsigned number = hash_of(item->key), left = (unsigned)nodes->kind;
    struct tpl_message *answer = NULL;
    int result = TPL_DEAD;
    for (; result == TPL_DEAD && left > 0; left--)
        result = tpl_call(node, addresses[number++ % (unsigned)nodes->kind], kind, item,
                          sizeof *item, NULL, &answer);
    puts(answer && kind == GET ? ((struct item *)answer->data)->value : tpl_strerror(result));
    fflush(stdout);
    tpl_free(answer);
}

static int run_client(const char *name, int kind)
{
    struct tpl_address address;
    struct tpl_message *nodes = NULL;
    struct item item = {0};
    char line[1200], word[8];
    int result = tpl_start(&node, &(struct tpl_options){.nodes = 1});
    if (result < 0)
        return fail("cannot start", result);
    for (int i = 0; !nodes && i < NODES; i++)
        if ((result = tpl_find(node, name_of(name, i), &address)) == TPL_OK)
            result = tpl_call(node, address, kind, NULL, 0, NULL, &nodes);
    while (nodes && kind == LIST && fgets(line, sizeof line, stdin))
        if (sscanf(line, "%7s %63s %1023[^\n]", word, item.key, item.value) >= 2)
            do_line(word, &item, nodes);
    tpl_free(nodes);
    tpl_finish(node);
    return result < 0 ? fail(name, result) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status = 2, count = argc == 4 ? atoi(argv[3]) : 0;
    if (argc == 4 && strcmp(argv[1], "serve") == 0 && count >= 1 && count <= NODES)
        status = run_node(argv[2], count, argv + 1);
    else if (argc == 3 && (strcmp(argv[1], "client") == 0 || strcmp(argv[1], "stop") == 0))
        status = run_client(argv[2], argv[1][0] == 's' ? STOP : LIST);
    else
        fputs("usage: kv serve NAME NODES | kv client NAME | kv stop NAME\n", stderr);
    pvm_exit();
    return status;
}
