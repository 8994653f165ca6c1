/*
 * shm_look.c - the leader's look at the rings, from which it takes messages in the order in which
 * they were written.
 *
 * It reads the clock and then goes through the links once. What lies first in a ring may have been
 * caused by a message in another one that was empty when it was passed. But if it was written
 * before the look began, all its causes were there to be seen in that look. So what was written by
 * then is taken, the oldest first, and what is younger waits for the next look.
 *
 * The cause of a message may also have gone another way. The sender of the cause has called this
 * task, if it could, and notes in the area what has gone elsewhere. So calls are answered that may
 * have been made before the message was written (its news), and only what is older is taken than
 * anything that is still on its way. Tasks may hear of each other by other means than messages,
 * too. So any call is answered before a message is taken that was written long after it.
 */
#include <limits.h>

#include "ck/ports/shm/shm.h"

/* Nanoseconds in which tasks are not expected to hear of each other but by messages. */
#define OTHER_MEANS 500000

/* What is younger is not to be taken out of a ring: something else comes before it. */
static uint64_t shm_limit(const struct shm *shm)
{
    uint64_t missing = shm->heedless ? UINT64_MAX : shm_missing(shm, 0);
    return shm->late && shm->late->stamp < missing ? shm->late->stamp : missing;
}

/* The heap of heads. --------------------------------------------------------------------------- */

