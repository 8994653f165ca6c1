/*
 * traits.h - what two processes must have in common if a user-level process is to move from one to
 * the other: the program, the libraries and their addresses, the kind of processor.
 *
 * Threads: one thread for each user-level process.
 */
#ifndef ULP_TRAITS_H
#define ULP_TRAITS_H

#include <stddef.h>

struct ulp;

/* In text, a line each; the first is the path of the program. The caller's (free); NULL: no memory. */
char *traits_write(const struct ulp *ulp);

/* The path in such a text. The caller's (free); NULL: no memory. */
char *traits_program(const char *text);

/*
 * Whether the traits of this process, `own`, do for a program that has had `wanted`: NULL; or why
 * not, in `text`.
 */
const char *traits_compare(const char *wanted, const char *own, char *text, size_t size);

#endif
