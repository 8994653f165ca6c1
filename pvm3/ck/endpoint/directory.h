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

/* Makes an empty directory, and frees its memory. There is no endpoint: without the lock. */
void directory_start(struct directory *directory);
void directory_finish(struct directory *directory);

/* An endpoint with an address of its own opens, or is open no more. */
void directory_enter(struct directory *directory, struct endpoint *endpoint);
void directory_leave(struct directory *directory, struct endpoint *endpoint);

/* An endpoint is attached, and will open: a newcomer. It has opened, or will not open. */
void directory_expect(struct directory *directory);
void directory_expect_less(struct directory *directory);

/*
 * Notes that a message goes another way to an address which may become that of a newcomer, and
 * tells whether a message has gone to this address.
 */
void directory_pass(struct directory *directory, uint32_t address);
bool directory_has_passed(const struct directory *directory, uint32_t address);

/* The open endpoint of `engine` with this address; NULL if it does not exist. */
struct endpoint *engine_find(const struct engine *engine, uint32_t address);

/*
 * The leader sees an endpoint from its next look on, or sees it no more. To leave, all threads
 * stand still (port.h). With the lock.
 */
void engine_enter(struct engine *engine, struct endpoint *endpoint);
void engine_leave(struct engine *engine, struct endpoint *endpoint);

/* The leader sees all endpoints that have entered. By the leader, or still. With the lock. */
void engine_admit(struct engine *engine);

/* engine_find for the leader, who sees the endpoint from now on. Without the lock. */
struct endpoint *engine_reach(struct engine *engine, uint32_t address);

#endif
