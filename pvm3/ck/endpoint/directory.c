/* directory.c - chains of endpoints. */
#include "ck/endpoint/directory.h"

#include <stdlib.h>

#include "ck/endpoint/endpoint.h"

void directory_start(struct directory *directory)
{
    *directory = (struct directory){.chain_count = DIRECTORY_CHAINS};
    directory->shift = 32 - DIRECTORY_CHAIN_BITS;
    directory->chains = directory->few;
}

void directory_finish(struct directory *directory)
{
    if (directory->chains != directory->few)
        free(directory->chains);
}

/* Fibonacci hashing, as in ck/peers/peer.h. */
static struct endpoint **directory_chain(const struct directory *directory, uint32_t address)
{
    return &directory->chains[address * 0x9e3779b1u >> directory->shift];
}

static void directory_link(const struct directory *directory, struct endpoint *endpoint)
{
    struct endpoint **chain = directory_chain(directory, endpoint->own);
    endpoint->beside = *chain;
    *chain = endpoint;
}

/* Twice as many chains. Without memory they get longer. */
static void directory_grow(struct directory *directory)
{
    const struct directory before = *directory;
    struct endpoint **chains = calloc((size_t)2 * before.chain_count, sizeof(struct endpoint *));
    if (!chains)
        return;
    directory->chains = chains;
    directory->chain_count *= 2;
    directory->shift--;
    for (unsigned i = 0; i < before.chain_count; i++) {
        struct endpoint *next;
        for (struct endpoint *endpoint = before.chains[i]; endpoint; endpoint = next) {
            next = endpoint->beside;
            directory_link(directory, endpoint);
        }
    }
    if (before.chains != directory->few)
        free(before.chains);
}

void directory_enter(struct directory *directory, struct endpoint *endpoint)
{
    if (directory->count >= 2 * directory->chain_count)
        directory_grow(directory);
    directory_link(directory, endpoint);
    directory->count++;
}

void directory_leave(struct directory *directory, struct endpoint *endpoint)
{
    struct endpoint **place = directory_chain(directory, endpoint->own);
    while (*place != endpoint)
        place = &(*place)->beside;
    *place = endpoint->beside;
    directory->count--;
}

void directory_expect(struct directory *directory)
{
    directory->newcomers++;
}

void directory_expect_less(struct directory *directory)
{
    if (--directory->newcomers == 0)
        directory->passed_count = 0;
}

void directory_pass(struct directory *directory, uint32_t address)
{
    if (directory_has_passed(directory, address))
        return;
    if (directory->passed_count < DIRECTORY_PASSED)
        directory->passed[directory->passed_count] = address;
    directory->passed_count++;
}

bool directory_has_passed(const struct directory *directory, uint32_t address)
{
    for (unsigned i = 0; i < directory->passed_count && i < DIRECTORY_PASSED; i++)
        if (directory->passed[i] == address)
            return true;
    return directory->passed_count > DIRECTORY_PASSED;
}

struct endpoint *engine_find(const struct engine *engine, uint32_t address)
{
    struct endpoint *endpoint = *directory_chain(&engine->directory, address);
    while (endpoint && endpoint->own != address)
        endpoint = endpoint->beside;
    return endpoint;
}

void engine_admit(struct engine *engine)
{
    struct endpoint *endpoint;
    while ((endpoint = engine->entering) != NULL) {
        struct endpoint *next = engine->endpoints;
        engine->entering = endpoint->next;
        endpoint->previous = NULL;
        endpoint->next = next;
        if (next)
            next->previous = endpoint;
        engine->endpoints = endpoint;
    }
}

void engine_enter(struct engine *engine, struct endpoint *endpoint)
{
    endpoint->next = engine->entering;
    engine->entering = endpoint;
    atomic_fetch_add(&engine->attached, 1);
}

void engine_leave(struct engine *engine, struct endpoint *endpoint)
{
    engine_admit(engine);
    atomic_fetch_sub(&engine->attached, 1);
    struct endpoint *before = endpoint->previous;
    *(before ? &before->next : &engine->endpoints) = endpoint->next;
    if (endpoint->next)
        endpoint->next->previous = before;
}

struct endpoint *engine_reach(struct engine *engine, uint32_t address)
{
    lock_acquire(&engine->waiting.lock);
    engine_admit(engine);
    struct endpoint *endpoint = engine_find(engine, address);
    lock_release(&engine->waiting.lock);
    return endpoint;
}
