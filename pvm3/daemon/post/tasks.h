/*
 * tasks.h - the tasks of this host: their records, and the numbers that name them.
 *
 * A record is made when a process is spawned or when one connects by itself. It ends with the
 * process if the process is a child of the daemon, otherwise with the connection; lifetime.h says
 * what ends with it. One thread.
 *
 * A process can have several tasks. The first stands for the process: what was spawned, what the
 * process prints, how it ends and what it used are the first task's. A task beside it says so when
 * it connects, and has nothing but its connection. Other tasks of the process can share that
 * connection (lease.h). The record of such a task is made when its tid is leased. Until the task
 * begins, only tasks_find finds the record.
 */
#ifndef DAEMON_POST_TASKS_H
#define DAEMON_POST_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/message.h"
#include "core/tid.h"
#include "daemon/base/backlog.h"
#include "daemon/base/frame_queue.h"
#include "daemon/base/kept_frames.h"
#include "daemon/base/list.h"
#include "daemon/base/loop.h"

struct daemon;
struct task_link;

/* Where collected output or trace events go; tid 0 is nowhere. */
struct sink {
    uint32_t tid;
    int32_t context;
    int32_t tag;
};

/* A receiver of a multicast message, and the host that copies the message to it. */
struct receiver {
    uint32_t tid;
    uint32_t part; /* 0: no host does: it gets a message of its own */
    bool on_tree;  /* the message comes to the host along a tree */
};

/* How a process ended; zeros when that is not known. */
struct task_end {
    int32_t status; /* as wait gives it */
    int32_t user_seconds, user_microseconds;
    int32_t system_seconds, system_microseconds;
};

struct task {
    struct daemon *daemon;
    struct list node; /* in the list of all tasks, by tid; in no list before the task begins */
    struct task *bucket_next;
    uint32_t tid;
    int32_t parent; /* tid; 0 none; PvmParentNotSet */
    pid_t pid; /* the process; before it connects, the number by which it will claim this record */
    pid_t process;       /* the process that made the connection, as the system tells; 0 before */
    bool beside;         /* another task of the process is its first */
    bool leased;         /* its tid was leased: it shares a connection */
    bool travelled;      /* it has left the host where it was born, or is about to */
    int32_t region;      /* of a task that has travelled: the number of its region; -1: none */
    int32_t killed_by;   /* the signal by which this task alone is being ended, or 0 */
    unsigned flags;      /* enum control_task_flag */
    int32_t spawn_flags; /* the flags of the spawn that made it */
    char *name;          /* as task lists show it, may be empty; NULL before the task begins */
    struct task_link *link;     /* NULL when not connected */
    struct list of_link;        /* in the link's list of its tasks */
    bool amid;                  /* a message of the task has begun and not ended, */
    uint32_t destination;       /* this is where it goes */
    struct frame_queue waiting; /* what came before it connected, */
    struct backlog backlog;     /* and how many bytes */
    struct sink output;
    struct sink trace;
    struct loop_source pipe; /* its standard output and error */
    struct feeder printer;   /* the writer of the pipe */
    struct loop_work removal;
    bool output_ended;          /* the sink has been told */
    uint32_t scheduler;         /* to be told of its end; 0 when there was none */
    uint32_t starter;           /* the tasker that was asked to start it, or 0 */
    bool starts;                /* has been asked to start others */
    struct receiver *multicast; /* of its next multicast message; NULL when none was announced */
    size_t multicast_count;
    bool multicast_waits;              /* until it is known whether that message is long */
    bool multicast_on_tree;            /* it goes along a tree */
    struct kept_frames multicast_kept; /* its frames, meanwhile */
    size_t multicast_bytes;            /* of these frames */
    struct list watchers;              /* notifications of its end */
    struct list watching;              /* notifications that it asked for */
    struct list contexts;              /* contexts that it owns */
    struct list sockets;               /* of direct routes that it has offered */
};

struct tasks {
    struct daemon *daemon;
    struct list list;
    struct task **buckets; /* by local part */
    size_t bucket_count;   /* a power of two */
    size_t count;          /* records */
    size_t leased;         /* records whose tids were leased */
    size_t limit;          /* records at most, 0: any number */
    uint32_t cursor;       /* the local part given last */
};

/* The task whose place in the list of all tasks is `node`. */
static inline struct task *task_at(struct list *node)
{
    return LIST_OWNER(node, struct task, node);
}

/* 0, or -1 when memory is short. */
int tasks_start(struct tasks *tasks, struct daemon *daemon, size_t limit);
/* There must be no task any more. */
void tasks_finish(struct tasks *tasks);

/*
 * A record with a new tid, whose task has not begun; NULL when memory, tids or the limit on tasks
 * are used up.
 */
struct task *task_reserve(struct tasks *tasks);
/* The task of the record begins: lists show it from now on. 0, or -1: no memory. */
int task_begin(struct task *task, const char *name);
/*
 * A record of a task that comes from another host, with its tid. NULL if there is a record with the
 * tid, or no memory.
 */
struct task *task_receive(struct tasks *tasks, uint32_t tid);
/* A record whose task begins at once; NULL as task_reserve, or no memory. */
struct task *task_new(struct tasks *tasks, const char *name);

/*
 * The next records get the tids of a free block, of which the first is a multiple of `size`; or
 * any, if there is no such block.
 */
void tasks_seek_block(struct tasks *tasks, uint32_t size);

/*
 * Takes the record out of the table and frees what is only its own; the rest must have been undone
 * (task_end does that). The record itself goes at the end of the round, since an event of its pipe
 * may still be due.
 */
void task_free(struct task *task);

/*
 * Receivers of the next multicast are sorted by host. The index behind those on the host of receiver
 * number `first`.
 */
size_t task_end_of_host(const struct task *task, size_t first);

static inline bool task_has_begun(const struct task *task)
{
    return !list_is_empty(&task->node);
}

/* The record with this full tid, or NULL. */
struct task *tasks_find(const struct tasks *tasks, uint32_t tid);
/* The task with this full tid; NULL if there is no record, or its task has not begun. */
struct task *tasks_find_task(const struct tasks *tasks, uint32_t tid);
/*
 * The record that a connecting process claims by `pid`: neither connected nor being authenticated.
 */
struct task *tasks_find_expected(const struct tasks *tasks, pid_t pid);
/* The child process `pid`, or NULL. */
struct task *tasks_find_child(const struct tasks *tasks, pid_t pid);
/* Whether the process of the task has another task that is connected and not being ended. */
bool task_has_company(const struct task *task);

#endif
