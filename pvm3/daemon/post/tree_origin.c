/* tree_origin.c - who has how much of what. */
#include "daemon/post/tree_origin.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/kept_frames.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/tree.h"

/* With fewer hosts each gets its copy straight. */
#define HOSTS_LEAST 3

/* So many bytes of bodies are kept before the tasks that send them are held. */
#define KEPT_MOST ((size_t)32 << 20)

/* A host of the tree. */
struct tree_host {
    uint32_t part;
    uint32_t parent;
    uint32_t taken; /* bytes of the body that it has */
    bool done;      /* it has all, or is gone */
    bool held;      /* its straight traffic waits */
    bool turned;    /* this host has become its parent, */
    bool pulled;    /* and knows what it lacks */
    size_t first;   /* receivers of the task: this one and */
    size_t end;     /* those before this one are on the host */
};

struct tree_origin {
    struct list node;
    struct daemon *daemon;
    uint32_t tid;
    uint32_t flow; /* of what the task sends */
    uint32_t number;
    uint32_t start, end; /* of what is kept of the body, in bytes modulo 2^32 */
    bool whole;          /* the last frame has been sent */
    struct kept_frames kept;
    size_t count;
    struct tree_host hosts[];
};

static struct tree_origin *tree_at(const struct list *node)
{
    return LIST_OWNER(node, struct tree_origin, node);
}

static uint32_t tree_own(const struct daemon *daemon)
{
    return hosts_own(&daemon->post->hosts)->part;
}

static struct host_link *tree_link(const struct tree_origin *tree, size_t i)
{
    return hosts_link(&tree->daemon->post->hosts, tree->hosts[i].part);
}

void tree_origins_start(struct daemon *daemon)
{
    struct tree_origins *trees = &daemon->post->tree_origins;
    list_start(&trees->list);
    backlog_start(&trees->backlog, &daemon->backlogs, KEPT_MOST);
    trees->backlog.tid = TID_OWN_DAEMON;
    trees->backlog.told = true; /* to wait for the network is nothing to tell of */
}

static void tree_free(struct tree_origin *tree)
{
    list_remove(&tree->node);
    kept_frames_finish(&tree->kept);
    free(tree);
}

void tree_origins_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->post->tree_origins.list)
    tree_free(tree_at(node));
    backlog_finish(&daemon->post->tree_origins.backlog);
}

bool tree_origins_has(const struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->post->tree_origins.list)
    if (tree_at(node)->tid == tid)
        return true;
    return false;
}

/* The beginning. ------------------------------------------------------------------------------- */

/*
 * Whether a host, of which this is the part, can be in a tree. What waits to go there must be there
 * before the message, so that the message waits behind it.
 */
static bool tree_takes(const struct task *task, uint32_t part)
{
    const struct host *host = hosts_find(&task->daemon->post->hosts, part);
    return part != 0 && host && host->link && host->link->upgrade.known &&
           !holds_keeps_any(&host->link->holds, task->tid);
}

static size_t tree_count(const struct task *task)
{
    size_t count = 0;
    for (size_t i = 0; i < task->multicast_count; i = task_end_of_host(task, i))
        count += tree_takes(task, task->multicast[i].part);
    return count;
}

bool tree_origin_suits(const struct task *task)
{
    return tree_count(task) >= HOSTS_LEAST;
}

static void tree_mark(struct task *task, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        task->multicast[i].on_tree = true;
}

/* By part: hosts with neighbouring numbers are neighbours in the tree. */
static void tree_put_hosts(struct tree_origin *tree, struct task *task)
{
    for (size_t i = 0, end; i < task->multicast_count; i = end) {
        end = task_end_of_host(task, i);
        if (!tree_takes(task, task->multicast[i].part))
            continue;
        tree->hosts[tree->count++] =
            (struct tree_host){.part = task->multicast[i].part, .first = i, .end = end};
        tree_mark(task, i, end);
    }
}

static uint32_t tree_part(const struct tree_origin *tree, size_t node)
{
    return node == 0 ? tree_own(tree->daemon) : tree->hosts[node - 1].part;
}

static struct message *tree_word(const struct tree_origin *tree, int32_t tag)
{
    struct message *word = control_new(tag, 0, 0);
    control_put_tid(word, tree->tid);
    control_put_tid(word, tree->number);
    return word;
}

static struct message *tree_announcement(const struct tree_origin *tree, const struct task *task,
                                         size_t node)
{
    const struct tree_host *host = &tree->hosts[node - 1];
    size_t children[8 * sizeof(size_t)], count = tree_children(node, tree->count + 1, children);
    struct message *word = tree_word(tree, CONTROL_TREE);
    control_put_tid(word, host->parent);
    control_put_int(word, (int32_t)count);
    for (size_t i = 0; i < count; i++)
        control_put_tid(word, tree_part(tree, children[i]));
    control_put_int(word, (int32_t)(host->end - host->first));
    for (size_t i = host->first; i < host->end; i++)
        control_put_tid(word, task->multicast[i].tid);
    return word;
}

