/* examine.c - a loop over what has arrived, and the wait for more. */
#include "ck/requests/examine.h"

#include <stddef.h>
#include <stdlib.h>

/*
 * Judges what has not been judged yet. The message chosen, or NULL; *error is then an error of the
 * judgement or 0. With the lock, which is given up meanwhile.
 */
static struct message *examine_choose(struct endpoint *endpoint, struct examination *examination,
                                      const struct judgement *judgement, int *error)
{
    struct message *message;
    while ((message = inbox_examine_next(examination)) != NULL) {
        int rank = judgement->name(judgement->owner, message);
        if (rank > 0) {
            int name = rank;
            lock_release(&endpoint->waiting->lock);
            rank = judgement->judge(judgement->owner, name);
            lock_acquire(&endpoint->waiting->lock);
        }
        if (rank < 0) {
            *error = rank;
            return NULL;
        }
        if (rank == 1 && examination->current)
            return examination->current;
        if (rank > 1 && examination->current && (!examination->best || rank > examination->rank)) {
            examination->best = examination->current;
            examination->rank = rank;
        }
    }
    return examination->best;
}

/*
 * Waits until more has come. False when nothing will, or nothing in time. *happened tells of a look
 * that brought anything.
 */
static bool examine_look(struct endpoint *endpoint, struct examination *examination,
                         enum patience patience, const struct timespec *deadline, bool *happened)
{
    if (examination->error || !endpoint_enter(endpoint, true))
        return false;
    bool more = patience != PATIENCE_ENDLESS && waiting_look(&endpoint->party);
    *happened |= more;
    if (!more && patience != PATIENCE_NONE && !examination->next) {
        examination->waiter.interruptible = true;
        examination->waiter.cancellable = endpoint_may_cancel(endpoint);
        examination->waiter.recallable = endpoint_may_recall(endpoint);
        examination->waiter.recalled = endpoint_is_recalled(endpoint);
        examination->waiter.done = false;
        more = waiting_wait(&endpoint->party, &examination->waiter, deadline) == 0;
        if (examination->waiter.recalled && !more)
            examination->error = CK_RECALLED;
    }
    endpoint_leave(endpoint);
    return more || examination->next;
}

/*
 * Lets in the next message, and waits for it if none is outside. If another thread has let in a
 * message that is still to be judged, nothing more is let in. False when there will be no message,
 * or none in time, or when the only message that may be let in has been let in. Another thread may
 * have taken the message again.
 */
static bool examine_await(struct endpoint *endpoint, struct examination *examination,
                          enum patience patience, const struct timespec *deadline, bool *happened)
{
    struct inbox *inbox = &endpoint->inbox;
    bool more = false;
    if (!examination->patient && examination->let_in)
        return false;
    if (!inbox->outside)
        more = examine_look(endpoint, examination, patience, deadline, happened);
    if (examination->next || !inbox_let_in(inbox))
        return more;
    examination->let_in = *happened = true;
    return true;
}

/* An examination, not on the stack (ck/requests/receive.c says why). */
struct examining {
    struct examination examination;
    struct endpoint *endpoint;
};

static void examining_end(struct examining *examining)
{
    inbox_end_examination(&examining->endpoint->inbox, &examining->examination);
    endpoint_rest(examining->endpoint);
    free(examining);
}

/* The thread does not return from its wait in examine_look. */
static void examining_abandon(struct waiter *waiter)
{
    struct examining *examining =
        (struct examining *)(void *)((char *)waiter -
                                     offsetof(struct examining, examination.waiter));
    endpoint_leave(examining->endpoint);
    examining_end(examining);
}

int endpoint_examine(struct endpoint *endpoint, const struct judgement *judgement,
                     enum patience patience, const struct timespec *deadline,
                     struct message **message)
{
    struct examining *examining = calloc(1, sizeof *examining);
    if (!examining)
        return CK_NO_MEMORY;
    struct examination *examination = &examining->examination;
    examining->endpoint = endpoint;
    examination->patient = patience != PATIENCE_NONE;
    examination->waiter.abandon = examining_abandon;
    struct message *chosen;
    int result = 0;
    bool happened = false;
    if (patience == PATIENCE_ENDLESS)
        deadline = NULL;
    lock_acquire(&endpoint->waiting->lock);
    waiting_heed_jump(endpoint->waiting);
    inbox_begin_examination(&endpoint->inbox, examination);
    if (!examination->patient)
        endpoint_poll_begins(endpoint);
    do
        chosen = examine_choose(endpoint, examination, judgement, &result);
    while (!chosen && result == 0 &&
           examine_await(endpoint, examination, patience, deadline, &happened));
    if (chosen)
        result = judgement->name(judgement->owner, chosen);
    else if (result == 0 && (examination->error || endpoint->lost))
        result = examination->error ? examination->error : CK_LOST;
    if (chosen && message && result > 0)
        inbox_remove(&endpoint->inbox, chosen);
    wait_descriptor_adjust(&endpoint->wait_descriptor, chosen, happened,
                           inbox_has_messages(&endpoint->inbox));
    examining_end(examining);
    lock_release(&endpoint->waiting->lock);
    if (message) {
        *message = chosen && result > 0 ? chosen : NULL;
        endpoint_accept(endpoint, *message);
    }
    return result;
}
