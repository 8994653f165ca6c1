/*
 * collective_call.c - checks the arguments of collective operations, and does what the form says.
 */
#include "mpi/calls/collective_call.h"

#include <stdint.h>

#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"
#include "mpi/schedules/schedule_request.h"

void call_wrong(struct collective_call *call, int code)
{
    if (call->code == MPI_SUCCESS)
        call->code = code;
}

void call_begin(struct collective_call *call, const struct form *form)
{
    call->form = form;
    call->code = MPI_SUCCESS;
    call->communicator = communicator_of(form->comm);
    if (!call->communicator)
        call_wrong(call, MPI_ERR_COMM);
    if (form->kind != FORM_BLOCKING && !form->request)
        call_wrong(call, MPI_ERR_ARG);
    if (form->kind == FORM_PERSISTENT && form->info != MPI_INFO_NULL && !info_of(form->info))
        call_wrong(call, MPI_ERR_INFO);
}

bool call_ready(struct collective_call *call)
{
    if (call->code != MPI_SUCCESS)
        return false;
    call->schedule = call->form->kind == FORM_BLOCKING ? &call->own : schedule_new();
    if (call->schedule)
        schedule_begin(call->schedule, call->communicator);
    else
        call_wrong(call, MPI_ERR_NO_MEM);
    return call->schedule != NULL;
}

int call_end(struct collective_call *call)
{
    const struct form *form = call->form;
    if (call->code == MPI_SUCCESS && form->kind == FORM_BLOCKING) {
        call->code = schedule_run(call->schedule);
        schedule_end(call->schedule);
    } else if (call->code == MPI_SUCCESS) {
        call->code = schedule_request(call->schedule, form->kind == FORM_PERSISTENT, NULL, NULL,
                                      form->request);
    }
    if (call->code == MPI_SUCCESS)
        return MPI_SUCCESS;
    return communicator_error(call->communicator, form->function, call->code);
}

void check_intra(struct collective_call *call)
{
    if (call->communicator && call->communicator->remote)
        call_wrong(call, MPI_ERR_COMM);
}

void check_topology(struct collective_call *call)
{
    check_intra(call);
    if (call->communicator && !call->communicator->topology)
        call_wrong(call, MPI_ERR_TOPOLOGY);
}

void check_root(struct collective_call *call, int root)
{
    struct communicator *communicator = call->communicator;
    if (!communicator)
        return;
    if (communicator->remote && (root == MPI_ROOT || root == MPI_PROC_NULL))
        return;
    if (root < 0 || root >= communicator_peers(communicator)->size)
        call_wrong(call, MPI_ERR_ROOT);
}

bool is_root(const struct collective_call *call, int root)
{
    struct communicator *communicator = call->communicator;
    if (!communicator)
        return false;
    return root == (communicator->remote ? MPI_ROOT : communicator->rank);
}

bool check_in_place(struct collective_call *call, const void *buffer, bool allowed)
{
    if (buffer != MPI_IN_PLACE)
        return false;
    if (!allowed || (call->communicator && call->communicator->remote))
        call_wrong(call, MPI_ERR_BUFFER);
    return true;
}

void check_alias(struct collective_call *call, const void *send, const void *receive,
                 MPI_Count count)
{
    if (send == receive && send && count > 0)
        call_wrong(call, MPI_ERR_BUFFER);
}

void check_alias_own(struct collective_call *call, const struct items *own,
                     const struct blocks *blocks)
{
    if (call->code != MPI_SUCCESS || own->buffer == MPI_IN_PLACE)
        return;
    check_alias(call, own->buffer, blocks->buffer, own->count);
    if (!call->communicator->remote)
        check_alias(call, own->buffer, blocks_at(blocks, call->communicator->rank).buffer,
                    own->count);
}

/* Whether any block has bytes. The arguments have been found right. */
static bool blocks_have_bytes(const struct blocks *blocks, int size)
{
    for (int rank = 0; rank < size; rank++) {
        if (numbers_at(blocks->counts, rank) > 0) {
            struct items block = blocks_at(blocks, rank);
            if (items_bytes(&block) > 0)
                return true;
        }
    }
    return false;
}

