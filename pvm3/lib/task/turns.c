/* turns.c - the signs of threads that take turns, and of threads that do not. */
#include "lib/task/turns.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pvmproto.h>

#include "ck/base/cancel.h"
#include "core/annotate.h"
#include "lib/task/buffer.h"
#include "lib/task/caller.h"
#include "lib/task/task.h"
#include "lib/task/variables.h"

/*
 * The watch for another thread's call: looks a millisecond apart. A thread that sleeps outside the
 * library for QUIET_LOOKS of them waits for its turn, if no other thread runs meanwhile. On a busy
 * machine a thread that is about to run may take its time, and so may one that has what others sleep
 * for, as a lock of the allocator.
 */
#define MOST_LOOKS  1000
#define QUIET_LOOKS 20

/* What an active buffer still has to give. */
enum supply { SUPPLY_NONE, SUPPLY_DONE, SUPPLY_LIVE };

static struct buffer **turns_active(struct caller *caller, enum turns_role role)
{
    return role == TURNS_SEND ? &caller->send : &caller->receive;
}

static int turns_read(const atomic_int *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void turns_write(atomic_int *value, int to)
{
    atomic_store_explicit(value, to, memory_order_relaxed);
}

static struct caller *turns_owner(const struct turns_last *last)
{
    return atomic_load_explicit(&last->owner, memory_order_relaxed);
}

static void turns_own(struct turns_last *last, struct caller *owner)
{
    atomic_store_explicit(&last->owner, owner, memory_order_relaxed);
}

static void turns_copy(struct turns_last *to, const struct turns_last *from)
{
    turns_own(to, turns_owner(from));
    turns_write(&to->id, turns_read(&from->id));
}

void turns_init(struct task *task)
{
    struct turns *turns = &task->turns;
    const char *text = variables_get(task, "PVM_ACTIVE_BUFFERS", "auto");
    enum turns_mode mode = TURNS_UNDECIDED;
    if (strcmp(text, "thread") == 0)
        mode = TURNS_NONE;
    else if (strcmp(text, "task") == 0)
        mode = TURNS_TAKEN;
    else if (strcmp(text, "auto") != 0)
        task_print(task,
                   "PVM_ACTIVE_BUFFERS is %.100s: taking auto, as it must be auto, thread or task",
                   text);
    atomic_init(&turns->mode, mode);
    atomic_init(&turns->context, task->context);
    ANNOTATE_ATOMIC(turns, sizeof *turns);
}

void turns_inherit(struct caller *caller, struct turns *from)
{
    struct turns *turns = &caller->task->turns;
    turns_write(&turns->mode, turns_read(&from->mode));
    turns_write(&turns->context, turns_read(&from->context));
    for (enum turns_role role = TURNS_SEND; role < TURNS_ROLES; role++) {
        struct turns_last *last = &turns->last[role];
        if (turns_is_last(from, caller, role))
            turns_own(last, caller);
        turns_write(&last->id, turns_read(&from->last[role].id));
    }
}

void turns_end(struct task *task)
{
    turns_write(&task->turns.mode, TURNS_NONE);
}

bool turns_has_own_beside(struct turns *turns, const struct caller *caller)
{
    uintptr_t inside = turns_inside(turns);
    if (!inside || inside == turns_mark(caller, false))
        return false;
    if (inside != turns_mark(caller, true))
        turns_write(&turns->mode, TURNS_NONE);
    return true;
}

/*
 * A thread that has ended leaves its active buffer for others. The first thread that makes another
 * buffer active frees it.
 */
static void turns_free_left(struct task *task, int id)
{
    struct buffer *left = id ? buffer_find(task, id) : NULL;
    if (left)
        buffer_discard(task, left);
    buffer_release(left);
}

void turns_follow(struct caller *caller, enum turns_role role)
{
    struct turns_last *last = &caller->task->turns.last[role];
    turns_copy(&caller->task->turns.before[role], last);
    turns_free_left(caller->task, atomic_exchange(&caller->task->turns.left[role], 0));
    turns_own(last, caller);
}

/* What a thread left is another one's, or nobody's. */
static void turns_keep(struct turns *turns, enum turns_role role, int id)
{
    atomic_compare_exchange_strong(&turns->left[role], &id, 0);
}

void turns_take(struct caller *caller, enum turns_role role)
{
    struct turns_last *last = &caller->task->turns.last[role];
    int id = turns_read(&last->id);
    if (turns_is_apart(&caller->task->turns, caller))
        return;
    turns_keep(&caller->task->turns, role, id);
    buffer_activate(turns_active(caller, role), id ? buffer_find(caller->task, id) : NULL);
    turns_own(last, caller);
    caller->taken[role] = true;
}

/* What was taken over before the threads were seen to have own buffers is another thread's. */
void turns_let_go(struct caller *caller, enum turns_role role)
{
    if (!caller->taken[role])
        return;
    caller->taken[role] = false;
    buffer_activate(turns_active(caller, role), NULL);
}

void turns_put_back(struct caller *caller, enum turns_role role)
{
    struct turns *turns = &caller->task->turns;
    struct turns_last *before = &turns->before[role];
    bool last = turns_is_last(turns, caller, role);
    if (turns_is_apart(turns, caller))
        return;
    if (turns_mode(turns) != TURNS_UNDECIDED)
        turns_tell(turns, caller, role, 0);
    else if (last && turns_owner(before))
        turns_copy(&turns->last[role], before);
    else if (last)
        turns_write(&turns->last[role].id, 0);
    turns_own(before, NULL);
}

static enum supply turns_supply(struct buffer *buffer, enum turns_role role)
{
    if (!buffer)
        return SUPPLY_NONE;
    owned_lock_acquire(&buffer->lock);
    enum supply supply = SUPPLY_NONE;
    if (buffer->message && role == TURNS_SEND)
        supply = buffer->sent ? SUPPLY_DONE : SUPPLY_LIVE;
    else if (buffer->message)
        supply = buffer->use == BUFFER_UNPACKED &&
                         message_remaining(buffer->message, buffer->cursor) == 0
                     ? SUPPLY_DONE
                     : SUPPLY_LIVE;
    owned_lock_release(&buffer->lock);
    return supply;
}

/*
 * Whether a thread of the process, by its number in /proc, runs or is about to. One that waits for
 * the system, as for the lock of the process's addresses while another one gets memory, is.
 */
static bool turns_thread_runs(const char *thread)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return name_end && (strncmp(name_end, ") R", 3) == 0 || strncmp(name_end, ") D", 3) == 0);
}

