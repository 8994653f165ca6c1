/*
 * siblings.h - the tasks that were spawned in the same call, of which the parent tells.
 *
 * Those of them that are in one process share one list.
 */
#ifndef LIB_LINK_SIBLINGS_H
#define LIB_LINK_SIBLINGS_H

#include "lib/task/luggage.h"
#include "lib/task/task.h"

struct message;

/* The parent tells (TC_SIBLINGS). What it tells first counts. */
void siblings_take(struct task *task, const struct message *message);

/*
 * Waits until the siblings are known, and lists them in *tids, which stays the library's. Enrols.
 * Returns how many there are, PvmBadParam, PvmSysErr or PvmNoMem.
 */
int siblings_get(struct task *task, int **tids);

/* The siblings are those of the present tid. */
void siblings_forget(struct task *task);

/* The task is over, and the list that it has may go. */
void siblings_finish(struct task *task);

/* Of a task that moves: who its siblings are, if it knows. */
void siblings_put(struct task *task, struct luggage *luggage);
void siblings_get_again(struct task *task, struct luggage_reader *reader);

#endif
