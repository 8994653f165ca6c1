/*
 * hosts.h - the hosts of the virtual machine, and which rank goes where.
 */
#ifndef RUN_HOSTS_H
#define RUN_HOSTS_H

#include <stdbool.h>

#include "run/job.h"

struct host {
    int tid;
    char *name;
    char *arch;
};

struct hosts {
    struct host *items; /* the own host first */
    int count;
};

/* What the virtual machine has. False when it is gone. */
bool hosts_read(struct hosts *hosts, int own);

/* Adds those that a part names and that are not there. False when that failed: it is told why. */
bool hosts_add(struct hosts *hosts, const struct job *job, int own);

/* A host by the name that somebody gives it, NULL if there is none. */
const struct host *hosts_find(const struct hosts *hosts, const char *name);

/*
 * How many tasks a part has. If its count is not given: one for each slot of the hosts that it
 * names, or one.
 */
int hosts_count_tasks(const struct part *part);

/* Fills in the hosts of the tasks of a part, `count` of them. */
void hosts_place(const struct hosts *hosts, const struct part *part, const struct host **places,
                 int count);

void hosts_free(struct hosts *hosts);

#endif
