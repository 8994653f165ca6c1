/*
 * entry.h - how a program begins: its entry tells where its main is.
 *
 * Threads: the first thread of a user-level process, which runs the program.
 */
#ifndef ULP_ENTRY_H
#define ULP_ENTRY_H

#include "ulp/ulp.h"

/* Enters the program, which says where its main is, and no more. */
void ulp_enter(struct ulp *ulp);

/* What the entry of a program calls with its main. It does not return. */
int ulp_start_main(ulp_main *function, int count, char **words,
                   void (*begin)(int count, char **words, char **environment), void (*end)(void),
                   void (*linker_end)(void), void *stack_end);

/* The program goes on where it was when it left another process; the system wrote `context` then. */
void ulp_go_on(struct ulp *ulp, void *context, int error);

/* Calls what comes before main, and main. Returns at the end of the program, however it comes. */
void ulp_call_main(struct ulp *ulp);

#endif
