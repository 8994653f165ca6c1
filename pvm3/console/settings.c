/* settings.c - alias, export, getopt, setenv, setopt, unalias, unexport. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/output.h"
#include "console/settings.h"

extern char **environ;

struct option {
    const char *name;
    int number;
};

#define OPTION(name)                                                                               \
    {                                                                                              \
#name, name                                                                                \
    }

/* In the order of their numbers; the two of shared-memory machines are left out, as in 3.4.6. */
static const struct option options[] = {
    OPTION(PvmRoute),
    OPTION(PvmDebugMask),
    OPTION(PvmAutoErr),
    OPTION(PvmOutputTid),
    OPTION(PvmOutputCode),
    OPTION(PvmTraceTid),
    OPTION(PvmTraceCode),
    OPTION(PvmTraceBuffer),
    OPTION(PvmTraceOptions),
    OPTION(PvmFragSize),
    OPTION(PvmResvTids),
    OPTION(PvmSelfOutputTid),
    OPTION(PvmSelfOutputCode),
    OPTION(PvmSelfTraceTid),
    OPTION(PvmSelfTraceCode),
    OPTION(PvmSelfTraceBuffer),
    OPTION(PvmSelfTraceOptions),
    OPTION(PvmShowTids),
    OPTION(PvmOutputContext),
    OPTION(PvmTraceContext),
    OPTION(PvmSelfOutputContext),
    OPTION(PvmSelfTraceContext),
    OPTION(PvmNoReset),
};

#define OPTIONS (sizeof options / sizeof *options)

const char *option_name(size_t index)
{
    return index < OPTIONS ? options[index].name : NULL;
}

static const struct option *option_find(struct report *report, const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    problem(report, 0, "getopt lists the options", "PVM Option \"%s\" Unknown.", name);
    return NULL;
}

static void option_print(const struct option *option)
{
    printf("%s Currently Set to %d\n", option->name, pvm_getopt(option->number));
}

void command_getopt(struct console *console, int count, char **word)
{
    const struct option *option = count > 1 ? option_find(&console->report, word[1]) : NULL;
    if (option)
        option_print(option);
    for (size_t i = 0; count == 1 && i < OPTIONS; i++)
        option_print(&options[i]);
}

void command_setopt(struct console *console, int count, char **word)
{
    int value;

    (void)count;
    const struct option *option = option_find(&console->report, word[1]);
    if (!option || !number_parse(&console->report, "setopt", word[2], &value))
        return;
    int before = pvm_setopt(option->number, value);
    if (before < 0)
        failure(&console->report, before, NULL, "%s: %s", option->name, error_text(before));
    printf("%s Changed from %d to %d\n", option->name, before, value);
}

static void words_print(char *const *word, int count)
{
    for (int i = 0; i < count; i++)
        printf("%s%s", i > 0 ? " " : "", word[i]);
}

void command_alias(struct console *console, int count, char **word)
{
    if (count > 2) {
        if (alias_define(&console->aliases, word + 1, count - 1) != PARSE_OK)
            problem(&console->report, 0, NULL, "alias: out of memory");
        return;
    }
    for (const struct alias *alias = console->aliases; alias; alias = alias->next) {
        printf("%s\t", alias->words.word[0]);
        words_print(alias->words.word + 1, alias->words.count - 1);
        printf("\n");
    }
}

void command_unalias(struct console *console, int count, char **word)
{
    for (int i = 1; i < count; i++)
        alias_remove(&console->aliases, word[i]);
}

void command_export(struct console *console, int count, char **word)
{
    (void)console;
    for (int i = 1; i < count; i++)
        pvm_export(word[i]);
    if (count == 1) {
        const char *names = getenv("PVM_EXPORT");
        printf("PVM_EXPORT=%s\n", names ? names : "");
    }
}

void command_unexport(struct console *console, int count, char **word)
{
    (void)console;
    for (int i = 1; i < count; i++)
        pvm_unexport(word[i]);
}

/*
 * The words from the third on, with single spaces between them; the caller frees. NULL: no memory.
 */
static char *value_join(int count, char **word)
{
    size_t size = 1, used = 0;
    for (int i = 2; i < count; i++)
        size += strlen(word[i]) + 1;
    char *value = malloc(size);
    for (int i = 2; value && i < count; i++)
        used += (size_t)snprintf(value + used, size - used, "%s%s", i > 2 ? " " : "", word[i]);
    return value;
}

void command_setenv(struct console *console, int count, char **word)
{
    (void)console;
    if (count == 1) {
        for (char **variable = environ; *variable; variable++)
            printf("%s\n", *variable);
    } else if (count == 2) {
        const char *value = getenv(word[1]);
        if (value)
            printf("%s\n", value);
    } else {
        char *value = value_join(count, word);
        if (!value || setenv(word[1], value, 1) != 0)
            perror("setenv");
        free(value);
    }
}
