/* decisions.h - the log: what the scheduler sees and decides, a line for each. */
#ifndef SCHED_DECISIONS_H
#define SCHED_DECISIONS_H

#include <stdio.h>

#include "sched/picture.h"
#include "sched/plan.h"

struct decisions {
    FILE *file;
    bool dry_run;
};

/* Opens the log, to append to it. NULL: the standard output. False, and errno, if that fails. */
bool decisions_open(struct decisions *decisions, const char *path, bool dry_run);

/* What is known of each host. */
void decisions_hosts(const struct decisions *decisions, const struct picture *picture);

/* A move that is to be made, or has been refused. */
void decisions_move(const struct decisions *decisions, const struct picture *picture,
                    const struct move *move);
void decisions_refusal(const struct decisions *decisions, const struct picture *picture,
                       const struct move *move, int code, const char *why);

#endif
