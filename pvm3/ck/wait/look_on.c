/* look_on.c - a leader that looks on: glances, looks and pauses in turn, in which it can be relieved. */
#include <sys/resource.h>

#include "ck/wait/leader.h"
#include "core/annotate.h"
#include "core/one_thread.h"

/* While the leader looks on: nanoseconds from look to look, and glances from clock to clock. */
#define LOOK_EACH 50000
#define GLANCES   16

/*
 * Pauses from glance to glance, in which another thread can relieve the leader: while other threads
 * tell what comes, about as many as it takes to answer.
 */
#define PAUSES      1
#define PAUSES_TOLD 16

/* Nanoseconds that this wait may look on. */
static int64_t waiting_spin_limit(struct waiting *waiting)
{
    struct rusage usage;
    if (spin_asks(&waiting->spin) && getrusage(RUSAGE_SELF, &usage) == 0)
        spin_count(&waiting->spin, usage.ru_nivcsw, waiting_now());
    return spin_limit(&waiting->spin);
}

bool waiting_glance(struct waiting *waiting)
{
    bool happened = waiting->work.glance(waiting->work.owner);
    if (happened) {
        waiting->near = true;
        waiting->told = false;
    }
    return happened;
}

bool waiting_look_far(struct waiting *waiting)
{
    bool happened = waiting->work.look(waiting->work.owner);
    waiting->near &= !happened;
    return happened;
}

static bool waiting_is_wanted(const struct waiting *waiting)
{
    return atomic_load_explicit(&waiting->wanted, memory_order_relaxed);
}

/* Pauses in which the leader can be relieved, unless it is wanted. False when it was relieved. */
static bool waiting_stay(const struct waiting *waiting, struct waiter *me)
{
    const int most = waiting->told ? PAUSES_TOLD : PAUSES;
    enum stay stay = STAY_PAUSES;
    ANNOTATE_RELEASE(&me->stay);
    atomic_store_explicit(&me->stay, STAY_PAUSES, memory_order_release);
    for (int i = 0; i < most && stay == STAY_PAUSES && !waiting_is_wanted(waiting); i++) {
        waiting_relax();
        stay = atomic_load_explicit(&me->stay, memory_order_relaxed);
    }
    stay = STAY_PAUSES;
    bool goes_on = atomic_compare_exchange_strong(&me->stay, &stay, STAY_BUSY);
    if (!goes_on)
        ANNOTATE_ACQUIRE(&me->stay);
    return goes_on;
}

/* Between two glances. A thread that is alone cannot be told anything. */
static enum found waiting_between(const struct waiting *waiting, struct waiter *me)
{
    if (process_has_one_thread())
        waiting_relax();
    else if (!waiting_stay(waiting, me))
        return FOUND_RELIEVED;
    return waiting_is_wanted(waiting) ? FOUND_WANTED : FOUND_NOTHING;
}

/* Glances until anything happens or the leader is wanted, up to `most` times. */
static enum found waiting_glances(struct waiting *waiting, struct waiter *me, int most)
{
    enum found found = FOUND_NOTHING;
    for (int i = 0; i < most && found == FOUND_NOTHING; i++) {
        found = waiting_between(waiting, me);
        if (found == FOUND_NOTHING)
            found = waiting_found(waiting_glance(waiting));
    }
    if (found == FOUND_WANTED)
        waiting->near = waiting->told = true;
    return found;
}

/*
 * Looks on where the last things came from: near, where a glance finds them, with a look from time
 * to time; or farther away, with a look for each glance. What comes at once needs no clock.
 */
static enum found waiting_spin(struct waiting *waiting, struct waiter *me, int64_t limit,
                               const struct timespec *deadline)
{
    enum found found = waiting->near ? waiting_glances(waiting, me, GLANCES) : FOUND_NOTHING;
    if (found == FOUND_RELIEVED)
        return found;
    int64_t begin = found == FOUND_NOTHING ? waiting_now() : 0;
    int64_t now = begin, look = now + LOOK_EACH, end = now + limit;
    if (deadline && waiting_nanoseconds(deadline) < end)
        end = waiting_nanoseconds(deadline);
    while (found == FOUND_NOTHING && now < end) {
        found = waiting_glances(waiting, me, waiting->near ? GLANCES : 1);
        if (found == FOUND_RELIEVED)
            return found;
        if (found == FOUND_NOTHING && (!waiting->near || now >= look)) {
            found = waiting_found(waiting_look_far(waiting));
            look = now + LOOK_EACH;
        }
        now = waiting_now();
    }
    spin_looked(&waiting->spin, found != FOUND_NOTHING, now - begin);
    return found;
}

enum found waiting_look_on(struct waiting *waiting, struct waiter *me,
                           const struct timespec *deadline)
{
    /* Who is told what comes pauses first: who tells it need not wait for the end of a glance. */
    bool pauses = waiting->near && waiting->told;
    if (!pauses && (waiting_glance(waiting) || (!waiting->near && waiting_look_far(waiting))))
        return FOUND_SOMETHING;
    int64_t limit = waiting_spin_limit(waiting);
    enum found found = FOUND_NOTHING;
    if (limit > 0)
        found = waiting_spin(waiting, me, limit, deadline);
    else if (pauses)
        found = waiting_found(waiting_glance(waiting));
    if (found == FOUND_SOMETHING || found == FOUND_RELIEVED)
        return found;
    return waiting_found(waiting->near && deadline && waiting_look_far(waiting));
}
