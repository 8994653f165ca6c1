/* decode.c - unpacks what the marks say. */
#include "tracing/decode.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <pvmtev.h>

#include "core/trace_id.h"

#define EDGES       3
#define FIELDS_MOST 256
#define NAME_MOST   48

/* An event as a task has described it. */
struct form {
    struct record_layout *layout;
    int types[]; /* of its fields on the wire, TEV_DATA_... */
};

/* What a task has described. */
struct decoder_task {
    struct decoder_task *next;
    int source;
    struct form *forms[TEV_MAX + 1][EDGES];
};

/* One message. */
struct decoding {
    struct decoder *decoder;
    decoder_take *take;
    void *owner;
    struct decoder_task *task;
    int bytes;  /* of the message: nothing in it is longer */
    char *text; /* room for a string of it */
    bool bytes_are_text;
};

/*
 * An event that describes itself, as far as it has been read: the values are there before the
 * layout is whole.
 */
struct described {
    struct record_layout *layout;
    int types[FIELDS_MOST];
    struct record_value values[FIELDS_MOST];
};

static struct decoder_task *decoder_task_get(struct decoder *decoder, int source)
{
    struct decoder_task *task = decoder->tasks;
    while (task && task->source != source)
        task = task->next;
    if (task)
        return task;
    task = record_allocate(NULL, sizeof *task);
    *task = (struct decoder_task){.next = decoder->tasks, .source = source};
    return decoder->tasks = task;
}

void decode_forget(struct decoder *decoder, int source)
{
    struct decoder_task **link = &decoder->tasks;
    while (*link && (*link)->source != source)
        link = &(*link)->next;
    struct decoder_task *task = *link;
    if (task) {
        *link = task->next;
        for (int event = 0; event <= TEV_MAX; event++)
            for (int edge = 0; edge < EDGES; edge++)
                free(task->forms[event][edge]);
        free(task);
    }
}

void decode_end(struct decoder *decoder)
{
    while (decoder->tasks)
        decode_forget(decoder, decoder->tasks->source);
    layouts_free(&decoder->layouts);
}

static bool take_int(int *number)
{
    return pvm_upkint(number, 1, 1) == 0;
}

/* Values. -------------------------------------------------------------------------------------- */

static enum record_type type_of(int type)
{
    switch (type & ~TEV_DATA_ARRAY) {
    case TEV_DATA_CPLX:
    case TEV_DATA_FLOAT:
        return RECORD_FLOAT;
    case TEV_DATA_DCPLX:
    case TEV_DATA_DOUBLE:
        return RECORD_DOUBLE;
    case TEV_DATA_STRING:
        return RECORD_STRING;
    default:
        return RECORD_INT;
    }
}

/* A complex number is told as a list of two. */
static bool type_is_array(int type)
{
    int base = type & ~TEV_DATA_ARRAY;
    return (type & TEV_DATA_ARRAY) || base == TEV_DATA_CPLX || base == TEV_DATA_DCPLX;
}

#define TAKE_INTEGERS(type, unpack)                                                                \
    for (int i = 0; i < count; i++) {                                                              \
        type item;                                                                                 \
        if (unpack(&item, 1, 1) < 0)                                                               \
            return false;                                                                          \
        value_add_integer(value, (int64_t)item);                                                   \
    }                                                                                              \
    return true

#define TAKE_REALS(type, unpack, parts)                                                            \
    for (int i = 0; i < count; i++) {                                                              \
        type item[parts];                                                                          \
        if (unpack(item, 1, 1) < 0)                                                                \
            return false;                                                                          \
        for (int part = 0; part < (parts); part++)                                                 \
            value_add_real(value, (double)item[part]);                                             \
    }                                                                                              \
    return true

/*
 * Bytes are packed as a run. Strings of user events come as bytes too: what has no NUL counts as a
 * string there.
 */
static bool take_bytes(struct decoding *decoding, int count, struct record_value *value)
{
    char *text = decoding->text;
    if (pvm_upkbyte(text, count, 1) < 0)
        return false;
    if (decoding->bytes_are_text && !memchr(text, '\0', (size_t)count))
        value_add_string(value, record_copy_text(text, (size_t)count));
    else
        for (int i = 0; i < count; i++)
            value_add_integer(value, text[i]);
    return true;
}

static bool take_strings(struct decoding *decoding, int count, struct record_value *value)
{
    for (int i = 0; i < count; i++) {
        if (pvm_upkstr(decoding->text) < 0)
            return false;
        char *end = decoding->text;
        while (*end)
            end++;
        value_add_string(value, record_copy_text(decoding->text, (size_t)(end - decoding->text)));
    }
    return true;
}

