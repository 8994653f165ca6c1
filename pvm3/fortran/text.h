/*
 * text.h - CHARACTER arguments: how they become strings, and back.
 *
 * All here is static, so that nothing but routines is seen of the library and each object of the
 * static one stands by itself.
 */
#ifndef FORTRAN_TEXT_H
#define FORTRAN_TEXT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fortran/routines.h"

enum { TEXT_MOST = 256, TEXT_ROOM = TEXT_MOST + 1 };

/* The low half of what the caller gave. */
static inline size_t text_size(text_length length)
{
    return (unsigned)length;
}

/* Take over `text` without the blanks at its end. Returns false if it is too long. */
static inline bool text_take(char string[TEXT_ROOM], const char *text, text_length length)
{
    size_t size = text_size(length);
    while (size > 0 && text[size - 1] == ' ')
        size--;
    if (size > TEXT_MOST)
        return false;
    memcpy(string, text, size);
    string[size] = '\0';
    return true;
}

/* Take over all of `text`, of any length. Returns what is to be freed, or NULL. */
static inline char *text_copy(const char *text, text_length length)
{
    size_t size = text_size(length);
    char *string = malloc(size + 1);
    if (string) {
        memcpy(string, text, size);
        string[size] = '\0';
    }
    return string;
}

/* Fill `text` with as much of `string` as it takes, and blanks. */
static inline void text_give(char *text, text_length length, const char *string)
{
    size_t size = text_size(length), used = strnlen(string, size);
    memcpy(text, string, used);
    memset(text + used, ' ', size - used);
}

#endif
