/*
 * placement.h - where the global scheduler, if there is one, wants new tasks that may run on any
 * host.
 *
 * It leaves a list of hosts in a mailbox entry: the first one is for the next task, and so on, round
 * and round. An entry has the number of the list, and the tids of the hosts behind their count.
 */
#ifndef LIB_SPAWN_PLACEMENT_H
#define LIB_SPAWN_PLACEMENT_H

#include <stdint.h>

enum { PLACEMENT_MOST = 64 };

struct task;

/*
 * Asks for the places of `count` tasks. Returns how many hosts there are in the list, and the first
 * of this process's turn in *turn. 0: nobody wants tasks anywhere.
 */
int placement_ask(struct task *task, int count, uint32_t hosts[PLACEMENT_MOST], uint32_t *turn);

#endif
