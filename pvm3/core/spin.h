/*
 * spin.h - for how long is a thread that waits to look before it sleeps?
 *
 * To sleep and be woken takes time; to look meanwhile (to spin) takes a processor. A thread that
 * looks for as long as a sleep costs, and then sleeps, loses at most as much again (A. R. Karlin,
 * K. Li, M. S. Manasse, S. Owicki, Empirical Studies of Competitive Spinning for a Shared-Memory
 * Multiprocessor, 1991). This bound is for one wait; here looking must also have paid off in the
 * waits before.
 *
 * - The cost of a sleep is learned from all sleeps, more from the shorter ones: each sleep takes
 *   its cost and the time until something comes. The shortest time alone would mislead: if
 *   something comes at once, the thread does not sleep.
 * - No thread looks before a sleep was so short that looking would have been enough. So a thread
 *   whose waits are long never looks.
 * - Looking that pays off is trusted more, looking in vain less. Without trust, threads do not look
 *   for a number of waits, which doubles each time; then, after another short sleep, looking is
 *   tried again.
 * - The process gives up all trust when one of its threads lost its processor although it wanted to
 *   go on, and for longer than the system itself takes it: more threads run than there are
 *   processors, and looking takes the time of those that have work. The system is asked about lost
 *   processors after a look that took as long as the system's own turns, and otherwise once in many
 *   waits, the rarer the quicker the waits are, so that it costs little; and only while looking
 *   goes on. A processor lost to a computing thread of the same process counts alike. The number of
 *   threads, or of running threads, is not asked for: no cheap question tells, and the answer would
 *   have changed before it is used.
 *
 * A value that is told times and never asks a clock. One caller at a time.
 */
#ifndef CORE_SPIN_H
#define CORE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* Settings are this, or nanoseconds: each wait looks for so long, whatever it was good for. */
#define SPIN_AUTO (-1)

/* A number in PVM_SPIN is in microseconds and at most this. */
#define SPIN_MOST_MICROSECONDS 1000000

struct spin {
    int64_t setting;
    int64_t cost;     /* of a sleep, nanoseconds; what auto looks for */
    unsigned trust;   /* more than 0: look */
    unsigned pause;   /* waits to come that do not look */
    unsigned backoff; /* the pause that follows next */
    unsigned paid;    /* looks that paid off since that was changed */
    unsigned waits;   /* so many share a count of switches */
    unsigned unasked; /* waits until spin_asks is true again */
    bool counted;     /* the next two are known */
    int64_t switches; /* of the process against its will, when they were last asked for */
    int64_t moment;   /* when that was */
};

/*
 * What PVM_SPIN says: "auto", or microseconds, 0 to SPIN_MOST_MICROSECONDS. False when it says
 * nothing that makes sense.
 */
bool spin_parse(const char *text, int64_t *setting);

/* `processors` are those that the process may run on; with one, auto never looks. */
void spin_start(struct spin *spin, int64_t setting, int processors);

/* True when sleeps are to be measured, for spin_slept. */
bool spin_learns(const struct spin *spin);

/*
 * True when the next thing to say is spin_count, how often threads of the process lost their
 * processor against their will until now, a time in nanoseconds. Once for each wait, before
 * spin_limit.
 */
bool spin_asks(struct spin *spin);
void spin_count(struct spin *spin, int64_t switches, int64_t now);

/* Nanoseconds that the wait which begins now may look; 0: not at all. */
int64_t spin_limit(struct spin *spin);

/* The wait has spun for so long. Spinning paid off if no sleep was needed. */
void spin_looked(struct spin *spin, bool paid, int64_t nanoseconds);

/* A sleep that took `nanoseconds` has ended because there was something. */
void spin_slept(struct spin *spin, int64_t nanoseconds);

#endif