void check_alias_blocks(struct collective_call *call, const struct blocks *send,
                        const struct blocks *receive, int size)
{
    if (call->code != MPI_SUCCESS || send->buffer != receive->buffer || !send->buffer)
        return;
    if (blocks_have_bytes(send, size) && blocks_have_bytes(receive, size))
        call_wrong(call, MPI_ERR_BUFFER);
}

/* A datatype that can be used, or NULL. */
static struct datatype *check_datatype(struct collective_call *call, MPI_Datatype handle)
{
    struct datatype *datatype = NULL;
    int code = datatype_for_use(handle, &datatype);
    if (code != MPI_SUCCESS)
        call_wrong(call, code);
    return datatype;
}

/* A buffer at NULL can only be meant for a datatype of absolute addresses. */
static void check_buffer(struct collective_call *call, const void *buffer, MPI_Count count,
                         const struct datatype *datatype)
{
    if (!buffer && count > 0 && datatype && datatype->object.predefined && datatype->size > 0)
        call_wrong(call, MPI_ERR_BUFFER);
}

struct items check_items(struct collective_call *call, const void *buffer, MPI_Count count,
                         MPI_Datatype datatype)
{
    struct items items = {(void *)(uintptr_t)buffer, count, NULL};
    if (count < 0)
        call_wrong(call, MPI_ERR_COUNT);
    items.datatype = check_datatype(call, datatype);
    check_buffer(call, buffer, count, items.datatype);
    return items;
}

struct blocks check_blocks(struct collective_call *call, void *buffer, MPI_Count count,
                           MPI_Datatype datatype)
{
    struct items items = check_items(call, buffer, count, datatype);
    return (struct blocks){.buffer = buffer, .count = count, .datatype = items.datatype};
}

/* The sum of the counts, of which none may be negative. */
static MPI_Count check_counts(struct collective_call *call, struct numbers counts, int size)
{
    MPI_Count sum = 0;
    if (!counts.array && size > 0)
        call_wrong(call, MPI_ERR_ARG);
    for (int rank = 0; counts.array && rank < size; rank++) {
        MPI_Count count = numbers_at(counts, rank);
        if (count < 0)
            call_wrong(call, MPI_ERR_COUNT);
        sum += count;
    }
    return sum;
}

struct blocks check_vector(struct collective_call *call, void *buffer, struct numbers counts,
                           struct numbers displacements, MPI_Datatype datatype, int size)
{
    MPI_Count sum = check_counts(call, counts, size);
    if (!displacements.array && size > 0)
        call_wrong(call, MPI_ERR_ARG);
    struct datatype *used = check_datatype(call, datatype);
    check_buffer(call, buffer, sum, used);
    return (struct blocks){
        .buffer = buffer, .datatype = used, .counts = counts, .displacements = displacements};
}

struct blocks check_vector_of(struct collective_call *call, void *buffer, struct numbers counts,
                              struct numbers displacements, const MPI_Datatype datatypes[],
                              int size)
{
    check_counts(call, counts, size);
    if ((!displacements.array || !datatypes) && size > 0)
        call_wrong(call, MPI_ERR_ARG);
    for (int rank = 0; datatypes && counts.array && rank < size; rank++) {
        if (datatypes[rank] == MPI_DATATYPE_NULL || numbers_at(counts, rank) > 0)
            check_datatype(call, datatypes[rank]);
    }
    return (struct blocks){
        .buffer = buffer, .counts = counts, .displacements = displacements, .datatypes = datatypes};
}

struct reduction check_reduction(struct collective_call *call, const void *send, void *receive,
                                 MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
    struct reduction reduction = {.send = send, .receive = receive, .count = count};
    if (count < 0)
        call_wrong(call, MPI_ERR_COUNT);
    reduction.datatype = check_datatype(call, datatype);
    reduction.operation = operation_of(op);
    if (!reduction.operation)
        call_wrong(call, MPI_ERR_OP);
    else if (reduction.datatype) {
        int code = operation_check(reduction.operation, datatype);
        if (code != MPI_SUCCESS)
            call_wrong(call, code);
    }
    if (send != MPI_IN_PLACE)
        check_buffer(call, send, count, reduction.datatype);
    return reduction;
}
