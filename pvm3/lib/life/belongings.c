/* belongings.c - what others keep of a task, one behind the other. */
#include "lib/life/belongings.h"

#include <stdlib.h>
#include <string.h>

#include "lib/link/park_order.h"
#include "lib/link/results.h"
#include "lib/link/siblings.h"
#include "lib/serve/handler.h"
#include "lib/serve/options.h"
#include "lib/serve/own_notice.h"
#include "lib/serve/printed.h"
#include "lib/task/active_buffer.h"
#include "lib/task/buffer.h"

/* Changes with whatever is put here or by those who are asked to. */
#define BELONGINGS_VERSION "libpvm3 " VERSION ", 1"

static bool belongings_serves(const struct task *task)
{
    int tid = atomic_load(&task->tid);
    return task->hoster.tid == tid || task->tasker.tid == tid || task->tracer.tid == tid ||
           task->results.master;
}

const char *belongings_hindrance(struct caller *caller)
{
    struct task *task = caller->task;
    lock_acquire(&task->buffers.lock);
    bool alone = task->callers == caller && !caller->next;
    lock_release(&task->buffers.lock);
    lock_acquire(&task->catcher.lock);
    bool catches = task->catcher.file || task->catcher.tasks;
    lock_release(&task->catcher.lock);
    if (!alone)
        return "it has more than one thread";
    if (caller->handling)
        return "it is in a message handler";
    if (buffers_are_shown(&task->buffers))
        return "it reads an array where pvm_shared has found it";
    if (catches)
        return "it catches the output of its children";
    return belongings_serves(task) ? "it serves the virtual machine" : NULL;
}

/* Putting. ------------------------------------------------------------------------------------- */

static void belongings_put_arrived(void *context, const struct message *message, bool let_in)
{
    struct luggage *luggage = context;
    luggage_put_int(luggage, 1);
    luggage_put_int(luggage, let_in);
    luggage_put_message(luggage, message);
}

static void belongings_put_enrolment(struct task *task, struct luggage *luggage)
{
    lock_acquire(&task->enrolment_lock);
    luggage_put_int(luggage, task->parent);
    luggage_put_text(luggage, task->name);
    lock_release(&task->enrolment_lock);
}

static void belongings_put_matcher(struct task *task, struct luggage *luggage)
{
    int (*matcher)(int, int, int) = atomic_load(&task->matcher);
    luggage_put(luggage, &matcher, sizeof matcher);
}

void belongings_put(struct caller *caller, struct luggage *luggage)
{
    struct task *task = caller->task;
    luggage_put_text(luggage, BELONGINGS_VERSION);
    luggage_put_int(luggage, atomic_load(&task->tid));
    belongings_put_enrolment(task, luggage);
    luggage_put_int(luggage, atomic_load(&task->manager));
    luggage_put_int(luggage, atomic_load(&task->next_wait));
    luggage_put_int(luggage, task->context);
    luggage_put_int(luggage, caller->context);
    belongings_put_matcher(task, luggage);
    options_put(task, luggage);
    printed_put(task, luggage);
    siblings_put(task, luggage);
    results_put(task, luggage);
    own_notice_put(task, luggage);
    park_order_put(task, luggage);
    handler_put(task, luggage);
    buffers_put(&task->buffers, luggage);
    active_buffer_put(caller, luggage);
    endpoint_show_arrived(&task->endpoint, belongings_put_arrived, luggage);
    luggage_put_int(luggage, 0);
}

/* Getting. ------------------------------------------------------------------------------------- */

int belongings_get_tid(struct luggage_reader *reader)
{
    char *version = luggage_get_text(reader);
    bool same = version && strcmp(version, BELONGINGS_VERSION) == 0;
    int tid = luggage_get_int(reader);
    free(version);
    return same && !reader->failed ? tid : 0;
}

static void belongings_get_arrived(struct task *task, struct luggage_reader *reader)
{
    while (luggage_get_int(reader) == 1) {
        bool let_in = luggage_get_int(reader) != 0;
        struct message *message = luggage_get_message(reader);
        if (!message)
            return;
        buffer_requeue(task, message);
        endpoint_put_arrived(&task->endpoint, message, let_in);
    }
}

static void belongings_get_matcher(struct task *task, struct luggage_reader *reader)
{
    int (*matcher)(int, int, int);
    luggage_get(reader, &matcher, sizeof matcher);
    atomic_store(&task->matcher, matcher);
}

static void belongings_get_enrolment(struct task *task, struct luggage_reader *reader)
{
    int parent = luggage_get_int(reader);
    char *name = luggage_get_text(reader);
    lock_acquire(&task->enrolment_lock);
    free(task->name);
    task->name = name;
    task->parent = parent;
    lock_release(&task->enrolment_lock);
}

bool belongings_get(struct caller *caller, struct luggage_reader *reader)
{
    struct task *task = caller->task;
    belongings_get_enrolment(task, reader);
    atomic_store(&task->manager, luggage_get_int(reader));
    atomic_store(&task->next_wait, luggage_get_int(reader));
    task->context = luggage_get_int(reader);
    caller->context = luggage_get_int(reader);
    belongings_get_matcher(task, reader);
    options_get_again(task, reader);
    printed_get(task, reader);
    siblings_get_again(task, reader);
    results_get(task, reader);
    own_notice_get(task, reader);
    park_order_get(task, reader);
    handler_get(task, reader);
    buffers_get(task, reader);
    active_buffer_get(caller, reader);
    belongings_get_arrived(task, reader);
    return !reader->failed;
}
