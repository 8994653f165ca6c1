/* lossy.c - decisions, and the operations that depend on them. */
#include "ck/ports/lossy/lossy.h"

#include <limits.h>
#include <stddef.h>
#include <sys/socket.h>

#include "ck/endpoint/endpoint.h"

/* Bits that look like chance, by which neighbouring numbers differ in all places. */
static uint64_t lossy_mix(uint64_t number)
{
    number = (number ^ number >> 31) * 0xd6e8feb86659fd93u;
    number = (number ^ number >> 29) * 0xa0761d6478bd642fu;
    return number ^ number >> 32;
}

bool lossy_decides(struct lossy *lossy, enum lossy_act act)
{
    uint64_t draw = atomic_fetch_add(&lossy->draws, 1);
    bool happens = lossy_mix(lossy_mix(lossy->seed) + draw) % 100 < lossy->plan->of_hundred[act];
    if (happens)
        atomic_fetch_add(&lossy->done[act], 1);
    return happens;
}

static struct lossy *lossy_of(const struct endpoint *endpoint)
{
    return (struct lossy *)(uintptr_t)((const char *)endpoint->over - offsetof(struct lossy, over));
}

static struct lossy *lossy_of_engine(const struct engine *engine)
{
    return (struct lossy *)(uintptr_t)((const char *)engine->ports.over -
                                       offsetof(struct lossy, over));
}

/* Over. ---------------------------------------------------------------------------------------- */

static void lossy_offer(struct endpoint *endpoint, struct peer *peer)
{
    struct lossy *lossy = lossy_of(endpoint);
    if (!lossy_decides(lossy, LOSSY_OFFER))
        lossy->inner_over->offer(endpoint, peer);
}

static bool lossy_send(struct endpoint *endpoint, struct sending *sending,
                       const struct message *message)
{
    struct lossy *lossy = lossy_of(endpoint);
    return !lossy_decides(lossy, LOSSY_SEND) && lossy->inner_over->send(endpoint, sending, message);
}

static void lossy_place(struct endpoint *endpoint, struct sending *sending,
                        const struct message *message)
{
    struct lossy *lossy = lossy_of(endpoint);
    if (!lossy_decides(lossy, LOSSY_PLACE))
        lossy->inner_over->place(endpoint, sending, message);
}

static bool lossy_glance(struct endpoint *endpoint, unsigned most)
{
    struct lossy *lossy = lossy_of(endpoint);
    return (most == UINT_MAX || !lossy_decides(lossy, LOSSY_GLANCE)) &&
           lossy->inner_over->glance(endpoint, most);
}

static bool lossy_serve(struct engine *engine)
{
    struct lossy *lossy = lossy_of_engine(engine);
    return !lossy_decides(lossy, LOSSY_SERVE) && lossy->inner_over->serve(engine);
}

/* Under. --------------------------------------------------------------------------------------- */

static bool lossy_look(struct engine *engine)
{
    struct lossy *lossy = lossy_of_engine(engine);
    return !lossy_decides(lossy, LOSSY_LOOK) && lossy->inner_under->look(engine);
}

/* What the peer has been sent so far arrives; what it sends does, until it sees the end. */
static void lossy_break(struct endpoint *endpoint, const struct peer *peer)
{
    bool open = false;
    lock_acquire(&endpoint->waiting->lock);
    int descriptor = lossy_of(endpoint)->inner_under->descriptor(peer, &open);
    lock_release(&endpoint->waiting->lock);
    if (open) /* its socket stays while the peer is used */
        shutdown(descriptor, SHUT_WR);
}

static int lossy_find(struct endpoint *endpoint, struct peer *peer, bool ask, struct way **way)
{
    struct lossy *lossy = lossy_of(endpoint);
    ask = ask && !lossy_decides(lossy, LOSSY_ASK);
    int result = lossy->inner_under->find(endpoint, peer, ask, way);
    if (result == 0 && *way != endpoint->common && lossy_decides(lossy, LOSSY_BREAK))
        lossy_break(endpoint, peer);
    return result;
}

/* The whole. ----------------------------------------------------------------------------------- */

void lossy_wrap(struct lossy *lossy, struct engine *engine, const struct lossy_plan *plan,
                uint64_t seed)
{
    lossy->inner_over = engine->ports.over;
    lossy->inner_under = engine->ports.under;
    lossy->plan = plan;
    lossy->seed = seed;
    atomic_init(&lossy->draws, 0);
    for (int act = 0; act < LOSSY_ACTS; act++)
        atomic_init(&lossy->done[act], 0);
    lossy->over = *engine->ports.over;
    lossy->over.offer = lossy_offer;
    lossy->over.send = lossy_send;
    lossy->over.place = lossy_place;
    lossy->over.glance = lossy_glance;
    lossy->over.serve = lossy_serve;
    lossy->under = *engine->ports.under;
    lossy->under.look = lossy_look;
    lossy->under.find = lossy_find;
    engine->ports.over = &lossy->over;
    engine->ports.under = &lossy->under;
}
