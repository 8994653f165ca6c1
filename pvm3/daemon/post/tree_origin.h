/*
 * tree_origin.h - long multicasts of tasks of this host, which go from host to host along a tree.
 *
 * To each host of the tree this daemon tells where the message comes from and for whom it is
 * (CONTROL_TREE), behind all that the task has sent there before. The body goes to the first hosts
 * of the tree (tree.h), in frames whose destination has the number of the message, and those hand
 * it on (tree_branch.h). So one body crosses to each host.
 *
 * What the task sends straight to another host of the tree, and what this daemon says for the task,
 * waits here until the host has the body (holds.h). What belongs to later trees need not wait,
 * since each host takes the messages of a task in the order of their numbers.
 *
 * The body is kept until all hosts have it. If a host ends, those that had it for their parent get
 * from here what they miss. One thread.
 */
#ifndef DAEMON_POST_TREE_ORIGIN_H
#define DAEMON_POST_TREE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/frame_reader.h"
#include "daemon/base/backlog.h"
#include "daemon/base/list.h"
#include "daemon/post/request.h"

struct daemon;
struct task;

/* All of a daemon. */
struct tree_origins {
    struct list list;
    uint32_t last;          /* number given last */
    struct backlog backlog; /* of the bodies that are kept */
};

void tree_origins_start(struct daemon *daemon);
void tree_origins_finish(struct daemon *daemon);

/* Whether the next multicast of the task reaches so many hosts of ours that a tree is worth it. */
bool tree_origin_suits(const struct task *task);
/*
 * Tells the hosts of a message of the task, and marks the receivers that the tree reaches. False:
 * no memory, or no tree is worth it.
 */
bool tree_origin_begin(struct task *task);
/* Sends a frame of the message that has begun. */
void tree_origin_forward(const struct task *task, const struct received_frame *received);

enum request_result tree_origin_take_pull(struct request *request);  /* CONTROL_TREE_PULL */
enum request_result tree_origin_take_taken(struct request *request); /* CONTROL_TREE_TAKEN */

/* The task sends nothing more. What it has not sent whole does not come. */
void tree_origins_end_task(struct daemon *daemon, uint32_t tid);
/* The host is gone. */
void tree_origins_host_end(struct daemon *daemon, uint32_t part);

/* Whether a host lacks something that the task has sent along a tree. */
bool tree_origins_has(const struct daemon *daemon, uint32_t tid);

#endif
