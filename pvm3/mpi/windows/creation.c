#include "mpi/windows/creation.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/tid.h"
#include "mpi/communicators/making.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"
#include "mpi/schedules/trees.h"
#include "mpi/windows/epochs.h"
#include "mpi/windows/service.h"
#include "mpi/windows/shared.h"
#include "mpi/windows/window.h"

/* What a member tells the others. */
struct record {
    int64_t size;
    int64_t unit;
    int32_t error;
    int32_t process;    /* of the first member: who has the shared memory, */
    int32_t descriptor; /* and under which number */
    int32_t apart;
};

/* All members get the records of all: the first error among them, or that of the exchange. */
static int creation_exchange(const struct window *window, struct record *records)
{
    struct schedule schedule;
    schedule_begin(&schedule, window->communicator);
    tree_exchange(&schedule, window->communicator, records, sizeof *records);
    int error = schedule_run(&schedule);
    schedule_end(&schedule);
    for (int rank = 0; error == MPI_SUCCESS && rank < window->communicator->group->size; rank++)
        error = records[rank].error;
    return error;
}

/* Tells the others how it went. */
static int creation_agree(const struct window *window, struct record *records, int error)
{
    records[window->communicator->rank].error = error;
    return creation_exchange(window, records);
}

/* Memory. -------------------------------------------------------------------------------------- */

static bool creation_is_one_host(const struct window *window)
{
    const struct group *group = window->communicator->group;
    for (int rank = 1; rank < group->size; rank++)
        if (tid_host_part(group->tids[rank]) != tid_host_part(group->tids[0]))
            return false;
    return true;
}

/* Where the memory of a member begins; of the one behind the last: how much there is. */
static size_t creation_offset(const struct window *window, const struct record *records, int rank)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), offset = 0;
    bool apart = false;
    for (int i = 0; i < window->communicator->group->size; i++)
        apart = apart || records[i].apart;
    for (int i = 0; i < rank; i++) {
        offset += (size_t)records[i].size;
        if (apart)
            offset = (offset + page - 1) / page * page;
    }
    return offset;
}

static void creation_place(struct window *window, const struct record *records)
{
    char *memory = shared_memory(window->shared);
    for (int rank = 0; rank < window->communicator->group->size; rank++)
        window->members[rank].memory = memory + creation_offset(window, records, rank);
    window->base = window->members[window->communicator->rank].memory;
}

/* The first member makes the memory, and keeps it open until the others have it. */
static int creation_share(struct window *window, struct record *records)
{
    int members = window->communicator->group->size, rank = window->communicator->rank;
    size_t size = creation_offset(window, records, members);
    int descriptor = -1;
    if (rank == 0) {
        descriptor = shared_file(members, size);
        records[0].process = getpid();
        records[0].descriptor = descriptor;
    }
    int error =
        creation_agree(window, records, rank == 0 && descriptor < 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    if (error == MPI_SUCCESS) {
        if (rank > 0)
            descriptor = shared_open(records[0].process, records[0].descriptor);
        window->shared = descriptor < 0 ? NULL : shared_map(descriptor, members, size);
        error = creation_agree(window, records, window->shared ? MPI_SUCCESS : MPI_ERR_RMA_SHARED);
    }
    if (descriptor >= 0)
        close(descriptor);
    if (error == MPI_SUCCESS)
        creation_place(window, records);
    else if (window->shared)
        shared_unmap(window->shared);
    if (error != MPI_SUCCESS)
        window->shared = NULL;
    return error;
}

static int creation_allocate(struct window *window)
{
    window->memory = malloc((size_t)window->size + 1);
    window->base = window->memory;
    return window->memory ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Memory that nobody else can map will do for MPI_Win_allocate. */
static int creation_memory(struct window *window, struct record *records)
{
    int error = MPI_SUCCESS;
    if (window->flavor == MPI_WIN_FLAVOR_SHARED || window->flavor == MPI_WIN_FLAVOR_ALLOCATE)
        error = creation_is_one_host(window) ? creation_share(window, records) : MPI_ERR_RMA_SHARED;
    if (error == MPI_ERR_RMA_SHARED && window->flavor == MPI_WIN_FLAVOR_ALLOCATE)
        error = creation_allocate(window);
    return error;
}

/* The window. ---------------------------------------------------------------------------------- */

static int creation_fill(struct window *window, struct record *records)
{
    int error = creation_exchange(window, records);
    if (error != MPI_SUCCESS)
        return error;
    for (int rank = 0; rank < window->communicator->group->size; rank++) {
        window->members[rank].size = records[rank].size;
        window->members[rank].unit = records[rank].unit;
    }
    error = creation_memory(window, records);
    bool entered = error == MPI_SUCCESS && !window->shared;
    if (entered)
        error = service_enter(window);
    entered = entered && error == MPI_SUCCESS;
    error = creation_agree(window, records, error);
    if (entered && error != MPI_SUCCESS)
        service_leave(window);
    return error;
}

static int creation_begin(struct window *window, const struct window_plan *plan)
{
    int size = window->communicator->group->size;
    struct record *records = calloc((size_t)size, sizeof *records);
    if (!records)
        return MPI_ERR_NO_MEM;
    window->flavor = plan->flavor;
    window->base = plan->base;
    window->size = plan->size;
    window->unit = plan->unit > INT_MAX ? INT_MAX : (int)plan->unit;
    window->info = plan->info ? info_copy(plan->info) : NULL;
    records[window->communicator->rank] =
        (struct record){.size = plan->size,
                        .unit = plan->unit,
                        .error = plan->info && !window->info ? MPI_ERR_NO_MEM : MPI_SUCCESS,
                        .apart = plan->apart};
    int error = creation_fill(window, records);
    free(records);
    return error;
}

int window_create(struct communicator *communicator, const struct window_plan *plan,
                  struct window **made)
{
    struct communicator *own;
    int error = communicator_split(communicator, 0, 0, &own);
    if (error != MPI_SUCCESS)
        return error;
    communicator_set_handler(own, error_handler_of(MPI_ERRORS_RETURN));
    struct window *window = window_new(own);
    if (!window)
        return MPI_ERR_NO_MEM;
    error = creation_begin(window, plan);
    if (error == MPI_SUCCESS)
        *made = window;
    else
        window_discard(window);
    return error;
}

int window_free(struct window *window)
{
    if (!epoch_is_over(window))
        return MPI_ERR_RMA_SYNC;
    int error = attributes_clear(&window->attributes, OBJECT_WIN, window_handle(window));
    if (error != MPI_SUCCESS)
        return error;
    error = epoch_fence(window, 0);
    if (!window->shared)
        service_leave(window);
    window_discard(window);
    return error;
}

char *window_shared_memory(const struct window *window, int rank)
{
    return rank == window->communicator->rank ? window->base : window->members[rank].memory;
}
