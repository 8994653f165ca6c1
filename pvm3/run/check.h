/*
 * check.h - what would be used, for --check.
 */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "run/ranks.h"

/*
 * Prints which ranks would run where. What is left of the run is a task for each program and host,
 * which prints facts.
 */
void check_plan(struct run *run);

/* In such a task: prints what it finds on its host. Returns an exit status. */
int check_facts(const char *program);

#endif
