/* tree_branch.c - messages by task and number. */
#include "daemon/post/tree_branch.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/kept_frames.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"

/* After so many bytes the origin is told. A task is held only when more of what it sends waits. */
#define TOLD_AFTER (BACKLOG_LEAST / 2)

struct tree_branch {
    struct list node;
    struct daemon *daemon;
    uint32_t tid;
    uint32_t number;
    uint32_t parent; /* the host that the body comes from */
    uint32_t origin; /* 0: it has not said anything yet */
    bool announced;  /* the origin has said what is due */
    uint32_t taken;  /* bytes of the body, modulo 2^32 */
    uint32_t told;   /* `taken` as the origin knows it */
    struct kept_frames kept;
    size_t child_count;
    uint32_t *children; /* hosts */
    size_t receiver_count;
    uint32_t *receivers; /* tasks of this host */
};

static struct tree_branch *branch_at(const struct list *node)
{
    return LIST_OWNER(node, struct tree_branch, node);
}

void tree_branches_start(struct daemon *daemon)
{
    struct tree_branches *branches = &daemon->post->tree_branches;
    list_start(&branches->list);
    backlog_start(&branches->backlog, &daemon->backlogs, SIZE_MAX);
    branches->backlog.tid = TID_OWN_DAEMON;
}

static void branch_free(struct tree_branch *branch)
{
    list_remove(&branch->node);
    kept_frames_finish(&branch->kept);
    free(branch->children);
    free(branch->receivers);
    free(branch);
}

void tree_branches_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->post->tree_branches.list)
    branch_free(branch_at(node));
    backlog_finish(&daemon->post->tree_branches.backlog);
}

static struct tree_branch *branch_find(const struct daemon *daemon, uint32_t tid, uint32_t number)
{
    LIST_FOR_EACH(node, &daemon->post->tree_branches.list)
    if (branch_at(node)->tid == tid && branch_at(node)->number == number)
        return branch_at(node);
    return NULL;
}

/* A new one is known by its parent alone, who sends first. NULL: no memory. */
static struct tree_branch *branch_get(struct daemon *daemon, uint32_t tid, uint32_t number,
                                      uint32_t parent)
{
    struct tree_branch *branch = branch_find(daemon, tid, number);
    if (branch)
        return branch;
    branch = calloc(1, sizeof *branch);
    if (!branch) {
        log_write("no memory for a multicast of t%x: it is lost", tid);
        return NULL;
    }
    branch->daemon = daemon;
    branch->tid = tid;
    branch->number = number;
    branch->parent = parent;
    kept_frames_start(&branch->kept, &daemon->post->tree_branches.backlog);
    list_append(&daemon->post->tree_branches.list, &branch->node);
    return branch;
}

/* Numbers go on from 0 behind the largest one. */
static bool branch_is_before(const struct tree_branch *branch, uint32_t number)
{
    return (int32_t)((branch->number - number) << 2) < 0;
}

/* The message of the task that is due now; NULL: there is none. */
static struct tree_branch *branch_due(const struct daemon *daemon, uint32_t tid)
{
    struct tree_branch *due = NULL;
    LIST_FOR_EACH(node, &daemon->post->tree_branches.list)
    {
        struct tree_branch *branch = branch_at(node);
        if (branch->tid == tid && branch->announced &&
            (!due || branch_is_before(branch, due->number)))
            due = branch;
    }
    return due;
}

/* Words to the origin. ------------------------------------------------------------------------- */

static void branch_say(struct tree_branch *branch, int32_t tag, bool whole)
{
    struct host_link *link = hosts_link(&branch->daemon->post->hosts, branch->origin);
    struct message *word = control_new(tag, 0, 0);
    control_put_tid(word, branch->tid);
    control_put_tid(word, branch->number);
    control_put_tid(word, branch->taken);
    if (tag == CONTROL_TREE_TAKEN)
        control_put_int(word, whole);
    if (link)
        host_link_send_ahead(link, word);
    else
        message_free(word);
}

/* Only the origin can have what the parent has not sent. */
static void branch_turn(struct tree_branch *branch)
{
    kept_frames_finish(&branch->kept);
    branch->parent = branch->origin;
    branch_say(branch, CONTROL_TREE_PULL, false);
}

/* The body. ------------------------------------------------------------------------------------ */

static void branch_hand_on(struct tree_branch *branch, const struct received_frame *received)
{
    for (size_t i = 0; i < branch->child_count; i++) {
        struct host_link *link = hosts_link(&branch->daemon->post->hosts, branch->children[i]);
        if (link)
            host_link_forward(link, received, received->frame.destination);
    }
    router_copy_to_receivers(branch->daemon, received, branch->receivers, branch->receiver_count);
}

/* The branch is gone after the last frame. */
static void branch_take_frame(struct tree_branch *branch, const struct received_frame *received)
{
    bool whole = received->frame.flags & FRAME_LAST;
    branch->taken += received->frame.length;
    branch_hand_on(branch, received);
    if (whole || branch->taken - branch->told >= TOLD_AFTER) {
        branch->told = branch->taken;
        branch_say(branch, CONTROL_TREE_TAKEN, whole);
    }
    if (whole)
        branch_free(branch);
}

/* Takes what has been kept of the messages that are due now. */
static void branches_go_on(struct daemon *daemon, uint32_t tid)
{
    struct received_frame received;
    struct tree_branch *due;
    while ((due = branch_due(daemon, tid)) != NULL && kept_frames_take(&due->kept, &received)) {
        branch_take_frame(due, &received);
        chunk_release(received.chunk);
    }
}

