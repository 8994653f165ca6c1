/* simple.c - echo, id, idump, quit, tickle, version. */
#include <stdio.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/output.h"

/* Of libpvm3, in no header of 3.4.6. */
void i_dump(int how);

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
    if (!console->report.json) {
        printf("t%x\n", (unsigned)console->tid);
        return;
    }
    json_tid_member(&console->report.members, "tid", console->tid);
}

void command_idump(struct console *console, int count, char **word)
{
    int how = 0;
    if (count == 1 || number_parse(&console->report, "idump", word[1], &how))
        i_dump(how);
}

void command_quit(struct console *console, int count, char **word)
{
    (void)count, (void)word;
    if (!console->report.json)
        printf("\nConsole: exit handler called\npvmd still running.\n");
    console->finished = true;
}

void command_tickle(struct console *console, int count, char **word)
{
    int arguments[TICKLE_MOST], answers[TICKLE_MOST], answered = 0;

    for (int i = 1; i < count; i++)
        if (!number_parse(&console->report, "tickle", word[i], &arguments[i - 1]))
            return;
    int result = pvm_tickle(count - 1, arguments, &answered, answers);
    if (result < 0) {
        failure(&console->report, result, NULL, "%s", error_text(result));
        return;
    }
    printf("( ");
    for (int i = 0; i < answered; i++)
        printf("%d ", answers[i]);
    printf(")\n");
}

void command_version(struct console *console, int count, char **word)
{
    (void)count, (void)word;
    if (!console->report.json) {
        printf(console->report.people ? "%s, release %s\n" : "%s\n", pvm_version(), VERSION);
        return;
    }
    json_text_member(&console->report.members, "pvm", pvm_version());
    json_text_member(&console->report.members, "release", VERSION);
}
