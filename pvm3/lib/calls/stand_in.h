/*
 * stand_in.h - for libgpvm3 alone: an empty message in place of one that will not come.
 *
 * libgpvm3 calls these functions if its libpvm3 has them: that of 3.4.6 does not.
 */
#ifndef LIB_CALLS_STAND_IN_H
#define LIB_CALLS_STAND_IN_H

#include <stdbool.h>

/*
 * The task gets a message that looks as if `source` had sent it with `tag` in the context of the
 * calling thread, but has `number`, which is not 0, for its wait id: no task sends one with a wait
 * id in that context. 0 or PvmNoMem.
 */
__attribute__((visibility("default"))) int stand_in_deliver(int source, int tag, int number);

/*
 * Whether the task has a message handler for exactly this tag, from anyone, in the context of the
 * calling thread. A task that moves leaves the handlers of libraries behind.
 */
__attribute__((visibility("default"))) bool stand_in_has_handler(int tag);

#endif
