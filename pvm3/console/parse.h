/*
 * parse.h - what words does a command line consist of?
 *
 * Words are separated by white space. '...' and "..." keep what is between them, also inside a
 * word; a backslash outside of quotes keeps the next character; # at the start of a word begins a
 * comment.
 */
#ifndef CONSOLE_PARSE_H
#define CONSOLE_PARSE_H

#define WORDS_MOST 127

struct words {
    int count;
    char *word[WORDS_MOST + 1]; /* allocated each; a NULL follows the last */
};

enum parse_result {
    PARSE_OK,
    PARSE_UNMATCHED_SINGLE, /* a ' that does not end */
    PARSE_UNMATCHED_DOUBLE, /* a " that does not end */
    PARSE_TOO_MANY,         /* more than WORDS_MOST words */
    PARSE_NO_MEMORY
};

/* `words` is empty after a failure. After success words_free gives the words back. */
enum parse_result words_split(struct words *words, const char *line);

/* Appends a copy of `count` words; after a failure the words before are still there. */
enum parse_result words_append(struct words *words, char *const *word, int count);

void words_free(struct words *words);

#endif
