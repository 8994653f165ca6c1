/* posted.c - sends and receives that are not done yet. */
#include <pthread.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/messages/messages.h"
#include "mpi/messages/transfer.h"
#include "mpi/messages/work.h"
#include "mpi/objects/deaths.h"

/* Held by who cancels, and by who takes out a receive that is done: another thread may do so just then. */
static pthread_mutex_t cancelling = PTHREAD_MUTEX_INITIALIZER;

static void posted_begin(struct posted *posted, const struct channel *channel,
                         const struct items *items, bool receives)
{
    posted->post = NULL;
    posted->channel = *channel;
    posted->items = *items;
    posted->receives = receives;
    posted->error = MPI_SUCCESS;
    transfer_note_nothing(&posted->arrival);
}

/* Of what was posted, if it is not done yet. */
static int posted_keep(struct posted *posted, int result)
{
    posted->error = transfer_error(result);
    if (posted->post && posted->items.datatype)
        datatype_keep(posted->items.datatype);
    return posted->error;
}

enum how { PLAIN, SYNCHRONOUS, COPIED, FAILURE };

static int posted_send_as(struct posted *posted, const struct channel *channel,
                          const struct items *items, enum how how)
{
    posted_begin(posted, channel, items, false);
    if (channel->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (deaths_concern(channel->communicator, channel->rank))
        return posted->error = MPI_ERR_PROC_ABORTED;
    struct kernel_letter letter = transfer_letter(&posted->channel, &posted->items);
    letter.copied = how == COPIED;
    letter.failure = how == FAILURE;
    return posted_keep(posted, kernel_post_send(&letter, how == SYNCHRONOUS, &posted->post));
}

int posted_send(struct posted *posted, const struct channel *channel, const struct items *items)
{
    return posted_send_as(posted, channel, items, PLAIN);
}

int posted_send_synchronous(struct posted *posted, const struct channel *channel,
                            const struct items *items)
{
    return posted_send_as(posted, channel, items, SYNCHRONOUS);
}

int posted_send_copied(struct posted *posted, const struct channel *channel,
                       const struct items *items)
{
    return posted_send_as(posted, channel, items, COPIED);
}

int posted_send_failure(struct posted *posted, const struct channel *channel)
{
    static const struct items none;
    return posted_send_as(posted, channel, &none, FAILURE);
}

int posted_receive(struct posted *posted, const struct channel *channel, const struct items *items)
{
    posted_begin(posted, channel, items, true);
    if (channel->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    const struct kernel_match match = transfer_match(&posted->channel);
    const struct kernel_room room = transfer_room(&posted->items);
    return posted_keep(posted, kernel_post_receive(&match, &room, &posted->post));
}

/* Takes the post out, which nobody cancels from now on. Sends are never cancelled. */
static struct kernel_post *posted_take_out(struct posted *posted)
{
    struct kernel_post *post = posted->post;
    if (posted->receives)
        pthread_mutex_lock(&cancelling);
    posted->post = NULL;
    if (posted->receives)
        pthread_mutex_unlock(&cancelling);
    return post;
}

/* It is done. */
static void posted_finish(struct posted *posted)
{
    const struct kernel_room room = transfer_room(&posted->items);
    struct kernel_arrival arrival = {0};
    struct kernel_post *post = posted_take_out(posted);
    posted->error = transfer_error(kernel_finish(post, &room, &arrival));
    if (posted->receives && posted->error == MPI_SUCCESS)
        posted->error = transfer_note(&posted->channel, &room, &arrival, &posted->arrival);
    if (posted->items.datatype)
        datatype_drop(posted->items.datatype);
}

bool posted_test(struct posted *posted)
{
    if (!posted->post)
        return true;
    if (!kernel_test(posted->post))
        return false;
    posted_finish(posted);
    return true;
}

static bool posted_is_done(void *owner)
{
    return posted_test(owner);
}

static void posted_list(void *owner, struct awaited *awaited)
{
    awaited_add(awaited, owner);
}

int posted_wait(struct posted *posted)
{
    const struct wanted wanted = {posted_is_done, posted_list, posted};
    while (posted->post) {
        if (!work_exists()) {
            if (kernel_wait(posted->post) == 0)
                posted_finish(posted);
        } else if (!work_wait_until(&wanted)) {
            return MPI_ERR_INTERN;
        }
    }
    return posted->error;
}

bool posted_cancel(struct posted *posted)
{
    if (!posted->receives)
        return false;
    pthread_mutex_lock(&cancelling);
    bool cancelled = posted->post && kernel_cancel(posted->post);
    pthread_mutex_unlock(&cancelling);
    return cancelled;
}
