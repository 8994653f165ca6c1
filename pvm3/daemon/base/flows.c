/* flows.c - queues by source, in a ring of turns. */
#include "daemon/base/flows.h"

#include <stdlib.h>

#include "core/tid.h"

/* What may wait of one source: enough to keep the network busy while the source is woken again. */
#define FLOW_MOST ((size_t)512 * 1024)

struct flow {
    struct list turn;
    struct list same_bucket;
    uint32_t source;
    bool waits;
    struct frame_queue queue;
    struct backlog backlog;
};

void flows_start(struct flows *flows, struct backlogs *backlogs, uint32_t tid)
{
    flows->backlogs = backlogs;
    flows->tid = tid;
    list_start(&flows->turns);
    list_start(&flows->waiting);
    for (int i = 0; i < FLOWS_BUCKETS; i++)
        list_start(&flows->buckets[i]);
}

static struct flow *flows_in_turn(const struct flows *flows)
{
    return LIST_OWNER(flows->turns.next, struct flow, turn);
}

static void flow_free(struct flow *flow)
{
    list_remove(&flow->turn);
    list_remove(&flow->same_bucket);
    frame_queue_finish(&flow->queue);
    backlog_finish(&flow->backlog);
    free(flow);
}

void flows_finish(struct flows *flows)
{
    flows_let_all_go_on(flows);
    while (!flows_are_empty(flows))
        flow_free(flows_in_turn(flows));
}

static struct flow *flows_find(const struct flows *flows, uint32_t source)
{
    const struct list *bucket = &flows->buckets[source % FLOWS_BUCKETS];
    LIST_FOR_EACH(node, bucket)
    if (LIST_OWNER(node, struct flow, same_bucket)->source == source)
        return LIST_OWNER(node, struct flow, same_bucket);
    return NULL;
}

static struct flow *flows_find_or_add(struct flows *flows, uint32_t source)
{
    struct flow *flow = flows_find(flows, source);
    if (flow)
        return flow;
    flow = malloc(sizeof *flow);
    if (!flow)
        return NULL;
    flow->source = source;
    flow->waits = false;
    frame_queue_start(&flow->queue);
    backlog_start(&flow->backlog, flows->backlogs, FLOW_MOST);
    flow->backlog.tid = flows->tid;
    flow->backlog.told = true; /* to wait for the network is nothing to tell of */
    flow->queue.backlog = &flow->backlog;
    list_append(&flows->turns, &flow->turn);
    list_append(&flows->buckets[source % FLOWS_BUCKETS], &flow->same_bucket);
    return flow;
}

static int flow_add_cut(struct flow *flow, const struct received_frame *received)
{
    uint32_t at = 0, length = received->frame.length;
    while (at < length) {
        struct frame piece = received->frame;
        piece.length = length - at < FLOWS_FRAME_MOST ? length - at : FLOWS_FRAME_MOST;
        if (at > 0)
            piece.flags &= (uint8_t)~FRAME_FIRST;
        if (at + piece.length < length)
            piece.flags &= (uint8_t)~FRAME_LAST;
        if (frame_queue_add_headed(&flow->queue, &piece, received->chunk, received->body + at) < 0)
            return -1;
        at += piece.length;
    }
    return 0;
}

static int flow_add(struct flow *flow, const struct received_frame *received, bool copy)
{
    unsigned char *data = received->body - FRAME_HEADER_SIZE;
    size_t length = FRAME_HEADER_SIZE + (size_t)received->frame.length;
    if (received->frame.length > FLOWS_FRAME_MOST && !tid_is_daemon(received->frame.destination))
        return flow_add_cut(flow, received);
    frame_encode(&received->frame, data);
    return copy ? frame_queue_keep(&flow->queue, received->chunk, data, length)
                : frame_queue_add(&flow->queue, received->chunk, data, length);
}

int flows_forward(struct flows *flows, uint32_t source, const struct received_frame *received,
                  bool copy)
{
    struct flow *flow = flows_find_or_add(flows, source);
    if (!flow)
        return -1;
    int result = flow_add(flow, received, copy);
    if (frame_queue_is_empty(&flow->queue) && !flow->waits)
        flow_free(flow);
    return result;
}

int flows_take(struct flows *flows, struct frame_queue *queue, struct frame_queue *copy,
               size_t most)
{
    struct flow *flow = flows_in_turn(flows);
    int result = frame_queue_take(queue, copy, &flow->queue, most);
    list_remove(&flow->turn);
    list_append(&flows->turns, &flow->turn);
    if (frame_queue_is_empty(&flow->queue))
        flow_free(flow);
    return result;
}

int flows_join(struct flows *flows, uint32_t source, uint32_t heir)
{
    struct flow *flow = flows_find(flows, source);
    if (!flow || source == heir)
        return 0;
    struct flow *to = flows_find_or_add(flows, heir);
    if (!to || frame_queue_move(&to->queue, &flow->queue) < 0)
        return -1;
    flow_free(flow);
    return 0;
}

int flows_wait(struct flows *flows, uint32_t source)
{
    struct flow *flow = flows_find_or_add(flows, source);
    if (!flow)
        return -1;
    flow->waits = true;
    list_remove(&flow->turn);
    list_append(&flows->waiting, &flow->turn);
    return 0;
}

static void flow_go_on(struct flows *flows, struct flow *flow)
{
    flow->waits = false;
    list_remove(&flow->turn);
    list_append(&flows->turns, &flow->turn);
    if (frame_queue_is_empty(&flow->queue))
        flow_free(flow);
}

void flows_go_on(struct flows *flows, uint32_t source)
{
    struct flow *flow = flows_find(flows, source);
    if (flow && flow->waits)
        flow_go_on(flows, flow);
}

void flows_let_all_go_on(struct flows *flows)
{
    LIST_FOR_EACH(node, &flows->waiting)
    flow_go_on(flows, LIST_OWNER(node, struct flow, turn));
}

static bool flow_frame_is_to(const struct frame *frame, uint32_t tid)
{
    return frame->destination == tid || tid_is_multicast(frame->destination) ||
           tid_is_tree(frame->destination);
}

size_t flows_list_to(const struct flows *flows, uint32_t tid, uint32_t *sources, size_t room)
{
    size_t count = 0;
    for (int i = 0; i < FLOWS_BUCKETS; i++)
        LIST_FOR_EACH(node, &flows->buckets[i])
        {
            const struct flow *flow = LIST_OWNER(node, struct flow, same_bucket);
            if (!frame_queue_any(&flow->queue, flow_frame_is_to, tid))
                continue;
            if (count < room)
                sources[count] = flow->source;
            count++;
        }
    return count;
}

size_t flows_waiting(const struct flows *flows, uint32_t source)
{
    const struct flow *flow = flows_find(flows, source);
    return flow ? flow->queue.bytes : 0;
}