/* Unpacks `count` items. */
static bool take_items(struct decoding *decoding, int type, int count, struct record_value *value)
{
    switch (type & ~TEV_DATA_ARRAY) {
    case TEV_DATA_BYTE:
        return take_bytes(decoding, count, value);
    case TEV_DATA_CPLX:
        TAKE_REALS(float, pvm_upkcplx, 2);
    case TEV_DATA_DCPLX:
        TAKE_REALS(double, pvm_upkdcplx, 2);
    case TEV_DATA_DOUBLE:
        TAKE_REALS(double, pvm_upkdouble, 1);
    case TEV_DATA_FLOAT:
        TAKE_REALS(float, pvm_upkfloat, 1);
    case TEV_DATA_INT:
        TAKE_INTEGERS(int, pvm_upkint);
    case TEV_DATA_UINT:
        TAKE_INTEGERS(unsigned, pvm_upkuint);
    case TEV_DATA_LONG:
        TAKE_INTEGERS(long, pvm_upklong);
    case TEV_DATA_ULONG:
        TAKE_INTEGERS(unsigned long, pvm_upkulong);
    case TEV_DATA_SHORT:
        TAKE_INTEGERS(short, pvm_upkshort);
    case TEV_DATA_USHORT:
        TAKE_INTEGERS(unsigned short, pvm_upkushort);
    case TEV_DATA_STRING:
        return take_strings(decoding, count, value);
    default:
        return false;
    }
}

/* The data of a field of type `type`, its count before it if it is an array. */
static bool take_value(struct decoding *decoding, int type, struct record_value *value)
{
    int count = 1;
    if ((type & TEV_DATA_ARRAY) && !take_int(&count))
        return false;
    /* A count below zero stands for no array at all. */
    if (count > decoding->bytes)
        return false;
    return count <= 0 || take_items(decoding, type, count, value);
}

/* Events. -------------------------------------------------------------------------------------- */

static bool take_event(int *event, enum record_edge *edge)
{
    if (!take_int(event))
        return false;
    *edge = RECORD_WHOLE;
    if (*event & TEV_EVENT_ENTRY)
        *edge = RECORD_ENTRY;
    else if (*event & TEV_EVENT_EXIT)
        *edge = RECORD_EXIT;
    *event &= ~(TEV_EVENT_ENTRY | TEV_EVENT_EXIT);
    return *event >= TEV_FIRST && *event <= TEV_MAX;
}

/* The name of an event; in files it stands between quotes, so that not everything can be one. */
static bool take_name(struct decoding *decoding)
{
    if (pvm_upkstr(decoding->text) < 0)
        return false;
    for (int i = 0; decoding->text[i]; i++) {
        if (!isalnum((unsigned char)decoding->text[i]))
            decoding->text[i] = '_';
        if (i == NAME_MOST)
            decoding->text[i] = '\0';
    }
    return true;
}

/* Reads a field of type `type` as the next one of the event. */
static bool described_take(struct described *described, struct decoding *decoding, const char *key,
                           const char *description, int type)
{
    int field = described->layout->count;
    if (field == FIELDS_MOST)
        return false;
    described->types[field] = type;
    decoding->bytes_are_text =
        described->layout->event == TEV_USER_DEFINED && (type & TEV_DATA_ARRAY);
    bool whole = take_value(decoding, type, &described->values[field]);
    bool text = decoding->bytes_are_text && described->values[field].strings;
    decoding->bytes_are_text = false;
    layout_add_field(described->layout, key, description, text ? RECORD_STRING : type_of(type),
                     !text && type_is_array(type));
    return whole;
}

/* The record, when all fields have been read. The layout is known from now on. */
static struct record *described_finish(struct described *described, struct decoding *decoding)
{
    struct record_layout *layout = layouts_add(&decoding->decoder->layouts, described->layout);
    struct record *record = record_create(layout);
    for (int i = 0; i < layout->count; i++)
        record->value[i] = described->values[i];
    return record;
}

/* Gives up an event that could not be read. */
static void described_drop(struct described *described)
{
    for (int i = 0; i < described->layout->count; i++)
        value_clear(&described->values[i]);
    layout_free(described->layout);
}

static void form_remember(struct decoding *decoding, const struct described *described,
                          struct record_layout *layout)
{
    size_t types = (size_t)layout->count * sizeof(int);
    struct form **form = &decoding->task->forms[layout->event][layout->edge];
    *form = record_allocate(*form, sizeof **form + types);
    (*form)->layout = layout;
    memcpy((*form)->types, described->types, types);
}

/* The fields of an event that describes itself, up to the mark of its end. */
static bool take_described_fields(struct described *described, struct decoding *decoding)
{
    int id, type;
    while (take_int(&id)) {
        if (id == TEV_MARK_EVENT_DESC_END)
            return true;
        if (id < 0 || id >= TRACE_ID_COUNT || !take_int(&type) ||
            !described_take(described, decoding, trace_ids[id].name, trace_ids[id].description,
                            type))
            return false;
    }
    return false;
}

