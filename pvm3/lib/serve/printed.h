/*
 * printed.h - what thread tasks print, told apart by the thread that prints.
 *
 * The standard output of a process is one for all of its tasks. When a thread task begins whose
 * output goes to a collector (pvm_catchout), stdout and stderr become streams that ask which task
 * the printing thread belongs to. What is written past them, by write() or by the streams of other
 * languages, is the process's. So is what tasks without a collector print. Only with a C library
 * whose stdout can be replaced (glibc).
 */
#ifndef LIB_SERVE_PRINTED_H
#define LIB_SERVE_PRINTED_H

#include <stdbool.h>
#include <stddef.h>

struct luggage;
struct luggage_reader;
struct task;

/*
 * The task was given its sinks. Without memory its output is the process's. By the thread that
 * spawns it.
 */
void printed_begin(struct task *task);

/*
 * `task` has spawned some, in the process of `holder`. If it collects what they print, the pvmd's
 * word of their beginning has come when this returns: pvm_exit waits for those that it knows.
 */
void printed_know(struct task *task, int holder);

/*
 * For pvmulp, where libraries that write to descriptors of their own accord are stopped: true if
 * the text is a line of a task that is told apart, and is taken. False: it is the process's. By any
 * thread, which need not have made a call of the library.
 */
__attribute__((visibility("default"))) bool printed_write_as_task(const char *text, size_t size);

/* The task is about to leave the machine: the rest of what it has printed goes out. */
void printed_end(struct task *task);

/* The memory goes: what it prints is the process's. No other thread uses the task. */
void printed_finish(struct task *task);

/*
 * Of a task that moves: what it has printed and not sent; printed_get begins as printed_begin does.
 * printed_drop forgets that, when the task goes on elsewhere.
 */
void printed_put(struct task *task, struct luggage *luggage);
void printed_get(struct task *task, struct luggage_reader *reader);
void printed_drop(struct task *task);

#endif
