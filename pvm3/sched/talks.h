/*
 * talks.h - which tasks talk how much, from one picture to the next.
 *
 * The daemons count what goes from host to host alone. Messages between two tasks on one host are
 * not seen, since they go through the memory of the tasks. So a pair that has come together is
 * taken to talk on as it did, but less with each picture. One that is apart and silent is
 * forgotten.
 */
#ifndef SCHED_TALKS_H
#define SCHED_TALKS_H

#include "sched/picture.h"

struct talks {
    struct talk *pairs;
    size_t count, room;
};

void talks_free(struct talks *talks);

/*
 * Takes what is measured in the picture, and leaves in it all that is known of its tasks, each pair
 * once.
 */
void talks_keep(struct talks *talks, struct picture *picture);

#endif