/* Whether a thread of the process but the calling one runs or is about to. */
static bool turns_others_run(void)
{
    int self = (int)syscall(SYS_gettid);
    DIR *folder = opendir("/proc/self/task");
    bool run = false;
    for (struct dirent *entry; folder && !run && (entry = readdir(folder)) != NULL;)
        run = entry->d_name[0] != '.' && atoi(entry->d_name) != self &&
              turns_thread_runs(entry->d_name);
    if (folder)
        closedir(folder);
    return run;
}

/* Watches for a moment. True when no other thread has called: they wait for their turn. */
static bool turns_watch(struct caller *caller)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    struct turns *turns = &caller->task->turns;
    turns_begin_wait(caller);
    for (int looks = 0, quiet = 0; looks < MOST_LOOKS && quiet < QUIET_LOOKS; looks++) {
        nanosleep(&pause, NULL);
        if (turns_mode(turns) == TURNS_NONE)
            break;
        quiet = turns_others_run() ? 0 : quiet + 1;
    }
    turns_end_wait(caller);
    return turns_mode(turns) != TURNS_NONE;
}

/*
 * Whether the task's last buffer, which is another thread's, is the one to be found by this call. A
 * correct program makes no call that fails: so where only one of the two buffers gives data, that
 * buffer is meant.
 */
static bool turns_judge(struct caller *caller, const struct turns_last *last, enum supply own,
                        enum supply others)
{
    if (others == SUPPLY_NONE || (own == SUPPLY_LIVE && others == SUPPLY_DONE))
        return false;
    if (own == SUPPLY_NONE)
        return true;
    bool receives = last == &caller->task->turns.last[TURNS_RECEIVE];
    if (receives && own == SUPPLY_DONE && others == SUPPLY_DONE)
        return false;
    if (!turns_owner(last)) /* a thread that has ended makes no call */
        return own != SUPPLY_LIVE && others == SUPPLY_LIVE;
    return turns_watch(caller);
}

/* When the task is undecided: whether this call is to find the task's last buffer (turns_judge). */
static bool turns_others_is_meant(struct caller *caller, enum turns_role role)
{
    const struct turns_last *last = &caller->task->turns.last[role];
    struct buffer *own = *turns_active(caller, role);
    int id = turns_read(&last->id);
    struct buffer *others = id ? buffer_find(caller->task, id) : NULL;
    bool meant = others != own &&
                 turns_judge(caller, last, turns_supply(own, role), turns_supply(others, role));
    buffer_release(others);
    return meant;
}

void turns_find(struct caller *caller, enum turns_role role)
{
    HOLD_OFF_CANCELLATION; /* a call that packs or sends does not */
    struct turns *turns = &caller->task->turns;
    if (turns_has_own(turns, caller))
        return;
    int undecided = TURNS_UNDECIDED;
    if (turns_mode(turns) == TURNS_UNDECIDED && turns_others_is_meant(caller, role))
        atomic_compare_exchange_strong(&turns->mode, &undecided, TURNS_TAKEN);
    if (turns_mode(turns) == TURNS_TAKEN)
        turns_take(caller, role);
    else
        turns_tell(turns, caller, role, buffer_active_id(turns_active(caller, role)));
}

