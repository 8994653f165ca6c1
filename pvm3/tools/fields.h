/* fields.h - the fields of records as members of a JSON object. */
#ifndef TOOLS_FIELDS_H
#define TOOLS_FIELDS_H

#include "console/json.h"
#include "tracing/record.h"

/* What members are called: for readers, or for programs. */
enum field_names { FIELD_DESCRIPTIONS, FIELD_KEYS };

/* All fields but the time and the task. A record that is NULL has none. */
void fields_write(struct json *json, struct record *record, enum field_names names);

#endif
