/*
 * substitutes.h - functions that a user-level process has instead of those of the C library: where
 * the library has one of something for the process, or would end or change all of it.
 *
 * Threads: any thread of a user-level process may call a substitute.
 */
#ifndef ULP_SUBSTITUTES_H
#define ULP_SUBSTITUTES_H

#include "ulp/image.h"

/* The variable of the calling program that stands for one of libpvm3; NULL if it stands for itself. */
void *substitutes_variable(const struct image_symbol *symbol);

/* What stands for the symbol; NULL, and *why if the program is refused for it. */
void *substitutes_find(const struct image_symbol *symbol, const char **why);

/* Before a program is bound whose libraries have been opened. */
void substitutes_prepare(void);

#endif
