/* survey.h - the scheduler asks its agents, of which there is one on each host. */
#ifndef SCHED_SURVEY_H
#define SCHED_SURVEY_H

#include "sched/picture.h"

struct survey_agent {
    int host; /* tid */
    int tid;  /* below 0: it could not be started */
};

struct survey {
    struct survey_agent *agents;
    size_t count;
    int round;
};

/* Starts agents on hosts that have none, and says which could not be started. */
void survey_hosts(struct survey *survey);

/* An agent is over. */
void survey_ended(struct survey *survey, int tid);

/*
 * Asks all agents and makes a picture of what they answer, within `patience` seconds. False when
 * the virtual machine is gone.
 */
bool survey_take(struct survey *survey, double patience, struct picture *picture);

void survey_free(struct survey *survey);

#endif
