/*
 * expand.h - environment variables in paths that a user configures.
 */
#ifndef CORE_EXPAND_H
#define CORE_EXPAND_H

/*
 * `text` with $NAME and ${NAME} replaced by their values; a variable that is not set is left as it
 * is written. NULL when memory is short. The caller's to free.
 */
char *expand_variables(const char *text);

#endif
