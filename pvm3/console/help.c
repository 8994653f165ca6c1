/* help.c - what the table of commands says of one, or of all. */
#include <stdio.h>

#include "console/command_line.h"
#include "console/commands.h"

static void command_print(const struct command *command)
{
    printf("%-12s%s\n", command->name, command->summary);
    printf("Syntax:  %s%s%s\n", command->name, *command->syntax ? " " : "", command->syntax);
    if (command->details)
        printf("%s", command->details);
    printf("\n%s", command->explanation);
}

/* 3.4.6 is silent, and so is the text that scripts read. */
static void command_miss(struct report *report, const char *name)
{
    if (report->people)
        problem(report, 0, "help lists the commands", "%s: not found", name);
    else
        failure(report, 0, "help lists the commands", "%s: not found", name);
}

void command_help(struct console *console, int count, char **word)
{
    const struct command *command = command_find(console, count > 1 ? word[1] : "help");
    if (command)
        command_print(command);
    if (!command)
        command_miss(&console->report, word[1]);
    if (count > 1)
        return;
    printf("Commands are:\n");
    for (command = console->commands; command->name; command++)
        if (!command->hidden)
            printf("  %-12s%s\n", command->name, command->summary);
}
