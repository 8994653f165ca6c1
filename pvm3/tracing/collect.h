/*
 * collect.h - gathers the trace of tasks: their events, their output, and the hosts they are on.
 *
 * The owner gets messages, and passes on those of the trace. What it gets in turn comes through the
 * functions of `struct collector_owner`, in order. A task of the trace lives from the first word of
 * it until its own pvmd has told of its end and of the end of its output. The word of its parent's
 * pvmd, that it was spawned, may be the first or the last of all.
 */
#ifndef TRACING_COLLECT_H
#define TRACING_COLLECT_H

#include <stddef.h>

#include "tracing/decode.h"
#include "tracing/record.h"

struct collector_owner {
    /* A record, which is the owner's to free, and whose it is: the tid of a task or a pvmd. */
    void (*record)(void *owner, int source, struct record *record);
    /* A line that the task printed; `text` NULL: its output ends. */
    void (*line)(void *owner, int tid, const char *text, size_t length);
    void (*begun)(void *owner, int tid);
    void (*ended)(void *owner, int tid);
};

struct collected_task;
struct collected_host;

struct collector {
    const struct collector_owner *functions;
    void *owner;
    struct decoder *decoder; /* which all collectors of this task share */
    struct collected_task *tasks;
    struct collected_host *hosts;
};

void collector_start(struct collector *collector, struct decoder *decoder,
                     const struct collector_owner *functions, void *owner);
void collector_finish(struct collector *collector);

/* Tells of hosts that came or went since the last call; tasks of hosts that went are over. */
void collector_update_hosts(struct collector *collector);

/* A task that was spawned lives, although nothing has been heard of it yet. */
void collector_expect(struct collector *collector, int tid);

/* Takes a trace message, or one of output, from the active receive buffer. */
void collector_take_events(struct collector *collector, int buffer);
void collector_take_output(struct collector *collector);

/* No task of the trace lives. */
bool collector_is_idle(const struct collector *collector);

#endif
