/*
 * shm_gate.h - where tasks of the host call, and who has called.
 *
 * A gate is a socket at which an endpoint is found by its address, or several endpoints of a
 * process by one address that all of them know (addressing.block). A caller is a guest until it
 * has said which endpoint it wants, and shown its ring.
 *
 * Threads: the leader only, except where said.
 */
#ifndef CK_PORTS_SHM_SHM_GATE_H
#define CK_PORTS_SHM_SHM_GATE_H

#include "ck/ports/shm/shm.h"

struct shm_guest {
    enum shm_kind kind;
    int socket;
    struct shm_gate *gate;
    struct shm_guest *next;
};

struct shm_gate {
    enum shm_kind kind;
    int socket;
    uint32_t address; /* at which it is called */
    unsigned users;   /* endpoints; with the engine's lock */
    struct engine *engine;
    struct shm_guest *guests;
    struct shm_gate *next; /* of the engine; changed with the engine's lock */
};

/*
 * The gate at an address, for one endpoint more; NULL if it does not exist. With the engine's lock.
 */
struct shm_gate *shm_gate_join(struct shm_shared *shared, uint32_t address);

/* Opens that at which the endpoint is called. NULL when the system does not allow it. Still. */
struct shm_gate *shm_gate_open(struct endpoint *endpoint);

/* An endpoint uses it no more, and the last one closes it: still, locked. */
void shm_gate_leave(struct shm_gate *gate);

/* Lets all in that call now, and those go on who have shown their rings. True when any did. */
bool shm_gate_answer(struct shm_gate *gate);

/*
 * Reads the letter of a guest, which is then no guest any more. True when there was one, or an end.
 */
bool shm_guest_serve(struct shm_guest *guest);

/* In a child of fork: closes the descriptors. */
void shm_gate_abandon_all(struct shm_shared *shared);

#endif
