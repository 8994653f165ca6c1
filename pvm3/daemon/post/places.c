/* places.c - entries by tid. */
#include "daemon/post/places.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/post/post_room.h"

/* For so long the rest of messages is waited for that tasks of this host have begun. */
#define PATIENCE_MILLISECONDS 1000

static struct place *place_at(struct list *node)
{
    return LIST_OWNER(node, struct place, node);
}

static struct list *places_bucket(const struct places *places, uint32_t tid)
{
    return (struct list *)&places->buckets[(tid & TID_LOCAL_MASK) % PLACES_BUCKETS];
}

struct place *places_find(const struct places *places, uint32_t tid)
{
    if (places->count == 0)
        return NULL;
    struct list *bucket = places_bucket(places, tid);
    if (!bucket->next)
        return NULL;
    LIST_FOR_EACH(node, bucket)
    if (place_at(node)->tid == tid)
        return place_at(node);
    return NULL;
}

static void place_run_finished(struct loop_work *work)
{
    struct place *place = LIST_OWNER(work, struct place, finished);
    loop_timer_cancel(&place->impatience);
    place->held(place);
}

/* The rest of their messages is kept, too. */
static void place_forget_unfinished(struct place *place)
{
    place->daemon->post->places.unfinished -= place->unfinished_count;
    place->unfinished_count = 0;
    free(place->unfinished);
    place->unfinished = NULL;
}

static void place_run_impatience(struct loop_timer *timer)
{
    struct place *place = LIST_OWNER(timer, struct place, impatience);
    place_forget_unfinished(place);
    loop_defer(&place->daemon->loop, &place->finished);
}

struct place *places_add(struct daemon *daemon, uint32_t tid)
{
    struct places *places = &daemon->post->places;
    struct list *bucket = places_bucket(places, tid);
    struct place *place = places_find(places, tid);
    if (place)
        return place;
    place = calloc(1, sizeof *place);
    if (!place)
        return NULL;
    place->daemon = daemon;
    place->tid = tid;
    place->part = tid_host_part(tid);
    place->region = -1;
    frame_queue_start(&place->kept);
    backlog_start(&place->backlog, &daemon->backlogs, SIZE_MAX);
    place->backlog.tid = tid;
    place->kept.backlog = &place->backlog;
    loop_work_start(&place->finished, place_run_finished);
    loop_timer_start(&place->impatience, place_run_impatience);
    list_start(&place->contexts);
    if (!bucket->next)
        list_start(bucket);
    list_append(bucket, &place->node);
    places->count++;
    return place;
}

void place_release(struct place *place)
{
    place->holds = false;
    place_forget_unfinished(place);
    loop_work_cancel(&place->finished);
    loop_timer_cancel(&place->impatience);
}

void place_drop(struct place *place)
{
    place_release(place);
    frame_queue_finish(&place->kept);
    backlog_finish(&place->backlog);
    list_remove(&place->node);
    place->daemon->post->places.count--;
    free(place);
}

void place_tidy(struct place *place)
{
    if (place->part == tid_host_part(place->tid) && place->to == 0 && !place->holds &&
        list_is_empty(&place->contexts))
        place_drop(place);
}

/* The first entry in the buckets from number `bucket` on; NULL: there is none. */
static struct place *places_first(const struct places *places, size_t bucket)
{
    for (; bucket < PLACES_BUCKETS; bucket++) {
        const struct list *head = &places->buckets[bucket];
        if (head->next && !list_is_empty(head))
            return place_at(head->next);
    }
    return NULL;
}

struct place *places_next(const struct places *places, const struct place *place)
{
    if (!place)
        return places->count > 0 ? places_first(places, 0) : NULL;
    size_t bucket = (size_t)(places_bucket(places, place->tid) - places->buckets);
    return place->node.next == &places->buckets[bucket] ? places_first(places, bucket + 1)
                                                        : place_at(place->node.next);
}

void places_finish(struct places *places)
{
    struct place *place;
    while ((place = places_next(places, NULL)) != NULL)
        place_drop(place);
}

const struct host *places_host(const struct daemon *daemon, uint32_t tid)
{
    const struct place *place = places_find(&daemon->post->places, tid);
    return hosts_find(&daemon->post->hosts, place ? place->part : tid);
}

