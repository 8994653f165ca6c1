/*
 * room.h - the place in each thread where a program's thread-local variables lie.
 *
 * A program is compiled for the one place next to the thread pointer where the variables of the
 * program of a process lie. This process's own program, pvmulp, has only one such variable, the
 * room, so that it lies there. A program that is loaded finds its variables in the room.
 *
 * Threads: each has its own.
 */
#ifndef ULP_ROOM_H
#define ULP_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ulp;

/* Whether variables that begin at `offset` from the thread pointer on lie in the room. */
bool room_has(intptr_t offset, size_t size, size_t alignment);

/* The room of the calling thread. */
unsigned char *room_variables(size_t *size);

/* The user-level process that the calling thread belongs to; NULL: none. */
struct ulp *room_owner(void);
void room_set_owner(struct ulp *ulp);

/* Whether the thread is in a library whose memory is to lie in the program's region meanwhile. */
bool room_lends(void);
void room_lend(bool lends);

#endif
