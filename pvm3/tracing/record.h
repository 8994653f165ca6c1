/*
 * record.h - what a trace consists of: records, each of a layout that says what its values mean.
 *
 * A layout is one form of one event: its fields, in order. An event may come in several forms,
 * since libraries differ: these are its variants 0, 1, ... A set of layouts owns them all, and
 * records point into it. No threads.
 */
#ifndef TRACING_RECORD_H
#define TRACING_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a record tells of its event. */
enum record_edge { RECORD_WHOLE, RECORD_ENTRY, RECORD_EXIT };

enum record_type { RECORD_INT, RECORD_FLOAT, RECORD_DOUBLE, RECORD_STRING };

struct record_field {
    char *key;         /* "TID"; keys are those of pvmtev.h, TEV_DID_... */
    char *description; /* "Task ID" */
    enum record_type type;
    bool array;
};

struct record_layout {
    struct record_layout *next;
    char *name; /* of the event: "send" */
    enum record_edge edge;
    int event; /* its number: TEV_... or RECORD_HOST_ADD... */
    int variant;
    int number; /* in its set, from 0 */
    int count;
    struct record_field *field;
};

/* Numbers of events that a collector of traces adds (collect.h). */
enum { RECORD_HOST_ADD = 401, RECORD_HOST_DELETE, RECORD_HOST_SYNC, RECORD_OUTPUT };

struct record_layouts {
    struct record_layout *first;
    int count;
};

/* `count` items; one, unless the field is an array. NULL when there are none. */
struct record_value {
    int count;
    int64_t *integers;
    double *reals;
    char **strings;
};

struct record {
    struct record *next; /* for lists of records */
    struct record_layout *layout;
    struct record_value value[]; /* one for each field */
};

/* All that allocates ends the program when there is no memory: these are tools. */
void *record_allocate(void *old, size_t size);
char *record_copy_text(const char *text, size_t length);

/* A layout in the making: for the caller to fill, and to add to a set, or to free. */
struct record_layout *layout_create(const char *name, enum record_edge edge, int event);
void layout_add_field(struct record_layout *layout, const char *key, const char *description,
                      enum record_type type, bool array);
void layout_free(struct record_layout *layout);

/* The layout of the set that is like `layout`, which is given up; it may become a new variant. */
struct record_layout *layouts_add(struct record_layouts *layouts, struct record_layout *layout);
void layouts_free(struct record_layouts *layouts);

/* A record without values. */
struct record *record_create(struct record_layout *layout);
void record_free(struct record *record);

/* Each appends an item to a value. */
void value_add_integer(struct record_value *value, int64_t integer);
void value_add_real(struct record_value *value, double real);
void value_add_string(struct record_value *value, char *text); /* takes the text over */

void value_clear(struct record_value *value);

/* The value of a field; NULL: the record has no such field. */
struct record_value *record_value(struct record *record, const char *key);

/* The first item of a field; `otherwise` when there is none. */
int64_t record_integer(struct record *record, const char *key, int64_t otherwise);
const char *record_string(struct record *record, const char *key, const char *otherwise);

/* A time in two numbers as one; files may say anything, and a huge number must not overflow. */
int64_t record_microseconds(int64_t seconds, int64_t microseconds);

/* The time of a record, in microseconds, and what sets it anew. */
int64_t record_time(struct record *record);
void record_set_time(struct record *record, int64_t microseconds);

#endif
