/*
 * history.h - what is kept of each task from one picture to the next, so that none is moved to and
 * fro.
 *
 * A task that has moved rests for the time of the settings. If a move takes it back to where it
 * came from soon after its rest, it rests for twice as long as before, so that loads which come and
 * go cannot have it moved each time. A task that could not be moved is left alone for longer.
 */
#ifndef SCHED_HISTORY_H
#define SCHED_HISTORY_H

#include "sched/picture.h"
#include "sched/plan.h"
#include "sched/settings.h"

struct past {
    int tid;
    int came_from; /* tid of the host, 0 before the first move */
    double rest;   /* seconds */
    double rests_until, refused_until;
    bool seen; /* in the last picture */
};

struct history {
    struct past *pasts;
    size_t count, room;
};

void history_free(struct history *history);

/* Marks the tasks that are resting or left alone at the time `now`. Forgets tasks that are over. */
void history_mark(struct history *history, struct picture *picture, double now);

/* A move has been made, or refused. */
void history_moved(struct history *history, const struct settings *settings,
                   const struct move *move, double now);
void history_refused(struct history *history, const struct settings *settings,
                     const struct move *move, double now);

#endif
