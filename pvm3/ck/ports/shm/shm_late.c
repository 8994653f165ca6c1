/*
 * shm_late.c - messages that have come another way before what they may be an effect of.
 *
 * Each way brings messages in their order, but two ways are read one after the other. So a message
 * that has come on one way, while an older one is still on another, waits here for the older one.
 * The time at which it was sent is noted in the memory that is shared with its sender (ring.h).
 * What comes from a task without such memory, as on another host, counts as sent when it comes, and
 * so does what other daemons say. Fences and the like are about ways, and do not wait, nor does
 * what the own daemon says, which comes behind everything else.
 */
#include <stdlib.h>

#include "ck/ports/shm/shm.h"

/* The last message of the task `source`; NULL when there is none. */
static const struct shm_late *shm_late_of(const struct shm *shm, uint32_t source)
{
    const struct shm_late *last = NULL;
    for (const struct shm_late *late = shm->late; late; late = late->next)
        if (late->message->header.source == source)
            last = late;
    return last;
}

/* Puts the message behind others that are as old. */
static bool shm_late_add(struct shm *shm, struct shm_late late)
{
    struct shm_late *new = malloc(sizeof *new);
    struct shm_late **place = &shm->late;
    if (!new)
        return false;
    while (*place && (*place)->stamp <= late.stamp)
        place = &(*place)->next;
    late.next = *place;
    *new = late;
    *place = new;
    return true;
}

/*
 * A task has sent a message at `stamp`, so its earlier messages are not younger. Messages from
 * before its call have no stamp of their own, only the time of their arrival. They get `stamp` now.
 */
static void shm_late_age(struct shm *shm, uint32_t source, uint64_t stamp)
{
    struct shm_late **older = &shm->late;
    while (*older && (*older)->stamp <= stamp)
        older = &(*older)->next;
    for (struct shm_late **place = older; *place;) {
        struct shm_late *late = *place;
        if (late->message->header.source != source) {
            place = &late->next;
            continue;
        }
        if (place != older) {
            *place = late->next;
            late->next = *older;
            *older = late;
        } else {
            place = &late->next;
        }
        late->stamp = stamp;
        older = &late->next;
    }
}

/* When the next message of a task was sent that comes another way, not before the last one. */
static uint64_t shm_late_stamp(struct shm *shm, const struct shm_in *in, bool control,
                               const struct shm_late *last)
{
    if (control)
        return last->stamp;
    if (!in || !shm_in_lacks(in)) {
        uint64_t now = stamp_now(shm->shared->clock);
        return last && last->stamp > now ? last->stamp : now;
    }
    uint64_t stamp = ring_elsewhere(in->area, in->taken + in->deferred);
    shm_late_age(shm, in->peer, stamp);
    return stamp;
}

/* What is sent for its own sake: neither by the own daemon nor as an answer of another one. */
static bool shm_may_defer(const struct addressing *addressing, const struct peer *peer,
                          const struct message_header *header)
{
    return header->source != addressing->daemon &&
           (header->wait == 0 || peer || addressing->is_endpoint(header->source));
}

bool shm_defer(struct endpoint *endpoint, const struct peer *peer, struct message *message,
               bool daemon)
{
    struct shm *shm = shm_of(endpoint);
    uint32_t source = message->header.source;
    const struct dialect *dialect = endpoint->owner.dialect;
    if ((shm->away == 0 && !shm->late) ||
        !shm_may_defer(&dialect->addressing, peer, &message->header))
        return false;
    enum word word = dialect_word(dialect, &message->header);
    bool control = word != WORD_NONE;
    const struct shm_late *last = shm_late_of(shm, source);
    if (control && !last)
        return false;
    struct shm_in *in = peer ? peer->from : NULL;
    struct shm_late late = {
        .stamp = shm_late_stamp(shm, in, control, last), .daemon = daemon, .message = message};
    if (in && word == WORD_FENCE && dialect->take_fence(message) == in->number)
        late.count = &in->fences;
    else if (in && (in->counts || in->fences > 0) && !control)
        late.count = &in->deferred;
    if ((!last && late.stamp <= shm_missing(shm, source)) || !shm_late_add(shm, late))
        return false;
    if (late.count)
        ++*late.count;
    return true;
}

void shm_late_part(struct shm *shm, const struct shm_in *in)
{
    for (struct shm_late *late = shm->late; late; late = late->next)
        if (late->count == &in->fences || late->count == &in->deferred)
            late->count = NULL;
}

struct message *shm_late_take(struct shm *shm, bool *daemon)
{
    struct shm_late *late = shm->late;
    struct message *message = late->message;
    if (late->count)
        --*late->count;
    *daemon = late->daemon;
    shm->late = late->next;
    free(late);
    return message;
}

/* What is missing of its own sender comes behind it. */
bool shm_has_due(const struct shm *shm)
{
    const struct shm_late *late = shm->late;
    return late && late->stamp <= shm_missing(shm, late->message->header.source);
}

void shm_forget_late(struct shm *shm)
{
    bool daemon;
    while (shm->late)
        message_free(shm_late_take(shm, &daemon));
}
