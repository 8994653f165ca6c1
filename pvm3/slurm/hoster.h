/*
 * hoster.h - the manager as the hoster of the virtual machine: it starts pvmds on nodes.
 *
 * The master asks for one order at a time. The answer goes back when each host of the order has
 * started or failed, or when the time for that is over.
 */
#ifndef SLURM_HOSTER_H
#define SLURM_HOSTER_H

#include <stdbool.h>

#include "slurm/nodes.h"

struct ordered_host {
    int tid; /* of the pvmd to be */
    struct node *node;
    char *line; /* its answer, NULL before that */
};

struct order {
    int source, wait; /* whom to answer, and the wait id */
    struct ordered_host *hosts;
    int count, answered; /* count 0: there is no order */
    double deadline;
};

/* Takes an order from the active receive buffer, and begins. */
void order_take(struct order *order, struct nodes *nodes, int buffer, double now);

/* The node has an agent now, which is to start the pvmd if the node was ordered. */
void order_go_on(struct node *node);

/* The pvmd of a node has printed its line. NULL: it does not start. */
void order_answer(struct order *order, struct node *node, const char *line);

/* The time is over: hosts that have not started have failed. */
void order_give_up(struct order *order);

#endif
