/*
 * tpl_calls.c - does each thing that TPL promises of requests, messages and ends happen?
 *
 * usage: tpl_calls CASE
 *
 * Two nodes: number 0 checks, and prints "good" at its end; number 1 serves.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>
#include <tpl.h>

#include "tpl_check.h"

#define WORKERS 4
#define WINDOW  8
#define LARGE   300000
#define MANY    200

enum kind {
    ECHO = 1,
    REFUSE,
    KEEP,
    MEET,
    HOLD,
    LET_GO,
    ORDER,
    COUNT,
    DIE,
    STOP,
    TELL,
    SINK,
    NOBODY
};

struct server {
    pthread_mutex_t lock;
    pthread_cond_t one_more;
    struct tpl_request *kept[WINDOW];
    int keeping;
    pthread_barrier_t meeting;
    atomic_int inside, most, next, orders, wrong;
    atomic_int lost;
    sem_t told_of_loss;
    sem_t gate; /* for WINDOW - 1 that are held */
};

static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    GIVES(tpl_answer(request, request->kind, request->data, request->size), TPL_OK);
}

static void refuse(struct tpl_request *request, void *argument)
{
    (void)argument;
    GIVES(tpl_refuse(request), TPL_OK);
}

/*
 * One with a number answers all that are kept, when they are so many, and then itself. It is handled
 * behind those that its client has sent before.
 */
