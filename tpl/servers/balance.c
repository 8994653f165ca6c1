/*
 * balance.c - an irregular computation that spreads itself over the nodes: work stealing.
 *
 * usage: balance NODES QUEENS     in how many ways can so many queens stand without a threat?
 *
 * There are JOBS jobs, each a part of all ways, and node 0 has them at first. A node without any
 * tells all others that it is hungry, and whoever has jobs to spare gives it the half of them, at
 * once or when it has; nobody asks again and again. Jobs travel by way of node 0, which so knows
 * who holds which, and takes those of a dead node itself. A job that is done twice then does no
 * harm, as it counts once. That all is done is what tpl_finish finds out: all nodes are idle.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pvm3.h>
#include <tpl.h>

#include "queens.h"

#define JOBS  64
#define NODES 64

enum { HUNGRY = 1, MOVE, TAKE, DONE };

typedef uint64_t job_set; /* a bit for each */

struct move {
    int to; /* number of a node */
    job_set jobs;
};

struct done {
    job_set job; /* one */
    double ways, seconds;
};

static struct tpl *node;
static int queens;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static job_set stock;                                    /* jobs here that nobody does yet */
static bool hungry[NODES], working;
static job_set held[NODES]; /* what node 0 knows: this and the rest */
static struct done total;   /* whose job is all that are done */
static int again;

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void tell(int number, int kind, const void *data, size_t size)
{
    tpl_ask(node, tpl_address(node, number, TPL_POOL), kind, data, size, NULL);
}

/* Every second job, so that of a single one none. */
static job_set half_of(job_set jobs)
{
    job_set half = 0;
    for (bool taken = false; jobs; jobs &= jobs - 1, taken = !taken)
        half |= taken ? jobs & -jobs : 0;
    return half;
}

/* Gives the half of what there is to each hungry node. */
static void give(void)
{
    for (int i = 0; i < tpl_count(node); i++) {
        pthread_mutex_lock(&lock);
        const struct move move = {i, hungry[i] ? half_of(stock) : 0};
        stock &= ~move.jobs;
        hungry[i] = hungry[i] && !move.jobs;
        pthread_mutex_unlock(&lock);
        if (move.jobs)
            tell(0, MOVE, &move, sizeof move);
    }
}

/* Takes jobs, and works until nothing is left, unless another thread of the node does. */
static void take(job_set jobs)
{
    const int self = tpl_number(node);
    pthread_mutex_lock(&lock);
    stock |= jobs;
    const bool mine = !working;
    while (mine && (working = stock && tpl_is_alive(node, 0))) {
        struct done done = {.job = stock & -stock};
        stock &= ~done.job;
        pthread_mutex_unlock(&lock);
        give();
        done.seconds = -seconds(CLOCK_THREAD_CPUTIME_ID);
        done.ways = queens_part(queens, __builtin_ctzll(done.job), JOBS);
        done.seconds += seconds(CLOCK_THREAD_CPUTIME_ID);
        tell(0, DONE, &done, sizeof done);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; mine && i < tpl_count(node); i++)
        if (i != self)
            tell(i, HUNGRY, &self, sizeof self);
}

/* What a dead node had is done at node 0. */
static void do_again(int number)
{
    pthread_mutex_lock(&lock);
    const job_set jobs = held[number] & ~total.job;
    held[number] = 0;
    held[0] |= jobs;
    again += __builtin_popcountll(jobs);
    pthread_mutex_unlock(&lock);
    take(jobs);
}

/* Who dies when note has been taken will be found dead here, or lost later. */
static void pass_on(const struct move *move)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < NODES; i++)
        held[i] &= ~move->jobs;
    held[move->to] |= move->jobs;
    pthread_mutex_unlock(&lock);
    printf("node %d helps\n", move->to), fflush(stdout);
    if (tpl_is_alive(node, move->to))
        tell(move->to, TAKE, &move->jobs, sizeof move->jobs);
    else
        do_again(move->to);
}

/* All requests; they come from this program's nodes only, and nobody waits for an answer. */
static void serve(struct tpl_request *request, void *argument)
{
    const struct done *done = request->data;
    (void)argument;
    pthread_mutex_lock(&lock);
    if (request->kind == HUNGRY)
        hungry[*(const int *)request->data] = true;
    else if (request->kind == DONE && !(total.job & done->job))
        total = (struct done){total.job | done->job, total.ways + done->ways,
                              total.seconds + done->seconds};
    pthread_mutex_unlock(&lock);
    if (request->kind == HUNGRY)
        give();
    else if (request->kind == MOVE)
        pass_on(request->data);
    else if (request->kind == TAKE)
        take(*(const job_set *)request->data);
    tpl_answer(request, 0, NULL, 0);
}

static void lose(struct tpl *self, int number, void *argument)
{
    (void)argument;
    fprintf(stderr, "balance: node %d has died\n", number);
    if (tpl_number(self) == 0)
        do_again(number);
}

int main(int argc, char **argv)
{
    static const struct tpl_service services[] = {{.kind = HUNGRY, .handler = serve},
                                                  {.kind = MOVE, .handler = serve},
                                                  {.kind = TAKE, .handler = serve},
                                                  {.kind = DONE, .handler = serve, .prompt = true},
                                                  {.handler = NULL}};
    const int nodes = argc == 3 ? atoi(argv[1]) : 0;
    queens = argc == 3 ? atoi(argv[2]) : 0;
    if (nodes < 1 || nodes > NODES || queens < 3 || queens > QUEENS_MOST)
        return fprintf(stderr, "usage: balance NODES QUEENS, of 3 to 20\n"), 2;
    const struct tpl_options options = {.nodes = nodes,
                                        .program = "balance",
                                        .arguments = argv + 1,
                                        .services = services,
                                        .lost = lose};
    int result = tpl_start(&node, &options);
    if (result < 0)
        return fprintf(stderr, "balance: cannot start: %s\n", tpl_strerror(result)), 1;
    const double begin = seconds(CLOCK_MONOTONIC);
    const bool first = tpl_number(node) == 0;
    take(first ? ~(job_set)0 : 0);
    result = tpl_finish(node);
    pvm_exit();
    if (result < 0)
        fprintf(stderr, "balance: %s\n", tpl_strerror(result));
    else if (first)
        printf("%.0f ways, %d of %d jobs done again, efficiency %.0f %% of %d nodes\n", total.ways,
               again, JOBS, 100 * total.seconds / (seconds(CLOCK_MONOTONIC) - begin) / nodes,
               nodes);
    return result < 0 || (first && total.job != ~(job_set)0);
}
