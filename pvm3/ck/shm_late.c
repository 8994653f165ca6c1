/*
 * shm_late.c - messages that have come another way before what they may be an effect of.
 *
 * Each way brings messages in their order, but two ways are read one after the other. So a message
 * that has come on one, while an older one is on another, waits here for that. When it was sent is
 * noted in the memory that is shared with its sender (ring.h); what others send, such as tasks of
 * other hosts, counts as sent when it comes. Fences and the like are about ways, and do not wait,
 * nor does what the daemon itself says, which comes behind everything else.
 */
#include <limits.h>
#include <stdlib.h>

#include "ck/endpoint.h"
#include "core/control.h"
#include "core/tid.h"

static bool shm_has_late(const struct shm *shm, uint32_t source)
{
    const struct shm_late *late = shm->late;
    while (late && late->message->header.source != source)
        late = late->next;
    return late != NULL;
}

/* Puts it behind those that are as old. */
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

/* A message of that link has come, or, -1, is to be taken now. */
static void shm_in_defers(struct shm_in *in, int change)
{
    if (in)
        in->deferred += (uint32_t)change;
}

bool shm_defer(struct endpoint *endpoint, struct message *message, bool daemon)
{
    struct shm *shm = &endpoint->shm;
    uint32_t source = message->header.source;
    if ((shm->away == 0 && !shm->late) || !tid_is_task(source))
        return false;
    bool control = message->header.context == CONTROL_CONTEXT_TC;
    bool behind = shm_has_late(shm, source);
    if (control && !behind)
        return false;
    struct shm_in *in = control ? NULL : shm_in_find(shm, source);
    in = in && in->counts ? in : NULL;
    bool noted = in && !behind && shm_in_lacks(in);
    uint64_t stamp = noted ? ring_elsewhere(in->area, in->taken) : stamp_now(shm->clock);
    shm_in_defers(in, 1);
    const struct shm_late late = {stamp, daemon, in != NULL, message, NULL};
    bool deferred = (behind || stamp > shm_missing(shm, source)) && shm_late_add(shm, late);
    if (!deferred)
        shm_in_defers(in, -1);
    return deferred;
}

static struct message *shm_late_take(struct shm *shm, bool *daemon)
{
    struct shm_late *late = shm->late;
    struct message *message = late->message;
    if (late->counts)
        shm_in_defers(shm_in_find(shm, message->header.source), -1);
    *daemon = late->daemon;
    shm->late = late->next;
    free(late);
    return message;
}

/* What is missing of its own sender comes behind it. */
bool shm_has_due(const struct shm *shm)
{
    return shm->late && shm->late->stamp <=
                            shm_missing(shm, shm->late->message->header.source);
}

struct message *shm_due(struct endpoint *endpoint, bool *daemon)
{
    struct shm *shm = &endpoint->shm;
    if (!shm->late)
        return NULL;
    shm_look(endpoint, UINT_MAX);
    return shm->heedless || shm_has_due(shm) ? shm_late_take(shm, daemon) : NULL;
}

void shm_forget_late(struct shm *shm)
{
    bool daemon;
    while (shm->late)
        message_free(shm_late_take(shm, &daemon));
}
