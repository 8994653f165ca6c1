/*
 * tree_branch.h - long multicasts of tasks of other hosts, which come along a tree of hosts.
 *
 * The origin, the host of the sending task, tells this one what is due (tree_origin.h). The body
 * comes from the host that is the parent in the tree, goes to the receivers here, and to the hosts
 * that are the children. Frames that come before the word of the origin, or before all earlier
 * messages of the task are whole, are kept. Frames of any other host than the parent are dropped.
 *
 * The origin hears how much has come. If the parent ends, the origin becomes the parent, and is
 * asked for what is missing. One thread.
 */
#ifndef DAEMON_POST_TREE_BRANCH_H
#define DAEMON_POST_TREE_BRANCH_H

#include "core/frame_reader.h"
#include "daemon/base/backlog.h"
#include "daemon/base/list.h"
#include "daemon/post/request.h"

struct daemon;

/* All of a daemon. */
struct tree_branches {
    struct list list;
    struct backlog backlog; /* of the frames that are kept */
};

void tree_branches_start(struct daemon *daemon);
void tree_branches_finish(struct daemon *daemon);

enum request_result tree_branch_take_list(struct request *request); /* CONTROL_TREE */
enum request_result tree_branch_take_over(struct request *request); /* CONTROL_TREE_OVER */
enum request_result tree_branch_take_turn(struct request *request); /* CONTROL_TREE_TURN */

/* A frame on a tree has come from the host with this part. */
void tree_branch_take(struct daemon *daemon, const struct received_frame *received, uint32_t part);

/* The host is gone. */
void tree_branches_host_end(struct daemon *daemon, uint32_t part);

#endif
