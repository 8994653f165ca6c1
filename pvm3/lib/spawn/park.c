/* park.c - a user-level process stands still, and its messages settle (lib/task/own_program.h). */
#include "lib/spawn/park.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/control.h"
#include "core/tid.h"
#include "lib/life/belongings.h"
#include "lib/link/park_order.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/handler.h"
#include "lib/serve/mailbox.h"
#include "lib/serve/printed.h"
#include "lib/spawn/door.h"
#include "lib/task/abi.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

int own_program_park(void)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    char *address, *secret;
    handler_hold(task, true);
    park_order_begin(task, &address, &secret);
    own_program_go_home();
    int connection = address ? door_enter(address, secret) : -1;
    own_program_come_back();
    free(address);
    free(secret);
    if (connection >= 0)
        door_stay(connection);
    return connection;
}

void own_program_run_on(void)
{
    handler_hold(caller_self()->task, false);
}

void own_program_await(int connection)
{
    door_stay(connection);
}

/* Flushing. ------------------------------------------------------------------------------------ */

/* Behind all that the task has sent to the others. */
static bool flush_mark(struct task *task, int number, const int *tids, int count)
{
    bool marked = true;
    for (int i = 0; marked && i < count; i++)
        if (tids[i] != atomic_load(&task->tid))
            marked = pvmd_link_tell(task, control_new(CONTROL_MARK(number), CONTROL_CONTEXT_TC, 0),
                                    (uint32_t)tids[i]) == PvmOk;
    return marked;
}

static bool connection_is_there(int connection)
{
    char byte;
    ssize_t size = recv(connection, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    return size > 0 || (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

/* For so many nanoseconds a mark is waited for before the connection is looked at. */
#define LOOK 100000000

/* Takes a mark, if one comes soon. False if the task is lost. */
static bool flush_take(struct task *task, const struct pattern *pattern, int *missing)
{
    struct timespec deadline;
    struct message *message;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_nsec += LOOK;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_nsec -= 1000000000;
        deadline.tv_sec++;
    }
    if (endpoint_receive(&task->endpoint, pattern, &deadline, &message) != 0)
        return false;
    *missing -= message != NULL;
    message_free(message);
    return true;
}

bool own_program_flush(int number, const int *tids, int count, int connection)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    const struct pattern pattern = {
        .source = PATTERN_ANY_SOURCE, .tag = CONTROL_MARK(number), .context = CONTROL_CONTEXT_TC};
    int missing = count - 1;
    bool good = flush_mark(task, number, tids, count);
    while (good && missing > 0)
        good = flush_take(task, &pattern, &missing) && connection_is_there(connection);
    return good;
}

/* Packing. ------------------------------------------------------------------------------------- */

/* What the pvmd knows of the task. 0, or an error. */
static int pack_record(struct task *task, int region, void **record, size_t *size)
{
    struct message *answer, *request = pvmd_link_request(CONTROL_RECORD);
    struct control_reader reader;
    control_put_int(request, region);
    int result = pvmd_link_exchange(task, request, true, &answer);
    if (result < 0)
        return result;
    control_read(&reader, answer);
    result = control_get_int(&reader);
    free(control_get_string(&reader, 0));
    *size = control_rest(&reader);
    *record = malloc(*size + 1);
    if (*record && result == PvmOk)
        control_get_bytes(&reader, *record, *size);
    message_free(answer);
    if (*record && result == PvmOk && !reader.failed)
        return PvmOk;
    free(*record);
    return result < 0 ? result : PvmNoMem;
}

int own_program_pack(int region, void **state, size_t *size, void **record, size_t *record_size,
                     const char **why)
{
    HOLD_OFF_CANCELLATION;
    struct caller *caller = caller_self();
    struct luggage luggage = {.bytes = NULL};
    *why = belongings_hindrance(caller);
    if (*why)
        return PvmDenied;
    trace_flush(caller->task);
    int error = pack_record(caller->task, region, record, record_size);
    *why = error == PvmDenied ? "it has contexts of its own" : "the pvmd does not tell of it";
    if (error < 0)
        return error;
    belongings_put(caller, &luggage);
    if (luggage.failed) {
        *why = "it has no memory to pack what it has";
        free(luggage.bytes);
        free(*record);
        return PvmNoMem;
    }
    *state = luggage.bytes;
    *size = luggage.size;
    return PvmOk;
}

/* Coming back. --------------------------------------------------------------------------------- */

static bool is_listed(int tid, const int *tids, int count)
{
    while (count > 0 && tids[count - 1] != tid)
        count--;
    return count > 0;
}

/* Where output and events go, unless nobody is there. */
static void sinks_revive(struct Pvmtracer *sinks, const int *tids, int count)
{
    struct Pvmtracer fresh = *sinks;
    if (!is_listed(fresh.outtid, tids, count))
        fresh.outtid = 0;
    if (!is_listed(fresh.trctid, tids, count))
        fresh.trctid = 0;
    abi_set_tracer(sinks, &fresh);
}

/* Where the task prints and tells of events, in words to the pvmd, which also gets the record. */
static struct message *revive_wishes(struct task *task, const void *record, size_t size)
{
    struct message *request = pvmd_link_request(CONTROL_WANT);
    lock_acquire(&task->options_lock);
    control_put_int(request, task->own_sinks.outtid > 0);
    control_put_int(request, task->own_sinks.trctid > 0);
    lock_release(&task->options_lock);
    control_put_bytes(request, record, size);
    return request;
}

static void revive_options(struct task *task, const int *tids, int count)
{
    lock_acquire(&task->options_lock);
    sinks_revive(&task->own_sinks, tids, count);
    sinks_revive(&task->child_sinks, tids, count);
    bool prints = task->own_sinks.outtid > 0;
    task_show(task);
    lock_release(&task->options_lock);
    if (!prints)
        printed_finish(task);
    atomic_store(&task->manager, atomic_load(&task->process->first->manager));
}

/* The next entry of the mailbox. NULL, or why not. */
static const char *revive_entry(struct task *task, struct luggage_reader *reader)
{
    char *name = luggage_get_text(reader);
    int index = luggage_get_int(reader), flags = luggage_get_int(reader);
    struct message *message = luggage_get_message(reader);
    const char *why = "its entries of the mailbox are damaged";
    if (name && message)
        why = mailbox_put(task, name, index, flags, message) < 0
                  ? "an entry of the mailbox has the place of one of its own"
                  : NULL;
    free(name);
    message_free(message);
    return why;
}

const char *own_program_revive(const int *tids, int count, const struct own_program_bytes *record,
                               const struct own_program_bytes *entries)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    struct luggage_reader reader = {.next = entries->bytes, .rest = entries->size};
    const char *why = NULL;
    revive_options(task, tids, count);
    pvmd_link_tell(task, revive_wishes(task, record->bytes, record->size), TID_OWN_DAEMON);
    while (!why && luggage_get_int(&reader) == 1)
        why = revive_entry(task, &reader);
    return why;
}
