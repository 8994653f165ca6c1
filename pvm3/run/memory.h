/*
 * memory.h - memory and lists of words. A program that has no memory for its own lists ends.
 */
#ifndef RUN_MEMORY_H
#define RUN_MEMORY_H

#include <stddef.h>

/* Words, with a NULL behind the last one; {0} is an empty list. */
struct words {
    char **items;
    int count;
};

/* As realloc, but ends the program when there is no memory. */
void *memory_resize(void *memory, size_t count, size_t size);

/* Text made as by printf, to be freed. */
char *memory_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds a copy of a word. */
void words_add(struct words *words, const char *word);

/* Takes over a word. */
void words_take(struct words *words, char *word);

/* NAME=VALUE: takes the place of the variable of that name. */
void words_set(struct words *words, const char *variable);

/* The value of a variable, NULL if the list has none. */
const char *words_value(const struct words *words, const char *name);

void words_free(struct words *words);

#endif
