/*
 * departure.h - hosts leave the virtual machine before Slurm takes them away.
 */
#ifndef SLURM_DEPARTURE_H
#define SLURM_DEPARTURE_H

#include "slurm/nodes.h"

/*
 * Moves what can move, user-level processes, from all hosts whose end has been announced to others,
 * in turn. Then it deletes these hosts.
 */
void departure_evacuate(struct nodes *nodes);

/* Deletes the host of a node, and gives the node back. */
void departure_delete(struct node *node);

#endif
