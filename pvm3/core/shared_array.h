/*
 * shared_array.h - an array of the application in a message: its memory is the body.
 *
 * Receivers that have the memory of the sender read the array where it lies; all others get a copy.
 * In the message stands an int, the number of bytes, and behind it the bytes: what pvm_pkint and
 * pvm_pkbyte pack.
 */
#ifndef CORE_SHARED_ARRAY_H
#define CORE_SHARED_ARRAY_H

#include "core/message.h"

/*
 * Appends `bytes` bytes of `array`, which nobody changes from now on. `release`, unless it is NULL,
 * is called with `array` when no message refers to it any more: perhaps at once, by any thread,
 * with any lock. 0; PvmNoMem, or PvmOverflow for more than INT_MAX bytes: then nothing is appended,
 * and `release` is not called.
 */
int shared_array_put(struct message *message, const void *array, size_t bytes,
                     void (*release)(void *array));

/*
 * Takes an array at the cursor: *array is in memory that stays as long as the message, aligned for
 * all types; NULL if it has no bytes. 0; PvmNoData when the body ends first, PvmBadMsg when the
 * number makes no sense, PvmNoMem: then the cursor stays.
 */
int shared_array_get(struct message *message, struct cursor *cursor, const void **array,
                     size_t *bytes);

#endif
