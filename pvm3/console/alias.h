/*
 * alias.h - the user's own names for commands.
 */
#ifndef CONSOLE_ALIAS_H
#define CONSOLE_ALIAS_H

#include <stdbool.h>

#include "console/parse.h"

struct alias {
    struct alias *next;
    struct words words; /* the name, then what it stands for */
};

/* A list in the order of names; NULL is the empty one. */

/* Defines words[0] as the words behind it, in place of an older meaning. */
enum parse_result alias_define(struct alias **list, char *const *word, int count);
void alias_remove(struct alias **list, const char *name);
void alias_clear(struct alias **list);

/*
 * Replaces the first word as long as it is an alias; an alias that begins with its own name is
 * replaced once. False, with the words in part replaced, when aliases lead back to each other,
 * `*result` then PARSE_OK, or when the words cannot be put together.
 */
bool alias_expand(const struct alias *list, struct words *words, enum parse_result *result);

#endif
