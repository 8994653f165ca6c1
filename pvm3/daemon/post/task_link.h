/*
 * task_link.h - a connection of a task: what it sends is cut into frames, what goes to it is queued
 * and written.
 *
 * A round reads once from a link that has something, and writes once to a link that got something.
 * A link is not read from while what it feeds has too much waiting (backlog.h), and takes no
 * requests while the task does not read its answers. The link frees itself when it is closed, at
 * the end of the round. One thread.
 *
 * A link has one task and ends with that task, or it has the tasks of a lease (lease.h). Each frame
 * of a lease says which task has sent it. The link of a lease stays when its tasks end.
 */
#ifndef DAEMON_POST_TASK_LINK_H
#define DAEMON_POST_TASK_LINK_H

#include <sys/types.h>

#include "core/assemble.h"
#include "core/environment.h"
#include "core/frame_reader.h"
#include "core/message.h"
#include "daemon/base/backlog.h"
#include "daemon/base/frame_queue.h"
#include "daemon/base/loop.h"

struct daemon;
struct task;

enum task_link_state {
    TASK_LINK_NEW,            /* nothing known of the other side */
    TASK_LINK_AUTHENTICATING, /* it has been told to write to `proof` */
    TASK_LINK_CONNECTED,      /* it is a task */
    TASK_LINK_CLOSING,        /* what is queued is written, then it is closed */
};

struct task_link {
    struct daemon *daemon;
    struct list node;     /* in the listener's list of links */
    struct list stranger; /* in its list of strangers */
    int64_t opened;       /* by loop_now */
    struct loop_source source;
    struct loop_work flush;
    struct loop_work removal;
    struct loop_work resumption; /* reads on after it was held */
    struct loop_work rest;       /* after what was read has been passed on */
    struct loop_timer patience;  /* how long it may stay without being a task */
    enum task_link_state state;
    struct list tasks; /* its one task, or the records of its lease; empty unless connected */
    bool leased;       /* the link has a lease */
    bool beside;       /* the task that connected is beside the first task of its process */
    pid_t process;     /* at the other end; 0 before authentication */
    pid_t pid;         /* what it calls itself; it may be in a name space of its own */
    struct frame_reader reader;
    struct assembler assembler;
    struct frame_queue queue;
    struct backlog backlog; /* what is in the queue; its tid is that of the task that connected */
    struct feeder feeder;   /* the other side */
    bool swollen;           /* the queue was large; its memory is to go back to the system */
    bool blocked;           /* the other side does not read: wait until it does */
    bool deaf;              /* the other side will never read again */
    bool last;              /* the other side is gone: what it left is read whatever waits */
    bool hearing;           /* task_link_hear takes what has come */
    uint32_t awaited;       /* frames are taken until the task with this tid begins; 0: no tid */
    int proof;              /* the d-auth file, -1 when there is none */
    unsigned proof_number;  /* which temporary name of the daemon it has */
    char *claim;            /* the t-auth file; ours; NULL when there is none */
};

/* Takes the connected socket `fd`. NULL when memory is short; then the socket is closed. */
struct task_link *task_link_open(struct daemon *daemon, int fd);

/*
 * Makes the link that of `task`; what waited for the task goes out behind what is queued. 0, or -1:
 * no memory.
 */
int task_link_attach(struct task_link *link, struct task *task);
/* Adds a record to those of the link. */
void task_link_join(struct task_link *link, struct task *task);
/*
 * The task is over, and has no link any more. A link without a lease ends as by task_link_end. Does
 * nothing if the task has no link.
 */
void task_link_leave(struct task *task);

/* Queues a message of the daemon; it stays the caller's. */
void task_link_send(struct task_link *link, const struct message *message, uint32_t destination,
                    uint32_t source);
/*
 * Queues a frame as it was received; its header, which lies in front of the body, says where it
 * goes.
 */
void task_link_forward(struct task_link *link, const struct received_frame *received);
/* Queues a frame with another header than it was received with. */
void task_link_forward_as(struct task_link *link, const struct frame *frame,
                          const struct received_frame *received);

/*
 * The process of the link's task has ended: reads and takes what it had written. The task may have
 * no link then, or be over.
 */
void task_link_read_rest(struct task_link *link);
/* Does what task_link_read_rest does, and then closes the link: its tasks are lost. */
void task_link_read_to_end(struct task_link *link);

/*
 * Takes what the other side has sent until now, because somebody asks about `tid`, a record of the
 * link, or about all tasks if `tid` is 0. If the task of `tid` has not begun, frames are taken only
 * until it begins, but even if the link is held. Otherwise nothing is taken from a held link. Any
 * task may be gone afterwards.
 */
void task_link_hear(struct task_link *link, uint32_t tid);

/*
 * Nothing more comes from the other side or goes to it. The loop takes what it has sent before, and
 * then finds the task's link lost.
 */
void task_link_cut(struct task_link *link);

/* Ends the link when what is queued has been written; what comes in is ignored. */
void task_link_end(struct task_link *link);
/*
 * Ends the link now. Its tasks are left without a link. Records whose tasks have not begun are
 * freed.
 */
void task_link_close(struct task_link *link);

#endif