/* Nobody is held for what is kept: the rest of an earlier message may come from the same host. */
static void branch_keep(struct tree_branch *branch, const struct received_frame *received)
{
    struct backlogs *backlogs = &branch->daemon->backlogs;
    struct feeder *outer = backlogs->feeder;
    backlogs->feeder = NULL;
    if (kept_frames_add(&branch->kept, received) < 0)
        log_write("no memory for a multicast of t%x: it is lost", branch->tid);
    backlogs->feeder = outer;
}

void tree_branch_take(struct daemon *daemon, const struct received_frame *received, uint32_t part)
{
    uint32_t tid = received->frame.source, number = received->frame.destination & ~TID_TREE_BITS;
    bool whole = received->frame.flags & FRAME_LAST;
    struct tree_branch *branch = branch_get(daemon, tid, number, part);
    if (!branch || branch->parent != part)
        return;
    if (branch != branch_due(daemon, tid)) {
        branch_keep(branch, received);
        return;
    }
    branch_take_frame(branch, received);
    if (whole)
        branches_go_on(daemon, tid);
}

/* Words of the origin. ------------------------------------------------------------------------- */

/* What a word of an origin begins with. Numbers have no more bits than a frame has room for. */
static bool branch_read_word(struct request *request, uint32_t *tid, uint32_t *number)
{
    const struct host_link *link = hosts_link(&request->daemon->post->hosts, request->origin.tid);
    *tid = control_get_tid(&request->body);
    *number = control_get_tid(&request->body);
    const struct frame frame = {.source = *tid};
    return !request->body.failed && tid_is_task(*tid) && (*number & TID_TREE_BITS) == 0 &&
           host_stream_may_bring(&link->stream, &frame);
}

/* A count, and so many numbers, the caller's. NULL: no memory, or it makes no sense. */
static uint32_t *branch_read_list(struct control_reader *body, size_t *count)
{
    *count = (size_t)control_get_count(body, sizeof(uint32_t));
    uint32_t *list = malloc((*count + 1) * sizeof *list);
    for (size_t i = 0; list && i < *count; i++)
        list[i] = control_get_tid(body);
    return list;
}

/* The origin tells of the messages of a task in order, so that earlier ones do not come. */
static void branches_drop_before(struct daemon *daemon, uint32_t tid, uint32_t number)
{
    LIST_FOR_EACH(node, &daemon->post->tree_branches.list)
    {
        struct tree_branch *branch = branch_at(node);
        if (branch->tid == tid && !branch->announced && branch_is_before(branch, number))
            branch_free(branch);
    }
}

/* The origin knows the hosts of the tree to be ours: that need not be found out again. */
static void branch_meet_children(const struct tree_branch *branch)
{
    for (size_t i = 0; i < branch->child_count; i++) {
        struct host_link *link = hosts_link(&branch->daemon->post->hosts, branch->children[i]);
        if (link)
            link_upgrade_meet(link);
    }
}

/* If the origin has said before that it is the parent, that still holds. */
static void branch_set_parent(struct tree_branch *branch, uint32_t origin, uint32_t parent)
{
    bool turned = branch->origin != 0;
    branch->origin = origin;
    branch->announced = true;
    if (turned)
        return;
    if (branch->parent != parent)
        kept_frames_finish(&branch->kept);
    branch->parent = parent;
    if (!hosts_find(&branch->daemon->post->hosts, parent))
        branch_turn(branch);
}

enum request_result tree_branch_take_list(struct request *request)
{
    struct daemon *daemon = request->daemon;
    struct control_reader *body = &request->body;
    uint32_t tid, number, origin = tid_host_part(request->origin.tid);
    if (!branch_read_word(request, &tid, &number))
        return REQUEST_MALFORMED;
    uint32_t parent = tid_host_part(control_get_tid(body));
    struct tree_branch *branch = branch_get(daemon, tid, number, parent);
    if (!branch || branch->announced)
        return REQUEST_MALFORMED;
    branches_drop_before(daemon, tid, number);
    branch->children = branch_read_list(body, &branch->child_count);
    branch->receivers = branch_read_list(body, &branch->receiver_count);
    if (body->failed || !branch->children || !branch->receivers) {
        branch_free(branch);
        return REQUEST_MALFORMED;
    }
    branch_meet_children(branch);
    branch_set_parent(branch, origin, parent);
    branches_go_on(daemon, tid);
    return REQUEST_DONE;
}

enum request_result tree_branch_take_over(struct request *request)
{
    uint32_t tid, number;
    if (!branch_read_word(request, &tid, &number))
        return REQUEST_MALFORMED;
    struct tree_branch *branch = branch_find(request->daemon, tid, number);
    if (branch)
        branch_free(branch);
    branches_go_on(request->daemon, tid);
    return REQUEST_DONE;
}

enum request_result tree_branch_take_turn(struct request *request)
{
    uint32_t tid, number, origin = tid_host_part(request->origin.tid);
    if (!branch_read_word(request, &tid, &number))
        return REQUEST_MALFORMED;
    struct tree_branch *branch = branch_get(request->daemon, tid, number, origin);
    if (!branch || (branch->announced && branch->parent == origin))
        return REQUEST_DONE;
    branch->origin = origin;
    branch_turn(branch);
    return REQUEST_DONE;
}

static void branch_host_end(struct tree_branch *branch, uint32_t part)
{
    if (branch->origin == part || (branch->origin == 0 && branch->parent == part))
        branch_free(branch);
    else if (branch->parent == part)
        branch_turn(branch);
}

void tree_branches_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->post->tree_branches.list)
    branch_host_end(branch_at(node), part);
}
