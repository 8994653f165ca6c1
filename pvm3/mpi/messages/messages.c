/* messages.c - messages that are waited for at once. */
#include "mpi/messages/messages.h"

#include "mpi/messages/transfer.h"
#include "mpi/messages/work.h"
#include "mpi/objects/deaths.h"

static int message_send_as(const struct channel *channel, const struct items *items, bool failure)
{
    if (channel->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (deaths_concern(channel->communicator, channel->rank))
        return MPI_ERR_PROC_ABORTED;
    struct kernel_letter letter = transfer_letter(channel, items);
    letter.failure = failure;
    return transfer_error(kernel_send(&letter));
}

int message_send(const struct channel *channel, const struct items *items)
{
    return message_send_as(channel, items, false);
}

int message_send_failure(const struct channel *channel)
{
    static const struct items none;
    return message_send_as(channel, &none, true);
}

/* Work goes on while the thread waits. */
static int message_receive_amid_work(const struct channel *channel, const struct items *items,
                                     struct arrival *arrival)
{
    struct posted posted;
    posted_receive(&posted, channel, items);
    int error = posted_wait(&posted);
    if (arrival)
        *arrival = posted.arrival;
    return error;
}

int message_receive(const struct channel *channel, const struct items *items,
                    struct arrival *arrival)
{
    if (channel->rank == MPI_PROC_NULL) {
        transfer_note_nothing(arrival);
        return MPI_SUCCESS;
    }
    const struct kernel_match match = transfer_match(channel);
    const struct kernel_room room = transfer_room(items);
    struct kernel_arrival kernel;
    int result = work_exists() ? KERNEL_RECALLED : kernel_receive(&match, &room, &kernel);
    if (result == KERNEL_RECALLED)
        return message_receive_amid_work(channel, items, arrival);
    int error = transfer_error(result);
    return error == MPI_SUCCESS ? transfer_note(channel, &room, &kernel, arrival) : error;
}

int message_exchange(const struct channel *to, const struct items *sent, const struct channel *from,
                     const struct items *received, struct arrival *arrival)
{
    int error = message_send(to, sent);
    int other = message_receive(from, received, arrival);
    return error == MPI_SUCCESS ? other : error;
}
