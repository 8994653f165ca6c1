/* simple.c - echo, id, quit, tickle, version. */
#include <stdio.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/output.h"

#define TICKLE_MOST 10

void command_echo(struct console *console, int count, char **word)
{
    (void)console;
    for (int i = 1; i < count; i++)
        printf("%s%s", i > 1 ? " " : "", word[i]);
    printf("\n");
}

void command_id(struct console *console, int count, char **word)
{
    (void)count, (void)word;
    printf("t%x\n", (unsigned)console->tid);
}

void command_quit(struct console *console, int count, char **word)
{
    (void)count, (void)word;
    printf("\nConsole: exit handler called\npvmd still running.\n");
    console->finished = true;
}

void command_tickle(struct console *console, int count, char **word)
{
    int arguments[TICKLE_MOST], answers[TICKLE_MOST], answered = 0;

    (void)console;
    for (int i = 1; i < count; i++)
        if (!number_parse("tickle", word[i], &arguments[i - 1]))
            return;
    if (pvm_tickle(count - 1, arguments, &answered, answers) < 0)
        return;
    printf("( ");
    for (int i = 0; i < answered; i++)
        printf("%d ", answers[i]);
    printf(")\n");
}

void command_version(struct console *console, int count, char **word)
{
    (void)console, (void)count, (void)word;
    printf("%s\n", pvm_version());
}
