/*
 * places.h - on which hosts new user-level processes are best started.
 *
 * The scheduler leaves a list of hosts in a mailbox entry, of which pvm_spawn makes use if it may
 * choose the host.
 */
#ifndef SCHED_PLACES_H
#define SCHED_PLACES_H

#include "sched/picture.h"

enum { PLACES_MOST = 64 };

/*
 * Where each of PLACES_MOST new tasks would go, one after the other, if each wanted a processor. They
 * are added to the load of the hosts in the picture. False: no host is open.
 */
bool places_find(struct picture *picture, int tids[PLACES_MOST]);

#endif
