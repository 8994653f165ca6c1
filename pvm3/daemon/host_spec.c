/* host_spec.c - words of a line. */
#include "daemon/host_spec.h"

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

/* When an option is given twice the first one counts. */
static bool host_spec_take_option(struct host_spec *spec, const char *word)
{
    for (int option = 0; option < HOST_OPTION_COUNT; option++) {
        if (strncmp(word, option_names[option], 2) != 0 || word[2] != '=')
            continue;
        if (!host_spec_is_sane((enum host_option)option, word + 3))
            return false;
        if (!spec->options[option])
            spec->options[option] = word + 3;
        return true;
    }
    return false;
}

static enum host_spec_result host_spec_split(struct host_spec *spec)
{
    char *rest = spec->text + strspn(spec->text, BLANKS);
    for (; *rest == '&' || *rest == '$'; rest++) {
        spec->listed_only |= *rest == '&';
        spec->shared |= *rest == '$';
    }
    spec->name = strtok_r(rest, BLANKS, &rest);
    if (!spec->name)
        return HOST_SPEC_BAD;
    char *word;
    for (int words = 1; (word = strtok_r(NULL, BLANKS, &rest)) != NULL; words++)
        if (words == WORDS_MAX || !host_spec_take_option(spec, word))
            return HOST_SPEC_BAD;
    return HOST_SPEC_GOOD;
}

enum host_spec_result host_spec_read(struct host_spec *spec, const char *line)
{
    const char *start = line + strspn(line, BLANKS);
    if (*start == '\0' || *start == '#')
        return HOST_SPEC_EMPTY;
    *spec = (struct host_spec){.text = strdup(start)};
    if (!spec->text)
        return HOST_SPEC_MEMORY;
    enum host_spec_result result = host_spec_split(spec);
    if (result != HOST_SPEC_GOOD)
        host_spec_free(spec);
    return result;
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
