/*
 * neighbours.h - two tasks of one host that share memory, whose daemon is the test: it brings the
 * messages that go through it when the test says so.
 */
#ifndef UNIT_NEIGHBOURS_H
#define UNIT_NEIGHBOURS_H

#include "ck/ports/shm/shm.h"

#include "talk.h"

#define A     0x40001u
#define B     0x40002u
#define C     0x40003u
#define LIMIT ((size_t)4 << 20) /* bytes of an arena */

/* Bytes that are copied once, where that can be. */
#define ONE_COPY_FROM ((size_t)512 << 10)

struct neighbour {
    struct endpoint endpoint;
    bool begun;   /* there is an endpoint; */
    uint32_t tid; /* 0: it has left */
    int daemon;
    struct talk_reader heard;
    atomic_int drops;
    int32_t intercepts;          /* the tag of messages for a handler; 0: none */
    struct message *intercepted; /* the last of these */
};

extern struct neighbour a, b;

/* Of a test with the neighbours A and B; neighbours_start_met lets them meet, too. */
int neighbours_start(void **state);
int neighbours_start_met(void **state);
int neighbours_finish(void **state);

void neighbour_begin(struct neighbour *side, uint32_t tid, size_t limit);
void neighbour_end(struct neighbour *side);

/* A neighbour leaves the virtual machine, and enrols anew. */
void neighbour_leave(struct neighbour *side);
void neighbour_enrol(struct neighbour *side, uint32_t tid, size_t limit);

/*
 * For a test of another dialect: the daemon alone, and a neighbour that is to be attached to it, or
 * to be enrolled.
 */
int neighbours_begin_daemon(void);
void neighbour_make(struct neighbour *side, const struct dialect *dialect);
void neighbour_attach(struct neighbour *side);

/* From now on messages of a to b go through memory. */
void neighbours_meet(void);

/* Bytes of the neighbour's arena that are in use. */
size_t neighbour_uses(const struct neighbour *side);

/* The link of a neighbour to a peer, or NULL. */
struct shm_out *neighbour_link(struct neighbour *side, uint32_t to);

/* Looks at everything that there is. */
void neighbour_look(struct neighbour *side);

void neighbour_send(struct neighbour *from, uint32_t to, int32_t tag, size_t size);

/* What the daemon has got goes on to the other side. Returns how many messages there were. */
int neighbour_passes_on(struct neighbour *from, struct neighbour *to);

/* The next message, which is the caller's, or NULL; and it must be the one that was sent so. */
struct message *neighbour_arrives(struct neighbour *side);
void neighbour_expect(struct neighbour *side, uint32_t source, int32_t tag, size_t size);

#endif
