/* How does a test program tell what it observes? One line for each observation, on standard output.
 *
 * The library's own diagnostics appear among them, in place.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

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

#endif
