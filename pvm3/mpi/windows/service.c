#include "mpi/windows/service.h"

#include <signal.h>
#include <stdlib.h>

#include "mpi/datatypes/layout_message.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/messages/transfer.h"
#include "mpi/objects/communicator.h"
#include "mpi/operations/operation.h"
#include "mpi/windows/access.h"
#include "mpi/windows/order.h"
#include "mpi/windows/window.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct window *windows;  /* of this process; with the lock, as what follows */
static pthread_t thread;        /* that stands by while there are any, */
static struct kernel_post *end; /* until this is raised */
static struct window *served;   /* an order is carried out there */
static pthread_cond_t left = PTHREAD_COND_INITIALIZER; /* that one */

/* The window in which this process receives in a context. It stays until service_window_done. */
static struct window *service_window(uint32_t context)
{
    pthread_mutex_lock(&lock);
    struct window *window = windows;
    while (window && window->communicator->context != context)
        window = window->next;
    served = window;
    pthread_mutex_unlock(&lock);
    return window;
}

static void service_window_done(void)
{
    pthread_mutex_lock(&lock);
    served = NULL;
    pthread_cond_broadcast(&left);
    pthread_mutex_unlock(&lock);
}

/* An order that has come. */
struct task {
    struct window *window;
    const struct order *order;
    const struct layout *layout;
    char *memory; /* where the layout begins */
    const char *data;
};

static void service_answer(const struct window *window, int origin, int tag, const void *memory,
                           size_t size)
{
    const struct channel channel = {window->communicator, origin, tag, CONTEXT_MESSAGES};
    const struct items items = {(void *)(uintptr_t)memory, (MPI_Count)size, NULL};
    message_send(&channel, &items);
}

/* Answers with data; one that is empty says that the order was wrong. */
static void service_answer_data(const struct task *task, const void *memory, size_t size)
{
    service_answer(task->window, task->order->origin, task->order->tag, memory, size);
}

/* What an order was wrong about, at the origin's next flush. */
static void service_fault(const struct task *task, int error)
{
    if (error != MPI_SUCCESS)
        task->window->faults[task->order->origin] = error;
}

static void service_get(const struct task *task)
{
    const struct layout *layout = task->layout;
    size_t size = (size_t)layout->size;
    if (layout->run) {
        service_answer_data(task, task->memory + layout->low, size);
        return;
    }
    char *packed = malloc(size);
    if (packed)
        layout_pack(layout, task->memory, 0, layout->size, packed);
    service_answer_data(task, packed, packed ? size : 0);
    free(packed);
}

static struct change service_change(const struct order *order)
{
    return (struct change){(MPI_Op)(intptr_t)order->how, (MPI_Datatype)(intptr_t)order->element};
}

static void service_accumulate(const struct task *task)
{
    const struct change change = service_change(task->order);
    service_fault(task, access_change(task->memory, task->layout, &change, task->data, NULL));
}

static void service_fetch(const struct task *task)
{
    const struct change change = service_change(task->order);
    size_t size = (size_t)task->layout->size;
    char *before = malloc(size);
    bool done = before && access_change(task->memory, task->layout, &change, task->data, before) ==
                              MPI_SUCCESS;
    service_answer_data(task, before, done ? size : 0);
    free(before);
}

static void service_swap(const struct task *task)
{
    size_t size = (size_t)task->layout->size;
    char before[64];
    if (size <= sizeof before)
        access_swap(task->memory + task->layout->low, size, task->data, before);
    service_answer_data(task, before, size <= sizeof before ? size : 0);
}

/* Accesses to memory. -------------------------------------------------------------------------- */

static bool service_is_there(const struct task *task)
{
    struct window *window = task->window;
    const struct layout *layout = task->layout;
    int64_t low, high, at = task->order->at;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return attached_has(&window->attached, task->memory, layout);
    return !__builtin_add_overflow(at, layout->low, &low) &&
           !__builtin_add_overflow(at, layout->high, &high) && low >= 0 && high <= window->size;
}

/* As much data as the layout takes, and an operation that there is. */
static bool service_has_data(const struct task *task)
{
    const struct order *order = task->order;
    uint64_t size = (uint64_t)task->layout->size;
    const struct change change = service_change(order);
    switch (order->kind) {
    case ORDER_GET:
        return true;
    case ORDER_PUT:
        return order->size == size;
    case ORDER_SWAP:
        return order->size == 2 * size && task->layout->run;
    default:
        return datatype_of(change.element) && operation_of(change.operation) &&
               (order->size == size || change.operation == MPI_NO_OP);
    }
}

