/* expand.c - $NAME and ${NAME}. */
#include "core/expand.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t expand_name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/*
 * The value of the variable whose reference starts at the dollar sign; *size is the length of the
 * reference.
 */
static const char *expand_reference(const char *text, size_t *size)
{
    bool braced = text[1] == '{';
    const char *start = text + (braced ? 2 : 1);
    size_t length = expand_name_length(start);
    *size = (size_t)(start - text) + length + (braced ? 1 : 0);
    if (length == 0 || (braced && start[length] != '}'))
        return NULL;
    char *name = strndup(start, length);
    const char *value = name ? getenv(name) : NULL;
    free(name);
    return value;
}

char *expand_variables(const char *text)
{
    char *result = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&result, &length);
    if (!out)
        return NULL;
    while (*text) {
        size_t size = 1;
        const char *value = *text == '$' ? expand_reference(text, &size) : NULL;
        if (value) {
            fputs(value, out);
            text += size;
        } else {
            fputc(*text++, out);
        }
    }
    if (fclose(out) == 0)
        return result;
    free(result);
    return NULL;
}
