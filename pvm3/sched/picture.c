/* picture.c - hosts and user-level processes, and what is to be expected after a move. */
#include "sched/picture.h"

#include <stdlib.h>

void picture_free(struct picture *picture)
{
    free(picture->hosts);
    free(picture->holders);
    free(picture->tasks);
    free(picture->fixed);
    free(picture->talks);
    *picture = (struct picture){.hosts = NULL};
}

struct host *picture_host(const struct picture *picture, int tid)
{
    for (size_t i = 0; i < picture->host_count; i++)
        if (picture->hosts[i].tid == tid)
            return &picture->hosts[i];
    return NULL;
}

int picture_whereabouts(const struct picture *picture, int tid)
{
    for (size_t i = 0; i < picture->task_count; i++)
        if (picture->tasks[i].tid == tid)
            return picture->tasks[i].host;
    for (size_t i = 0; i < picture->fixed_count; i++)
        if (picture->fixed[i].tid == tid)
            return picture->fixed[i].host;
    return 0;
}

void picture_sum(struct picture *picture)
{
    for (size_t i = 0; i < picture->host_count; i++)
        picture->hosts[i].moving = 0;
    for (size_t i = 0; i < picture->task_count; i++)
        picture_host(picture, picture->tasks[i].host)->moving += picture->tasks[i].load;
}

void picture_move(struct picture *picture, struct task *task, struct host *to)
{
    picture_host(picture, task->host)->moving -= task->load;
    to->moving += task->load;
    task->host = to->tid;
    task->resting = task->refused = true;
}

bool host_is_open(const struct host *host)
{
    return host->known && !host->closed;
}

double host_capacity(const struct host *host)
{
    double share = host->processors / (host->processors + host->others + host->fixed);
    return host->speed * host->processors * share;
}

double host_load(const struct host *host, double more)
{
    return (host->moving + more) / host_capacity(host);
}
