/*
 * tasks.h - tasks that begin and end beside the first one of the process, and their threads.
 *
 * A thread may begin a task beside the first, which is born apart and has a connection and a tid of
 * its own when it has enrolled. A thread belongs to one task at a time. One that was bound to none
 * belongs to the first task, which goes with the process. A task beside the first goes, with all
 * that it had, when it has ended and its last thread has left it.
 */
#ifndef LIB_LIFE_TASKS_H
#define LIB_LIFE_TASKS_H

#include <stdbool.h>

struct task;

/* Bytes of the name of a thread, as the system keeps it. */
#define PROCESS_THREAD_NAME 16

/*
 * Makes a task beside the first to which no thread belongs yet, as process_begin_task does. It is
 * enrolled by a thread of another task, and goes with its last thread, or is discarded after it has
 * left the machine: then no thread has joined it. `is_thread`: it is a thread task (task.h).
 */
struct task *process_new_task(int parent, bool is_thread);
void process_discard_task(struct task *task);

/*
 * Shows the tid of the calling thread's task, which is a thread task, in the name of the thread. A
 * thread that it makes has this name, too, and belongs to the same task when it calls: so
 * pthread_create need not be wrapped.
 */
void process_name_thread(const struct task *task);

/*
 * Begins a task beside the first, of which the calling thread is the only one. The thread leaves
 * its task as if it ended. `parent` is the tid of another task of the process, which the new one
 * has for its parent, unless the pvmd is of 3.4.6; or 0. NULL without memory or descriptors: then
 * nothing has changed. Not from a message handler, like the next two.
 */
struct task *process_begin_task(int parent);

/*
 * Ends the thread task `tid` of this process as the pvmd does: its connection ends, and its threads
 * at their next calls. The pvmd of 3.4.6 would end the process, also for a task that ends already.
 * False when there is none.
 */
bool process_kill_task(int tid);

/* Whether a thread task of this process has the tid, or is to become the task that has it. */
bool process_awaits(int tid);

/* Makes the calling thread one of `task`, which has not ended. False without memory. */
bool process_join_task(struct task *task);

/*
 * Ends the calling thread's task, as pvm_exit does, unless that is the first: PvmBadParam. The
 * thread belongs to none afterwards. Other threads of the task leave it when they end or join
 * another one.
 */
int process_end_task(void);

#endif
