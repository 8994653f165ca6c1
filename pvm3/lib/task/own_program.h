/*
 * own_program.h - for pvmulp alone: the program of a task, if that is not the process's.
 *
 * Threads: own_program_set is called by a thread of the task, before its program begins and after
 * it has ended.
 */
#ifndef LIB_TASK_OWN_PROGRAM_H
#define LIB_TASK_OWN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What such a program has in place of what the process has. It outlives its use. With `allocate`,
 * lists that calls return are the program's memory: they go with it, wherever it goes.
 */
struct own_program {
    int *error;                     /* its pvm_errno */
    int *tid;                       /* its pvmmytid; NULL: it has none */
    void (*exit)(int status);       /* what ends it, */
    void (*abort)(void);            /* also as a failure */
    void (*leave)(void);            /* called before it leaves the machine, in order; or NULL */
    void *(*allocate)(size_t size); /* memory of the program, which `free` takes back; or NULL */
    /* Its environment, for what it exports to tasks that it spawns. */
    char *(*getenv)(const char *name);
    int (*setenv)(const char *name, const char *value, int replace);
};

/* The calling thread's task runs this program from now on; NULL: the process's. */
__attribute__((visibility("default"))) void own_program_set(const struct own_program *program);

/*
 * Where the program of the calling thread sees pvm_errno. libgpvm3 calls this function if its
 * libpvm3 has it: that of 3.4.6 does not.
 */
__attribute__((visibility("default"))) int *own_program_error(void);

/* Whether the calling thread's task is one of the virtual machine now: it has not left. */
__attribute__((visibility("default"))) bool own_program_is_task(void);

/*
 * From now on carriers, as many as there are processors for the process, run the calling thread and
 * those of tasks that it spawns, as fibers (ck/base/fiber.h). One that a tick has interrupted may be
 * suspended if `may_suspend`. Then, or if it has interrupted itself, `interrupted` is called in the
 * signal handler. False if this machine cannot switch; then all is as before.
 */
__attribute__((visibility("default"))) bool
own_program_carry(bool (*may_suspend)(uintptr_t instruction), void (*interrupted)(void *context));

/* The calling thread interrupts itself. */
__attribute__((visibility("default"))) void own_program_interrupt(void);

/* The record of the calling thread as a fiber, a struct fiber, for debuggers; NULL: it is none. */
__attribute__((visibility("default"))) const void *own_program_fiber(void);

/* The calling thread, which belonged to a task, is a thread of the system again. */
__attribute__((visibility("default"))) void own_program_end_carrying(void);

/* What signals the thread of a task blocks now, it blocks wherever it runs. */
__attribute__((visibility("default"))) void own_program_keep_mask(void);

/* Around a call that blocks in the system, by a thread of a task. Both keep errno. */
__attribute__((visibility("default"))) void own_program_go_home(void);
__attribute__((visibility("default"))) void own_program_come_back(void);

/* Moving to another process, which may be on another host (lib/life/move.h). ------------------- */

/*
 * The host to which the calling thread's task is to move; 0: it is to stay; OWN_PROGRAM_PARKS: it is
 * to be put away in a file (own_program_park). Cheap.
 */
#define OWN_PROGRAM_PARKS UINT32_MAX
__attribute__((visibility("default"))) uint32_t own_program_destination(void);

/* The task has not moved, for a reason in words: `code` is an error. It is asked no more. */
__attribute__((visibility("default"))) void own_program_stays(int code, const char *why);

/*
 * The order is put off: the calling thread's task is to stay for now. What own_program_call_in takes:
 * from then on it is to move again, as if the order came then. Any thread calls that, once, while the
 * task's thread is there.
 */
__attribute__((visibility("default"))) void *own_program_put_off(void);
__attribute__((visibility("default"))) void own_program_call_in(void *order);

/*
 * Whether receives of the calling thread do not wait, or wait no longer, when its task is to move.
 * Such a receive returns OWN_PROGRAM_MOVES, of which nobody is told, and is to be made again; what
 * was received before is gone, as it is once the receive has a message.
 */
#define OWN_PROGRAM_MOVES (-1000)
__attribute__((visibility("default"))) void own_program_may_move(bool may);

/*
 * The calling thread's task leaves for `host`; `region` is its number. 0, and all that the library
 * keeps of it in *state, `*size` bytes that are the caller's (free): nothing comes to the task any
 * more, and its thread makes no calls but the two that follow. Or an error and *why, and all is as
 * before.
 */
__attribute__((visibility("default"))) int
own_program_leave(uint32_t host, int32_t region, void **state, size_t *size, const char **why);

/*
 * After own_program_leave, the task is to stay after all. 0: it does, and all is as before. 1: it
 * lives in the other process already. An error: the daemon is lost.
 */
__attribute__((visibility("default"))) int own_program_stay(void);

/*
 * After own_program_leave, the task lives in the other process. It ends here without a word to
 * anybody, and so does the calling thread soon.
 */
__attribute__((visibility("default"))) void own_program_part(void);

/*
 * In the other process: the calling thread's task, which has not enrolled, becomes that of
 * `state`. 0, or an error and *why.
 */
__attribute__((visibility("default"))) int own_program_arrive(const void *state, size_t size,
                                                              const char **why);

/*
 * Has a thread started on another host, in the process that holds user-level processes there, with a
 * stack of so many bytes at this place (lib/spawn/stack_source.h). A connection to that thread, and
 * the tid of who holds them, for own_program_leave; or
 * an error: PvmOutOfRes if the place is taken there, PvmDSysErr if the thread did not connect. Not
 * from within a message handler.
 */
__attribute__((visibility("default"))) int own_program_knock(uint32_t host, unsigned place,
                                                             size_t stack, uint32_t *holder);

/* What such a thread does here. It closes the connection. Before own_program_carry. */
__attribute__((visibility("default"))) void own_program_welcome(void (*welcome)(int connection));

/* Being put away in a file, and coming back (lib/spawn/park.c, park.h). ------------------------ */

/*
 * The calling thread's task stands still from now on: it sends nothing before own_program_run_on. A
 * connection to who has asked for it, or -1: then it is to run on at once.
 */
__attribute__((visibility("default"))) int own_program_park(void);
__attribute__((visibility("default"))) void own_program_run_on(void);

/*
 * All tasks in the list stand still, and each of them calls this with the same number: all that they
 * have sent to the task has come when it returns. False if `connection` ends meanwhile.
 */
__attribute__((visibility("default"))) bool own_program_flush(int number, const int *tids,
                                                              int count, int connection);

/*
 * Then: all that the library keeps of the task, as own_program_leave gives it, and all that the pvmd
 * knows, both the caller's (free). `region` is the number. 0, or an error and *why, which is good
 * until the next call.
 */
__attribute__((visibility("default"))) int own_program_pack(int region, void **state, size_t *size,
                                                            void **record, size_t *record_size,
                                                            const char **why);

/*
 * After own_program_arrive, of a task that comes from a file: all that are in the list have arrived.
 * It prints to those and to nobody else, is told of what it had asked for, and has its entries in the
 * mailbox. NULL, or why not.
 */
struct own_program_bytes {
    void *bytes;
    size_t size;
};
__attribute__((visibility("default"))) const char *
own_program_revive(const int *tids, int count, const struct own_program_bytes *record,
                   const struct own_program_bytes *entries);

/* The other side of such a connection is waited for as long as its host is there. */
__attribute__((visibility("default"))) void own_program_await(int connection);

#endif