/* Hosts that have the body from here have it in the order in which it is sent. */
static void tree_announce(struct tree_origin *tree, const struct task *task, size_t node)
{
    struct tree_host *host = &tree->hosts[node - 1];
    struct host_link *link = tree_link(tree, node - 1);
    host->parent = tree_part(tree, tree_parent(node));
    host->held = host->parent != tree_own(tree->daemon);
    host_link_send_on_tree(link, tree->flow, tree_announcement(tree, task, node), false);
    if (host->held)
        host_link_hold(link, tree->flow);
}

bool tree_origin_begin(struct task *task)
{
    struct tree_origins *trees = &task->daemon->post->tree_origins;
    size_t count = tree_count(task);
    struct tree_origin *tree = NULL;
    if (count >= HOSTS_LEAST)
        tree = calloc(1, sizeof *tree + count * sizeof tree->hosts[0]);
    if (!tree)
        return false;
    trees->last = (trees->last + 1) & ~TID_TREE_BITS;
    tree->daemon = task->daemon;
    tree->tid = tree->flow = task->tid;
    tree->number = trees->last;
    kept_frames_start(&tree->kept, &trees->backlog);
    list_append(&trees->list, &tree->node);
    tree_put_hosts(tree, task);
    for (size_t node = 1; node <= tree->count; node++)
        tree_announce(tree, task, node);
    log_debug(LOG_MULTICAST, "t%x sends message %u along a tree of %zu hosts", tree->tid,
              (unsigned)tree->number, tree->count);
    return true;
}

/* The body. ------------------------------------------------------------------------------------ */

static void tree_end_hold(struct tree_origin *tree, size_t i)
{
    struct host_link *link = tree_link(tree, i);
    bool held = tree->hosts[i].held;
    tree->hosts[i].held = false;
    if (held && link)
        host_link_go_on(link, tree->flow);
}

/* The bytes at the beginning of what is kept that every host has. */
static uint32_t tree_least(const struct tree_origin *tree)
{
    uint32_t least = tree->end - tree->start;
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->hosts[i].done && tree->hosts[i].taken - tree->start < least)
            least = tree->hosts[i].taken - tree->start;
    return least;
}

static bool tree_is_done(const struct tree_origin *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->hosts[i].done)
            return false;
    return tree->whole;
}

/* Forgets what every host has. */
static void tree_settle(struct tree_origin *tree)
{
    struct daemon *daemon = tree->daemon;
    struct received_frame received;
    uint32_t least = tree_least(tree);
    while (!kept_frames_is_empty(&tree->kept) &&
           kept_frame_at(tree->kept.list.next)->frame.length <= least) {
        kept_frames_take(&tree->kept, &received);
        tree->start += received.frame.length;
        least -= received.frame.length;
        chunk_release(received.chunk);
    }
    if (!tree_is_done(tree))
        return;
    tree_free(tree);
    daemon->post->upcalls.tree_done(daemon);
}

static void tree_send(struct tree_origin *tree, size_t i, const struct received_frame *received)
{
    const struct tree_host *host = &tree->hosts[i];
    struct host_link *link = tree_link(tree, i);
    bool waits = host->turned && !host->pulled;
    if (link && !host->done && !waits && host->parent == tree_own(tree->daemon))
        host_link_forward_on_tree(link, tree->flow, received, host->turned);
}

static struct tree_origin *tree_find_open(const struct task *task)
{
    LIST_FOR_EACH(node, &task->daemon->post->tree_origins.list)
    if (tree_at(node)->tid == task->tid && !tree_at(node)->whole)
        return tree_at(node);
    return NULL;
}

/* The rest of the message does not come. */
static void tree_break_off(struct tree_origin *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct host_link *link = tree_link(tree, i);
        if (link && !tree->hosts[i].done)
            host_link_send_on_tree(link, tree->flow, tree_word(tree, CONTROL_TREE_OVER), false);
        tree_end_hold(tree, i);
    }
    tree_free(tree);
}

/* The host that has to hand on most is the last one. */
void tree_origin_forward(const struct task *task, const struct received_frame *received)
{
    struct tree_origin *tree = tree_find_open(task);
    struct received_frame on_tree = *received;
    if (!tree)
        return;
    on_tree.frame.destination = TID_TREE_BITS | tree->number;
    if (kept_frames_add(&tree->kept, &on_tree) < 0) {
        log_write("no memory for a multicast of t%x: it is lost", tree->tid);
        tree_break_off(tree);
        return;
    }
    tree->end += on_tree.frame.length;
    tree->whole = on_tree.frame.flags & FRAME_LAST;
    for (size_t i = tree->count; i-- > 0;)
        tree_send(tree, i, &on_tree);
    tree_settle(tree);
}

