/* events.c - names are those of libpvm3, sorted for people. */
#include "tracing/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#define ROWS    26
#define COLUMNS 4

/* Of libpvm3, in no header of 3.4.6. */
extern struct Pvmtevinfo pvmtevinfo[];

/* What pvmds and tools tell can be chosen, but is shown nowhere, as in 3.4.6. */
static bool event_is_shown(int event)
{
    return event != TEV_NEWTASK && event != TEV_SPNTASK && event != TEV_ENDTASK &&
           event != TEV_TIMING && event != TEV_PROFILING;
}

const char *events_next(int *event)
{
    do
        (*event)++;
    while (*event < TEV_FIRST || (*event <= TEV_MAX && !event_is_shown(*event)));
    return *event <= TEV_MAX ? pvmtevinfo[*event].name : NULL;
}

static int event_compare(const void *one, const void *other)
{
    return strcmp(pvmtevinfo[*(const int *)one].name, pvmtevinfo[*(const int *)other].name);
}

void events_print(const Pvmtmask mask)
{
    int shown[TEV_MAX + 1], count = 0;
    for (int event = TEV_FIRST; event <= TEV_MAX; event++)
        if (event_is_shown(event))
            shown[count++] = event;
    qsort(shown, (size_t)count, sizeof *shown, event_compare);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS && column * ROWS + row < count; column++) {
            int event = shown[column * ROWS + row];
            printf(" %c %-15s%c", TEV_MASK_CHECK(mask, event) ? '*' : ' ', pvmtevinfo[event].name,
                   column == COLUMNS - 1 ? '\n' : ' ');
        }
    }
}

void events_set_all(Pvmtmask mask, bool chosen)
{
    TEV_MASK_INIT(mask);
    for (int event = TEV_FIRST; chosen && event <= TEV_MAX; event++)
        TEV_MASK_SET(mask, event);
}

bool events_set(Pvmtmask mask, const char *name, bool chosen)
{
    if (strncmp(name, "pvm_", 4) == 0)
        name += 4;
    for (int event = TEV_FIRST; event <= TEV_MAX; event++) {
        if (strcmp(pvmtevinfo[event].name, name) != 0)
            continue;
        if (chosen)
            TEV_MASK_SET(mask, event);
        else
            TEV_MASK_UNSET(mask, event);
        return true;
    }
    return false;
}

static const char *const options[] = {
    [PvmTraceFull] = "full", [PvmTraceTime] = "time", [PvmTraceCount] = "count"};

int trace_option_find(const char *name)
{
    for (int option = PvmTraceFull; option <= PvmTraceCount; option++)
        if (strcmp(options[option], name) == 0)
            return option;
    return 0;
}

const char *trace_option_name(int option)
{
    return option >= PvmTraceFull && option <= PvmTraceCount ? options[option] : "unknown";
}
