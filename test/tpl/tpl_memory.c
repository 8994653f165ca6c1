/*
 * tpl_memory.c - does a node keep something of clients that have come and gone, or of threads?
 *
 * usage: tpl_memory serve         until it is killed
 *        tpl_memory die           a client that is killed in the middle of calls; prints its tid
 *        tpl_memory leave         one that ends in good order; likewise
 *        tpl_memory talk COUNT    one that talks to so many threads; prints allocations that it has
 *                                 before and after, then its tid
 *        tpl_memory count TID     prints the allocations that the server has when it knows that the
 *                                 task has ended
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "tpl_check.h"

#define CALLS   10
#define BURST   100 /* more than the pools of messages and requests keep */
#define TALKS   3
#define WARM_UP 20

enum { ECHO = 1, KEEP, TALK, COUNT };

/* These take the place of those of the C library, for all of the process. */
static atomic_long allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    void *memory = __libc_malloc(size);
    allocations += memory != NULL;
    return memory;
}

void *calloc(size_t count, size_t size)
{
    void *memory = __libc_calloc(count, size);
    allocations += memory != NULL;
    return memory;
}

void *realloc(void *memory, size_t size)
{
    allocations += !memory;
    return __libc_realloc(memory, size);
}

void free(void *memory)
{
    allocations -= memory != NULL;
    __libc_free(memory);
}

static struct tpl *node;
static struct tpl_request *kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    tpl_answer(request, 0, request->data, request->size);
}

/* Whom nobody answers before another one asks. */
static void keep(struct tpl_request *request, void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    struct tpl_request *before = kept;
    kept = request;
    pthread_mutex_unlock(&lock);
    if (before)
        tpl_answer(before, 0, NULL, 0);
}

/* A thread with an address speaks to the one that asks. */
static void talk(struct tpl_request *request, void *argument)
{
    struct tpl_message *message;
    (void)argument;
    tpl_here(node);
    GIVES(tpl_send(node, request->from, TALK, "question", 9), TPL_OK);
    GIVES(tpl_receive(node, TALK, NULL, &message), TPL_OK);
    tpl_free(message);
    tpl_answer(request, 0, NULL, 0);
}

static void count(struct tpl_request *request, void *argument)
{
    struct tpl_address ended = {.thread = TPL_POOL};
    (void)argument;
    memcpy(&ended.tid, request->data, sizeof ended.tid);
    GIVES(tpl_call(node, ended, ECHO, NULL, 0, NULL, NULL), TPL_DEAD);
    long number = allocations;
    tpl_answer(request, 0, &number, sizeof number);
}

static void serve(void)
{
    static const struct tpl_service services[] = {{.kind = ECHO, .handler = echo, .in_order = true},
                                                  {.kind = KEEP, .handler = keep},
                                                  {.kind = TALK, .handler = talk},
                                                  {.kind = COUNT, .handler = count},
                                                  {0}};
    const struct tpl_options options = {.nodes = 1, .services = services, .workers = 2};
    GIVES(tpl_start(&node, &options), TPL_OK);
    GIVES(tpl_publish(node, "server"), TPL_OK);
    puts("serving");
    fflush(stdout);
    tpl_run(node);
}

static void talk_to(struct tpl_address server)
{
    struct tpl_future *future;
    struct tpl_message *message;
    GIVES(tpl_ask(node, server, TALK, NULL, 0, &future), TPL_OK);
    GIVES(tpl_receive(node, TALK, NULL, &message), TPL_OK);
    GIVES(tpl_send(node, message->from, TALK, "answer", 7), TPL_OK);
    tpl_free(message);
    GIVES(tpl_await(future, NULL, NULL), TPL_OK);
}

/* What fills the pools of both sides, which a moment's jam would otherwise do between two counts. */
static void ask_at_once(struct tpl_address server)
{
    struct tpl_future *futures[BURST];
    for (int i = 0; i < BURST; i++)
        GIVES(tpl_ask(node, server, ECHO, "x", 1, &futures[i]), TPL_OK);
    for (int i = 0; i < BURST; i++)
        GIVES(tpl_await(futures[i], NULL, NULL), TPL_OK);
}

static void use(struct tpl_address server)
{
    ask_at_once(server);
    for (int i = 0; i < CALLS; i++)
        GIVES(tpl_call(node, server, ECHO, "x", 1, NULL, NULL), TPL_OK);
    for (int i = 0; i < TALKS; i++)
        talk_to(server);
    GIVES(tpl_ask(node, server, ECHO, "x", 1, NULL), TPL_OK);
}

static void ask_for_count(struct tpl_address server, const char *word)
{
    struct tpl_message *answer;
    int tid = atoi(word);
    GIVES(tpl_call(node, server, COUNT, &tid, sizeof tid, NULL, &answer), TPL_OK);
    printf("%ld\n", *(long *)answer->data);
    tpl_free(answer);
}

static void talk_often(struct tpl_address server, int talks)
{
    ask_at_once(server);
    for (int i = 0; i < WARM_UP; i++)
        talk_to(server);
    long before = allocations;
    for (int i = 0; i < talks; i++)
        talk_to(server);
    printf("%ld %ld\n", before, (long)allocations);
}

static void die(struct tpl_address server)
{
    struct tpl_future *future;
    use(server);
    GIVES(tpl_ask(node, server, KEEP, "x", 1, &future), TPL_OK);
    GIVES(tpl_call(node, server, ECHO, NULL, 0, NULL, NULL), TPL_OK);
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    struct tpl_address server;
    CHECK(argc == 2 || argc == 3);
    if (strcmp(argv[1], "serve") == 0)
        serve();
    GIVES(tpl_start(&node, &(struct tpl_options){.nodes = 1}), TPL_OK);
    GIVES(tpl_find(node, "server", &server), TPL_OK);
    if (strcmp(argv[1], "count") == 0)
        ask_for_count(server, argv[2]);
    else if (strcmp(argv[1], "talk") == 0)
        talk_often(server, atoi(argv[2]));
    if (strcmp(argv[1], "count") != 0)
        printf("%d\n", tpl_here(node).tid);
    fflush(stdout);
    if (strcmp(argv[1], "die") == 0)
        die(server);
    else if (strcmp(argv[1], "leave") == 0)
        use(server);
    GIVES(tpl_finish(node), TPL_OK);
    pvm_exit();
    return 0;
}
