/*
 * tpl_pool.c - which threads handle requests, and how many?
 *
 * usage: tpl_pool bound      none before a request comes, one for one, never more than the bound
 *        tpl_pool clients    order is kept for each client, and none waits for another
 *        tpl_pool compute    requests are handled while the main thread is in no call
 *
 * A node of one process, which calls itself; prints "good" at its end.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <pvm3.h>

#include "tpl_check.h"

enum { HOLD = 1, MEET, ECHO, PROMPT };
enum { WORKERS = 3, REQUESTS = 3 * WORKERS, CLIENTS = 2, CALLS = 100 };

static struct tpl *node;
static pthread_t main_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int inside, most;
static bool released;
static pthread_barrier_t meeting;

/* Until all are released. */
static void hold(struct tpl_request *request, void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    most = ++inside > most ? inside : most;
    pthread_cond_broadcast(&changed);
    while (!released)
        pthread_cond_wait(&changed, &lock);
    inside--;
    pthread_mutex_unlock(&lock);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void meet(struct tpl_request *request, void *argument)
{
    (void)argument;
    pthread_barrier_wait(&meeting);
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    CHECK(!pthread_equal(pthread_self(), main_thread));
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static const struct tpl_service services[] = {{.kind = HOLD, .handler = hold},
                                              {.kind = MEET, .handler = meet, .in_order = true},
                                              {.kind = ECHO, .handler = echo},
                                              {.kind = PROMPT, .handler = echo, .prompt = true},
                                              {.handler = NULL}};

static int threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    CHECK(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void call(int kind)
{
    GIVES(tpl_call(node, tpl_address(node, 0, TPL_POOL), kind, NULL, 0, NULL, NULL), TPL_OK);
}

static void case_bound(void)
{
    struct tpl_future *futures[REQUESTS];
    const int before = threads();
    call(ECHO);
    CHECK(threads() == before + 1);
    for (int i = 0; i < REQUESTS; i++)
        GIVES(tpl_ask(node, tpl_address(node, 0, TPL_POOL), HOLD, NULL, 0, &futures[i]), TPL_OK);
    pthread_mutex_lock(&lock);
    while (inside < WORKERS)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    call(PROMPT); /* comes behind the others, and needs no thread of the pool */
    CHECK(threads() == before + WORKERS);
    pthread_mutex_lock(&lock);
    released = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < REQUESTS; i++)
        GIVES(tpl_await(futures[i], NULL, NULL), TPL_OK);
    CHECK(most == WORKERS && threads() == before + WORKERS);
}

static void *be_a_client(void *unused)
{
    tpl_here(node);
    for (int i = 0; i < CALLS; i++)
        call(MEET); /* of each client one is handled, and both at the same time */
    tpl_retire(node);
    return unused;
}

static void case_clients(void)
{
    pthread_t clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++)
        CHECK(pthread_create(&clients[i], NULL, be_a_client, NULL) == 0);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
}

static void *call_often(void *finished)
{
    for (int i = 0; i < CALLS; i++)
        call(ECHO);
    *(atomic_bool *)finished = true;
    return NULL;
}

static void case_compute(void)
{
    atomic_bool finished = false;
    volatile unsigned long computed = 0;
    pthread_t caller;
    CHECK(pthread_create(&caller, NULL, call_often, &finished) == 0);
    while (!finished)
        computed++;
    pthread_join(caller, NULL);
}

int main(int argc, char **argv)
{
    const struct tpl_options options = {.nodes = 1, .services = services, .workers = WORKERS};
    CHECK(argc == 2);
    main_thread = pthread_self();
    pthread_barrier_init(&meeting, NULL, CLIENTS);
    GIVES(tpl_start(&node, &options), TPL_OK);
    if (strcmp(argv[1], "bound") == 0)
        case_bound();
    else if (strcmp(argv[1], "clients") == 0)
        case_clients();
    else if (strcmp(argv[1], "compute") == 0)
        case_compute();
    else
        CHECK(!"a known case");
    GIVES(tpl_finish(node), TPL_OK);
    pvm_exit();
    puts("good");
    return 0;
}