static bool take_described(struct decoding *decoding)
{
    struct described described = {.layout = NULL};
    int event;
    enum record_edge edge;
    if (!take_event(&event, &edge) || !take_name(decoding))
        return false;
    described.layout = layout_create(*decoding->text ? decoding->text : "unnamed", edge, event);
    if (!take_described_fields(&described, decoding)) {
        described_drop(&described);
        return false;
    }
    struct record *record = described_finish(&described, decoding);
    form_remember(decoding, &described, record->layout);
    decoding->take(decoding->owner, decoding->task->source, record);
    return true;
}

static bool take_record(struct decoding *decoding)
{
    int event, end;
    enum record_edge edge;
    if (!take_event(&event, &edge))
        return false;
    const struct form *form = decoding->task->forms[event][edge];
    if (!form)
        return false;
    struct record *record = record_create(form->layout);
    bool whole = true;
    for (int i = 0; whole && i < form->layout->count; i++)
        whole = take_value(decoding, form->types[i], &record->value[i]);
    whole = whole && take_int(&end) && end == TEV_MARK_EVENT_RECORD_END;
    if (whole)
        decoding->take(decoding->owner, decoding->task->source, record);
    else
        record_free(record);
    return whole;
}

/* The items of a user event have types, and no names. */
static bool take_user_items(struct described *described, struct decoding *decoding)
{
    int type;
    for (int item = 0; take_int(&type); item++) {
        char key[32], description[64];
        if (type == TEV_MARK_USER_EVENT_RECORD_END)
            return true;
        snprintf(key, sizeof key, "USR%d", item);
        snprintf(description, sizeof description, "User Defined Value #%d", item);
        if (!described_take(described, decoding, key, description, type))
            return false;
    }
    return false;
}

static bool take_user_event(struct decoding *decoding)
{
    static const int heads[] = {TEV_DID_TID, TEV_DID_TS, TEV_DID_TU};
    struct described described = {.layout = NULL};
    int event, head[3] = {decoding->task->source};
    if (!take_int(&event) || event < TEV_FIRST || event > TEV_MAX || !take_name(decoding) ||
        !take_int(&head[1]) || !take_int(&head[2]))
        return false;
    described.layout =
        layout_create(*decoding->text ? decoding->text : "user_defined", RECORD_WHOLE, event);
    for (int i = 0; i < 3; i++) {
        const struct trace_id *id = &trace_ids[heads[i]];
        described.types[i] = TEV_DATA_INT;
        layout_add_field(described.layout, id->name, id->description, RECORD_INT, false);
        value_add_integer(&described.values[i], head[i]);
    }
    if (!take_user_items(&described, decoding)) {
        described_drop(&described);
        return false;
    }
    decoding->take(decoding->owner, decoding->task->source, described_finish(&described, decoding));
    return true;
}

/* The daemon's names of fields are those that we know. */
static bool skip_ids(struct decoding *decoding)
{
    int id;
    while (take_int(&id)) {
        if (id == TEV_MARK_DATA_ID_END)
            return true;
        if (!take_name(decoding) || !take_name(decoding))
            return false;
    }
    return false;
}

static bool take_part(struct decoding *decoding, int mark)
{
    switch (mark) {
    case TEV_MARK_EVENT_BUFFER:
    case TEV_MARK_EVENT_BUFFER_END:
        return true;
    case TEV_MARK_DATA_ID:
        return skip_ids(decoding);
    case TEV_MARK_EVENT_DESC:
        return take_described(decoding);
    case TEV_MARK_EVENT_RECORD:
        return take_record(decoding);
    case TEV_MARK_USER_EVENT_RECORD:
        return take_user_event(decoding);
    default:
        return false;
    }
}

bool decode_message(struct decoder *decoder, int buffer, decoder_take *take, void *owner)
{
    int bytes, tag, source, mark;
    if (pvm_bufinfo(buffer, &bytes, &tag, &source) < 0)
        return false;
    struct decoding decoding = {.decoder = decoder,
                                .take = take,
                                .owner = owner,
                                .task = decoder_task_get(decoder, source),
                                .bytes = bytes,
                                .text = record_allocate(NULL, (size_t)bytes + 1)};
    /* A string need not have its NUL: then it ends with the buffer. */
    memset(decoding.text, 0, (size_t)bytes + 1);
    bool sense = true;
    /* That the message ends here is no error to tell of. */
    int complaints = pvm_setopt(PvmAutoErr, 0);
    while (sense && take_int(&mark))
        sense = take_part(&decoding, mark);
    pvm_setopt(PvmAutoErr, complaints);
    free(decoding.text);
    return sense;
}
