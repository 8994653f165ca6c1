/* pattern.c - the pieces between the stars, each found as far left as possible. */
#include "daemon/requests/pattern.h"

#include <stddef.h>

/*
 * The end of the piece that starts at `pattern`: a star, or the end of the pattern. As in 3.4.6 the
 * first character of a piece is never an escape.
 */
static const char *pattern_piece_end(const char *pattern)
{
    if (*pattern && *pattern != '*')
        pattern++;
    while (*pattern && *pattern != '*')
        pattern += pattern[0] == '\\' && pattern[1] == '*' ? 2 : 1;
    return pattern;
}

/* Where `name` goes on behind the piece, or NULL when it does not start with it. */
static const char *pattern_skip_piece(const char *piece, const char *end, const char *name)
{
    for (bool first = true; piece < end; first = false) {
        if (!first && piece[0] == '\\' && piece[1] == '*')
            piece++;
        if (*name++ != *piece++)
            return NULL;
    }
    return name;
}

static const char *pattern_find_piece(const char *piece, const char *end, const char *name)
{
    for (;; name++) {
        const char *rest = pattern_skip_piece(piece, end, name);
        if (rest || !*name)
            return rest;
    }
}

bool pattern_fits(const char *pattern, const char *name)
{
    while (name && *pattern) {
        const char *end = pattern_piece_end(pattern);
        name = pattern_find_piece(pattern, end, name);
        pattern = *end ? end + 1 : end;
    }
    return name != NULL;
}
