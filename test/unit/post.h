/*
 * post.h - a process that stands for the daemons of all hosts: it carries frames between the
 * endpoints of processes that tests fork, and tells who has ended.
 *
 * It understands what endpoints ask of a daemon: word of an end (TM_NOTIFY), and lists for the next
 * multicast (TM_MCA). It keeps a bounded number of bytes for each task, and stops reading from who
 * sends more. A task that is not connected is over.
 */
#ifndef UNIT_POST_H
#define UNIT_POST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The tag of a message to the daemon by which a task has its own connection ended. */
#define POST_CUT 4711

struct post {
    pid_t process;
    int life;              /* the process ends when this descriptor is closed everywhere */
    atomic_ulong *carried; /* messages from task to task so far; shared by all processes */
    char folder[32];       /* for names of sockets */
    char path[64];         /* where it listens */
};

/* In a process with one thread, which is also the one that calls post_stop. */
void post_start(struct post *post);

/*
 * When all tasks are gone. The test fails if the post has not ended well; and with `well`, which
 * says that no task was killed, if names are left in the folder.
 */
void post_stop(struct post *post, bool well);

/* In a process that was forked since: it does not keep the post alive. */
void post_leave_to_parent(const struct post *post);

/* The socket of the task `tid` to its daemon, which knows it by the time this returns. */
int post_connect(const struct post *post, uint32_t tid);

#endif
