/* holder.c - the loop of a holder: its main thread takes orders, and notices the ends of users. */
#include "lib/spawn/holder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pvm3.h>

#include "core/tid.h"
#include "lib/life/enrolment.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/mailbox.h"
#include "lib/spawn/guest.h"
#include "lib/spawn/hold_order.h"
#include "lib/spawn/program.h"
#include "lib/spawn/thread_task.h"
#include "lib/task/caller.h"
#include "lib/task/process.h"
#include "lib/task/variables.h"

/* The mailbox entry. --------------------------------------------------------------------------- */

/* The name of the mailbox entry; NULL without memory. */
static char *holder_entry(uint32_t tid, const char *program)
{
    char *name;
    return asprintf(&name, "pvm_threads:%x:%s", tid_host_part(tid), program) < 0 ? NULL : name;
}

int holder_find(struct task *task, uint32_t tid, const char *program)
{
    struct message *entry;
    char *name = holder_entry(tid, program);
    int result = name ? mailbox_get(task, name, 0, PvmMboxDefault, &entry) : PvmNoMem;
    free(name);
    if (result < 0)
        return result;
    struct control_reader reader;
    control_read(&reader, entry);
    int holder = control_get_int(&reader);
    message_free(entry);
    return holder;
}

void holder_bury(struct task *task, uint32_t tid, const char *program, uint32_t holder)
{
    char *name = holder_entry(tid, program);
    if (name)
        mailbox_bury(task, name, 0, holder);
    free(name);
}

/* The holder. ---------------------------------------------------------------------------------- */

struct holder {
    struct caller *caller;
    struct task *task;
    uint32_t tid;
    char program[PATH_MAX]; /* the path of the program */
    dev_t device;           /* the file that was at this path when the process began */
    ino_t inode;
    int place;       /* the tid of the holder: this task or another one; 0, or an error */
    uint32_t *users; /* tasks that have sent orders and have not ended */
    size_t user_count;
};

/* Makes this holder known by a name of its program. PvmDenied if another task has that entry. */
static int holder_publish(const struct holder *holder, const char *program)
{
    struct message *entry = control_new(0, PvmBaseContext, 0);
    control_put_tid(entry, holder->tid);
    char *name = holder_entry(holder->tid, program);
    int result = PvmNoMem;
    if (name && control_is_whole(entry)) {
        entry->header.source = holder->tid;
        result = mailbox_put(holder->task, name, MAILBOX_INDEX_IN_FLAGS, PvmMboxDefault, entry);
    }
    free(name);
    message_free(entry);
    return result;
}

/*
 * Becomes the holder, or finds the one that there is. The entry of a holder that has just ended may
 * still be there.
 */
static void holder_choose(struct holder *holder)
{
    int result, other;
    while ((result = holder_publish(holder, holder->program)) == PvmDenied) {
        other = holder_find(holder->task, holder->tid, holder->program);
        if (other > 0 && pvmd_link_state(holder->task, other) == PvmOk) {
            holder->place = other;
            return;
        }
        if (other > 0)
            holder_bury(holder->task, holder->tid, holder->program, (uint32_t)other);
    }
    holder->place = result < 0 ? result : (int)holder->tid;
}

/*
 * If another file has replaced the program, the next holder is to run that file: this one takes its
 * entry back.
 */
static void holder_check_program(struct holder *holder)
{
    struct stat file;
    if (holder->place != (int)holder->tid || stat(holder->program, &file) < 0 ||
        (file.st_dev == holder->device && file.st_ino == holder->inode))
        return;
    holder_bury(holder->task, holder->tid, holder->program, holder->tid);
    holder->place = 0;
}

/* Users. --------------------------------------------------------------------------------------- */

