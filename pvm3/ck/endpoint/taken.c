/* taken.c - a list of what is delivered later, and what has its effect at once. */
#include "ck/endpoint/taken.h"

#include "ck/endpoint/endpoint.h"
#include "core/rarely.h"

void taken_begin(struct endpoint *endpoint)
{
    struct taken *taken = &endpoint->engine->taken;
    taken_deliver(endpoint->engine);
    taken->endpoint = endpoint;
    taken->end = &taken->first;
}

void taken_deliver_locked(struct engine *engine)
{
    struct taken *taken = &engine->taken;
    struct message *message = taken->first;
    taken->first = NULL;
    if (message)
        engine_count_arrival(engine);
    while (message) {
        struct message *next = message->next;
        endpoint_deliver_locked(taken->endpoint, message);
        message = next;
    }
    taken->endpoint = NULL;
}

/* With the lock, which is taken for this alone. */
RARELY static void taken_deliver_now(struct engine *engine)
{
    lock_acquire(&engine->waiting.lock);
    taken_deliver_locked(engine);
    lock_release(&engine->waiting.lock);
}

void taken_deliver(struct engine *engine)
{
    if (engine->taken.first)
        taken_deliver_now(engine);
    engine->taken.endpoint = NULL;
}

static void taken_add(struct taken *taken, struct message *message)
{
    message->next = NULL;
    *taken->end = message;
    taken->end = &message->next;
}

static bool endpoint_heeds(struct endpoint *endpoint, enum word word)
{
    return word_is_of_ways(word) && (word != WORD_CARD || endpoint_has_network(endpoint)) &&
           !(atomic_load(&endpoint->unheeded) & 1u << word);
}

/* What is taken in next has an effect before it is delivered. */
RARELY static void taken_count(struct engine *engine)
{
    lock_acquire(&engine->waiting.lock);
    engine_count_arrival(engine);
    lock_release(&engine->waiting.lock);
}

void endpoint_take_one(struct endpoint *endpoint, struct message *message)
{
    enum word word = dialect_word(endpoint->owner.dialect, &message->header);
    bool heeded = endpoint_heeds(endpoint, word);
    if (endpoint->engine->taken.endpoint == endpoint && !heeded &&
        !endpoint->owner.wants(endpoint->owner.owner, &message->header)) {
        taken_add(&endpoint->engine->taken, message);
        return;
    }
    taken_deliver(endpoint->engine);
    if (endpoint_has_neighbours(endpoint))
        taken_count(endpoint->engine);
    /* What is said of ways has its effect before anything that came later is looked at. */
    if (heeded && word != WORD_CARD)
        endpoint->under->take_word(endpoint, message);
    if (heeded && endpoint_has_network(endpoint))
        endpoint->far->take_word(endpoint, message);
    if (heeded && word != WORD_OVER)
        message_free(message);
    else
        endpoint_take_own(endpoint, message);
}
