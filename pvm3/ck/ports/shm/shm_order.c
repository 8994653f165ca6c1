/*
 * shm_order.c - rings beside the other ways of their senders: what is read up to a fence, a marker
 * or the end of a task.
 */
#include <limits.h>

#include "ck/ports/shm/shm.h"
#include "ck/ports/shm/shm_socket.h"

void shm_come_first(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    if (!shm->listening)
        return;
    uint64_t now = stamp_now(shm->shared->clock);
    shm_hear_calls(endpoint, 0, now);
    shm_learn(shm, stamp_moment_after(now));
    shm_look(endpoint, UINT_MAX);
}

void shm_insist(struct endpoint *endpoint, bool insist)
{
    shm_of(endpoint)->heedless = insist;
}

struct message *shm_due(struct endpoint *endpoint, bool *daemon)
{
    struct shm *shm = shm_of(endpoint);
    if (shm->late || shm->held)
        shm_look(endpoint, UINT_MAX);
    bool due = shm->heedless ? shm->late != NULL : shm_has_due(shm);
    return due ? shm_late_take(shm, daemon) : NULL;
}

/*
 * Takes in what the peer has written, up to where the next message comes another way. Messages that
 * are held up for one of another task go first all the same, since something of this peer is to
 * follow. Returns the link, or NULL when it is removed.
 */
static struct shm_in *shm_in_read_to_marker(struct endpoint *endpoint, struct shm_in *in)
{
    uint32_t peer = in->peer;
    if (!in->current || ring_is_empty(&in->reader))
        return in;
    shm_look(endpoint, UINT_MAX);
    in = shm_in_find(endpoint, peer);
    if (!in || !in->current || ring_is_empty(&in->reader))
        return in;
    shm_in_read(endpoint, in, UINT_MAX);
    return shm_in_find(endpoint, peer);
}

/*
 * The daemon's word of a task's end, behind which nothing of the task comes. So no more is waited
 * for: not for the rest of a message amid which it was killed, nor for a fence that was lost on its
 * way, as by a daemon of 3.4.6 that meets a broken connection, nor for what waits in the ring for
 * this fence.
 */
static void shm_in_mourn(struct endpoint *endpoint, const struct message *message)
{
    uint32_t peer = endpoint->owner.dialect->take_over(message);
    struct shm_in *in = shm_in_find(endpoint, peer);
    if (in && in->area && in->socket < 0)
        in = shm_in_read_to_marker(endpoint, in);
    if (in && in->area && in->socket < 0)
        shm_in_remove(endpoint, in);
}

/*
 * The peer is gone: what it has written is taken in as far as its order is known. The rest waits
 * for its fence, and what it was amid with the daemon for its end, or for the daemon's word that
 * none comes.
 */
static void shm_in_end(struct endpoint *endpoint, struct shm_in *in)
{
    uint32_t peer = in->peer;
    shm_look(endpoint, UINT_MAX);
    if (in != shm_in_find(endpoint, peer))
        return;
    shm_in_hang_up(in);
    lock_acquire(&endpoint->waiting->lock);
    shm_in_stop(endpoint, in);
    lock_release(&endpoint->waiting->lock);
    shm_in_check_end(endpoint, in);
    const struct dialect *dialect = endpoint->owner.dialect;
    struct message *request = dialect->watch(peer);
    struct unattended *letter = endpoint_prepare(&request, &dialect->addressing.daemon, 1);
    if (letter)
        endpoint_send_unattended(endpoint, letter);
}

bool shm_in_serve(struct endpoint *endpoint, struct shm_in *in)
{
    bool ended = false;
    if (shm_in_hear_file(in, &ended))
        return true;
    if (ended)
        shm_in_end(endpoint, in);
    return ended;
}

/*
 * The link of a fence, or NULL if the call to which the fence belongs was declined. The call may
 * still have to be answered. A sender that called before may have ended its earlier link, which is
 * removed first, because there is one link for each sender.
 */
static struct shm_in *shm_in_of_fence(struct endpoint *endpoint, const struct message *fence)
{
    uint32_t peer = fence->header.source;
    uint32_t number = endpoint->owner.dialect->take_fence(fence);
    struct shm_in *in = shm_in_find(endpoint, peer);
    while (in && in->number != number && in->socket >= 0 && shm_in_serve(endpoint, in))
        in = shm_in_find(endpoint, peer);
    if (!in || in->number != number) {
        shm_answer(endpoint);
        in = shm_in_find(endpoint, peer);
    }
    return in && in->number == number ? in : NULL;
}

static struct shm_in *shm_in_pass_fence(struct endpoint *endpoint, struct shm_in *in)
{
    uint32_t peer = in->peer;
    in->counts = true;
    if (in->given_up)
        return in;
    in->current = true;
    shm_in_await(in);
    shm_in_is_away(in, false);
    if (!ring_is_empty(&in->reader))
        shm_look(endpoint, UINT_MAX);
    return shm_in_find(endpoint, peer);
}

bool shm_precede(struct endpoint *endpoint, const struct peer *peer, struct message *message)
{
    enum word word = dialect_word(endpoint->owner.dialect, &message->header);
    bool fence = word == WORD_FENCE;
    if (word == WORD_OVER)
        shm_in_mourn(endpoint, message);
    struct shm_in *in = NULL;
    if (fence)
        in = shm_in_of_fence(endpoint, message);
    else if (peer)
        in = peer->from;
    if (in && fence)
        in = shm_in_pass_fence(endpoint, in);
    else if (in)
        in = shm_in_read_to_marker(endpoint, in);
    if (in && in->counts && word == WORD_NONE)
        in->taken++;
    if (in && in->socket < 0)
        shm_in_check_end(endpoint, in);
    if (fence)
        message_free(message);
    return fence;
}
