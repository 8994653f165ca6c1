/*
 * cargo.h - memory of a user-level process on its way to another process, at the same addresses.
 *
 * Pages that nobody has touched are left out. There they are as the file of the program has them, or
 * zero.
 *
 * Threads: the thread that runs the user-level process, here or there. All functions block.
 */
#ifndef ULP_CARGO_H
#define ULP_CARGO_H

#include <stdbool.h>
#include <stddef.h>

struct region;
struct written;

/* Bytes over a connection. False if that has ended. */
bool cargo_put(int connection, const void *bytes, size_t size);
bool cargo_get(int connection, void *bytes, size_t size);

/* A block with its length in front. cargo_get_block: the caller's (free), with a NUL behind it. */
bool cargo_put_block(int connection, const void *bytes, size_t size);
void *cargo_get_block(int connection, size_t *size);

/*
 * Memory that is used, and of that, if `written` is not NULL, what has not gone ahead since it was
 * written; and the end of all of it.
 */
bool cargo_put_memory(int connection, const struct written *written, const void *from,
                      const void *end);
bool cargo_put_end(int connection);

/* Takes in all that the other side has put, which lies in this region and may be written to. */
bool cargo_get_memory(int connection, const struct region *region);

/*
 * Memory that goes ahead, in rounds. A round begins with the end of the heap, and has an end of its
 * own; NULL: there are no more. cargo_put_ahead adds what it sends to *bytes.
 */
bool cargo_put_round(int connection, unsigned char *heap_end);
bool cargo_put_ahead(int connection, const struct written *written, const void *from,
                     const void *end, size_t *bytes);
bool cargo_get_round(int connection, unsigned char **heap_end);

#endif
