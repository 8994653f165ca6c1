/*
 * balance.c - an irregular computation that spreads itself over the nodes: work stealing.
 *
 * usage: balance NODES QUEENS     in how many ways can so many queens stand without a threat?
 *
 * A job is the number of a board with ROWS queens. Node 0 has all jobs at first. A node without any
 * tells all others that it is hungry, and whoever has jobs to spare gives it the half of them, at
 * once or when it has; nobody asks again and again. Node 0 is told where jobs go and what they gave. It
 * gives the jobs of a dead node to itself again; that one is done twice now and then does no
 * harm, as each counts once. That all is done is what tpl_finish finds out: all nodes are idle.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pvm3.h>
#include <tpl.h>

#define ROWS      2
#define JOBS_MOST (20 * 20)
#define GIVEN     64 /* jobs at a time, at most */
#define NODES     64

enum { HUNGRY = 1, TAKE, MOVED, DONE };

struct board {
    int row;
    unsigned columns, left, right; /* that are threatened in this row */
};

struct jobs { /* that travel */
    int from, to, count;
    int jobs[GIVEN];
};

struct done {
    int job;
    double ways, seconds;
};

static struct tpl *node;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct board boards[JOBS_MOST];
static int queens, known;                     /* boards */
static int stock[NODES * JOBS_MOST], stocked; /* some twice, after a death */
static bool hungry[NODES], working;
static atomic_bool quitting;
static int givers[JOBS_MOST], holders[JOBS_MOST], left, again; /* of node 0, as what follows */
static struct done total;
static bool is_done[JOBS_MOST];

/* The ways from a board on. With ROWS queens it is a job, of which note is taken instead. */
static double solve(struct board board, int rows)
{
    unsigned places = ((1U << queens) - 1) & ~(board.columns | board.left | board.right);
    double ways = board.row == queens;
    if (board.row == rows)
        boards[known++] = board;
    for (; places && board.row != rows; places &= places - 1) {
        unsigned place = places & -places;
        ways += solve((struct board){board.row + 1, board.columns | place,
                                     (board.left | place) << 1, (board.right | place) >> 1},
                      rows);
    }
    return ways;
}

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

/* Jobs that the node gets; with the lock. */
static void put(const int *jobs, int count)
{
    for (int i = 0; i < count && stocked < NODES * JOBS_MOST; i++)
        stock[stocked++] = jobs[i];
}

/* Gives the half of what there is to each hungry node. */
static void give(void)
{
    for (int i = 0; i < tpl_count(node); i++) {
        struct jobs jobs = {.from = tpl_number(node), .to = i};
        pthread_mutex_lock(&lock);
        while (hungry[i] && jobs.count < GIVEN && jobs.count < stocked)
            jobs.jobs[jobs.count++] = stock[--stocked];
        if (jobs.count > 0)
            hungry[i] = false;
        pthread_mutex_unlock(&lock);
        if (jobs.count == 0)
            continue;
        tpl_call(node, tpl_address(node, 0, TPL_POOL), MOVED, &jobs, sizeof jobs, NULL, NULL);
        tell(i, TAKE, &jobs, sizeof jobs);
    }
}

/* Works until nothing is left, if no other thread of the node does. */
static void work(void)
{
    pthread_mutex_lock(&lock);
    bool mine = !working;
    working = true;
    while (mine && stocked > 0 && !quitting) {
        struct done done = {.job = stock[--stocked]};
        pthread_mutex_unlock(&lock);
        give();
        done.seconds = -seconds(CLOCK_THREAD_CPUTIME_ID);
        done.ways = solve(boards[done.job], -1);
        done.seconds += seconds(CLOCK_THREAD_CPUTIME_ID);
        tell(0, DONE, &done, sizeof done);
        pthread_mutex_lock(&lock);
    }
    working = working && !mine;
    pthread_mutex_unlock(&lock);
    for (int i = 0; mine && i < tpl_count(node); i++)
        if (i != tpl_number(node))
            tell(i, HUNGRY, &(struct jobs){.from = tpl_number(node)}, sizeof(struct jobs));
}

