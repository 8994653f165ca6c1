/* probe.c - probes, and messages that they have taken out. */
#include "mpi/messages/probe.h"

#include <stdlib.h>

#include "mpi/messages/transfer.h"
#include "mpi/messages/work.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/deaths.h"

/* Tells of a whole message. */
static void probe_note(const struct channel *channel, const struct kernel_arrival *kernel,
                       struct arrival *arrival)
{
    const struct kernel_room all = {.size = kernel->size};
    transfer_note(channel, &all, kernel, arrival);
}

/* A receive that will not take its message. */
struct awaiting {
    struct kernel_post *post;
};

static bool awaiting_is_done(void *owner)
{
    const struct awaiting *awaiting = owner;
    return kernel_test(awaiting->post);
}

static void awaiting_list(void *owner, struct awaited *awaited)
{
    awaited_add_post(awaited, ((struct awaiting *)owner)->post);
}

int probe_await(const struct kernel_match *match, struct message **message,
                struct kernel_arrival *kernel)
{
    struct awaiting awaiting;
    const struct wanted wanted = {awaiting_is_done, awaiting_list, &awaiting};
    int result = kernel_post_claim(match, &awaiting.post);
    if (result < 0)
        return result;
    if (work_exists() || kernel_wait(awaiting.post) == KERNEL_RECALLED)
        work_wait_until(&wanted);
    return kernel_finish_claim(awaiting.post, message, kernel);
}

int probe_look(const struct channel *channel, bool *found, struct arrival *arrival)
{
    const struct kernel_match match = transfer_match(channel);
    struct kernel_arrival kernel;
    work_look();
    bool waits = deaths_concern(channel->communicator, channel->rank); /* for nothing to come */
    int result = waits ? probe_await(&match, NULL, &kernel) : kernel_probe(&match, &kernel);
    *found = waits ? result == 0 : result > 0;
    if (*found)
        probe_note(channel, &kernel, arrival);
    return transfer_error(result);
}

int probe_wait(const struct channel *channel, struct arrival *arrival)
{
    const struct kernel_match match = transfer_match(channel);
    struct kernel_arrival kernel;
    int result = probe_await(&match, NULL, &kernel);
    if (result >= 0)
        probe_note(channel, &kernel, arrival);
    return transfer_error(result);
}

static struct matched *matched_new(const struct channel *channel)
{
    struct matched *matched = malloc(sizeof *matched);
    if (!matched)
        return NULL;
    object_begin(&matched->object, OBJECT_MESSAGE);
    matched->channel = *channel;
    communicator_keep(channel->communicator);
    return matched;
}

static void matched_free(struct matched *matched)
{
    communicator_drop(matched->channel.communicator);
    if (object_drop(&matched->object))
        free(matched);
}

static int probe_claim_as(const struct channel *channel, bool waits, struct matched **claimed)
{
    const struct kernel_match match = transfer_match(channel);
    struct kernel_arrival kernel;
    struct matched *matched = matched_new(channel);
    *claimed = NULL;
    if (!matched)
        return MPI_ERR_NO_MEM;
    int result = waits ? probe_await(&match, &matched->message, &kernel)
                       : kernel_claim(&match, &matched->message, &kernel);
    bool found = waits ? result == 0 : result > 0;
    if (found) {
        probe_note(channel, &kernel, &matched->arrival);
        *claimed = matched;
    } else {
        matched_free(matched);
    }
    return transfer_error(result);
}

int probe_claim(const struct channel *channel, struct matched **matched)
{
    work_look();
    return probe_claim_as(channel, deaths_concern(channel->communicator, channel->rank), matched);
}

int probe_claim_wait(const struct channel *channel, struct matched **matched)
{
    return probe_claim_as(channel, true, matched);
}

int matched_receive(struct matched *matched, const struct items *items, struct arrival *arrival)
{
    const struct kernel_room room = transfer_room(items);
    bool fits = matched->arrival.size <= room.size;
    kernel_accept(matched->message, &room);
    *arrival = matched->arrival;
    if (!fits)
        arrival->size = room.size;
    matched_free(matched);
    return fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

struct matched *matched_of(MPI_Message handle)
{
    return object_at(handle, OBJECT_MESSAGE);
}

MPI_Message matched_handle(struct matched *matched)
{
    return (MPI_Message)(void *)matched;
}
