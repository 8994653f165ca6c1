/* collective.h - what all calls begin with in which every member of a group takes part. */
#ifndef GROUPS_COLLECTIVE_H
#define GROUPS_COLLECTIVE_H

#include "groups/client.h"
#include "groups/items.h"

/* As in 3.4.6 bad arguments are told before what is wrong with the group. groups_call_end follows. */
int collective_begin(struct groups_call *call, const char *group, const struct items *own);

#endif
