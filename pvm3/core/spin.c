/* spin.c - trust that is won slowly and lost fast. */
#include "core/spin.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A processor takes microseconds to wake up, and a virtual one a hundred of them. */
#define COST_MOST 200000

#define TRUST_MOST    8
#define TRUST_LOST    2 /* by a look in vain, where one that paid off wins 1 */
#define BACKOFF_FIRST 16
#define BACKOFF_MOST  65536

/* So many looks that paid off, in tens of milliseconds, make the next pause shorter. */
#define PAID_MANY 8192

/*
 * The count of switches is a system call, which so many waits share: more when there are counts
 * within fewer nanoseconds, and less when they are farther apart than twice that.
 */
#define WAITS_LEAST 16
#define WAITS_MOST  256
#define COUNT_EACH  62500

/*
 * Threads of the system take a processor for tens of microseconds, ten to a hundred times a second
 * and also where nothing else runs; one that has work keeps it for a slice of milliseconds. Who
 * looks with success asks again long before so many nanoseconds have passed.
 */
#define SLICE_LEAST 500000

bool spin_parse(const char *text, int64_t *setting)
{
    if (strcmp(text, "auto") == 0) {
        *setting = SPIN_AUTO;
        return true;
    }
    char *end;
    errno = 0;
    long microseconds = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0 ||
        microseconds > SPIN_MOST_MICROSECONDS)
        return false;
    *setting = (int64_t)microseconds * 1000;
    return true;
}

void spin_start(struct spin *spin, int64_t setting, int processors)
{
    *spin = (struct spin){
        .setting = setting == SPIN_AUTO && processors < 2 ? 0 : setting,
        .cost = COST_MOST,
        .backoff = BACKOFF_FIRST,
        .waits = WAITS_LEAST,
    };
}

bool spin_learns(const struct spin *spin)
{
    return spin->setting == SPIN_AUTO;
}

/* True when auto would look in the next wait. */
static bool spin_trusts(const struct spin *spin)
{
    return spin_learns(spin) && spin->trust > 0 && spin->pause == 0;
}

static void spin_give_up(struct spin *spin)
{
    spin->trust = 0;
    spin->pause = spin->backoff;
    if (spin->backoff < BACKOFF_MOST)
        spin->backoff *= 2;
    spin->paid = 0;
    spin->counted = false;
}

bool spin_asks(struct spin *spin)
{
    if (!spin_trusts(spin))
        return false;
    if (spin->counted && spin->unasked > 0) {
        spin->unasked--;
        return false;
    }
    spin->unasked = spin->waits;
    return true;
}

void spin_count(struct spin *spin, int64_t switches, int64_t now)
{
    bool more = spin->counted && switches > spin->switches;
    int64_t since = now - spin->moment;
    if (!spin->counted || since > 2 * COUNT_EACH)
        spin->waits = spin->waits / 2 > WAITS_LEAST ? spin->waits / 2 : WAITS_LEAST;
    else if (since < COUNT_EACH && spin->waits < WAITS_MOST)
        spin->waits *= 2;
    spin->counted = true;
    spin->switches = switches;
    spin->moment = now;
    if (more && since >= SLICE_LEAST)
        spin_give_up(spin);
}

int64_t spin_limit(struct spin *spin)
{
    if (!spin_learns(spin))
        return spin->setting;
    if (spin->pause > 0) {
        spin->pause--;
        return 0;
    }
    return spin->trust > 0 ? spin->cost : 0;
}

void spin_looked(struct spin *spin, bool paid, int64_t nanoseconds)
{
    if (!spin_learns(spin))
        return;
    if (nanoseconds >= SLICE_LEAST)
        spin->unasked = 0;
    if (!paid) {
        spin->trust = spin->trust > TRUST_LOST ? spin->trust - TRUST_LOST : 0;
        if (spin->trust == 0)
            spin_give_up(spin);
        return;
    }
    if (spin->trust < TRUST_MOST)
        spin->trust++;
    if (++spin->paid < PAID_MANY)
        return;
    spin->paid = 0;
    if (spin->backoff > BACKOFF_FIRST)
        spin->backoff /= 2;
}

void spin_slept(struct spin *spin, int64_t nanoseconds)
{
    if (!spin_learns(spin))
        return;
    bool was_short = nanoseconds <= 2 * spin->cost;
    int64_t seen = nanoseconds < COST_MOST ? nanoseconds : COST_MOST;
    /* Down faster than up: what a sleep costs is in all of them, and longer ones are more. */
    spin->cost += (seen - spin->cost) / (seen < spin->cost ? 8 : 16);
    if (was_short && spin->trust == 0 && spin->pause == 0)
        spin->trust = 1;
}
