/*
 * move_record.h - what a pvmd knows of a task, on its way to the pvmd of the host to which the task
 * moves (CONTROL_TASK_RECORD).
 */
#ifndef DAEMON_REQUESTS_MOVE_RECORD_H
#define DAEMON_REQUESTS_MOVE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/control.h"
#include "daemon/post/tasks.h"

struct move_record {
    uint32_t tid;
    uint32_t holder; /* the task that is to say that the task has arrived; 0: not known */
    int32_t parent;
    int32_t spawn_flags;
    char *name; /* free */
    struct sink output;
    struct sink trace;
    uint32_t scheduler;
    int32_t output_ended;
    int32_t region;
};

/* Writes the record of a task, without what the task wants to be told of (notify.h). */
void move_record_put(struct message *message, const struct task *task, uint32_t holder);
/* Reads as much. False: it makes no sense; it is to be freed all the same. */
bool move_record_read(struct move_record *record, struct control_reader *body);
/* The task of the record is like that; its name is left out. */
void move_record_apply(const struct move_record *record, struct task *task);

#endif
