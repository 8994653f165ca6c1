/*
 * local_health.h - does this daemon get the processor in time? One that does not is a bad judge of
 * others: what they have sent may wait for it. suspicion.h says where the idea is from.
 */
#ifndef DAEMON_HOSTS_LOCAL_HEALTH_H
#define DAEMON_HOSTS_LOCAL_HEALTH_H

#include <stdint.h>

#define LOCAL_HEALTH_WORST 4

struct local_health {
    unsigned lost; /* ticks that came too late, less those that have come in time since */
};

/* A tick has come so many milliseconds late. */
static inline void local_health_tick(struct local_health *health, int64_t late, int64_t tick)
{
    int64_t lost = health->lost + (late + tick / 2) / tick;
    if (late < tick / 2 && lost > 0)
        lost--;
    health->lost = lost < LOCAL_HEALTH_WORST ? (unsigned)lost : LOCAL_HEALTH_WORST;
}

/* By how much waiting for others is stretched. */
static inline unsigned local_health_stretch(const struct local_health *health)
{
    return 1 + health->lost;
}

#endif
