/*
 * story.h - what happens in a run: hosts are added, tasks spawned, messages sent, and things go
 * wrong, all drawn from the seed; and what must hold at the end.
 */
#ifndef SIMULATION_STORY_H
#define SIMULATION_STORY_H

#include <stdbool.h>
#include <stdint.h>

struct story_result {
    bool failed;
    uint64_t trace; /* a hash of all that happened */
    uint64_t events, packets, messages;
};

/*
 * Plays the run of the seed. A violation is told on the standard output. `shown`: all that happens is
 * printed.
 */
struct story_result story_play(uint64_t seed, bool shown);

#endif
