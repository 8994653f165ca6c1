#include "mpi/windows/remote.h"

#include <stddef.h>
#include <stdlib.h>

#include "mpi/datatypes/element.h"
#include "mpi/datatypes/layout.h"
#include "mpi/messages/request.h"
#include "mpi/objects/communicator.h"
#include "mpi/schedules/items.h"
#include "mpi/windows/access.h"
#include "mpi/windows/order.h"
#include "mpi/windows/shared.h"
#include "mpi/windows/window.h"

/* An access: the memory that it is for, with its layout, which is to be dropped. */
struct access {
    struct window *window;
    int rank;
    struct window_member *member;
    int64_t at;
    const struct layout *layout;
};

/* Whether the layout is in the memory of the target. Of a dynamic window the target alone knows. */
static bool access_is_there(const struct access *access)
{
    int64_t low, high;
    if (access->window->flavor == MPI_WIN_FLAVOR_DYNAMIC || access->layout->size == 0)
        return true;
    return !__builtin_add_overflow(access->at, access->layout->low, &low) &&
           !__builtin_add_overflow(access->at, access->layout->high, &high) && low >= 0 &&
           high <= access->member->size;
}

/* How many items of the target are sent: some or all of them. */
static int access_count(const struct place *place, const struct items *sent, MPI_Count *count)
{
    MPI_Count size = place->datatype->size, all = sent ? (MPI_Count)items_bytes(sent) : 0;
    *count = size > 0 ? place->count : 0;
    if (!sent || size == 0)
        return MPI_SUCCESS;
    *count = all / size;
    return *count > place->count || all % size > 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

/* Without a layout when there is nothing to do. `sent` and `got` may be NULL. */
static int access_begin(struct access *access, struct window *window, const struct place *place,
                        const struct items *sent, const struct items *got)
{
    MPI_Count count;
    int error = access_count(place, sent, &count);
    access->window = window;
    access->rank = place->rank;
    access->member = &window->members[place->rank];
    access->layout = NULL;
    if (error != MPI_SUCCESS || count == 0)
        return error;
    if (got && (MPI_Count)items_bytes(got) < count * place->datatype->size)
        return MPI_ERR_TRUNCATE;
    if (__builtin_mul_overflow(place->displacement, access->member->unit, &access->at))
        return MPI_ERR_RMA_RANGE;
    access->layout = layout_loop(place->datatype->layout, count, 0, place->datatype->extent);
    if (!access->layout)
        return MPI_ERR_NO_MEM;
    if (access_is_there(access))
        return MPI_SUCCESS;
    layout_drop(access->layout);
    access->layout = NULL;
    return MPI_ERR_RMA_RANGE;
}

static char *access_memory(const struct access *access)
{
    return access->member->memory + access->at;
}

static bool access_is_mapped(const struct access *access)
{
    return access->member->memory != NULL;
}

/* Elements that differ can only be replaced or read: as bytes. */
static struct change access_change_of(const struct place *place, MPI_Op operation)
{
    const struct datatype *element = datatype_element(place->datatype);
    return (struct change){operation, element ? datatype_handle(element) : MPI_BYTE};
}

/* Orders. -------------------------------------------------------------------------------------- */

static struct order remote_order(const struct window *window, int rank, enum order_kind kind)
{
    return (struct order){.kind = (int32_t)kind,
                          .window = communicator_context(window->communicator, rank),
                          .origin = window->communicator->rank};
}

static int remote_send(const struct window *window, int rank, struct order *order,
                       const struct layout *layout, const struct items *data)
{
    return order_send(window->communicator->group->tids[rank], order, layout, data);
}

/* The channel of an answer, with a tag of its own. */
static struct channel remote_answers(struct window *window, int rank)
{
    unsigned number = atomic_fetch_add_explicit(&window->answers, 1, memory_order_relaxed);
    int tag = WINDOW_ANSWERS + (int)(number % (INT32_MAX - WINDOW_ANSWERS));
    return (struct channel){window->communicator, rank, tag, CONTEXT_MESSAGES};
}

static void access_fill(const struct access *access, const struct change *change,
                        struct order *order)
{
    order->at = access->at;
    order->how = (int32_t)(intptr_t)change->operation;
    order->element = (int32_t)(intptr_t)change->element;
}

/* An order that is not answered before a flush. */
static int access_send(const struct access *access, enum order_kind kind,
                       const struct change *change, const struct items *data)
{
    struct order order = remote_order(access->window, access->rank, kind);
    access_fill(access, change, &order);
    int error = remote_send(access->window, access->rank, &order, access->layout, data);
    atomic_fetch_add(&access->member->sent, 1);
    return error;
}

/* Answers with data, each a request of its own. ------------------------------------------------ */

static struct mpi_request *answer_of(struct work *work)
{
    return (struct mpi_request *)(void *)((char *)work - offsetof(struct mpi_request, work));
}

/* The request's owner is the member. An answer that is empty tells of an error. */
static bool answer_advance(struct work *work)
{
    struct mpi_request *request = answer_of(work);
    struct window_member *member = request->owner;
    if (!posted_test(&request->posted))
        return false;
    request->error = request->posted.error;
    if (request->error == MPI_SUCCESS && request->posted.arrival.size == 0)
        request->error = MPI_ERR_RMA_RANGE;
    if (request->error != MPI_SUCCESS)
        atomic_store(&member->error, request->error);
    atomic_fetch_sub(&member->coming, 1);
    return true;
}

static void answer_pending(struct work *work, struct awaited *awaited)
{
    awaited_add(awaited, &answer_of(work)->posted);
}

/* The answer is awaited; without `handle` by the next flush alone. */
static int answer_begin(struct mpi_request *request, MPI_Request *handle)
{
    static const struct work_steps steps = {answer_advance, answer_pending};
    work_begin(&request->work, &steps);
    if (!handle)
        return mpi_request_free(request);
    *handle = mpi_request_handle(request);
    return MPI_SUCCESS;
}

/* Sends an order whose answer goes to the items. */
static int access_ask(const struct access *access, enum order_kind kind,
                      const struct change *change, const struct items *data,
                      const struct items *answer, MPI_Request *handle)
{
    static const struct mpi_request_calls calls = {0};
    struct window *window = access->window;
    struct mpi_request *request = mpi_request_new(REQUEST_WORK, &calls, window->communicator);
    if (!request)
        return MPI_ERR_NO_MEM;
    const struct channel channel = remote_answers(window, access->rank);
    struct order order = remote_order(window, access->rank, kind);
    access_fill(access, change, &order);
    order.tag = channel.tag;
    request->owner = access->member;
    int error = posted_receive(&request->posted, &channel, answer);
    if (error == MPI_SUCCESS)
        error = remote_send(window, access->rank, &order, access->layout, data);
    if (error == MPI_SUCCESS) {
        atomic_fetch_add(&access->member->coming, 1);
        return answer_begin(request, handle);
    }
    if (request->posted.post && posted_cancel(&request->posted))
        posted_wait(&request->posted);
    mpi_request_release(request);
    return error;
}

int remote_request_done(struct window *window, MPI_Request *handle)
{
    static const struct mpi_request_calls calls = {0};
    struct mpi_request *request = mpi_request_new(REQUEST_MESSAGE, &calls, window->communicator);
    if (!request)
        return MPI_ERR_NO_MEM;
    request->posted = (struct posted){.error = MPI_SUCCESS};
    *handle = mpi_request_handle(request);
    return MPI_SUCCESS;
}

static int remote_done_at_once(struct window *window, MPI_Request *handle)
{
    return handle ? remote_request_done(window, handle) : MPI_SUCCESS;
}

/* Accesses. ------------------------------------------------------------------------------------ */

int remote_put(struct window *window, const struct place *place, const struct items *items)
{
    static const struct change none = {0};
    struct access access;
    int error = access_begin(&access, window, place, items, NULL);
    if (!access.layout)
        return error;
    if (access_is_mapped(&access))
        datatype_copy(items->datatype, items->buffer, items->count, place->datatype,
                      access_memory(&access), place->count);
    else
        error = access_send(&access, ORDER_PUT, &none, items);
    layout_drop(access.layout);
    return error;
}

int remote_get(struct window *window, const struct place *place, const struct items *items,
               MPI_Request *request)
{
    static const struct change none = {0};
    struct access access;
    int error = access_begin(&access, window, place, NULL, items);
    if (!access.layout)
        return error == MPI_SUCCESS ? remote_done_at_once(window, request) : error;
    if (access_is_mapped(&access)) {
        datatype_copy(place->datatype, access_memory(&access), place->count, items->datatype,
                      items->buffer, items->count);
        error = remote_done_at_once(window, request);
    } else {
        error = access_ask(&access, ORDER_GET, &none, NULL, items, request);
    }
    layout_drop(access.layout);
    return error;
}

/* The items packed, for the caller to free; NULL without memory. */
static void *remote_pack(const struct items *items)
{
    size_t size = items_bytes(items);
    void *packed = malloc(size + 1);
    if (packed)
        datatype_pack(items->datatype, items->buffer, items->count, 0, packed, size);
    return packed;
}

/* In mapped memory. `result` may be NULL. */
static int access_change_mapped(const struct access *access, const struct change *change,
                                const struct items *items, const struct items *result)
{
    struct shared *shared = access->window->shared;
    size_t size = (size_t)access->layout->size;
    char *data = items ? remote_pack(items) : NULL;
    char *before = result ? malloc(size) : NULL;
    int error = MPI_ERR_NO_MEM;
    if ((data || !items) && (before || !result)) {
        shared_lock(shared, access->rank);
        error = access_change(access_memory(access), access->layout, change, data, before);
        shared_unlock(shared, access->rank);
    }
    if (error == MPI_SUCCESS && result)
        datatype_unpack(result->datatype, result->buffer, result->count, 0, before, size);
    free(data);
    free(before);
    return error;
}

int remote_accumulate(struct window *window, const struct place *place, const struct items *items,
                      MPI_Op operation)
{
    struct access access;
    if (operation == MPI_NO_OP)
        return MPI_SUCCESS;
    int error = access_begin(&access, window, place, items, NULL);
    if (!access.layout)
        return error;
    const struct change change = access_change_of(place, operation);
    if (access_is_mapped(&access))
        error = access_change_mapped(&access, &change, items, NULL);
    else
        error = access_send(&access, ORDER_ACCUMULATE, &change, items);
    layout_drop(access.layout);
    return error;
}

int remote_fetch(struct window *window, const struct place *place, const struct items *items,
                 const struct items *result, MPI_Op operation, MPI_Request *request)
{
    struct access access;
    const struct items *data = operation == MPI_NO_OP ? NULL : items;
    int error = access_begin(&access, window, place, data, result);
    if (!access.layout)
        return error == MPI_SUCCESS ? remote_done_at_once(window, request) : error;
    const struct change change = access_change_of(place, operation);
    if (access_is_mapped(&access)) {
        error = access_change_mapped(&access, &change, data, result);
        if (error == MPI_SUCCESS)
            error = remote_done_at_once(window, request);
    } else {
        error = access_ask(&access, ORDER_FETCH, &change, data, result, request);
    }
    layout_drop(access.layout);
    return error;
}

int remote_swap(struct window *window, const struct place *place, const void *values,
                const struct items *result)
{
    static const struct change none = {0};
    struct access access;
    size_t size = (size_t)place->datatype->size;
    int error = access_begin(&access, window, place, NULL, result);
    if (!access.layout)
        return error;
    if (access_is_mapped(&access)) {
        shared_lock(window->shared, place->rank);
        access_swap(access_memory(&access), size, values, result->buffer);
        shared_unlock(window->shared, place->rank);
    } else {
        const struct items data = {(void *)(uintptr_t)values, 2 * (MPI_Count)size, NULL};
        error = access_ask(&access, ORDER_SWAP, &none, &data, result, NULL);
    }
    layout_drop(access.layout);
    return error;
}

/* Waiting. ------------------------------------------------------------------------------------- */

/* An order to a member whose answer is an error code. */
struct question {
    struct posted posted;
    int answer;
    uint_fast64_t sent; /* what was sent before */
    bool asked;
};

static int question_ask(struct question *question, struct window *window, int rank,
                        enum order_kind kind, int how)
{
    const struct channel channel = remote_answers(window, rank);
    const struct items answer = {&question->answer, sizeof question->answer, NULL};
    struct order order = remote_order(window, rank, kind);
    order.tag = channel.tag;
    order.how = how;
    question->answer = MPI_SUCCESS;
    question->sent = atomic_load(&window->members[rank].sent);
    int error = posted_receive(&question->posted, &channel, &answer);
    if (error == MPI_SUCCESS)
        error = remote_send(window, rank, &order, NULL, NULL);
    question->asked = error == MPI_SUCCESS;
    if (!question->asked && question->posted.post && posted_cancel(&question->posted))
        posted_wait(&question->posted);
    return error;
}

static void member_is_done(struct window_member *member, uint_fast64_t sent)
{
    uint_fast64_t done = atomic_load(&member->done);
    while (done < sent && !atomic_compare_exchange_weak(&member->done, &done, sent))
        continue;
}

static bool member_has_all(void *owner)
{
    const struct window_member *member = owner;
    return atomic_load(&member->coming) == 0;
}

int remote_flush_local(struct window *window, int rank)
{
    struct window_member *member = &window->members[rank];
    const struct wanted wanted = {member_has_all, NULL, member};
    if (!member_has_all(member) && !work_wait_until(&wanted))
        return MPI_ERR_INTERN;
    return atomic_exchange(&member->error, MPI_SUCCESS);
}

/* Of a question that may not have been asked, which is no error. */
static int question_wait(struct question *question, struct window *window, int rank)
{
    int error = MPI_SUCCESS;
    if (question->asked)
        error = posted_wait(&question->posted);
    if (question->asked && error == MPI_SUCCESS) {
        member_is_done(&window->members[rank], question->sent);
        error = question->answer;
    }
    int other = remote_flush_local(window, rank);
    return error == MPI_SUCCESS ? other : error;
}

/* Asks nothing if all that was sent is known to be done. */
static int flush_ask(struct question *question, struct window *window, int rank)
{
    struct window_member *member = &window->members[rank];
    question->asked = false;
    if (atomic_load(&member->done) >= atomic_load(&member->sent))
        return MPI_SUCCESS;
    return question_ask(question, window, rank, ORDER_FLUSH, 0);
}

int remote_flush(struct window *window, int rank)
{
    struct question question;
    atomic_thread_fence(memory_order_seq_cst); /* what was copied to mapped memory is there */
    int error = flush_ask(&question, window, rank);
    int other = question_wait(&question, window, rank);
    return error == MPI_SUCCESS ? other : error;
}

static int remote_ask(struct window *window, int rank, enum order_kind kind, int how)
{
    struct question question;
    atomic_thread_fence(memory_order_seq_cst);
    int error = question_ask(&question, window, rank, kind, how);
    int other = question_wait(&question, window, rank);
    return error == MPI_SUCCESS ? other : error;
}

/* Locks. --------------------------------------------------------------------------------------- */

static const struct items nothing;

/* The channel by which who waits for a lock in mapped memory hears that it has it. */
static struct channel lock_channel(const struct window *window, int other, int target)
{
    return (struct channel){window->communicator, other, WINDOW_ANSWERS + target, CONTEXT_MESSAGES};
}

static int lock_mapped(struct window *window, int target, int kind)
{
    const struct channel channel = lock_channel(window, MPI_ANY_SOURCE, target);
    struct lock_asker *places = shared_places(window->shared, target);
    struct lock_queue *queue = shared_lock(window->shared, target);
    bool has = lock_queue_ask(queue, &places[window->communicator->rank], kind, channel.tag);
    shared_unlock(window->shared, target);
    return has ? MPI_SUCCESS : message_receive(&channel, &nothing, NULL);
}

/* The next one that has the lock now, or -1. */
static int lock_grant_mapped(struct window *window, int target)
{
    struct lock_asker *places = shared_places(window->shared, target);
    struct lock_queue *queue = shared_lock(window->shared, target);
    int next = lock_queue_grant(queue, places, window->communicator->group->size);
    shared_unlock(window->shared, target);
    return next;
}

static int unlock_mapped(struct window *window, int target, int kind)
{
    int next, error = MPI_SUCCESS;
    lock_queue_release(shared_lock(window->shared, target), kind);
    shared_unlock(window->shared, target);
    while (error == MPI_SUCCESS && (next = lock_grant_mapped(window, target)) >= 0) {
        const struct channel channel = lock_channel(window, next, target);
        error = message_send(&channel, &nothing);
    }
    return error;
}

int remote_lock(struct window *window, int rank, int kind)
{
    return window->shared ? lock_mapped(window, rank, kind)
                          : remote_ask(window, rank, ORDER_LOCK, kind);
}

int remote_unlock(struct window *window, int rank, int kind)
{
    return window->shared ? unlock_mapped(window, rank, kind)
                          : remote_ask(window, rank, ORDER_UNLOCK, kind);
}

/* Asks all members before it waits for the answers. ORDER_FLUSH: only where something was sent. */
static int remote_ask_all(struct window *window, enum order_kind kind)
{
    int size = window->communicator->group->size, result = MPI_SUCCESS;
    struct question *questions = malloc((size_t)size * sizeof *questions);
    if (!questions)
        return MPI_ERR_NO_MEM;
    atomic_thread_fence(memory_order_seq_cst);
    for (int rank = 0; rank < size; rank++) {
        int error = kind == ORDER_FLUSH
                        ? flush_ask(&questions[rank], window, rank)
                        : question_ask(&questions[rank], window, rank, kind, MPI_LOCK_SHARED);
        result = result == MPI_SUCCESS ? error : result;
    }
    for (int rank = 0; rank < size; rank++) {
        int error = question_wait(&questions[rank], window, rank);
        result = result == MPI_SUCCESS ? error : result;
    }
    free(questions);
    return result;
}

int remote_flush_all(struct window *window)
{
    return remote_ask_all(window, ORDER_FLUSH);
}

int remote_flush_local_all(struct window *window)
{
    int result = MPI_SUCCESS;
    for (int rank = 0; rank < window->communicator->group->size; rank++) {
        int error = remote_flush_local(window, rank);
        result = result == MPI_SUCCESS ? error : result;
    }
    return result;
}

/* One after the other, always from the first on: so none waits for one that waits for it. */
static int each_mapped(struct window *window,
                       int (*step)(struct window *window, int target, int kind))
{
    int result = MPI_SUCCESS;
    for (int rank = 0; rank < window->communicator->group->size; rank++) {
        int error = step(window, rank, MPI_LOCK_SHARED);
        result = result == MPI_SUCCESS ? error : result;
    }
    return result;
}

int remote_lock_all(struct window *window)
{
    return window->shared ? each_mapped(window, lock_mapped) : remote_ask_all(window, ORDER_LOCK);
}

int remote_unlock_all(struct window *window)
{
    return window->shared ? each_mapped(window, unlock_mapped)
                          : remote_ask_all(window, ORDER_UNLOCK);
}
