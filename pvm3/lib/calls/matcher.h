/*
 * matcher.h - receives by the judgement of a function of the program (pvm_recvf).
 *
 * The matcher belongs to the task; a receive uses the matcher that is installed when the receive
 * begins. The matcher is called as endpoint_examine says: in the receiving thread, without locks.
 */
#ifndef LIB_CALLS_MATCHER_H
#define LIB_CALLS_MATCHER_H

#include <stdbool.h>

#include "ck/requests/examine.h"
#include "lib/task/task.h"

static inline bool matcher_is_set(const struct task *task)
{
    return atomic_load(&task->matcher) != NULL;
}

/*
 * The message that the matcher chooses for a receive with `tid` and `tag`. Returns its buffer id,
 * 0 when there was none in time, or an error, the matcher's own included; *message is taken out
 * unless `message` is NULL, and set to NULL when there is none.
 */
int matcher_receive(struct caller *caller, int tid, int tag, enum patience patience,
                    const struct timespec *deadline, struct message **message);

#endif
