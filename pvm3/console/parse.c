/* parse.c - one word after the other, each copied without its quotes. */
#include "console/parse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A word in the making, and where it is being read. */
struct reader {
    const char *from;
    char *to;
};

static enum parse_result words_add(struct words *words, const char *text)
{
    if (words->count == WORDS_MOST)
        return PARSE_TOO_MANY;
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    if (!copy)
        return PARSE_NO_MEMORY;
    memcpy(copy, text, length);
    words->word[words->count++] = copy;
    words->word[words->count] = NULL;
    return PARSE_OK;
}

void words_free(struct words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->word[i]);
    words->count = 0;
    words->word[0] = NULL;
}

enum parse_result words_append(struct words *words, char *const *word, int count)
{
    enum parse_result result = PARSE_OK;
    for (int i = 0; result == PARSE_OK && i < count; i++)
        result = words_add(words, word[i]);
    return result;
}

static bool is_space(char c)
{
    return isspace((unsigned char)c);
}

/* Copies what stands between the quote at `from` and the next one of its kind. */
static enum parse_result reader_take_quoted(struct reader *reader)
{
    char quote = *reader->from++;
    while (*reader->from && *reader->from != quote)
        *reader->to++ = *reader->from++;
    if (!*reader->from)
        return quote == '"' ? PARSE_UNMATCHED_DOUBLE : PARSE_UNMATCHED_SINGLE;
    reader->from++;
    return PARSE_OK;
}

/* Copies one word, up to white space or the end of the line. */
static enum parse_result reader_take_word(struct reader *reader)
{
    enum parse_result result = PARSE_OK;
    while (result == PARSE_OK && *reader->from && !is_space(*reader->from)) {
        if (*reader->from == '"' || *reader->from == '\'') {
            result = reader_take_quoted(reader);
            continue;
        }
        if (*reader->from == '\\' && reader->from[1])
            reader->from++;
        *reader->to++ = *reader->from++;
    }
    *reader->to = '\0';
    return result;
}

enum parse_result words_split(struct words *words, const char *line)
{
    words->count = 0;
    words->word[0] = NULL;
    char *text = malloc(strlen(line) + 1);
    if (!text)
        return PARSE_NO_MEMORY;
    enum parse_result result = PARSE_OK;
    struct reader reader = {.from = line, .to = text};
    while (result == PARSE_OK) {
        while (is_space(*reader.from))
            reader.from++;
        if (!*reader.from || *reader.from == '#')
            break;
        reader.to = text;
        result = reader_take_word(&reader);
        if (result == PARSE_OK)
            result = words_add(words, text);
    }
    free(text);
    if (result != PARSE_OK)
        words_free(words);
    return result;
}
