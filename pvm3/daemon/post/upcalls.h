/*
 * upcalls.h - what the connections with tasks and hosts hand to the parts of the daemon above them.
 *
 * The connections know none of these parts: the daemon gives them this table when it starts
 * (rooms.c). One thread.
 */
#ifndef DAEMON_POST_UPCALLS_H
#define DAEMON_POST_UPCALLS_H

#include "core/frame_reader.h"

struct daemon;
struct host;
struct host_link;
struct message;
struct request_origin;
struct task;
struct task_link;

struct upcalls {
    /* A frame of a connection that is no task yet has come. May close the connection. */
    void (*stranger_frame)(struct task_link *link, const struct received_frame *received);
    /* A frame of the task has come. The task may be gone afterwards. */
    void (*task_frame)(struct task *task, struct received_frame *received);
    /* The connection of the task is gone. */
    void (*task_lost)(struct task *task);
    /* The connection is closed. */
    void (*link_closed)(struct task_link *link);
    /* A frame of another host has come. The host may be gone afterwards. */
    void (*host_frame)(struct host_link *link, struct received_frame *received);
    /* The host is given up, or has ended as it was asked to. */
    void (*host_lost)(struct daemon *daemon, struct host *host);
    /* The connection has brought a frame to a daemon of a task that has moved away from it. */
    void (*late_frame)(struct task_link *link, const struct received_frame *received);
    /* The host has become the master in place of this one, which may be frozen for a while. */
    void (*deposed)(struct daemon *daemon, uint32_t part);
    /*
     * The master, which has been asked, is gone, and there is another one: to ask it. `number` is
     * the wait identifier of the first question. Frees the question.
     */
    void (*ask_again)(const struct request_origin *origin, int32_t tag, int32_t number,
                      struct message *question, int32_t failure);
    /* The host is a deputy: it is to get all that the master alone knows (copies.h). */
    void (*copy_all)(struct daemon *daemon, const struct host *deputy);
    /* This daemon is the master now, in place of the host, which is in the table still. */
    void (*took_over)(struct daemon *daemon, const struct host *lost);
    /* The host is in the table now. */
    void (*host_added)(struct daemon *daemon, const struct host *host);
    /* The host, which is new, has the table from this one, the master, and is about to use it. */
    void (*host_introduced)(struct daemon *daemon, const struct host *host);
    /* The daemon of the host is known to be one of ours. */
    void (*host_met)(struct daemon *daemon, const struct host *host);
    /* The host is gone. */
    void (*host_gone)(struct daemon *daemon, uint32_t part);
    /* All hosts have a message that a task here has sent along a tree. */
    void (*tree_done)(struct daemon *daemon);
    /* The daemon of the host says that it ends. */
    void (*host_ended)(struct daemon *daemon, struct host *host);
};

#endif
