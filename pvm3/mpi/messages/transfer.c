/* transfer.c - ranks as addresses, items as bytes. */
#include "mpi/messages/transfer.h"

#include "mpi/datatypes/datatype.h"
#include "mpi/objects/communicator.h"

static size_t transfer_bytes(const struct items *items)
{
    return items->datatype ? (size_t)(items->count * items->datatype->size) : (size_t)items->count;
}

/* The memory in which the items lie one behind the other, or NULL. */
static void *transfer_memory(const struct items *items)
{
    if (!items->datatype)
        return items->buffer;
    if (!datatype_is_block(items->datatype))
        return NULL;
    return (void *)((intptr_t)items->buffer + (intptr_t)items->datatype->true_lb);
}

static void transfer_pack(const void *from, size_t offset, void *to, size_t size)
{
    const struct items *items = from;
    datatype_pack(items->datatype, items->buffer, items->count, offset, to, size);
}

static void transfer_unpack(void *to, size_t offset, const void *from, size_t size)
{
    const struct items *items = to;
    datatype_unpack(items->datatype, items->buffer, items->count, offset, from, size);
}

struct kernel_letter transfer_letter(const struct channel *channel, const struct items *items)
{
    const struct communicator *communicator = channel->communicator;
    return (struct kernel_letter){
        .destination = communicator_peers(communicator)->tids[channel->rank],
        .tag = channel->tag,
        .context = (int32_t)communicator_context(communicator, channel->rank) + channel->which,
        .size = transfer_bytes(items),
        .memory = transfer_memory(items),
        .pack = transfer_pack,
        .from = items,
    };
}

struct kernel_match transfer_match(const struct channel *channel)
{
    const struct communicator *communicator = channel->communicator;
    return (struct kernel_match){
        .source = channel->rank == MPI_ANY_SOURCE
                      ? KERNEL_ANY_SOURCE
                      : communicator_peers(communicator)->tids[channel->rank],
        .tag = channel->tag == MPI_ANY_TAG ? KERNEL_ANY_TAG : channel->tag,
        .context = (int32_t)communicator->context + channel->which,
    };
}

struct kernel_room transfer_room(const struct items *items)
{
    return (struct kernel_room){
        .size = transfer_bytes(items),
        .memory = transfer_memory(items),
        .unpack = transfer_unpack,
        .to = (void *)items,
    };
}

int transfer_note(const struct channel *channel, const struct kernel_room *room,
                  const struct kernel_arrival *kernel, struct arrival *arrival)
{
    bool fits = kernel->size <= room->size;
    if (arrival)
        *arrival = (struct arrival){
            .rank = channel->rank == MPI_ANY_SOURCE
                        ? group_rank_of(communicator_peers(channel->communicator), kernel->source)
                        : channel->rank,
            .tag = kernel->tag,
            .size = fits ? kernel->size : room->size,
        };
    if (kernel->failure)
        return MPI_ERR_PROC_ABORTED;
    if (channel->which == CONTEXT_COLLECTIVES)
        fits = kernel->size == room->size;
    return fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

void transfer_note_nothing(struct arrival *arrival)
{
    if (arrival)
        *arrival = (struct arrival){.rank = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
}

int transfer_error(int result)
{
    switch (result) {
    case KERNEL_CANCELLED:
        return POSTED_CANCELLED;
    case KERNEL_OVER:
        return MPI_ERR_PROC_ABORTED;
    case KERNEL_NO_MEMORY:
        return MPI_ERR_NO_MEM;
    default:
        return result < 0 ? MPI_ERR_INTERN : MPI_SUCCESS;
    }
}
