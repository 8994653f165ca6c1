/* memory.c - realloc, and lists of words on top of it. */
#include "run/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((noreturn)) memory_end(void)
{
    fputs("pvmrun: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *memory_resize(void *memory, size_t count, size_t size)
{
    void *resized = count > SIZE_MAX / size ? NULL : realloc(memory, count * size);
    if (!resized)
        memory_end();
    return resized;
}

char *memory_text(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        memory_end();
    return text;
}

void words_take(struct words *words, char *word)
{
    words->items = memory_resize(words->items, (size_t)words->count + 2, sizeof *words->items);
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

void words_add(struct words *words, const char *word)
{
    words_take(words, memory_text("%s", word));
}

static int words_find(const struct words *words, const char *name, size_t length)
{
    for (int i = 0; i < words->count; i++)
        if (strncmp(words->items[i], name, length) == 0 && words->items[i][length] == '=')
            return i;
    return -1;
}

void words_set(struct words *words, const char *variable)
{
    int at = words_find(words, variable, strcspn(variable, "="));
    if (at < 0) {
        words_add(words, variable);
        return;
    }
    free(words->items[at]);
    words->items[at] = memory_text("%s", variable);
}

const char *words_value(const struct words *words, const char *name)
{
    int at = words_find(words, name, strlen(name));
    return at < 0 ? NULL : words->items[at] + strlen(name) + 1;
}

void words_free(struct words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){0};
}