/* Puts a ring into the heap, where none is older than the one from which its place comes. */
static void shm_heads_add(struct shm *shm, struct shm_in *in, uint64_t stamp)
{
    unsigned place = shm->head_count++;
    while (place > 0 && shm->heads[(place - 1) / 2].stamp > stamp) {
        shm->heads[place] = shm->heads[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    shm->heads[place] = (struct shm_head){stamp, in};
}

/* Takes out the ring whose next message is the oldest. */
static struct shm_in *shm_heads_take(struct shm *shm)
{
    struct shm_in *oldest = shm->heads[0].in;
    struct shm_head last = shm->heads[--shm->head_count];
    unsigned place = 0, next = 1;
    while (next < shm->head_count) {
        if (next + 1 < shm->head_count && shm->heads[next + 1].stamp < shm->heads[next].stamp)
            next++;
        if (shm->heads[next].stamp >= last.stamp)
            break;
        shm->heads[place] = shm->heads[next];
        place = next;
        next = 2 * place + 1;
    }
    shm->heads[place] = last;
    return oldest;
}

/* The look. ------------------------------------------------------------------------------------ */

/*
 * When the next message of a ring was written. The last look has seen it if that found it younger
 * than itself: if its stamp says otherwise still, it is wrong, and does not count.
 */
static uint64_t shm_in_stamp(struct shm_in *in, uint64_t now)
{
    uint64_t stamp = ring_stamp(&in->reader);
    in->younger = stamp > now && !in->younger;
    return stamp > now && !in->younger ? now : stamp;
}

/* Puts the rings that have messages into the heap. True when there are any that wait. */
static bool shm_find_heads(struct shm *shm, uint64_t now)
{
    const struct shm_gap *gaps = shm->gaps;
    const unsigned count = shm->gap_count;
    bool younger = false;
    for (unsigned i = 0; i < count; i++) {
        if (!shm_gap_is_filled(&gaps[i]))
            continue;
        struct shm_in *in = gaps[i].in;
        uint64_t stamp = shm_in_stamp(in, now);
        if (stamp <= now)
            shm_heads_add(shm, in, stamp);
        younger |= stamp > now;
    }
    return younger;
}

void shm_hear_calls(struct endpoint *endpoint, uint64_t news, uint64_t written)
{
    struct shm *shm = shm_of(endpoint);
    const struct waiting *waiting = endpoint->waiting;
    uint64_t shortly = stamp_span(shm->shared->clock, OTHER_MEANS);
    uint64_t due = written > shortly ? (written - shortly) >> MOMENT : 0;
    due = due > news ? due : news;
    if (due > shm->answered && waiting->roused != &endpoint->engine->ports &&
        waiting->woken >> MOMENT > shm->answered)
        shm->answered = waiting->woken >> MOMENT;
    if (due > shm->answered)
        shm_answer(endpoint);
}

/*
 * Before the next message of a ring is taken: there may be an older message in the ring of a task
 * that has called. False when a link has changed, so that a new look is needed.
 */
static bool shm_hears_news(struct endpoint *endpoint, const struct shm_in *in)
{
    struct shm *shm = shm_of(endpoint);
    uint64_t news = ring_news(&in->reader);
    shm_hear_calls(endpoint, news, ring_stamp(&in->reader));
    shm_learn(shm, news);
    return !shm->changed;
}

/* Takes one message; false when the ring has no further one. */
static bool shm_take_one(struct endpoint *endpoint, struct shm_in *in)
{
    if (!shm_in_read(endpoint, in, 1))
        return false;
    if (in->current && !ring_is_empty(&in->reader))
        return true;
    if (in->socket < 0)
        shm_in_check_end(endpoint, in);
    return false;
}

/* Only one link: the messages in its ring are in order. */
static bool shm_look_at_one(struct endpoint *endpoint, unsigned *most)
{
    struct shm *shm = shm_of(endpoint);
    struct shm_in *in = shm->in;
    if (!shm_gap_is_filled(shm->gaps))
        return false;
    bool more = true;
    for (; more && *most > 0 && shm_hears_news(endpoint, in); --*most)
        more = shm_take_one(endpoint, in);
    return true;
}

/* True when there was any message, or is one that waits for the next look. */
static bool shm_look_at_all(struct endpoint *endpoint, unsigned *most)
{
    struct shm *shm = shm_of(endpoint);
    uint64_t now = stamp_before_look(shm->shared->clock);
    bool happened = shm_find_heads(shm, now);
    uint64_t limit = shm->head_count > 0 ? shm_limit(shm) : now;
    limit = limit < now ? limit : now;
    while (shm->head_count > 0 && *most > 0 && shm->heads[0].stamp <= limit) {
        struct shm_in *in = shm_heads_take(shm);
        happened = true;
        if (!shm_hears_news(endpoint, in))
            break;
        if (shm_take_one(endpoint, in))
            shm_heads_add(shm, in, ring_stamp(&in->reader));
        --*most;
    }
    shm->held = shm->head_count > 0;
    shm->head_count = 0;
    return happened;
}

/* Tells the threads that wait for the end of a rendezvous. True when one was settled. */
static bool shm_settle_claimed(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    bool happened = false;
    struct shm_in *next;
    atomic_store(&shm->closing, false);
    for (struct shm_in *in = shm->in; in; in = next) {
        next = in->next;
        if (shm_in_is_settled(in) && (!in->current || ring_is_empty(&in->reader))) {
            happened = true;
            shm_in_settle(endpoint, in);
            if (in->given_up)
                shm_in_remove(endpoint, in);
        } else if (atomic_load(&in->closing) != 0) {
            atomic_store(&shm->closing, true);
        }
    }
    return happened;
}

bool shm_look(struct endpoint *endpoint, unsigned most)
{
    struct shm *shm = shm_of(endpoint);
    bool happened = false;
    do {
        shm->changed = shm->held = false;
        if (shm->gap_count == 1)
            happened |= shm_look_at_one(endpoint, &most);
        else if (shm->gap_count > 1)
            happened |= shm_look_at_all(endpoint, &most);
    } while (shm->changed && most > 0);
    if (happened)
        return true;
    bool copied = shm_copy_ahead(endpoint);
    return (atomic_load(&shm->closing) && shm_settle_claimed(endpoint)) || copied;
}

static bool shm_gap_is_due(const struct shm_gap *gap, uint64_t limit)
{
    return shm_gap_is_filled(gap) && ring_stamp(&gap->in->reader) <= limit;
}

bool shm_sees(const struct shm *shm)
{
    uint64_t limit = shm_limit(shm);
    for (unsigned i = 0; i < shm->gap_count; i++)
        if (shm_gap_is_due(&shm->gaps[i], limit))
            return true;
    return false;
}

bool shm_sees_urgent(const struct shm *shm)
{
    uint64_t limit = shm_limit(shm);
    for (unsigned i = 0; i < shm->gap_count; i++) {
        const struct shm_in *in = shm->gaps[i].in;
        if (ring_is_urgent(&in->reader, in->urgent) && shm_gap_is_due(&shm->gaps[i], limit))
            return true;
    }
    return false;
}
