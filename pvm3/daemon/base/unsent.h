/*
 * unsent.h - how much of what was written to a connection the system may hold back.
 *
 * Nothing overtakes what has been written. So the system is to hold no more of it, beyond what is
 * underway, than the connection takes in a moment; but that much, or the connection runs dry before
 * the daemon has its turn. How much it takes the system measures (TCP_INFO). One thread.
 */
#ifndef DAEMON_BASE_UNSENT_H
#define DAEMON_BASE_UNSENT_H

#include <stdint.h>

#define UNSENT_MOMENT 2 /* milliseconds */
#define UNSENT_LEAST  (128u * 1024)
#define UNSENT_MOST   (4u * 1024 * 1024)

/* A burst is fast on the slowest network: no larger growth than by two, no sooner than this. */
#define UNSENT_PAUSE 10 /* milliseconds */

struct unsent {
    uint32_t bytes; /* that the system may hold back */
    int64_t grown;  /* when it was allowed more, by loop_now */
};

/* Begins with the least. */
void unsent_start(struct unsent *unsent, int64_t now);

/*
 * The connection takes `rate` bytes a second. The rate is a measured one: what is less than a
 * factor of two changes nothing.
 */
void unsent_adapt(struct unsent *unsent, uint64_t rate, int64_t now);

/* Says it to the system. */
void unsent_set(const struct unsent *unsent, int fd);
/* Adapts to the rate that the system has measured, and says it. */
void unsent_look(struct unsent *unsent, int fd, int64_t now);

#endif
