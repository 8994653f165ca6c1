/* picture.h - the virtual machine at one look: its hosts and tasks, and what they use. */
#ifndef TOP_PICTURE_H
#define TOP_PICTURE_H

#include <stddef.h>

#include "top/usage.h"

enum kind {
    KIND_PROCESS,
    KIND_THREAD, /* one more task of a process */
    KIND_ULP,    /* a user-level process */
};

const char *kind_name(enum kind kind);

struct host {
    int tid;
    char name[64], arch[16];
    int processors; /* 0: its pvmd does not tell, as that of 3.4.6 */
    int agent;      /* tid; 0: there is none yet; below 0: there cannot be one */
    bool answered;  /* the members below are of this look */
    double load, memory, available;
};

struct task {
    int tid, parent, pid;
    const struct host *host;
    char program[64];
    enum kind kind;
    bool hidden; /* by the filter */
    bool known;  /* the members below are: those of its process, for the first of its tasks */
    struct usage usage; /* of the process */
    double share;       /* of a processor since the look before, or since the process began */
};

struct picture {
    struct host *hosts;
    struct task *tasks;
    size_t host_count, task_count;
    size_t shown; /* so many tasks in front are not hidden */
};

enum order { ORDER_PROCESSOR, ORDER_MEMORY, ORDER_PROGRAM, ORDER_HOST, ORDER_TID, ORDER_COUNT };

const char *order_name(enum order order);

/* NULL if there is none. */
struct host *picture_host(const struct picture *picture, int tid);
const struct task *picture_task(const struct picture *picture, int tid);

/* How many tasks are on a host. */
int picture_tasks_of(const struct picture *picture, const struct host *host);

/*
 * Brings the tasks in order. A task is hidden, and comes last, if neither its program nor its host
 * nor its tid has the text in it.
 */
void picture_arrange(struct picture *picture, enum order order, const char *text);

void picture_free(struct picture *picture);

#endif
