/* trace.c - trace: what traced tasks tell. */
#include <stdio.h>
#include <string.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/output.h"
#include "tracing/events.h"

/* What is traced unless the user wants something else. */
static const char *const usual[] = {
    "addmhf", "barrier",    "bcast", "delmhf",  "exit",     "joingroup", "kill",  "lvgroup",
    "mcast",  "mhf_invoke", "mytid", "nrecv",   "parent",   "precv",     "probe", "psend",
    "recv",   "recvf",      "send",  "sendsig", "siblings", "spawn",     "trecv", "user_defined"};

void trace_choose_usual(void)
{
    Pvmtmask mask;
    events_set_all(mask, false);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        events_set(mask, usual[i], true);
    pvm_settmask(PvmTaskChild, mask);
}

/* Carries out `trace buf`: shows the size, or takes the next word for it. Returns words used. */
static int trace_buffer(struct report *report, int left, char **word)
{
    int size;
    if (left == 0) {
        printf("\nTrace Buffering set to %d bytes\n\n", pvm_getopt(PvmTraceBuffer));
        return 0;
    }
    if (number_parse(report, "trace", word[0], &size))
        pvm_setopt(PvmTraceBuffer, size);
    return 1;
}

static int trace_option(struct report *report, int left, char **word)
{
    if (left == 0) {
        printf("\nTrace Options set to \"%s\"\n\n", trace_option_name(pvm_getopt(PvmTraceOptions)));
        return 0;
    }
    int option = trace_option_find(word[0]);
    if (option > 0)
        pvm_setopt(PvmTraceOptions, option);
    else
        problem(report, 0, "it is full, time or count", "\nError:  Unknown Trace Option \"%s\"\n",
                word[0]);
    return 1;
}

/* The event `name`, or all, from now on chosen or not. */
static void trace_event(struct report *report, const char *name, bool chosen)
{
    Pvmtmask mask;
    if (pvm_gettmask(PvmTaskChild, mask) < 0)
        return;
    if (strcmp(name, "*") == 0)
        events_set_all(mask, chosen);
    else if (!events_set(mask, name, chosen))
        problem(report, 0, "trace without a word lists them", "no such event \"%s\"", name);
    pvm_settmask(PvmTaskChild, mask);
}

void command_trace(struct console *console, int count, char **word)
{
    Pvmtmask mask;
    bool chosen = true;

    if (count == 1 && pvm_gettmask(PvmTaskChild, mask) == PvmOk)
        events_print(mask);
    for (int i = 1; i < count; i++) {
        if (strcmp(word[i], "+") == 0)
            chosen = true;
        else if (strcmp(word[i], "-") == 0)
            chosen = false;
        else if (strcmp(word[i], "xpvm") == 0)
            trace_choose_usual();
        else if (strcmp(word[i], "buf") == 0)
            i += trace_buffer(&console->report, count - i - 1, word + i + 1);
        else if (strcmp(word[i], "opt") == 0)
            i += trace_option(&console->report, count - i - 1, word + i + 1);
        else
            trace_event(&console->report, word[i], chosen);
    }
}
