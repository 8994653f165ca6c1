/* suspicion.c - counting ticks and witnesses. */
#include "daemon/post/suspicion.h"

/* Ticks. A packet may be sent right before a tick, so one tick alone proves nothing. */
#define QUIET_BEFORE_ASKED    4
#define OWED_BEFORE_SUSPECTED 2
#define OWED_BEFORE_GONE      5
#define WITNESSES_TAKE        5 /* until others are asked */

#define UNREACHED_NEEDED 2

static void suspicion_clear(struct suspicion *suspicion)
{
    suspicion->owed = 0;
    suspicion->count = 0;
}

void suspicion_tick(struct suspicion *suspicion, bool heard, bool owes)
{
    suspicion->quiet = heard ? 0 : suspicion->quiet + 1;
    suspicion->age++;
    if (heard || !owes) {
        suspicion_clear(suspicion);
        return;
    }
    suspicion->owed++;
}

static bool suspicion_is_confirmed(const struct suspicion *suspicion)
{
    size_t unreached = 0;
    for (size_t i = 0; i < suspicion->count; i++)
        unreached += suspicion->witnesses[i].unreached;
    return unreached >= UNREACHED_NEEDED || (unreached > 0 && unreached == suspicion->count);
}

/*
 * The first tick in which a packet is unanswered may come right behind the packet, and does not
 * count: hence more than the patience.
 */
enum suspicion_verdict suspicion_judge(const struct suspicion *suspicion,
                                       const struct suspicion_limits *limits)
{
    unsigned stretch = limits->stretch;
    if (suspicion->owed > limits->patience)
        return SUSPICION_SILENT;
    if (suspicion->owed == 0)
        return suspicion->quiet >= QUIET_BEFORE_ASKED ? SUSPICION_ASK : SUSPICION_NONE;
    if (!limits->early || suspicion->owed < OWED_BEFORE_SUSPECTED)
        return SUSPICION_NONE;
    if (suspicion->owed >= OWED_BEFORE_GONE * stretch && suspicion_is_confirmed(suspicion))
        return SUSPICION_UNREACHABLE;
    if (suspicion->age >= WITNESSES_TAKE * stretch)
        return SUSPICION_ASK_OTHERS;
    return SUSPICION_NONE;
}

int32_t suspicion_ask(struct suspicion *suspicion, const uint32_t *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        suspicion->witnesses[i] = (struct suspicion_witness){.part = parts[i]};
    suspicion->count = count;
    suspicion->age = 0;
    suspicion->round = (int32_t)((uint32_t)suspicion->round + 1);
    return suspicion->round;
}

void suspicion_answer(struct suspicion *suspicion, uint32_t part, int32_t round, bool reached)
{
    if (round != suspicion->round)
        return;
    for (size_t i = 0; i < suspicion->count; i++) {
        if (suspicion->witnesses[i].part != part)
            continue;
        suspicion->witnesses[i].unreached = !reached;
        if (reached)
            suspicion_clear(suspicion);
        return;
    }
}
