/*
 * shm_tie.c - sockets of links from other tasks that have ended, kept while bodies are in use: a
 * peer that lives knows by them that what it has sent must stay as it is.
 */
#include <unistd.h>

#include "ck/ports/shm/shm.h"
#include "ck/ports/shm/shm_socket.h"

/* How many ties are looked after with each new one: peers that part end soon, mostly. */
#define LOOKED_AFTER 2

/* With the lock of the ties. */
static void shm_tie_append(struct shm_shared *shared, struct shm_in *in)
{
    struct shm_in **place = &shared->ties;
    while (*place)
        place = &(*place)->next_tied;
    *place = in;
    in->next_tied = NULL;
}

/* Ends the oldest ties whose peers are gone as processes; others count as new. With the lock. */
static void shm_tie_look_after(struct shm_shared *shared)
{
    for (int i = 0; i < LOOKED_AFTER && shared->ties; i++) {
        struct shm_in *oldest = shared->ties;
        shared->ties = oldest->next_tied;
        if (shm_socket_is_left(oldest->tie)) {
            close(oldest->tie);
            oldest->tie = -1;
        } else {
            shm_tie_append(shared, oldest);
        }
    }
}

void shm_tie(struct shm_in *in)
{
    struct shm_shared *shared = in->shared;
    lock_acquire(&shared->ties_lock);
    shm_tie_look_after(shared);
    in->tie = in->socket;
    in->socket = -1;
    shm_tie_append(shared, in);
    lock_release(&shared->ties_lock);
}

void shm_untie(struct shm_in *in)
{
    struct shm_shared *shared = in->shared;
    lock_acquire(&shared->ties_lock);
    struct shm_in **place = &shared->ties;
    while (*place && *place != in)
        place = &(*place)->next_tied;
    if (*place)
        *place = in->next_tied;
    lock_release(&shared->ties_lock);
    if (in->tie >= 0)
        shm_socket_end(in->tie);
    in->tie = -1;
}

void shm_tie_abandon(struct shm_shared *shared)
{
    for (struct shm_in *in = shared->ties; in; in = in->next_tied)
        close(in->tie);
    shared->ties = NULL;
}
