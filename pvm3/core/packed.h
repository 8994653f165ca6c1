/*
 * packed.h - a whole message packed into another: what pvm_pkmesg writes and mailboxes keep.
 */
#ifndef CORE_PACKED_H
#define CORE_PACKED_H

#include "core/message.h"

/*
 * Appends `inner`, header and body, to `outer`; an empty body adds no fragment. 0, PvmNoMem,
 * PvmNotImpl when `outer` is in place, or PvmOverflow when the length of `inner` does not fit into
 * the 32 bits that it has here.
 */
int packed_put(struct message *outer, const struct message *inner);

/*
 * Takes a packed message at the cursor. *inner becomes the caller's (message_free). 0; PvmNoData
 * when the body ends first, PvmBadMsg when the length is negative, PvmNoMem.
 */
int packed_get(const struct message *outer, struct cursor *cursor, struct message **inner);

#endif
