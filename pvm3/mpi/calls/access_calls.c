/* access_calls.c - put, get and accumulate: accesses to the memory of a window. */
#include <string.h>

#include "mpi/calls/arguments.h"
#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/datatypes/basic.h"
#include "mpi/datatypes/element.h"
#include "mpi/operations/operation.h"
#include "mpi/objects/communicator.h"
#include "mpi/windows/epochs.h"
#include "mpi/windows/remote.h"
#include "mpi/windows/window.h"

/* What a program passes: which memory of whom. */
struct target {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype datatype;
    MPI_Win win;
};

/* The window, and the place in it. Nothing has to be done for MPI_PROC_NULL, as for 0 items. */
static int check_target(const struct target *target, struct window **window, struct place *place)
{
    struct items items;
    *window = window_of(target->win);
    if (!*window)
        return MPI_ERR_WIN;
    place->rank = target->rank;
    place->displacement = target->displacement;
    place->count = target->rank == MPI_PROC_NULL ? 0 : target->count;
    if (target->rank == MPI_PROC_NULL)
        return datatype_for_use(MPI_BYTE, &place->datatype);
    if (target->rank < 0 || target->rank >= (*window)->communicator->group->size)
        return MPI_ERR_RANK;
    if (target->displacement < 0 && (*window)->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_ERR_DISP;
    int error = argument_items(place, target->count, target->datatype, &items);
    place->datatype = items.datatype;
    if (error == MPI_SUCCESS && !epoch_is_open(*window, target->rank))
        error = MPI_ERR_RMA_SYNC;
    return error;
}

/* A predefined operation that fits the elements of the target. */
static int check_operation(const struct place *place, MPI_Op op)
{
    const struct operation *operation = operation_of(op);
    if (!operation || !operation_is_predefined(operation))
        return MPI_ERR_OP;
    if (op == MPI_REPLACE || op == MPI_NO_OP || place->count == 0)
        return MPI_SUCCESS;
    const struct datatype *element = datatype_element(place->datatype);
    return element ? operation_check(operation, datatype_handle(element)) : MPI_ERR_TYPE;
}

/* Those of the caller. Nobody reads them when nobody is there, or the operation has no operand. */
static int check_items(const void *buffer, MPI_Count count, MPI_Datatype datatype, bool unread,
                       struct items *items)
{
    if (unread)
        return argument_items(NULL, 0, MPI_BYTE, items);
    return argument_items(buffer, count, datatype, items);
}

/* An access whose arguments are good. */
struct access {
    struct window *window;
    struct place place;
    struct items items; /* of the caller */
};

/* A put is MPI_REPLACE here, and a get, which changes nothing, MPI_NO_OP. */
static int check_access(const struct target *target, const void *buffer, MPI_Count count,
                        MPI_Datatype datatype, MPI_Op op, struct access *access)
{
    int error = check_target(target, &access->window, &access->place);
    if (error == MPI_SUCCESS)
        error = check_operation(&access->place, op);
    if (error == MPI_SUCCESS)
        error = check_items(buffer, count, datatype, target->rank == MPI_PROC_NULL, &access->items);
    return error;
}

/* Of an access that needs no answer: its request, if it has one, is done. */
static int access_end(const struct form *form, const struct access *access, int error)
{
    if (error == MPI_SUCCESS && form->request)
        error = remote_request_done(access->window, form->request);
    return window_error(access->window, form->function, error);
}

int forms_put(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
              int rank, MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_datatype,
              MPI_Win win)
{
    const struct target target = {rank, displacement, target_count, target_datatype, win};
    struct access access;
    int error = check_access(&target, buffer, count, datatype, MPI_REPLACE, &access);
    if (error == MPI_SUCCESS)
        error = remote_put(access.window, &access.place, &access.items);
    return access_end(form, &access, error);
}

int forms_get(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
              int rank, MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_datatype,
              MPI_Win win)
{
    const struct target target = {rank, displacement, target_count, target_datatype, win};
    struct access access;
    int error = check_access(&target, buffer, count, datatype, MPI_NO_OP, &access);
    if (error == MPI_SUCCESS)
        error = remote_get(access.window, &access.place, &access.items, form->request);
    return window_error(access.window, form->function, error);
}

int forms_accumulate(const struct form *form, const void *buffer, MPI_Count count,
                     MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    const struct target target = {rank, displacement, target_count, target_datatype, win};
    struct access access;
    int error = check_access(&target, buffer, count, datatype, op, &access);
    if (error == MPI_SUCCESS)
        error = remote_accumulate(access.window, &access.place, &access.items, op);
    return access_end(form, &access, error);
}

/* What is read before it changes: `from` items change it, `to` items get it. */
struct fetch {
    const void *from;
    MPI_Count from_count;
    MPI_Datatype from_type;
    void *to;
    MPI_Count to_count;
    MPI_Datatype to_type;
};

static int fetch_checked(const struct fetch *fetch, const struct target *target, MPI_Op op,
                         struct window *window, const struct place *place, MPI_Request *request)
{
    struct items items, result;
    bool nobody = target->rank == MPI_PROC_NULL;
    int error = check_operation(place, op);
    if (error == MPI_SUCCESS)
        error = check_items(fetch->from, fetch->from_count, fetch->from_type,
                            nobody || op == MPI_NO_OP, &items);
    if (error == MPI_SUCCESS)
        error = check_items(fetch->to, fetch->to_count, fetch->to_type, nobody, &result);
    return error == MPI_SUCCESS ? remote_fetch(window, place, &items, &result, op, request) : error;
}

static int fetch_and_change(const char *function, const struct fetch *fetch,
                            const struct target *target, MPI_Op op, MPI_Request *request)
{
    struct window *window;
    struct place place;
    int error = check_target(target, &window, &place);
    if (error == MPI_SUCCESS)
        error = fetch_checked(fetch, target, op, window, &place, request);
    return window_error(window, function, error);
}

int forms_get_accumulate(const struct form *form, const void *from, MPI_Count from_count,
                         MPI_Datatype from_type, void *to, MPI_Count to_count, MPI_Datatype to_type,
                         int rank, MPI_Aint displacement, MPI_Count target_count,
                         MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    const struct fetch fetch = {from, from_count, from_type, to, to_count, to_type};
    const struct target target = {rank, displacement, target_count, target_datatype, win};
    return fetch_and_change(form->function, &fetch, &target, op, form->request);
}

MPI_CALL(int, Fetch_and_op)
(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
 MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    const struct fetch fetch = {origin_addr, 1, datatype, result_addr, 1, datatype};
    const struct target target = {target_rank, target_disp, 1, datatype, win};
    const struct datatype *type = datatype_of(datatype);
    if (type && !type->named)
        return window_error(window_of(win), "MPI_Fetch_and_op", MPI_ERR_TYPE);
    return fetch_and_change("MPI_Fetch_and_op", &fetch, &target, op, NULL);
}

/* Whether elements of the datatype can be compared: integers, truth values and bytes. */
static bool can_be_compared(const struct datatype *datatype)
{
    const struct basic *basic = datatype->basic;
    return basic && (basic->class == BASIC_INTEGER || basic->class == BASIC_LOGICAL ||
                     basic->class == BASIC_BYTE);
}

static int swap(const void *value, const void *compare, void *result, const struct target *target)
{
    char values[64];
    struct window *window;
    struct place place;
    struct items items;
    int error = check_target(target, &window, &place);
    if (error != MPI_SUCCESS || target->rank == MPI_PROC_NULL)
        return error;
    if (!can_be_compared(place.datatype))
        return MPI_ERR_TYPE;
    error = check_items(result, 1, target->datatype, false, &items);
    if (error != MPI_SUCCESS || !value || !compare)
        return error == MPI_SUCCESS ? MPI_ERR_BUFFER : error;
    size_t size = (size_t)place.datatype->size;
    memcpy(values, value, size);
    memcpy(values + size, compare, size);
    return remote_swap(window, &place, values, &items);
}

MPI_CALL(int, Compare_and_swap)
(const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype,
 int target_rank, MPI_Aint target_disp, MPI_Win win)
{
    const struct target target = {target_rank, target_disp, 1, datatype, win};
    return window_error(window_of(win), "MPI_Compare_and_swap",
                        swap(origin_addr, compare_addr, result_addr, &target));
}
