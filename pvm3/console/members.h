/*
 * members.h - what hinders a checkpoint: members of groups, whose server is not put away with them.
 */
#ifndef CONSOLE_MEMBERS_H
#define CONSOLE_MEMBERS_H

#include "lib/calls/checkpoint.h"

/* Whether one of these is in a group. For checkpoint_write. */
checkpoint_hinders members_hinder;

#endif
