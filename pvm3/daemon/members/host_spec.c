/* host_spec.c - words of a line. */
#include "daemon/members/host_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS    " \t\r\n"
#define WORDS_MAX 10
#define SPEED_MAX 1000000

static const char option_names[HOST_OPTION_COUNT][3] = {"lo", "so", "dx", "ep", "bx",
                                                        "wd", "sp", "ip", "id"};

static bool host_spec_is_sane(enum host_option option, const char *value)
{
    if (option == HOST_START)
        return strcmp(value, "pw") == 0 || strcmp(value, "ms") == 0;
    if (option != HOST_SPEED)
        return true;
    char *end;
    long speed = strtol(value, &end, 10);
    return end != value && *end == '\0' && speed >= 1 && speed <= SPEED_MAX;
}

static bool host_spec_refuse(struct host_spec *spec, const char *word, const char *why)
{
    snprintf(spec->wrong, sizeof spec->wrong, "'%.30s' %s", word, why);
    return false;
}

/* When an option is given twice the first one counts. */
static bool host_spec_take_option(struct host_spec *spec, const char *word)
{
    for (int option = 0; option < HOST_OPTION_COUNT; option++) {
        if (strncmp(word, option_names[option], 2) != 0 || word[2] != '=')
            continue;
        if (!host_spec_is_sane((enum host_option)option, word + 3))
            return host_spec_refuse(spec, word,
                                    option == HOST_SPEED ? "is no speed from 1 to 1000000"
                                                         : "is neither so=pw nor so=ms");
        if (!spec->options[option])
            spec->options[option] = word + 3;
        return true;
    }
    return host_spec_refuse(spec, word, "is no option of a host");
}

static enum host_spec_result host_spec_split(struct host_spec *spec, char *rest)
{
    spec->name = strtok_r(rest, BLANKS, &rest);
    if (!spec->name) {
        host_spec_refuse(spec, "", "is no name of a host");
        return HOST_SPEC_BAD;
    }
    char *word;
    for (int words = 1; (word = strtok_r(NULL, BLANKS, &rest)) != NULL; words++) {
        if (words == WORDS_MAX)
            host_spec_refuse(spec, word, "is one word too many");
        if (words == WORDS_MAX || !host_spec_take_option(spec, word))
            return HOST_SPEC_BAD;
    }
    return HOST_SPEC_GOOD;
}

static enum host_spec_result host_spec_start(struct host_spec *spec, const char *text, bool line)
{
    *spec = (struct host_spec){.text = strdup(text)};
    if (!spec->text)
        return HOST_SPEC_MEMORY;
    char *rest = spec->text + strspn(spec->text, BLANKS);
    for (; line && (*rest == '&' || *rest == '$'); rest++) {
        spec->listed_only |= *rest == '&';
        spec->shared |= *rest == '$';
    }
    enum host_spec_result result = host_spec_split(spec, rest);
    if (result != HOST_SPEC_GOOD)
        host_spec_free(spec);
    return result;
}

enum host_spec_result host_spec_read_line(struct host_spec *spec, const char *line)
{
    const char *start = line + strspn(line, BLANKS);
    return *start == '\0' || *start == '#' ? HOST_SPEC_EMPTY : host_spec_start(spec, start, true);
}

enum host_spec_result host_spec_read(struct host_spec *spec, const char *text)
{
    return host_spec_start(spec, text, false);
}

void host_spec_free(struct host_spec *spec)
{
    free(spec->text);
    spec->text = NULL;
}

const char *host_spec_address(const struct host_spec *spec)
{
    return spec->options[HOST_ADDRESS] ? spec->options[HOST_ADDRESS] : spec->name;
}