/* Asks for word of the end of a new user. False without memory, or if the pvmd is gone. */
static bool holder_add_user(struct holder *holder, uint32_t tid)
{
    for (size_t i = 0; i < holder->user_count; i++)
        if (holder->users[i] == tid)
            return true;
    uint32_t *grown = realloc(holder->users, (holder->user_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    holder->users = grown;
    grown[holder->user_count++] = tid;
    return pvmd_link_watch(holder->task, PvmTaskExit, CONTROL_HOLD, tid) == 0;
}

static void holder_drop_user(struct holder *holder, uint32_t tid)
{
    for (size_t i = 0; i < holder->user_count; i++)
        if (holder->users[i] == tid)
            holder->users[i] = holder->users[--holder->user_count];
}

/* Orders. -------------------------------------------------------------------------------------- */

/* New tasks inherit the context and the sinks of the holder, so these become those of the order. */
static void holder_stand_for(struct holder *holder, const struct hold_order *order)
{
    struct task *task = holder->task;
    holder->caller->context = order->context;
    lock_acquire(&task->options_lock);
    task->child_sinks = order->sinks;
    task_show(task);
    lock_release(&task->options_lock);
}

static int holder_start(struct holder *holder, const struct hold_order *order, int parent,
                        int *results)
{
    struct thread_order threads = {
        .function = functions_find(holder->task->process, order->function),
        .name = order->function,
        .words = order->words,
        .parent = parent,
        .hidden_parent = order->hidden_parent,
    };
    if (order->guest.place >= 0) {
        int error = guest_start(holder->caller, parent, &order->guest, order->words);
        results[0] = error < 0 ? error : (int)holder->tid;
        return PvmOk;
    }
    if (!threads.function)
        return PvmNoFile;
    holder_stand_for(holder, order);
    return thread_task_start_on(holder->caller, &threads,
                                variables_get(holder->task, "PVM_THREAD_PROCESSORS", NULL),
                                order->count, results);
}

/* Starts the tasks if this is the holder. `results` has room for one result a task. */
static struct hold_answer holder_answer(struct holder *holder, const struct hold_order *order,
                                        int parent, int *results)
{
    struct hold_answer answer = {.place = holder->place, .results = results};
    if (answer.place < 0)
        answer.error = answer.place;
    if (answer.place != (int)holder->tid)
        return answer;
    if (*order->program)
        holder_publish(holder, order->program);
    answer.error = holder_start(holder, order, parent, results);
    answer.count = answer.error < 0 ? 0 : order->count;
    return answer;
}

static void holder_obey(struct holder *holder, const struct message *message)
{
    uint32_t source = message->header.source;
    struct hold_order order;
    struct hold_answer answer = {.error = PvmNoMem};
    int *results = NULL;
    holder_check_program(holder);
    if (hold_order_get(message, &order) && holder_add_user(holder, source))
        results = calloc((size_t)order.count, sizeof *results);
    if (results)
        answer = holder_answer(holder, &order, (int)source, results);
    pvmd_link_tell(holder->task, hold_answer_put(&answer, order.tag), source);
    free(results);
    hold_order_free(&order);
    if (answer.place != (int)holder->tid)
        holder->user_count = 0; /* users ask another holder from now on */
}

/* The pvmd's word: a user has ended; or a question whether it still comes. */
static void holder_hear(struct holder *holder, const struct message *word)
{
    struct control_reader reader;
    control_read(&reader, word);
    uint32_t tid = control_get_tid(&reader);
    if (control_rest(&reader) > 0)
        guest_tell_not(holder->task, (int)tid);
    else
        holder_drop_user(holder, tid);
}

/* Life. ---------------------------------------------------------------------------------------- */

/* With the lock, so that a last thread task which is just ending has ended (holder_is_alone). */
static bool holder_is_needed(const struct holder *holder)
{
    struct process *process = holder->task->process;
    pthread_mutex_lock(&process->lives);
    int threads = atomic_load(&process->threads);
    pthread_mutex_unlock(&process->lives);
    return holder->user_count > 0 || threads > 0;
}

/* Returns when the holder is not needed any more, or when it has lost the pvmd. */
static void holder_serve(struct holder *holder)
{
    static const struct pattern any = {
        .source = PATTERN_ANY_SOURCE, .tag = CONTROL_HOLD, .context = CONTROL_CONTEXT_TC};
    struct message *message;
    while (holder_is_needed(holder) &&
           endpoint_receive(&holder->task->endpoint, &any, NULL, &message) == 0) {
        if (message->header.source == TID_OWN_DAEMON)
            holder_hear(holder, message);
        else if (message->header.source != holder->tid)
            holder_obey(holder, message);
        message_free(message);
    }
}

/* The tid in HOLDER_VARIABLE, which goes: programs that the tasks run are no holders. */
static uint32_t holder_take_variable(struct task *task)
{
    long first = variables_get_number(task, HOLDER_VARIABLE, 0);
    variables_hold(task);
    unsetenv(HOLDER_VARIABLE);
    variables_let_go(task);
    return (uint32_t)first;
}

static void holder_learn_program(struct holder *holder)
{
    struct stat file;
    if (!functions_program(holder->program))
        snprintf(holder->program, sizeof holder->program, "%s", program_invocation_short_name);
    if (stat(holder->program, &file) == 0) {
        holder->device = file.st_dev;
        holder->inode = file.st_ino;
    }
}

/* Ends the process as a return from main would. */
__attribute__((noreturn)) static void holder_run(struct caller *caller)
{
    struct holder holder = {.caller = caller, .task = caller->task};
    uint32_t first = holder_take_variable(holder.task);
    holder.tid = (uint32_t)atomic_load(&caller->task->tid);
    holder_learn_program(&holder);
    holder_choose(&holder);
    if (holder_add_user(&holder, first))
        holder_serve(&holder);
    free(holder.users);
    exit(enrolment_exit(caller) == PvmOk ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Takes the place of enrolment_begin: the first call that enrols the process does not return. */
static int holder_enrol(struct task *task)
{
    int error = enrolment_begin(task);
    if (error == 0)
        holder_run(caller_current());
    return error;
}

/* The last thread task has ended: the holder looks whether it is still needed. By any thread. */
static void holder_is_alone(struct task *task)
{
    struct message *word = control_new(CONTROL_HOLD, CONTROL_CONTEXT_TC, 0);
    if (!word)
        return;
    word->header.source = (uint32_t)atomic_load(&task->tid);
    endpoint_take_own(&task->endpoint, word);
}

/* Runs when the library is loaded, before the program makes any call. */
__attribute__((constructor)) static void holder_prepare(void)
{
    static const struct task_steps steps = {
        .enrol = holder_enrol,
        .leave = enrolment_exit,
        .stop = enrolment_stop_thread,
        .alone = holder_is_alone,
    };
    if (getenv(HOLDER_VARIABLE))
        caller_self()->task->steps = &steps;
}
