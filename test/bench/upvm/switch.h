/* switch.h - what programs share that measure one way to switch between two contexts.
 *
 * usage: PROGRAM [WAY] COUNT BATCHES
 *
 * Prints a line for each batch of COUNT rounds, with the time of one switch:
 *     @time seconds=SECONDS
 */
#ifndef SWITCH_H
#define SWITCH_H

#include "../batch.h"

/* Measures a function that goes round so many times; `switches` is what a round has. */
static inline void switch_measure(char **words, int switches, void (*go_round)(long times))
{
    const long times = atol(words[0]);
    const int batches = atoi(words[1]);
    go_round(times / 10 + 1); /* so that all is in the caches */
    for (int i = 0; i < batches; i++) {
        const int64_t begin = batch_now();
        go_round(times);
        printf("@time seconds=%.12f\n",
               (double)(batch_now() - begin) * 1e-9 / (double)(times * switches));
    }
}

#endif