static void service_do_access(const struct task *task)
{
    switch (task->order->kind) {
    case ORDER_PUT:
        layout_unpack(task->layout, task->memory, 0, task->layout->size, task->data);
        break;
    case ORDER_GET:
        service_get(task);
        break;
    case ORDER_ACCUMULATE:
        service_accumulate(task);
        break;
    case ORDER_FETCH:
        service_fetch(task);
        break;
    case ORDER_SWAP:
        service_swap(task);
        break;
    }
}

/* Nothing of it is done. An answer that is awaited is empty. */
static void service_refuse(const struct task *task)
{
    int kind = task->order->kind;
    if (kind == ORDER_GET || kind == ORDER_FETCH || kind == ORDER_SWAP)
        service_answer_data(task, NULL, 0);
    else
        service_fault(task, MPI_ERR_RMA_RANGE);
}

static void service_access(struct task *task)
{
    const struct order *order = task->order;
    task->layout = layout_read(order + 1, order->layout_size);
    task->memory = (char *)((uintptr_t)task->window->base + (uintptr_t)order->at);
    task->data = (const char *)order + order_data(order);
    if (task->layout && service_is_there(task) && service_has_data(task)) {
        service_do_access(task);
    } else {
        service_refuse(task);
    }
    layout_drop(task->layout);
}

/* Locks and flushes. --------------------------------------------------------------------------- */

static void service_lock(const struct task *task)
{
    const struct order *order = task->order;
    struct lock_asker *place = &task->window->places[order->origin];
    if (lock_queue_ask(&task->window->queue, place, order->how, order->tag))
        service_answer_data(task, NULL, 0);
}

static void service_grant(struct window *window)
{
    int next, members = window->communicator->group->size;
    while ((next = lock_queue_grant(&window->queue, window->places, members)) >= 0)
        service_answer(window, next, window->places[next].tag, NULL, 0);
}

static void service_flush(const struct task *task)
{
    int *fault = &task->window->faults[task->order->origin];
    service_answer(task->window, task->order->origin, task->order->tag, fault, sizeof *fault);
    *fault = MPI_SUCCESS;
}

static void service_carry_out(struct task *task)
{
    switch (task->order->kind) {
    case ORDER_FLUSH:
        service_flush(task);
        break;
    case ORDER_LOCK:
        service_lock(task);
        break;
    case ORDER_UNLOCK:
        lock_queue_release(&task->window->queue, task->order->how);
        service_flush(task);
        service_grant(task->window);
        break;
    default:
        service_access(task);
        break;
    }
}

/* Taking orders. ------------------------------------------------------------------------------- */

/* What came as an order. */
static void service_take(const struct order *order, size_t size)
{
    struct task task = {.order = order};
    if (size < sizeof *order || order->layout_size > size || order_data(order) > size ||
        order->size != size - order_data(order))
        return;
    task.window = service_window(order->window);
    if (task.window && order->origin >= 0 && order->origin < task.window->communicator->group->size)
        service_carry_out(&task);
    service_window_done();
}

/* Most orders need no memory. */
static void service_receive(struct message *message, size_t size)
{
    _Alignas(ORDER_ALIGNMENT) char few[ORDER_SHORT];
    char *memory = size <= sizeof few ? few : malloc(size);
    const struct kernel_room room = {.size = memory ? size : 0, .memory = memory};
    kernel_accept(message, &room);
    if (memory)
        service_take((const struct order *)(const void *)memory, size);
    if (memory != few)
        free(memory);
}

static void *service_run(void *until)
{
    kernel_stand_by(until);
    return NULL;
}

/* Begins the thread. Signals go to threads of the program. With the lock. */
static int service_begin(void)
{
    sigset_t all, before;
    if (kernel_post_event(&end) < 0)
        return MPI_ERR_NO_MEM;
    kernel_serve(service_receive);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool began = pthread_create(&thread, NULL, service_run, end) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (began) {
        pthread_setname_np(thread, SERVICE_NAME);
        return MPI_SUCCESS;
    }
    kernel_raise(end);
    kernel_finish(end, NULL, NULL);
    return MPI_ERR_OTHER;
}

int service_enter(struct window *window)
{
    pthread_mutex_lock(&lock);
    int error = windows ? MPI_SUCCESS : service_begin();
    if (error == MPI_SUCCESS) {
        window->next = windows;
        windows = window;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

void service_leave(struct window *window)
{
    pthread_mutex_lock(&lock);
    struct window **place = &windows;
    while (*place != window)
        place = &(*place)->next;
    *place = window->next;
    /* Its last order was answered, and may not be over. */
    while (served == window)
        pthread_cond_wait(&left, &lock);
    const pthread_t ended = thread;
    struct kernel_post *event = windows ? NULL : end;
    pthread_mutex_unlock(&lock);
    if (!event)
        return;
    kernel_raise(event);
    pthread_join(ended, NULL);
    kernel_finish(event, NULL, NULL);
}
