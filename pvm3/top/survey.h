/*
 * survey.h - looks at the virtual machine: asks the daemon for hosts and tasks, and an agent on
 * each host for what they use. The agents sleep between looks, and end with this process, however
 * it ends. Hosts with a pvmd of 3.4.6 get no agent. Tasks are not asked, and notice nothing.
 */
#ifndef TOP_SURVEY_H
#define TOP_SURVEY_H

#include "top/picture.h"

/* {0} at first. The picture is of the last look, without this process and its agents. */
struct survey {
    struct picture picture;
    int look;
};

/* Takes a new picture. Agents that do not answer within `patience` seconds are left out of it.
 * False when the virtual machine is gone. */
bool survey_take(struct survey *survey, double patience);

/*
 * Waits until the descriptor can be read, a time has come (that of clock_now), or a signal. False
 * when the virtual machine is gone.
 */
bool survey_wait(struct survey *survey, int descriptor, double until);

void survey_free(struct survey *survey);

#endif
