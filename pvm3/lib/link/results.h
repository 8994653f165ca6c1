/*
 * results.h - the lists that calls return: they stay the library's, until the next call of the same
 * function.
 *
 * Setting a list frees the one before, with the strings in it. As in 3.4.6, a list that one thread
 * still reads while another thread repeats the call is gone: threads that share a list agree among
 * themselves.
 */
#ifndef LIB_LINK_RESULTS_H
#define LIB_LINK_RESULTS_H

#include "lib/task/public.h"

#include "lib/task/luggage.h"
#include "lib/task/task.h"

/* Frees all lists. */
void results_finish(struct task *task);

/*
 * Take over `list`, an array from malloc with `count` entries whose strings and arrays are from
 * malloc, too.
 */
void results_set_hosts(struct task *task, struct pvmhostinfo *list, int count);
void results_set_tasks(struct task *task, struct pvmtaskinfo *list, int count);
void results_set_mailboxes(struct task *task, struct pvmmboxinfo *list, int count);

/* Takes over `master`, the one host that a resource manager is told of. */
void results_set_master(struct task *task, struct pvmhostinfo *master);

/* Hand out the present list; either pointer may be NULL. */
void results_get_hosts(struct task *task, int *count, struct pvmhostinfo **list);
void results_get_tasks(struct task *task, int *count, struct pvmtaskinfo **list);
void results_get_mailboxes(struct task *task, int *count, struct pvmmboxinfo **list);

struct pvmhostinfo *results_get_master(struct task *task);

/*
 * Lists the descriptors that tell of messages, as they are now. Returns how many there are,
 * PvmSysErr or PvmNoMem.
 */
int results_get_descriptors(struct task *task, int **list);

/*
 * The program of the calling thread's task is to have a list: moves `size` bytes, from malloc, to
 * memory of the program, if it has such memory. Where they are now. NULL is allowed.
 */
void *results_hand_out(struct task *task, void *memory, size_t size);

/* The lists that are the program's go with it. Their memory may be gone already. */
void results_leave_behind(struct task *task);

/* Of a task that moves: where they are. */
void results_put(struct task *task, struct luggage *luggage);
void results_get(struct task *task, struct luggage_reader *reader);

#endif
