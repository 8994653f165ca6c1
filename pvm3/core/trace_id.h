/*
 * trace_id.h - the numbers and names by which trace events and their fields are known (wire.md
 * 2.14, 9.3).
 */
#ifndef CORE_TRACE_ID_H
#define CORE_TRACE_ID_H

/* Events that daemons write. */
enum { TRACE_EVENT_NEW_TASK = 75, TRACE_EVENT_END_TASK = 76, TRACE_EVENT_SPAWNED_TASK = 77 };

/* What stands in front of the parts of a trace message, and behind them. */
enum trace_marker {
    TRACE_IDS_BEGIN = -3,
    TRACE_IDS_END = -4,
    TRACE_DESCRIPTOR_BEGIN = -5,
    TRACE_DESCRIPTOR_END = -6,
    TRACE_RECORD_BEGIN = -7,
    TRACE_RECORD_END = -8,
};

/* Types of fields. */
enum trace_type { TRACE_TYPE_INT = 6, TRACE_TYPE_STRING = 12 };

/* Fields: indices into trace_ids. */
enum {
    TRACE_ID_TASK = 88,
    TRACE_ID_PARENT = 89,
    TRACE_ID_FLAGS = 91,
    TRACE_ID_NAME = 92,
    TRACE_ID_STATUS = 98,
    TRACE_ID_USER_SECONDS = 99,
    TRACE_ID_USER_MICROSECONDS = 100,
    TRACE_ID_SYSTEM_SECONDS = 101,
    TRACE_ID_SYSTEM_MICROSECONDS = 102,
    TRACE_ID_SECONDS = 106,
    TRACE_ID_MICROSECONDS = 107,
};

#define TRACE_ID_COUNT 123

struct trace_id {
    const char *name;
    const char *description;
};

/* All fields there are, by their number. */
extern const struct trace_id trace_ids[TRACE_ID_COUNT];

#endif
