/* tasks.h - tasks in threads, for programs that run on the library of tasks.py. */
#ifndef TEST_TASKS_H
#define TEST_TASKS_H

#include <pthread.h>
#include <stddef.h>

/* Makes the calling thread the only one of a new task. 0, or -1 without resources. */
int tasks_begin(void);
/* A task whose parent is another one of the process. */
int tasks_begin_under(int parent);

/* Ends the calling thread's task. What pvm_exit returns; PvmBadParam in the first task. */
int tasks_end(void);

/*
 * Lists that calls return to the calling thread's task lie in memory from `allocate` from now on;
 * with NULL in memory of the process, and those lists are forgotten.
 */
void tasks_allocate_by(void *(*allocate)(size_t size));

/*
 * The calling thread's task, of which it is the only one, ends; a new one takes its place, with all
 * that the library has kept of it, as in another process. 0 or -1.
 */
int tasks_repack(void);

/* As pthread_create; the new thread belongs to the calling thread's task. */
int tasks_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                 void *argument);

#endif
