/* command_line.c - finds the command of a line, and carries it out. */
#include "console/command_line.h"

#include <stdio.h>
#include <string.h>

const struct command *command_find(const struct console *console, const char *name)
{
    for (const struct command *command = console->commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static void parse_error_report(struct report *report, enum parse_result result)
{
    if (result == PARSE_UNMATCHED_SINGLE)
        problem(report, 0, NULL, "unmatched '");
    if (result == PARSE_UNMATCHED_DOUBLE)
        problem(report, 0, NULL, "unmatched \"");
    if (result == PARSE_NO_MEMORY)
        problem(report, 0, NULL, "out of memory");
    else
        problem(report, 0,
                "quotes come in pairs, \\ keeps one character, and a line has at most "
                "127 words",
                "command too long");
}

static void words_run(struct console *console, struct words *words)
{
    const char *name = words->word[0];
    const struct command *command = command_find(console, name);
    char syntax[256];
    if (!command) {
        problem(&console->report, 0, "help lists the commands", "%s: not found", name);
    } else if (words->count < command->least || words->count > command->most) {
        snprintf(syntax, sizeof syntax, "it is: %s %s", name, command->syntax);
        problem(&console->report, 0, syntax, "%s: wrong #args", name);
    } else {
        command->run(console, words->count, words->word);
    }
}

void command_line(struct console *console, const char *line)
{
    struct words words;
    report_begin(&console->report);
    enum parse_result result = words_split(&words, line);
    bool expanded = result == PARSE_OK && alias_expand(console->aliases, &words, &result);
    if (result != PARSE_OK)
        parse_error_report(&console->report, result);
    else if (!expanded)
        problem(&console->report, 0, "alias lists them, unalias NAME forgets one", "alias loop");
    else if (words.count > 0)
        words_run(console, &words);
    report_end(&console->report, words.count > 0 ? words.word[0] : NULL);
    words_free(&words);
}
