/* trace_id.c - the table that goes in front of the first trace event for a reader. */
#include "core/trace_id.h"

#define TRACE_ID(name, description) {name, description},

const struct trace_id trace_ids[TRACE_ID_COUNT] = {TRACE_ID_LIST(TRACE_ID)};
