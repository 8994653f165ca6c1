/* trace_layout.h - the fields of each event, in order, as 3.4.6 tells them. */
#ifndef LIB_TASK_TRACE_LAYOUT_H
#define LIB_TASK_TRACE_LAYOUT_H

/* Fields behind those that all events have: the time and the task. */
struct trace_layout {
    unsigned char count;
    unsigned char ids[8]; /* TEV_DID_... */
};

/* `edge` is TEV_EVENT_ENTRY or TEV_EVENT_EXIT. */
const struct trace_layout *trace_layout(int event, int edge);

/* TEV_DATA_..., with TEV_DATA_ARRAY for a list. */
int trace_field_type(int id);

#endif