/* What a dead node had, or may have given to nobody: done here. */
static void do_again(int number)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < known; i++)
        if ((holders[i] == number || givers[i] == number) && !is_done[i]) {
            givers[i] = holders[i] = 0;
            put(&i, 1);
            again++;
        }
    pthread_mutex_unlock(&lock);
    work();
}

/* Notes of node 0, with the lock. */
static void note_moved(const struct jobs *jobs)
{
    static bool told[NODES];
    for (int i = 0; i < jobs->count; i++) {
        givers[jobs->jobs[i]] = jobs->from;
        holders[jobs->jobs[i]] = jobs->to;
    }
    if (!told[jobs->to])
        printf("node %d helps\n", jobs->to), fflush(stdout);
    told[jobs->to] = true;
}

static void note_done(const struct done *done)
{
    if (is_done[done->job])
        return;
    is_done[done->job] = true;
    left--;
    total.ways += done->ways;
    total.seconds += done->seconds;
}

/* All requests; they come from this program's nodes only. */
static void serve(struct tpl_request *request, void *argument)
{
    const struct jobs *jobs = request->data;
    (void)argument;
    pthread_mutex_lock(&lock);
    if (request->kind == HUNGRY)
        hungry[jobs->from] = true;
    else if (request->kind == TAKE)
        put(jobs->jobs, jobs->count);
    else if (request->kind == MOVED)
        note_moved(jobs);
    else
        note_done(request->data);
    pthread_mutex_unlock(&lock);
    tpl_answer(request, 0, NULL, 0); /* jobs are ours until this returns */
    if (request->kind == HUNGRY)
        give();
    else if (request->kind == TAKE)
        work();
    else if (request->kind == MOVED && !tpl_is_alive(node, jobs->to))
        do_again(jobs->to);
    else if (request->kind == MOVED && !tpl_is_alive(node, jobs->from))
        do_again(jobs->from);
}

static void lose(struct tpl *self, int number, void *argument)
{
    (void)argument;
    fprintf(stderr, "balance: node %d has died\n", number);
    quitting = number == 0;
    if (quitting)
        tpl_stop(self);
    else if (tpl_number(self) == 0)
        do_again(number);
}

int main(int argc, char **argv)
{
    static const struct tpl_service services[] = {{HUNGRY, serve, NULL, false},
                                                  {TAKE, serve, NULL, false},
                                                  {MOVED, serve, NULL, false},
                                                  {DONE, serve, NULL, false},
                                                  {.handler = NULL}};
    int nodes = argc == 3 ? atoi(argv[1]) : 0;
    queens = argc == 3 ? atoi(argv[2]) : 0;
    if (nodes < 1 || nodes > NODES || queens <= ROWS || queens > 20)
        return fprintf(stderr, "usage: balance NODES QUEENS, of 3 to 20\n"), 2;
    solve((struct board){0}, ROWS);
    left = known;
    int result = tpl_start(&node, &(struct tpl_options){.nodes = nodes,
                                                        .program = "balance",
                                                        .arguments = argv + 1,
                                                        .workers = 16,
                                                        .services = services,
                                                        .lost = lose});
    if (result < 0)
        return fprintf(stderr, "balance: cannot start: %s\n", tpl_strerror(result)), 1;
    double begin = seconds(CLOCK_MONOTONIC);
    int number = tpl_number(node);
    pthread_mutex_lock(&lock);
    for (int job = known - 1; job >= 0 && number == 0; job--)
        put(&job, 1);
    pthread_mutex_unlock(&lock);
    work();
    result = tpl_finish(node);
    if (result < 0)
        fprintf(stderr, "balance: %s\n", tpl_strerror(result));
    else if (number == 0)
        printf("%.0f ways, %d of %d jobs done again, efficiency %.0f %% of %d nodes\n", total.ways,
               again, known, 100 * total.seconds / (seconds(CLOCK_MONOTONIC) - begin) / nodes,
               nodes);
    pvm_exit();
    return result < 0 || (number == 0 && left > 0);
}
