/* alias.c - a sorted list. */
#include "console/alias.h"

#include <stdlib.h>
#include <string.h>

static void alias_free(struct alias *alias)
{
    words_free(&alias->words);
    free(alias);
}

enum parse_result alias_define(struct alias **list, char *const *word, int count)
{
    struct alias *alias = calloc(1, sizeof *alias);
    if (!alias)
        return PARSE_NO_MEMORY;
    enum parse_result result = words_append(&alias->words, word, count);
    if (result != PARSE_OK) {
        alias_free(alias);
        return result;
    }
    alias_remove(list, word[0]);
    while (*list && strcmp((*list)->words.word[0], word[0]) < 0)
        list = &(*list)->next;
    alias->next = *list;
    *list = alias;
    return PARSE_OK;
}

static const struct alias *alias_find(const struct alias *list, const char *name)
{
    while (list && strcmp(list->words.word[0], name) != 0)
        list = list->next;
    return list;
}

void alias_remove(struct alias **list, const char *name)
{
    while (*list && strcmp((*list)->words.word[0], name) != 0)
        list = &(*list)->next;
    struct alias *found = *list;
    if (found) {
        *list = found->next;
        alias_free(found);
    }
}

void alias_clear(struct alias **list)
{
    while (*list)
        alias_remove(list, (*list)->words.word[0]);
}

static int alias_count(const struct alias *list)
{
    int count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

/* Puts the meaning of `alias` in the place of the first word. */
static enum parse_result alias_replace(const struct alias *alias, struct words *words)
{
    struct words expanded = {.count = 0};
    enum parse_result result =
        words_append(&expanded, alias->words.word + 1, alias->words.count - 1);
    if (result == PARSE_OK)
        result = words_append(&expanded, words->word + 1, words->count - 1);
    words_free(words);
    if (result == PARSE_OK)
        *words = expanded;
    else
        words_free(&expanded);
    return result;
}

bool alias_expand(const struct alias *list, struct words *words, enum parse_result *result)
{
    *result = PARSE_OK;
    /* Without a loop no alias is used twice. */
    for (int left = alias_count(list); words->count > 0; left--) {
        const struct alias *alias = alias_find(list, words->word[0]);
        if (!alias)
            return true;
        if (left == 0)
            return false;
        bool own_name = strcmp(alias->words.word[1], alias->words.word[0]) == 0;
        *result = alias_replace(alias, words);
        if (*result != PARSE_OK)
            return false;
        if (own_name)
            return true;
    }
    return true;
}
