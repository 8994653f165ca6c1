/* live.c - the members of an event. */
#include "tools/live.h"

#include <stdio.h>

#include "console/json.h"
#include "tools/fields.h"

static const char *edge_name(enum record_edge edge)
{
    static const char *const names[] = {
        [RECORD_WHOLE] = "whole", [RECORD_ENTRY] = "entry", [RECORD_EXIT] = "exit"};
    return names[edge];
}

void live_print(struct record *record)
{
    struct json json = {.file = stdout};
    json_open(&json, '{');
    json_text_member(&json, "event", record->layout->name);
    json_text_member(&json, "edge", edge_name(record->layout->edge));
    json_number_member(&json, "time", (long)record_time(record));
    json_tid_member(&json, "tid", (int)record_integer(record, "TID", 0));
    json_key(&json, "fields");
    json_open(&json, '{');
    fields_write(&json, record, FIELD_KEYS);
    json_close(&json, '}');
    json_close(&json, '}');
    putchar('\n');
}
