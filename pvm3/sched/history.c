/* history.c - what is kept of each task that was moved or was to be moved. */
#include "sched/history.h"

#include <stdlib.h>

#include "sched/memory.h"

/* A task that could not be moved is left alone for so many times the rest after a move. */
static const double refused_times = 5;

void history_free(struct history *history)
{
    free(history->pasts);
    *history = (struct history){.pasts = NULL};
}

static struct past *past_find(const struct history *history, int tid)
{
    for (size_t i = 0; i < history->count; i++)
        if (history->pasts[i].tid == tid)
            return &history->pasts[i];
    return NULL;
}

static struct past *past_of(struct history *history, int tid)
{
    struct past *past = past_find(history, tid);
    if (past)
        return past;
    history->pasts =
        memory_grow(history->pasts, history->count, &history->room, sizeof *history->pasts);
    past = &history->pasts[history->count++];
    *past = (struct past){.tid = tid};
    return past;
}

static void forget_unseen(struct history *history)
{
    size_t kept = 0;
    for (size_t i = 0; i < history->count; i++)
        if (history->pasts[i].seen) {
            history->pasts[i].seen = false;
            history->pasts[kept++] = history->pasts[i];
        }
    history->count = kept;
}

void history_mark(struct history *history, struct picture *picture, double now)
{
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        struct past *past = past_find(history, task->tid);
        if (!past)
            continue;
        past->seen = true;
        task->resting = now < past->rests_until;
        task->refused = now < past->refused_until;
    }
    forget_unseen(history);
}

void history_moved(struct history *history, const struct settings *settings,
                   const struct move *move, double now)
{
    struct past *past = past_of(history, move->tid);
    bool back = past->came_from == move->to && now < past->rests_until + past->rest;
    past->rest = back ? 2 * past->rest : settings->least;
    past->came_from = move->from;
    past->rests_until = now + past->rest;
}

void history_refused(struct history *history, const struct settings *settings,
                     const struct move *move, double now)
{
    past_of(history, move->tid)->refused_until = now + refused_times * settings->least;
}
