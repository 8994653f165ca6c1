/* pool.c - threads that handle requests: as many as are needed, up to a bound. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "node.h"

int pool_start(struct tpl *node)
{
    struct pool *pool = &node->pool;
    if (node->options.workers == 0)
        node->options.workers = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
    pool->last = &pool->first;
    condition_start(&pool->work);
    pool->running = calloc((size_t)node->options.workers, sizeof *pool->running);
    pool->workers = calloc((size_t)node->options.workers, sizeof *pool->workers);
    return pool->running && pool->workers ? TPL_OK : TPL_NO_MEMORY;
}

static void job_free(struct job *job)
{
    if (job->client)
        peer_let_go(job->client);
    free(job->request.data);
    free(job);
}

static void job_begin(struct pool *pool, struct job *job)
{
    job->place = &pool->begun;
    job->next = pool->begun;
    if (job->next)
        job->next->place = &job->next;
    pool->begun = job;
}

static void job_end(struct job *job)
{
    *job->place = job->next;
    if (job->next)
        job->next->place = job->place;
}

static bool is_of_client(const struct job *job, const struct tpl_address *from)
{
    return job->request.from.tid == from->tid && job->request.from.thread == from->thread;
}

/* True when another request of the job's client to the same service is being handled. */
static bool pool_must_wait(const struct tpl *node, const struct job *job)
{
    if (!job->service || !job->service->in_order)
        return false;
    for (int i = 0; i < node->pool.count; i++) {
        const struct job *other = node->pool.running[i];
        if (other && other->service == job->service && is_of_client(other, &job->request.from))
            return true;
    }
    return false;
}

static void pool_unlink(struct pool *pool, struct job **link)
{
    struct job *job = *link;
    *link = job->next;
    if (pool->last == &job->next)
        pool->last = link;
    pool->queued--;
}

static struct job *pool_next(struct tpl *node)
{
    struct job **link = &node->pool.first;
    if (!node->pool.open)
        return NULL;
    while (*link && pool_must_wait(node, *link))
        link = &(*link)->next;
    struct job *job = *link;
    if (job)
        pool_unlink(&node->pool, link);
    if (job && job->service)
        job_begin(&node->pool, job);
    return job;
}

/* Both the handler and the answer keep a request. */
static void job_let_go(struct job *job)
{
    if (job->returned && job->answered)
        job_free(job);
}

static void pool_run(struct tpl *node, struct job *job)
{
    pthread_mutex_unlock(&node->lock);
    if (job->service)
        job->service->handler(&job->request, job->service->argument);
    else
        node->options.lost(node, job->id, node->options.lost_argument);
    node_lock(node);
    if (inbox_number(node) != TPL_POOL) { /* an address that the handler took ends with it */
        pthread_mutex_unlock(&node->lock);
        tpl_retire(node);
        pthread_mutex_lock(&node->lock);
    }
    job->returned = true;
    node_rest(node);
}

/* In the receiving thread. */
static void pool_run_at_once(struct tpl *node, struct job *job)
{
    struct pool *pool = &node->pool;
    job_begin(pool, job);
    node_busy(node);
    pool->at_once = true;
    pool_run(node, job);
    pool->at_once = false;
    job_let_go(job);
    if (pool->ending)
        pthread_cond_broadcast(&node->changed);
}

struct worker {
    struct tpl *node;
    int index;
};

static void *pool_work(void *argument)
{
    struct worker worker = *(struct worker *)argument;
    struct tpl *node = worker.node;
    struct pool *pool = &node->pool;
    free(argument);
    node_lock(node);
    while (!pool->ending || pool->first) {
        struct job *job = pool->running[worker.index] = pool_next(node);
        if (job) {
            pool_run(node, job);
            pool->running[worker.index] = NULL;
            job_let_go(job);
            if (pool->ending)
                pthread_cond_broadcast(&pool->work);
            continue;
        }
        pool->idle++;
        node_sleep(node, &pool->work, NULL);
        pool->idle--;
    }
    node_unlock(node);
    return NULL;
}

/* Adds a thread. Without one the node ends if the pool has no other thread. */
static bool pool_grow(struct tpl *node)
{
    struct pool *pool = &node->pool;
    struct worker *worker = malloc(sizeof *worker);
    if (worker) {
        *worker = (struct worker){node, pool->count};
        pool->running[pool->count] = NULL;
        if (pthread_create(&pool->workers[pool->count], NULL, pool_work, worker) == 0) {
            pool->count++;
            return true;
        }
    }
    free(worker);
    if (pool->count == 0)
        node_end(node, TPL_NO_MEMORY);
    return false;
}

/* Threads for what is queued, as far as there are not enough. */
static void pool_staff(struct tpl *node)
{
    struct pool *pool = &node->pool;
    int wanted = pool->queued;
    while (pool->open && wanted > pool->idle && pool->count < node->options.workers &&
           pool_grow(node))
        wanted--;
    pthread_cond_signal(&pool->work); /* of what there was more, others have been told */
}

void pool_open(struct tpl *node)
{
    node->pool.open = true;
    pool_staff(node);
}

static void pool_add(struct tpl *node, struct job *job)
{
    struct pool *pool = &node->pool;
    *pool->last = job;
    pool->last = &job->next;
    pool->queued++;
    node_busy(node);
    pool_staff(node);
}

