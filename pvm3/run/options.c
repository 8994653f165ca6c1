/* options.c - options, and where the program begins. */
#include "run/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pvmrun [OPTION]... PROGRAM [WORD]... [: [OPTION]... PROGRAM [WORD]...]...\n"
    "Runs a program as tasks of the virtual machine, or of a private one, and ends with their "
    "status.\n"
    "\n"
    "  -n, -np COUNT            so many tasks (1)\n"
    "  -x NAME[=VALUE]          set a variable of the tasks\n"
    "  --help, --version\n";

/* What is left of the command line. */
struct reader {
    char **words;
    struct job *job;
    struct part *part;
};

static void __attribute__((noreturn, format(printf, 1, 2))) refuse(const char *format, ...)
{
    va_list arguments;
    fputs("pvmrun: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\n(pvmrun --help tells more)\n", stderr);
    exit(EXIT_FAILURE);
}

static int read_count(const char *option, const char *text)
{
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end != '\0' || count < 1 || count > 262143)
        refuse("%s needs a number from 1 to 262143, not '%s'", option, text);
    return (int)count;
}

static void take_count(struct reader *reader, const char *option, const char *value)
{
    reader->part->count = read_count(option, value);
}

static void take_variable(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    const char *own = strchr(value, '=') ? NULL : getenv(value);
    if (strchr(value, '=')) {
        words_set(&reader->part->settings, value);
    } else if (own) {
        char *variable = memory_text("%s=%s", value, own);
        words_set(&reader->part->settings, variable);
        free(variable);
    }
}

static void show_help(struct reader *reader, const char *option, const char *value)
{
    (void)reader;
    (void)option;
    (void)value;
    fputs(help, stdout);
    exit(EXIT_SUCCESS);
}

static void show_version(struct reader *reader, const char *option, const char *value)
{
    (void)reader;
    (void)option;
    (void)value;
    printf("pvmrun (PVM) %s\n", VERSION);
    exit(EXIT_SUCCESS);
}

static const struct option {
    const char *names; /* without the dashes in front, with blanks around */
    bool has_value;
    void (*take)(struct reader *reader, const char *option, const char *value);
} options[] = {
    {" n np c ", true, take_count},
    {" x ", true, take_variable},
    {" h help ", false, show_help},
    {" V version ", false, show_version},
};

static const struct option *find_option(const char *name, size_t length)
{
    char *padded = memory_text(" %.*s ", (int)length, name);
    const struct option *found = NULL;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strstr(options[i].names, padded))
            found = &options[i];
    free(padded);
    return found;
}

/* --name=value, --name value and -name value are the same. */
static void read_option(struct reader *reader)
{
    const char *word = *reader->words++;
    const char *name = word + (word[1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");
    const struct option *option = length > 0 ? find_option(name, length) : NULL;
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option)
        refuse("there is no option %s", word);
    if (!option->has_value && value)
        refuse("%.*s takes no value", (int)(name + length - word), word);
    if (option->has_value && !value && !(value = *reader->words++))
        refuse("%s needs a value behind it", word);
    option->take(reader, word, value);
}

static void read_part(struct reader *reader)
{
    struct job *job = reader->job;
    job->parts = memory_resize(job->parts, (size_t)job->part_count + 1, sizeof *job->parts);
    reader->part = &job->parts[job->part_count++];
    *reader->part = (struct part){0};
    while (*reader->words && (*reader->words)[0] == '-' && (*reader->words)[1] != '\0')
        read_option(reader);
    while (*reader->words && strcmp(*reader->words, ":") != 0)
        words_add(&reader->part->words, *reader->words++);
    if (reader->part->words.count == 0)
        refuse("the name of a program is missing");
}

void options_read(struct job *job, char **words)
{
    struct reader reader = {.words = words, .job = job};
    *job = (struct job){0};
    read_part(&reader);
    while (*reader.words) {
        reader.words++;
        read_part(&reader);
    }
}

void options_free(struct job *job)
{
    for (int i = 0; i < job->part_count; i++) {
        words_free(&job->parts[i].words);
        words_free(&job->parts[i].settings);
        words_free(&job->parts[i].hosts);
        free(job->parts[i].folder);
    }
    free(job->parts);
}
