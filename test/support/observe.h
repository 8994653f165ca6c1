/* How does a test program tell what it observes? One line for each observation, on standard output.
 *
 * The library's own diagnostics appear among them, in place.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

#include <pvm3.h>
#include <stdio.h>
#include <unistd.h>

/* "EXPRESSION: VALUE", the value as a decimal integer. */
#define SEE(expression) printf("%s: %ld\n", #expression, (long)(expression))

/* "WHAT: TEXT". */
#define SEE_TEXT(what, text) printf("%s: %s\n", what, text)

/* A heading for what follows. */
#define AREA(name) printf("== %s\n", name)

/* Call first: both standard streams go to standard output, line by line. */
static inline void observe(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    dup2(STDOUT_FILENO, STDERR_FILENO);
}

/* Wait until a spawned task is connected: before, its flags change, and it may not be killed. */
static inline void wait_connected(int tid)
{
    enum { CHILD_AND_CONNECTED = 6 };
    struct pvmtaskinfo *tasks = NULL;
    int count = 0;

    do
        pvm_tasks(tid, &count, &tasks);
    while (count != 1 || tasks[0].ti_flag != CHILD_AND_CONNECTED);
}

#endif