static const struct tpl_service *service_find(const struct tpl *node, int kind)
{
    const struct tpl_service *service = node->options.services;
    while (service && service->handler && service->kind != kind)
        service++;
    return service && service->handler ? service : NULL;
}

static void answer_post(struct tpl *node, struct peer *peer, int thread, int id, int result)
{
    peer->sent++;
    node_post(
        node,
        &(struct letter){
            .type = LETTER_ANSWER, .peer = peer->tid, .to = thread, .id = id, .result = result});
}

void pool_take_request(struct tpl *node, const struct letter *letter)
{
    const struct tpl_service *service = service_find(node, letter->kind);
    struct peer *client = peer_find(node, letter->peer);
    bool serves = service && !node->ended;
    struct job *job = serves ? calloc(1, sizeof *job) : NULL;
    if (!job) {
        free(letter->data);
        answer_post(node, client, letter->from, letter->id,
                    !service ? TPL_NOT_FOUND
                    : serves ? TPL_NO_MEMORY
                             : TPL_STOPPED);
        return;
    }
    job->request = (struct tpl_request){
        node, {letter->peer, letter->from}, letter->kind, letter->size, letter->data};
    job->service = service;
    job->client = peer_hold(client);
    job->id = letter->id;
    node_busy(node); /* until it is answered */
    if (service->prompt && !service->in_order && node->pool.open)
        pool_run_at_once(node, job);
    else
        pool_add(node, job);
}

/* The client gets no answer, but a result. */
static void job_tell(struct tpl *node, struct job *job, int result)
{
    if (!job->told && !job->client->dead)
        answer_post(node, job->client, job->request.from.thread, job->id, result);
    job->told = true;
}

/* A request that has not begun will not. */
static void pool_drop(struct tpl *node, struct job **link, int result)
{
    struct job *job = *link;
    pool_unlink(&node->pool, link);
    if (job->service)
        job_tell(node, job, result);
    node_rest(node);
    if (job->service)
        node_rest(node);
    job_free(job);
}

void pool_cancel(struct tpl *node, int tid, int id)
{
    struct job **link = &node->pool.first;
    while (*link) {
        const struct job *job = *link;
        if (job->service && job->request.from.tid == tid && (id == 0 || job->id == id))
            pool_drop(node, link, TPL_CANCELLED);
        else
            link = &(*link)->next;
    }
}

void pool_stop(struct tpl *node)
{
    struct job **link = &node->pool.first;
    while (*link) {
        if ((*link)->service)
            pool_drop(node, link, TPL_STOPPED);
        else
            link = &(*link)->next;
    }
    for (struct job *job = node->pool.begun; job; job = job->next)
        job_tell(node, job, TPL_STOPPED);
}

void pool_tell_lost(struct tpl *node, int number)
{
    struct job *job = node->options.lost ? calloc(1, sizeof *job) : NULL;
    if (!job)
        return;
    job->id = number;
    job->answered = true;
    pool_add(node, job);
}

/* One that cannot be sent becomes a failure. */
static int job_answer(struct tpl *node, struct job *job, const struct letter *letter,
                      const void *data)
{
    job->told = true;
    job->client->sent++;
    int result = node_send(node, letter, data);
    if (result < 0) {
        job->client->sent--;
        answer_post(node, job->client, letter->to, letter->id, TPL_NO_MEMORY);
    }
    return result;
}

static int request_end(struct tpl_request *request, int result, int kind, const void *data,
                       size_t size)
{
    if (!request)
        return TPL_BAD;
    struct job *job = (struct job *)(void *)request;
    struct tpl *node = request->node;
    if (size > INT_MAX || (size > 0 && !data))
        return TPL_BAD;
    node_come(node);
    int told = job->client->dead ? TPL_DEAD : job->told ? TPL_STOPPED : TPL_OK;
    if (told == TPL_OK)
        told = job_answer(node, job,
                          &(struct letter){.type = LETTER_ANSWER,
                                           .peer = request->from.tid,
                                           .to = request->from.thread,
                                           .id = job->id,
                                           .kind = kind,
                                           .result = result,
                                           .size = size},
                          data);
    job_end(job);
    job->answered = true;
    job_let_go(job);
    node_rest(node);
    node_go(node);
    return told;
}

int tpl_answer(struct tpl_request *request, int kind, const void *data, size_t size)
{
    return request_end(request, TPL_OK, kind, data, size);
}

int tpl_refuse(struct tpl_request *request)
{
    return request_end(request, TPL_REFUSED, 0, NULL, 0);
}

void pool_end(struct tpl *node)
{
    struct pool *pool = &node->pool;
    pthread_mutex_lock(&node->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&node->lock);
    for (int i = 0; i < pool->count; i++)
        pthread_join(pool->workers[i], NULL);
    node_lock(node);
    while (pool->at_once)
        node_sleep(node, &node->changed, NULL);
    while (pool->first)
        pool_drop(node, &pool->first, TPL_STOPPED);
    while (pool->begun) {
        struct job *job = pool->begun;
        job_tell(node, job, TPL_STOPPED);
        job_end(job);
        job_free(job);
    }
    node_unlock(node);
}

void pool_free(struct tpl *node)
{
    pthread_cond_destroy(&node->pool.work);
    free(node->pool.running);
    free(node->pool.workers);
}