static void keep(struct tpl_request *request, void *argument)
{
    struct server *server = argument;
    int least;
    pthread_mutex_lock(&server->lock);
    if (request->size == 0) {
        CHECK(server->keeping < WINDOW);
        server->kept[server->keeping++] = request;
        pthread_cond_broadcast(&server->one_more);
        pthread_mutex_unlock(&server->lock);
        return;
    }
    memcpy(&least, request->data, sizeof least);
    while (server->keeping < least)
        pthread_cond_wait(&server->one_more, &server->lock);
    for (; server->keeping > 0; server->keeping--)
        tpl_answer(server->kept[server->keeping - 1], KEEP, "kept", 5);
    pthread_mutex_unlock(&server->lock);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

/* Returns when as many are here as the pool may have threads. */
static void meet(struct tpl_request *request, void *argument)
{
    struct server *server = argument;
    pthread_barrier_wait(&server->meeting);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void hold(struct tpl_request *request, void *argument)
{
    struct server *server = argument;
    sem_wait(&server->gate);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void let_go(struct tpl_request *request, void *argument)
{
    struct server *server = argument;
    for (int i = 0; i < WINDOW - 1; i++)
        sem_post(&server->gate);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void note_inside(struct server *server)
{
    int inside = ++server->inside;
    int most = server->most;
    while (inside > most && !atomic_compare_exchange_weak(&server->most, &most, inside))
        ;
}

static void order(struct tpl_request *request, void *argument)
{
    struct server *server = argument;
    int number;
    memcpy(&number, request->data, sizeof number);
    note_inside(server);
    server->wrong += number != server->next++;
    server->orders++;
    sched_yield();
    server->inside--;
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void count(struct tpl_request *request, void *argument)
{
    struct server *server = argument;
    int counts[] = {server->orders, server->most, server->wrong};
    GIVES(tpl_answer(request, 0, counts, sizeof counts), TPL_OK);
}

static void die(struct tpl_request *request, void *argument)
{
    (void)request;
    (void)argument;
    kill(getpid(), SIGKILL);
}

static void stop(struct tpl_request *request, void *argument)
{
    struct tpl *node = request->node;
    (void)argument;
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
    tpl_stop(node);
}

static void *sink_messages(void *argument);

/* Tells the address of a thread that receives. */
static void tell_of_sink(struct tpl_request *request, void *argument)
{
    pthread_t thread;
    (void)argument;
    CHECK(pthread_create(&thread, NULL, sink_messages, request) == 0);
    pthread_detach(thread);
}

/* Receives nothing before a message of the kind TELL, then all in order. */
static void *sink_messages(void *argument)
{
    struct tpl_request *request = argument;
    struct tpl *node = request->node;
    struct tpl_address own = tpl_here(node);
    struct tpl_message *message;
    int next = 0;
    GIVES(tpl_answer(request, 0, &own, sizeof own), TPL_OK);
    GIVES(tpl_receive(node, TELL, NULL, &message), TPL_OK);
    tpl_free(message);
    for (; next < MANY; next++) {
        GIVES(tpl_receive(node, SINK, NULL, &message), TPL_OK);
        CHECK(message->size == sizeof next && memcmp(message->data, &next, sizeof next) == 0);
        tpl_free(message);
    }
    GIVES(tpl_receive(node, SINK, NULL, &message), TPL_OVER);
    return NULL;
}

static void note_lost(struct tpl *node, int number, void *argument)
{
    struct server *server = argument;
    CHECK(number == 1 && !tpl_is_alive(node, 1) && tpl_is_alive(node, 0));
    server->lost++;
    sem_post(&server->told_of_loss);
}

/* The cases: what node 0 does. ----------------------------------------------------------------- */

static struct tpl_message *call(struct tpl *node, struct tpl_address to, int kind, const void *data,
                                size_t size)
{
    struct tpl_message *answer;
    GIVES(tpl_call(node, to, kind, data, size, NULL, &answer), TPL_OK);
    CHECK(answer && answer->from.tid == to.tid && answer->from.thread == TPL_POOL);
    return answer;
}

static void case_calls(struct tpl *node, struct tpl_address server)
{
    char *data = calloc(1, LARGE);
    const size_t sizes[] = {0, 1, 5000, LARGE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(data, (int)i + 1, sizes[i]);
        struct tpl_message *answer = call(node, server, ECHO, data, sizes[i]);
        CHECK(answer->kind == ECHO && answer->size == sizes[i]);
        CHECK(sizes[i] == 0 || memcmp(answer->data, data, sizes[i]) == 0);
        tpl_free(answer);
        tpl_free(call(node, tpl_address(node, 0, TPL_POOL), ECHO, data, sizes[i]));
    }
    free(data);
    struct tpl_message *answer;
    GIVES(tpl_call(node, server, NOBODY, NULL, 0, NULL, &answer), TPL_NOT_FOUND);
    GIVES(tpl_call(node, server, REFUSE, NULL, 0, NULL, &answer), TPL_REFUSED);
    CHECK(!answer);
    GIVES(tpl_call(node, (struct tpl_address){0, 0}, ECHO, NULL, 0, NULL, NULL), TPL_BAD);
    GIVES(tpl_call(node, server, ECHO, NULL, 1, NULL, NULL), TPL_BAD);
}

static void case_later(struct tpl *node, struct tpl_address server)
{
    struct tpl_future *future, *given_up;
    struct tpl_message *answer;
    struct timespec time = tpl_after(20);
    const int least = 1;
    GIVES(tpl_ask(node, server, KEEP, NULL, 0, &future), TPL_OK);
    CHECK(!tpl_is_ready(future));
    GIVES(tpl_await(future, &time, &answer), TPL_LATE);
    time = tpl_after(20);
    GIVES(tpl_call(node, server, KEEP, NULL, 0, &time, &answer), TPL_LATE);
    GIVES(tpl_ask(node, server, KEEP, NULL, 0, &given_up), TPL_OK);
    tpl_cancel(given_up);
    tpl_free(call(node, server, KEEP, &least, sizeof least));
    GIVES(tpl_await(future, NULL, &answer), TPL_OK);
    CHECK(answer->size == 5 && strcmp(answer->data, "kept") == 0);
    tpl_free(answer);
}

/* As many calls as the window has room for; the next one has to wait. */
static void case_window(struct tpl *node, struct tpl_address server)
{
    struct tpl_future *futures[WINDOW];
    struct timespec time;
    for (int i = 0; i < WINDOW - 1; i++)
        GIVES(tpl_ask(node, server, KEEP, NULL, 0, &futures[i]), TPL_OK);
    tpl_free(call(node, server, ECHO, "", 1));
    GIVES(tpl_ask(node, server, KEEP, NULL, 0, &futures[WINDOW - 1]), TPL_OK);
    time = tpl_after(20);
    GIVES(tpl_call(node, server, ECHO, NULL, 0, &time, NULL), TPL_LATE);
    tpl_cancel(futures[0]); /* one that is being served: no room before its answer */
    time = tpl_after(20);
    GIVES(tpl_call(node, server, ECHO, NULL, 0, &time, NULL), TPL_LATE);
    GIVES(tpl_send(node, tpl_address(node, 1, TPL_MAIN), KEEP, NULL, 0), TPL_OK);
    for (int i = 1; i < WINDOW; i++)
        GIVES(tpl_await(futures[i], NULL, NULL), TPL_OK);
}

static void case_pool(struct tpl *node, struct tpl_address server)
{
    struct tpl_future *futures[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        GIVES(tpl_ask(node, server, MEET, NULL, 0, &futures[i]), TPL_OK);
    for (int i = 0; i < WORKERS; i++)
        GIVES(tpl_await(futures[i], NULL, NULL), TPL_OK);
}

/* More are in handlers that wait, or wait for the pool, than it has threads. */
static void case_prompt(struct tpl *node, struct tpl_address server)
{
    struct tpl_future *held[WINDOW - 1];
    for (int i = 0; i < WINDOW - 1; i++)
        GIVES(tpl_ask(node, server, HOLD, NULL, 0, &held[i]), TPL_OK);
    GIVES(tpl_call(node, server, LET_GO, NULL, 0, NULL, NULL), TPL_OK);
    for (int i = 0; i < WINDOW - 1; i++)
        GIVES(tpl_await(held[i], NULL, NULL), TPL_OK);
}

static void case_order(struct tpl *node, struct tpl_address server)
{
    for (int i = 0; i < MANY; i++)
        GIVES(tpl_ask(node, server, ORDER, &i, sizeof i, NULL), TPL_OK);
    struct tpl_message *answer;
    const int *counts;
    do {
        answer = call(node, server, COUNT, NULL, 0);
        counts = answer->data;
        if (counts[0] == MANY)
            break;
        tpl_free(answer);
    } while (true);
    CHECK(counts[1] == 1 && counts[2] == 0);
    tpl_free(answer);
}

/* One that has not begun when it is cancelled never does. */
static void case_cancel(struct tpl *node, struct tpl_address server)
{
    struct tpl_future *meeting[WORKERS - 1], *order;
    int number = 0;
    for (int i = 0; i < WORKERS - 1; i++)
        GIVES(tpl_ask(node, server, MEET, NULL, 0, &meeting[i]), TPL_OK);
    GIVES(tpl_ask(node, server, ECHO, NULL, 0, NULL), TPL_OK);
    tpl_free(call(node, server, ECHO, NULL, 0));
    GIVES(tpl_send(node, tpl_address(node, 1, TPL_MAIN), MEET, NULL, 0), TPL_OK);
    for (int i = 0; i < WORKERS - 1; i++)
        GIVES(tpl_await(meeting[i], NULL, NULL), TPL_OK);
    GIVES(tpl_ask(node, server, ORDER, &number, sizeof number, &order), TPL_OK);
    GIVES(tpl_await(order, NULL, NULL), TPL_OK);
}

static void case_messages(struct tpl *node, struct tpl_address server)
{
    struct tpl_message *answer = call(node, server, TELL, NULL, 0);
    struct tpl_address sink;
    memcpy(&sink, answer->data, sizeof sink);
    tpl_free(answer);
    CHECK(sink.tid == server.tid && sink.thread > TPL_MAIN);
    struct timespec time = tpl_after(20);
    GIVES(tpl_receive(node, TPL_ANY, &time, &answer), TPL_LATE);
    GIVES(tpl_send(node, sink, TELL, NULL, 0), TPL_OK);
    for (int i = 0; i < MANY; i++)
        GIVES(tpl_send(node, sink, SINK, &i, sizeof i), TPL_OK);
    GIVES(tpl_send(node, tpl_here(node), ECHO, "self", 5), TPL_OK);
    GIVES(tpl_receive(node, ECHO, NULL, &answer), TPL_OK);
    CHECK(answer->from.tid == tpl_here(node).tid && strcmp(answer->data, "self") == 0);
    tpl_free(answer);
    sink.thread = 77;
    for (int i = 0; i < 3 * WINDOW; i++)
        GIVES(tpl_send(node, sink, SINK, NULL, 0), TPL_OK); /* nobody's: dropped, and room again */
}

static void case_names(struct tpl *node, struct tpl_address server)
{
    struct tpl_address found;
    GIVES(tpl_publish(node, "first"), TPL_OK);
    GIVES(tpl_find(node, "first", &found), TPL_OK);
    CHECK(found.tid == tpl_here(node).tid && found.thread == TPL_POOL);
    GIVES(tpl_find(node, "nobody", &found), TPL_NOT_FOUND);
    struct tpl_message *published;
    GIVES(tpl_receive(node, TELL, NULL, &published), TPL_OK);
    tpl_free(published);
    GIVES(tpl_find(node, "server", &found), TPL_OK);
    CHECK(found.tid == server.tid);
    GIVES(tpl_publish(node, "server"), TPL_REFUSED);
    tpl_enter(node);
    CHECK(pvm_mytid() == tpl_here(node).tid);
    tpl_leave(node);
}

struct patient {
    struct tpl *node;
    struct tpl_address server;
};

/* Waits for room. */
static void *ask_one_more(void *argument)
{
    struct patient *patient = argument;
    GIVES(tpl_ask(patient->node, patient->server, KEEP, NULL, 0, NULL), TPL_DEAD);
    return NULL;
}

/* Of a server that keeps all requests but the last, which ends it; the next one has to wait. */
static void case_death(struct tpl *node, struct tpl_address server, struct server *own)
{
    struct tpl_future *kept[WINDOW - 1], *last;
    struct patient patient = {node, server};
    pthread_t thread;
    for (int i = 0; i < WINDOW - 1; i++)
        GIVES(tpl_ask(node, server, KEEP, NULL, 0, &kept[i]), TPL_OK);
    GIVES(tpl_ask(node, server, DIE, NULL, 0, &last), TPL_OK);
    CHECK(pthread_create(&thread, NULL, ask_one_more, &patient) == 0);
    GIVES(tpl_await(last, NULL, NULL), TPL_DEAD);
    pthread_join(thread, NULL);
    for (int i = 0; i < WINDOW - 1; i++) {
        CHECK(tpl_is_ready(kept[i]));
        GIVES(tpl_await(kept[i], NULL, NULL), TPL_DEAD);
    }
    GIVES(tpl_call(node, server, ECHO, NULL, 0, NULL, NULL), TPL_DEAD);
    GIVES(
        tpl_send(node, server.thread == 0 ? tpl_address(node, 1, TPL_MAIN) : server, ECHO, NULL, 0),
        TPL_DEAD);
    sem_wait(&own->told_of_loss);
    CHECK(own->lost == 1);
}

static void case_stop(struct tpl *node, struct tpl_address server)
{
    struct tpl_message *message;
    GIVES(tpl_ask(node, server, STOP, NULL, 0, NULL), TPL_OK);
    GIVES(tpl_receive(node, ECHO, NULL, &message), TPL_STOPPED);
    GIVES(tpl_call(node, server, ECHO, NULL, 0, NULL, &message), TPL_STOPPED);
    GIVES(tpl_send(node, tpl_here(node), ECHO, NULL, 0), TPL_STOPPED);
}

static void case_signal(struct tpl *node)
{
    kill(getpid(), SIGTERM);
    GIVES(tpl_run(node), TPL_STOPPED);
}

/* What the main thread of node 1 does for some cases. */
static void serve_case(struct tpl *node, const char *name, struct server *server)
{
    struct tpl_message *message;
    const int all = WINDOW;
    if (strcmp(name, "names") == 0) {
        GIVES(tpl_publish(node, "server"), TPL_OK);
        GIVES(tpl_send(node, tpl_address(node, 0, TPL_MAIN), TELL, NULL, 0), TPL_OK);
    }
    if (strcmp(name, "window") != 0 && strcmp(name, "cancel") != 0)
        return;
    GIVES(tpl_receive(node, TPL_ANY, NULL, &message), TPL_OK);
    if (message->kind == MEET)
        pthread_barrier_wait(&server->meeting);
    else
        GIVES(tpl_call(node, tpl_address(node, 1, TPL_POOL), KEEP, &all, sizeof all, NULL, NULL),
              TPL_OK);
    tpl_free(message);
}

int main(int argc, char **argv)
{
    struct server own = {.lock = PTHREAD_MUTEX_INITIALIZER, .one_more = PTHREAD_COND_INITIALIZER};
    const struct tpl_service services[] = {
        {.kind = ECHO, .handler = echo, .argument = &own},
        {.kind = REFUSE, .handler = refuse, .argument = &own},
        {.kind = KEEP, .handler = keep, .argument = &own, .in_order = true},
        {.kind = MEET, .handler = meet, .argument = &own},
        {.kind = ORDER, .handler = order, .argument = &own, .in_order = true},
        {.kind = COUNT, .handler = count, .argument = &own},
        {.kind = DIE, .handler = die, .argument = &own},
        {.kind = STOP, .handler = stop, .argument = &own},
        {.kind = TELL, .handler = tell_of_sink, .argument = &own},
        {.kind = HOLD, .handler = hold, .argument = &own},
        {.kind = LET_GO, .handler = let_go, .argument = &own, .prompt = true},
        {.handler = NULL},
    };
    CHECK(argc == 2);
    const char *name = argv[1];
    const struct tpl_options options = {.nodes = 2,
                                        .program = "tpl_calls",
                                        .arguments = argv + 1,
                                        .services = services,
                                        .workers = WORKERS,
                                        .window = WINDOW,
                                        .signals = true,
                                        .lost = note_lost,
                                        .lost_argument = &own};
    struct tpl *node;
    pthread_barrier_init(&own.meeting, NULL, WORKERS);
    sem_init(&own.told_of_loss, 0, 0);
    sem_init(&own.gate, 0, 0);
    GIVES(tpl_start(&node, &options), TPL_OK);
    struct tpl_address server = tpl_address(node, 1, TPL_POOL);
    int end = TPL_OK;
    CHECK(tpl_count(node) == 2);
    if (strcmp(name, "stop") == 0 || strcmp(name, "signal") == 0)
        end = TPL_STOPPED;
    if (tpl_number(node) == 1)
        serve_case(node, name, &own);
    else if (strcmp(name, "calls") == 0)
        case_calls(node, server);
    else if (strcmp(name, "later") == 0)
        case_later(node, server);
    else if (strcmp(name, "window") == 0)
        case_window(node, server);
    else if (strcmp(name, "pool") == 0)
        case_pool(node, server);
    else if (strcmp(name, "prompt") == 0)
        case_prompt(node, server);
    else if (strcmp(name, "order") == 0)
        case_order(node, server);
    else if (strcmp(name, "cancel") == 0)
        case_cancel(node, server);
    else if (strcmp(name, "messages") == 0)
        case_messages(node, server);
    else if (strcmp(name, "names") == 0)
        case_names(node, server);
    else if (strcmp(name, "death") == 0)
        case_death(node, server, &own);
    else if (strcmp(name, "stop") == 0)
        case_stop(node, server);
    else if (strcmp(name, "signal") == 0)
        case_signal(node);
    else
        CHECK(!"a known case");
    int number = tpl_number(node);
    GIVES(tpl_finish(node), end);
    if (number == 0)
        puts("good");
    pvm_exit();
    return 0;
}