bool places_may_come(const struct daemon *daemon, uint32_t tid)
{
    const struct place *place = places_find(&daemon->post->places, tid);
    return place && place->to != 0 && hosts_find(&daemon->post->hosts, place->to);
}

/* Whether the task has begun a message to the task with this tid, or announced a multicast. */
static bool place_is_amid(const struct task *task, uint32_t tid)
{
    for (size_t i = 0; i < task->multicast_count; i++)
        if (task->multicast[i].tid == tid && task->multicast[i].part != 0)
            return true;
    return task->amid && task->destination == tid;
}

static void place_note_unfinished(struct place *place)
{
    struct tasks *tasks = &place->daemon->post->tasks;
    LIST_FOR_EACH(node, &tasks->list)
    {
        if (!place_is_amid(task_at(node), place->tid))
            continue;
        if (!place->unfinished)
            place->unfinished = malloc(tasks->count * sizeof *place->unfinished);
        if (!place->unfinished)
            return;
        place->unfinished[place->unfinished_count++] = task_at(node)->tid;
        place->daemon->post->places.unfinished++;
    }
}

void place_hold(struct place *place, void (*held)(struct place *place))
{
    struct loop *loop = &place->daemon->loop;
    place->holds = true;
    place->held = held;
    place_forget_unfinished(place);
    place_note_unfinished(place);
    if (place->unfinished_count == 0)
        loop_defer(loop, &place->finished);
    else
        loop_timer_set(loop, &place->impatience, PATIENCE_MILLISECONDS);
}

/* The index of the task among those that are amid a message, or their number. */
static size_t place_find_unfinished(const struct place *place, uint32_t tid)
{
    size_t i = 0;
    while (i < place->unfinished_count && place->unfinished[i] != tid)
        i++;
    return i;
}

static void place_finish_one(struct place *place, size_t index)
{
    place->unfinished[index] = place->unfinished[--place->unfinished_count];
    place->daemon->post->places.unfinished--;
    if (place->unfinished_count == 0)
        loop_defer(&place->daemon->loop, &place->finished);
}

void places_end_source(struct daemon *daemon, uint32_t tid)
{
    struct places *places = &daemon->post->places;
    struct place *place = NULL;
    while (places->unfinished > 0 && (place = places_next(places, place)) != NULL) {
        size_t index = place_find_unfinished(place, tid);
        if (index < place->unfinished_count)
            place_finish_one(place, index);
    }
}

bool place_keeps(struct place *place, const struct frame *frame)
{
    if (!place->holds)
        return false;
    size_t index = place_find_unfinished(place, frame->source);
    if (index == place->unfinished_count)
        return true;
    if (frame->flags & FRAME_LAST)
        place_finish_one(place, index);
    return false;
}

int place_keep(struct place *place, const struct received_frame *received, bool holds_feeder)
{
    struct backlogs *backlogs = &place->daemon->backlogs;
    struct feeder *outer = backlogs->feeder;
    unsigned char *data = received->body - FRAME_HEADER_SIZE;
    if (!holds_feeder)
        backlogs->feeder = NULL;
    frame_encode(&received->frame, data);
    int result = frame_queue_keep(&place->kept, received->chunk, data,
                                  FRAME_HEADER_SIZE + (size_t)received->frame.length);
    backlogs->feeder = outer;
    return result;
}

int place_keep_message(struct place *place, const struct message *message)
{
    uint32_t source = hosts_own(&place->daemon->post->hosts)->part | TID_DAEMON_BIT;
    struct backlogs *backlogs = &place->daemon->backlogs;
    struct feeder *outer = backlogs->feeder;
    backlogs->feeder = NULL;
    int result = frame_queue_add_message(&place->kept, message, place->tid, source);
    backlogs->feeder = outer;
    return result;
}

bool place_take(struct place *place, struct received_frame *received)
{
    return frame_queue_take_frame(&place->kept, received);
}

static bool place_frame_is_from(const struct frame *frame, uint32_t tid)
{
    return frame->source == tid;
}

bool places_keep_from(const struct places *places, uint32_t tid)
{
    const struct place *place = NULL;
    while ((place = places_next(places, place)) != NULL)
        if (frame_queue_any(&place->kept, place_frame_is_from, tid))
            return true;
    return false;
}
