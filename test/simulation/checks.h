/*
 * checks.h - what must hold when nothing has gone wrong for a while. A violation is told by
 * world_violate. One thread.
 */
#ifndef SIMULATION_CHECKS_H
#define SIMULATION_CHECKS_H

#include <stdint.h>

/* All daemons know the same hosts, and nobody else is there. */
void check_tables(void);
/* All messages between tasks that live have arrived. */
void check_messages(void);
/* All that was asked for is answered. */
void check_answers(void);
/* The mailbox has each entry that was acknowledged, once, as long as its owner lives. */
void check_entries(void);
/* Whoever wanted word of an end has it once; of a task that lives, nobody has any. */
void check_words(void);
/* No daemon has run more rounds since than it should at rest. */
void check_rest(int64_t since);
/* Nothing is left of the virtual machine. */
void check_end(void);

/* Begins to count rounds for check_rest. */
void check_rest_begin(void);

#endif
