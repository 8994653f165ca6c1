/* shm_gate.c - opening gates, and what guests say. */
#include "ck/ports/shm/shm_gate.h"

#include <stdlib.h>
#include <unistd.h>

#include "ck/base/descriptor.h"
#include "ck/ports/shm/shm_socket.h"

struct shm_gate *shm_gate_join(struct shm_shared *shared, uint32_t address)
{
    struct shm_gate *gate = shared->gates;
    while (gate && gate->address != address)
        gate = gate->next;
    if (gate)
        gate->users++;
    return gate;
}

static struct shm_gate *shm_gate_new(struct endpoint *endpoint, uint32_t address)
{
    struct shm_gate *gate = calloc(1, sizeof *gate);
    if (!gate)
        return NULL;
    gate->kind = SHM_GATE;
    gate->engine = endpoint->engine;
    gate->address = address;
    gate->users = 1;
    gate->socket = shm_socket_listen(endpoint->descriptor, address);
    if (gate->socket >= 0)
        return gate;
    free(gate);
    return NULL;
}

struct shm_gate *shm_gate_open(struct endpoint *endpoint)
{
    struct shm_shared *shared = shm_shared_of(endpoint->engine);
    struct shm_gate *gate = shm_gate_new(endpoint, endpoint->called);
    if (!gate)
        return NULL;
    lock_acquire(&endpoint->waiting->lock);
    gate->next = shared->gates;
    shared->gates = gate;
    lock_release(&endpoint->waiting->lock);
    shm_watch(shared, gate->socket, &gate->kind);
    return gate;
}

/* Who is none any more: its socket is another one's, or closed. */
static void shm_guest_end(struct shm_guest *guest)
{
    struct shm_guest **place = &guest->gate->guests;
    while (*place != guest)
        place = &(*place)->next;
    *place = guest->next;
    descriptor_close(&guest->socket);
    free(guest);
}

void shm_gate_leave(struct shm_gate *gate)
{
    struct shm_shared *shared = shm_shared_of(gate->engine);
    if (--gate->users > 0)
        return;
    struct shm_gate **place = &shared->gates;
    while (*place != gate)
        place = &(*place)->next;
    *place = gate->next;
    for (struct shm_guest *guest = gate->guests; guest; guest = guest->next)
        shm_unwatch(shared, guest->socket);
    while (gate->guests)
        shm_guest_end(gate->guests);
    shm_unwatch(shared, gate->socket);
    descriptor_close(&gate->socket);
    free(gate);
}

/* Guests. -------------------------------------------------------------------------------------- */

static bool shm_guest_new(struct shm_gate *gate, int descriptor)
{
    struct shm_guest *guest = malloc(sizeof *guest);
    if (!guest)
        return false;
    *guest = (struct shm_guest){SHM_GUEST, descriptor, gate, gate->guests};
    gate->guests = guest;
    shm_watch(shm_shared_of(gate->engine), descriptor, &guest->kind);
    return true;
}

/* Whom the letter is for; NULL if it is not here. */
static struct endpoint *shm_guest_host(const struct shm_gate *gate, const struct shm_letter *letter)
{
    struct endpoint *endpoint = engine_reach(gate->engine, (uint32_t)letter->to);
    return endpoint && shm_of(endpoint)->gate == gate ? endpoint : NULL;
}

bool shm_guest_serve(struct shm_guest *guest)
{
    struct shm_letter letter;
    int descriptors[SHM_DESCRIPTORS];
    int count;
    enum shm_socket_result result = shm_socket_receive(guest->socket, &letter, descriptors, &count);
    if (result == SHM_SOCKET_NOTHING)
        return false;
    bool introduced = result == SHM_SOCKET_LETTER && letter.kind == SHM_INTRODUCTION && count == 1;
    struct endpoint *host = introduced ? shm_guest_host(guest->gate, &letter) : NULL;
    shm_unwatch(shm_shared_of(guest->gate->engine), guest->socket);
    if (host && shm_meet(host, guest->socket, &letter, descriptors[0]))
        guest->socket = -1;
    while (count > 0)
        close(descriptors[--count]);
    shm_guest_end(guest);
    return true;
}

bool shm_gate_answer(struct shm_gate *gate)
{
    bool more = true, happened = false;
    while (more) {
        int descriptor = shm_socket_accept(gate->socket, &more);
        if (descriptor < 0)
            continue;
        happened = true;
        if (!shm_guest_new(gate, descriptor))
            close(descriptor);
    }
    struct shm_guest *next;
    for (struct shm_guest *guest = gate->guests; guest; guest = next) {
        next = guest->next;
        happened |= shm_guest_serve(guest);
    }
    return happened;
}

bool shm_answer(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    shm->answered = stamp_before_look(shm->shared->clock) >> MOMENT;
    return shm->gate && shm_gate_answer(shm->gate);
}

void shm_gate_abandon_all(struct shm_shared *shared)
{
    for (struct shm_gate *gate = shared->gates; gate; gate = gate->next) {
        descriptor_close(&gate->socket);
        for (struct shm_guest *guest = gate->guests; guest; guest = guest->next)
            descriptor_close(&guest->socket);
    }
}
