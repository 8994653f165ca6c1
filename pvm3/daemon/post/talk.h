/*
 * talk.h - how many frames tasks of this host have sent to tasks of other hosts, by pairs of tasks:
 * for who decides which task runs where.
 *
 * Nothing is counted before somebody asks. If there are too many pairs, those that began to talk
 * last are not counted. The record is all zeros at first. One thread.
 */
#ifndef DAEMON_POST_TALK_H
#define DAEMON_POST_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct talk_pair {
    uint32_t source;
    uint32_t destination;
    uint32_t frames; /* 0: there is no pair here */
};

struct talk {
    struct talk_pair *pairs; /* a table with places for all that are counted; NULL: nobody asks */
    size_t count;            /* of pairs */
    size_t taken;            /* places before this one have been told */
};

void talk_finish(struct talk *talk);

/* A frame goes to another host. talk->pairs is there. */
void talk_note(struct talk *talk, uint32_t source, uint32_t destination);

/*
 * Takes one of the pairs that there have been since all were taken. False: there are no more, and
 * counting begins anew.
 */
bool talk_take(struct talk *talk, struct talk_pair *pair);

#endif
