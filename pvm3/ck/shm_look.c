/*
 * shm_look.c - the leader's look at the rings, from which it takes messages in the order in which
 * they were written.
 *
 * It goes through the rings twice. What lies first in one at the first time may have been caused by
 * a message in a ring that was empty when it was passed; that is there the second time. So what was
 * written no later than anything seen the first time is taken, the oldest first, and what is
 * younger waits for the next look.
 */
#include "ck/endpoint.h"

static bool shm_in_has_message(const struct shm_in *in)
{
    return in->current && !ring_is_empty(&in->reader);
}

/* Puts a ring into the heap, where none is older than the one from which its place comes. */
static void shm_heads_add(struct shm *shm, struct shm_in *in)
{
    struct shm_head new = {ring_stamp(&in->reader), in};
    unsigned place = shm->head_count++;
    while (place > 0 && shm->heads[(place - 1) / 2].stamp > new.stamp) {
        shm->heads[place] = shm->heads[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    shm->heads[place] = new;
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

/* What a first look finds. */
struct shm_sight {
    bool message;
    bool settled; /* a landing whose end somebody waits for */
    uint64_t youngest;
};

static struct shm_sight shm_first_look(const struct shm *shm)
{
    struct shm_sight sight = {.message = false};
    for (struct shm_in *in = shm->in; in; in = in->next) {
        if (shm_in_has_message(in)) {
            uint64_t stamp = ring_stamp(&in->reader);
            sight.message = true;
            sight.youngest = stamp > sight.youngest ? stamp : sight.youngest;
        } else if (shm_in_is_settled(in)) {
            sight.settled = true;
        }
    }
    return sight;
}

static void shm_settle(struct endpoint *endpoint)
{
    struct shm_in *next;
    for (struct shm_in *in = endpoint->shm.in; in; in = next) {
        next = in->next;
        if (shm_in_has_message(in) || !shm_in_is_settled(in))
            continue;
        shm_in_settle(endpoint, in);
        if (in->given_up)
            shm_in_remove(endpoint, in);
    }
}

/* The second look: takes up to `most` messages that are no younger than `youngest`. */
static void shm_take_oldest(struct endpoint *endpoint, uint64_t youngest, unsigned most)
{
    struct shm *shm = &endpoint->shm;
    for (struct shm_in *in = shm->in; in; in = in->next)
        if (shm_in_has_message(in) && ring_stamp(&in->reader) <= youngest)
            shm_heads_add(shm, in);
    while (shm->head_count > 0 && most-- > 0) {
        struct shm_in *in = shm_heads_take(shm);
        if (shm_in_read(endpoint, in, 1) && shm_in_has_message(in) &&
            ring_stamp(&in->reader) <= youngest)
            shm_heads_add(shm, in);
    }
    shm->head_count = 0;
}

bool shm_look(struct endpoint *endpoint, unsigned most)
{
    struct shm *shm = &endpoint->shm;
    struct shm_sight sight = shm_first_look(shm);
    if (sight.settled)
        shm_settle(endpoint);
    if (sight.message && !shm->in->next)
        shm_in_read(endpoint, shm->in, most);
    else if (sight.message)
        shm_take_oldest(endpoint, sight.youngest, most);
    return sight.message || sight.settled;
}