/* What others say. ----------------------------------------------------------------------------- */

/* What a host says of a message, and whether it may. */
struct tree_word {
    struct tree_origin *tree; /* NULL: the host says nothing that counts */
    size_t host;
    uint32_t taken;
    bool whole;
};

static struct tree_origin *tree_find(const struct daemon *daemon, uint32_t number)
{
    LIST_FOR_EACH(node, &daemon->post->tree_origins.list)
    if (tree_at(node)->number == number)
        return tree_at(node);
    return NULL;
}

/* False if the word makes no sense. */
static bool tree_read_word(struct tree_word *word, struct request *request, bool with_whole)
{
    struct control_reader *body = &request->body;
    uint32_t tid = control_get_tid(body), number = control_get_tid(body);
    uint32_t part = tid_host_part(request->origin.tid);
    struct tree_origin *tree = tree_find(request->daemon, number);
    *word = (struct tree_word){.taken = control_get_tid(body)};
    word->whole = with_whole && control_get_int(body) != 0;
    if (body->failed || !tree || tree->tid != tid)
        return !body->failed;
    while (word->host < tree->count && tree->hosts[word->host].part != part)
        word->host++;
    if (word->host == tree->count || tree->hosts[word->host].done)
        return word->host < tree->count;
    word->tree = tree;
    uint32_t before = tree->hosts[word->host].taken - tree->start;
    return word->taken - tree->start >= before &&
           word->taken - tree->start <= tree->end - tree->start &&
           (!word->whole || (tree->whole && word->taken == tree->end));
}

enum request_result tree_origin_take_taken(struct request *request)
{
    struct tree_word word;
    if (!tree_read_word(&word, request, true))
        return REQUEST_MALFORMED;
    if (!word.tree)
        return REQUEST_DONE;
    struct tree_host *host = &word.tree->hosts[word.host];
    host->taken = word.taken;
    host->done = word.whole;
    if (host->done)
        tree_end_hold(word.tree, word.host);
    tree_settle(word.tree);
    return REQUEST_DONE;
}

/* Sends a host what it lacks of what is kept. */
static void tree_send_again(struct tree_origin *tree, size_t i, uint32_t from)
{
    uint32_t skip = from - tree->start;
    LIST_FOR_EACH(node, &tree->kept.list)
    {
        struct received_frame received = *kept_frame_at(node);
        uint32_t length = received.frame.length, had = skip < length ? skip : length;
        skip -= had;
        if (had == length && length > 0)
            continue;
        received.body += had;
        received.frame.length -= had;
        if (had > 0)
            received.frame.flags &= (uint8_t)~FRAME_FIRST;
        struct received_frame copy = received_frame_copy(&received);
        if (copy.chunk)
            tree_send(tree, i, &copy);
        chunk_release(copy.chunk);
    }
}

enum request_result tree_origin_take_pull(struct request *request)
{
    struct tree_word word;
    if (!tree_read_word(&word, request, false))
        return REQUEST_MALFORMED;
    if (!word.tree)
        return REQUEST_DONE;
    struct tree_host *host = &word.tree->hosts[word.host];
    if (host->pulled || (host->parent == tree_own(request->daemon) && !host->turned))
        return REQUEST_DONE;
    host->parent = tree_own(request->daemon);
    host->turned = host->pulled = true;
    tree_send_again(word.tree, word.host, word.taken);
    return REQUEST_DONE;
}

/* Ends. ---------------------------------------------------------------------------------------- */

static void tree_turn(struct tree_origin *tree, size_t i)
{
    struct host_link *link = tree_link(tree, i);
    tree->hosts[i].parent = tree_own(tree->daemon);
    tree->hosts[i].turned = true;
    if (link)
        host_link_send_on_tree(link, tree->flow, tree_word(tree, CONTROL_TREE_TURN), true);
}

static void tree_host_end(struct tree_origin *tree, uint32_t part)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_host *host = &tree->hosts[i];
        if (host->part == part)
            host->done = true;
        else if (host->parent == part && !host->done)
            tree_turn(tree, i);
    }
    tree_settle(tree);
}

void tree_origins_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->post->tree_origins.list)
    tree_host_end(tree_at(node), part);
}

static void tree_end_task(struct tree_origin *tree)
{
    if (tree->whole)
        tree->flow = tree_own(tree->daemon) | TID_DAEMON_BIT;
    else
        tree_break_off(tree);
}

void tree_origins_end_task(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->post->tree_origins.list)
    if (tree_at(node)->tid == tid)
        tree_end_task(tree_at(node));
}