bool turns_leave(struct caller *caller, enum turns_role role)
{
    struct turns *turns = &caller->task->turns;
    struct turns_last *last = &turns->last[role];
    enum turns_mode mode = turns_mode(turns);
    bool apart = turns_is_apart(turns, caller);
    if (mode == TURNS_NONE)
        return caller->taken[role];
    struct caller *owner = caller;
    bool mine = atomic_compare_exchange_strong(&last->owner, &owner, NULL);
    if (mine)
        turns_free_left(caller->task, atomic_exchange(&turns->left[role], turns_read(&last->id)));
    if (turns_owner(&turns->before[role]) == caller)
        turns_own(&turns->before[role], NULL);
    return !apart && (mine || mode == TURNS_TAKEN);
}

void turns_leave_call(struct caller *caller)
{
    struct turns *turns = &caller->task->turns;
    uintptr_t waits = turns_mark(caller, false), apart = turns_mark(caller, true);
    atomic_compare_exchange_strong(&turns->inside, &waits, 0);
    atomic_compare_exchange_strong(&turns->inside, &apart, 0);
}

void turns_forget(struct task *task, int id)
{
    struct turns *turns = &task->turns;
    if (turns_mode(turns) == TURNS_NONE)
        return;
    for (enum turns_role role = TURNS_SEND; role < TURNS_ROLES; role++) {
        turns_keep(turns, role, id);
        if (turns_read(&turns->last[role].id) == id)
            turns_write(&turns->last[role].id, 0);
        if (turns_read(&turns->before[role].id) == id)
            turns_own(&turns->before[role], NULL);
    }
}

static void turns_set_inside(struct turns *turns, uintptr_t inside)
{
    atomic_store_explicit(&turns->inside, inside, memory_order_relaxed);
}

void turns_begin_handler(struct caller *caller, int context, struct turns_memory *memory)
{
    struct turns *turns = &caller->task->turns;
    for (int role = 0; role < TURNS_ROLES; role++) {
        struct turns_last *last = &turns->last[role];
        memory->owner[role] = turns_owner(last);
        memory->id[role] = turns_read(&last->id);
        if (turns_mode(turns) == TURNS_NONE)
            continue;
        turns_own(last, caller);
        turns_write(&last->id, 0);
    }
    memory->context = turns_read(&turns->context);
    turns_write(&turns->context, context);
    memory->inside = turns_inside(turns);
    if (turns_is_apart(turns, caller))
        turns_set_inside(turns, turns_mark(caller, false));
}

void turns_end_handler(struct caller *caller, const struct turns_memory *memory)
{
    struct turns *turns = &caller->task->turns;
    turns_write(&turns->context, memory->context);
    turns_set_inside(turns, memory->inside);
    for (int role = 0; role < TURNS_ROLES && turns_mode(turns) != TURNS_NONE; role++) {
        turns_own(&turns->last[role], memory->owner[role]);
        turns_write(&turns->last[role].id, memory->id[role]);
    }
}

void turns_begin_wait(struct caller *caller)
{
    struct turns *turns = &caller->task->turns;
    if (turns_mode(turns) != TURNS_NONE && !turns_has_own(turns, caller))
        turns_set_inside(turns, turns_mark(caller, false));
}

/*
 * A wait within a message handler is one within the wait that called it, which goes on. So does a
 * group call when a wait within it ends.
 */
void turns_end_wait(struct caller *caller)
{
    struct turns *turns = &caller->task->turns;
    if (turns_mode(turns) != TURNS_NONE && !turns_has_own(turns, caller) && !caller->handling)
        turns_set_inside(turns, 0);
}

void turns_set_context(struct caller *caller, int context)
{
    struct turns *turns = &caller->task->turns;
    bool apart = turns_is_apart(turns, caller);
    caller->context = context;
    if (context == SYSCTX_DG) {
        turns_begin_wait(caller);
        if (turns_mode(turns) != TURNS_NONE)
            turns_set_inside(turns, turns_mark(caller, true));
    } else if (apart) {
        turns_set_inside(turns, turns_mark(caller, false));
        turns_end_wait(caller);
    } else {
        turns_write(&turns->context, context);
    }
}

void turns_put(struct caller *caller, struct luggage *luggage)
{
    struct turns *turns = &caller->task->turns;
    luggage_put_int(luggage, (int)turns_mode(turns));
    luggage_put_int(luggage, turns_read(&turns->context));
    for (enum turns_role role = TURNS_SEND; role < TURNS_ROLES; role++) {
        luggage_put_int(luggage, caller->taken[role]);
        luggage_put_int(luggage, turns_is_last(turns, caller, role));
        luggage_put_int(luggage, turns_read(&turns->last[role].id));
        luggage_put_int(luggage, turns_read(&turns->left[role]));
    }
}

void turns_get(struct caller *caller, struct luggage_reader *reader)
{
    struct turns *turns = &caller->task->turns;
    turns_write(&turns->mode, luggage_get_int(reader));
    turns_write(&turns->context, luggage_get_int(reader));
    for (enum turns_role role = TURNS_SEND; role < TURNS_ROLES; role++) {
        caller->taken[role] = luggage_get_int(reader) != 0;
        turns_own(&turns->last[role], luggage_get_int(reader) ? caller : NULL);
        turns_write(&turns->last[role].id, luggage_get_int(reader));
        turns_write(&turns->left[role], luggage_get_int(reader));
    }
}
