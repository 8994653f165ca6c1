/*
 * directory.h - the endpoints of an engine: those that its leader sees, and the open ones by their
 * addresses, where a task finds another one that is a thread of the same process.
 *
 * A hash table that grows with the number of endpoints, and whose chains the endpoints form
 * themselves: so no endpoint fails to enter it. Threads: with the lock of the engine, except where
 * said.
 */
#ifndef CK_ENDPOINT_DIRECTORY_H
#define CK_ENDPOINT_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

struct endpoint;
struct engine;

/* At first. */
#define DIRECTORY_CHAIN_BITS 2
#define DIRECTORY_CHAINS     (1 << DIRECTORY_CHAIN_BITS)

/* Addresses of which note is taken; of more, all are passed. */
#define DIRECTORY_PASSED 64

struct directory {
    struct endpoint **chains; /* by address, linked by `beside`; `few` at first */
    unsigned chain_count;     /* a power of two */
    unsigned shift;           /* of a hash of 32 bits, to the number of a chain */
    unsigned count;           /* endpoints */
    struct endpoint *few[DIRECTORY_CHAINS];
    unsigned newcomers;    /* attached endpoints of the engine that are not open yet; */
    unsigned passed_count; /* addresses to which messages went another way meanwhile: */
    uint32_t passed[DIRECTORY_PASSED];
};

/* An empty one; and away with its memory. Without the lock, since no endpoint is there. */
void directory_start(struct directory *directory);
void directory_finish(struct directory *directory);

/* An endpoint with an address of its own opens; and is open no more. */
void directory_enter(struct directory *directory, struct endpoint *endpoint);
void directory_leave(struct directory *directory, struct endpoint *endpoint);

/* An endpoint is attached; and is open, or will not be. */
void directory_expect(struct directory *directory);
void directory_expect_less(struct directory *directory);

/*
 * A message goes another way to an address that is not in the directory, while newcomers are
 * expected; and whether one has gone to this address.
 */
void directory_pass(struct directory *directory, uint32_t address);
bool directory_has_passed(const struct directory *directory, uint32_t address);

/* The open endpoint of `engine` with this address; NULL when there is none. */
struct endpoint *engine_find(const struct engine *engine, uint32_t address);

/*
 * An endpoint is seen by the leader from the next look on; or, still (port.h), no more. With the
 * lock.
 */
void engine_enter(struct engine *engine, struct endpoint *endpoint);
void engine_leave(struct engine *engine, struct endpoint *endpoint);

/* Those who have entered are seen: the leader, or still, with the lock. */
void engine_admit(struct engine *engine);

/* The open endpoint with this address, which is seen from now on, or NULL: the leader, unlocked. */
struct endpoint *engine_reach(struct engine *engine, uint32_t address);

#endif
