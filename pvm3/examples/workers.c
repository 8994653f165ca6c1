/*
 * workers.c - a master has workers count primes; the result is right also when workers die.
 *
 * usage: workers [LIMIT [WORKERS [KILLS]]]    primes below 2000000, 4 workers, no kills
 *
 * The numbers below LIMIT are cut into pieces. Each worker has one piece at a time. The master asks
 * to be told when a worker ends (pvm_notify); the piece of one that did is given to another, and a
 * new worker takes its place. It makes no difference why it ended: by itself, by a signal, or with
 * its whole host. To show this, the master itself kills the first KILLS workers that get a piece.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

enum { PIECE = 1, RESULT = 2, ENDED = 3, PIECE_SIZE = 20000, MOST_WORKERS = 100, NO_PIECE = -1 };

/* ---- the worker ---- */

static int is_prime(int number)
{
    if (number < 4)
        return number > 1;
    if (number % 2 == 0)
        return 0;
    for (int divisor = 3; divisor * divisor <= number; divisor += 2)
        if (number % divisor == 0)
            return 0;
    return 1;
}

/* Serves until the master kills it. */
static void work(int master)
{
    int range[2], count;

    while (pvm_recv(master, PIECE) > 0) {
        pvm_upkint(range, 2, 1);
        count = 0;
        for (int number = range[0]; number < range[1]; number++)
            count += is_prime(number);
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&count, 1, 1);
        pvm_send(master, RESULT);
    }
}

/* ---- the master ---- */

struct worker {
    int tid;
    int piece; /* the one that it has, or NO_PIECE */
};

struct job {
    int limit;
    int pieces;
    int *waiting; /* pieces that nobody has */
    int waiting_count;
    int done;
    int primes;
    int kills; /* how many are still to be killed */
    int lost;  /* workers that have ended */
    struct worker workers[MOST_WORKERS];
    int workers_count;
};

/* The worker with a tid, or NULL. */
static struct worker *job_find(struct job *job, int tid)
{
    for (int i = 0; i < job->workers_count; i++)
        if (job->workers[i].tid == tid)
            return &job->workers[i];
    return NULL;
}

static void give_piece(struct job *job, struct worker *worker)
{
    if (job->waiting_count == 0)
        return;
    worker->piece = job->waiting[--job->waiting_count];
    int range[2] = {worker->piece * PIECE_SIZE, (worker->piece + 1) * PIECE_SIZE};
    if (range[1] > job->limit)
        range[1] = job->limit;
    if (job->kills > 0) {
        job->kills--;
        pvm_kill(worker->tid); /* before it gets the piece, so that it is certainly not done */
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(range, 2, 1);
    pvm_send(worker->tid, PIECE);
}

/* Starts one more worker if that is possible; the job goes on with those that there are. */
static void add_worker(struct job *job)
{
    int tid;

    if (pvm_spawn("workers", NULL, PvmTaskDefault, NULL, 1, &tid) != 1) {
        fprintf(stderr, "workers: no worker could be started, error %d\n", tid);
        return;
    }
    struct worker *worker = &job->workers[job->workers_count++];
    *worker = (struct worker){.tid = tid, .piece = NO_PIECE};
    pvm_notify(PvmTaskExit, ENDED, 1, &tid); /* one that has ended already is told of, too */
    give_piece(job, worker);
}

static void take_result(struct job *job, int tid)
{
    struct worker *worker = job_find(job, tid);
    int count;

    pvm_upkint(&count, 1, 1);
    if (!worker)
        return;
    job->primes += count;
    job->done++;
    worker->piece = NO_PIECE;
    give_piece(job, worker);
}

/* What a worker sent comes before the word of its end, so no result is counted twice. */
static void take_end(struct job *job)
{
    int tid;

    pvm_upkint(&tid, 1, 1);
    struct worker *worker = job_find(job, tid);
    if (worker->piece != NO_PIECE)
        job->waiting[job->waiting_count++] = worker->piece;
    *worker = job->workers[--job->workers_count];
    job->lost++;
    add_worker(job);
    /* Somebody may have been idle, because no piece waited. */
    for (int i = 0; i < job->workers_count; i++)
        if (job->workers[i].piece == NO_PIECE)
            give_piece(job, &job->workers[i]);
}

/* Returns 0 when all pieces are done, -1 when nobody is left to do them. */
static int job_run(struct job *job)
{
    while (job->done < job->pieces) {
        int tag, source;

        if (job->workers_count == 0)
            return -1;
        int buffer = pvm_recv(-1, -1);
        if (buffer < 0)
            return -1;
        pvm_bufinfo(buffer, NULL, &tag, &source);
        if (tag == RESULT)
            take_result(job, source);
        else if (tag == ENDED)
            take_end(job);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct job job = {.limit = 2000000};
    int parent = pvm_parent(), workers = 4;

    if (parent > 0) {
        work(parent);
        return EXIT_SUCCESS;
    }
    if (argc > 1)
        job.limit = atoi(argv[1]);
    if (argc > 2)
        workers = atoi(argv[2]);
    if (argc > 3)
        job.kills = atoi(argv[3]);
    job.pieces = (job.limit - 1) / PIECE_SIZE + 1;
    if (job.limit < 1 || job.limit > 2000000000 || workers < 1 || workers > MOST_WORKERS) {
        fprintf(stderr, "usage: workers [LIMIT [WORKERS [KILLS]]], with at most %d workers\n",
                MOST_WORKERS);
        return EXIT_FAILURE;
    }
    job.waiting = malloc((size_t)job.pieces * sizeof *job.waiting);
    if (!job.waiting || pvm_mytid() < 0)
        return EXIT_FAILURE;
    while (job.waiting_count < job.pieces) {
        job.waiting[job.waiting_count] = job.pieces - 1 - job.waiting_count;
        job.waiting_count++;
    }
    for (int i = 0; i < workers; i++)
        add_worker(&job);
    int result = job_run(&job);
    for (int i = 0; i < job.workers_count; i++)
        pvm_kill(job.workers[i].tid);
    if (result == 0)
        printf("%d primes below %d, %d workers were lost\n", job.primes, job.limit, job.lost);
    else
        fprintf(stderr, "workers: no worker is left, %d of %d pieces are done\n", job.done,
                job.pieces);
    free(job.waiting);
    pvm_exit();
    return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
