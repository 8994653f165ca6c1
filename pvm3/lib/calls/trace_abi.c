/*
 * trace_abi.c - events of calls that are not in this library: libgpvm3 of 3.4.6 asks whether it is
 * to begin an event, gives its fields one by one through pvmtrccodef, and ends it. What the fields
 * point to stays until then.
 */
#include <stdlib.h>

#include "lib/task/process.h"
#include "lib/task/public.h"

/* The event that a thread has begun. */
struct trace_staged {
    struct trace_call call;
    int edge; /* TEV_EVENT_ENTRY or TEV_EVENT_EXIT; 0 when none is begun */
    int count;
    struct trace_field fields[TRACE_FIELDS_LIMIT];
    const void *strings[TRACE_FIELDS_LIMIT]; /* what a field with one string points to */
};

typedef int trace_encode(int id, int array, const void *data, int count, int stride);

/* One function for each type, TEV_DATA_BYTE first. */
struct trace_codec {
    trace_encode *encode[TEV_DATA_STRING];
};

static int trace_stage(int type, int id, int array, const void *data, int count)
{
    struct trace_staged *staged = caller_self()->staged;
    if (!staged || !staged->edge || staged->count == TRACE_FIELDS_LIMIT)
        return PvmBadParam;
    int place = staged->count++;
    staged->strings[place] = data;
    staged->fields[place] = (struct trace_field){
        .id = id, .type = type | array, .count = array ? count : 1, .data = data};
    if (type == TEV_DATA_STRING && !array)
        staged->fields[place].data = &staged->strings[place];
    return PvmOk;
}

/* Fields lie one behind the other: libgpvm3 has no other stride. */
#define ENCODE(name, type)                                                                         \
    static int trace_encode_##name(int id, int array, const void *data, int count, int stride)     \
    {                                                                                              \
        (void)stride;                                                                              \
        return trace_stage(type, id, array, data, count);                                          \
    }

ENCODE(byte, TEV_DATA_BYTE)
ENCODE(cplx, TEV_DATA_CPLX)
ENCODE(dcplx, TEV_DATA_DCPLX)
ENCODE(double, TEV_DATA_DOUBLE)
ENCODE(float, TEV_DATA_FLOAT)
ENCODE(int, TEV_DATA_INT)
ENCODE(uint, TEV_DATA_UINT)
ENCODE(long, TEV_DATA_LONG)
ENCODE(ulong, TEV_DATA_ULONG)
ENCODE(short, TEV_DATA_SHORT)
ENCODE(ushort, TEV_DATA_USHORT)
ENCODE(string, TEV_DATA_STRING)

static const struct trace_codec codec = {
    {trace_encode_byte, trace_encode_cplx, trace_encode_dcplx, trace_encode_double,
     trace_encode_float, trace_encode_int, trace_encode_uint, trace_encode_long, trace_encode_ulong,
     trace_encode_short, trace_encode_ushort, trace_encode_string}};

const struct trace_codec *pvmtrccodef = &codec;

/* A call of our libgpvm3 begins: 1 when it is to be told. Then tev_leave ends it. */
int tev_enter(void)
{
    struct caller *caller = caller_self();
    if (caller->traced || !trace_has_sink(caller->task))
        return 0;
    caller->traced = true;
    return 1;
}

void tev_leave(void)
{
    caller_self()->traced = false;
}

/* 1 when the event is wanted; then its fields follow, and tev_fin. */
int tev_begin(int kind, int entry_exit)
{
    struct caller *caller = caller_self();
    if (kind < TEV_FIRST || kind > TEV_MAX || !trace_wants(caller->task, kind))
        return 0;
    if (!caller->staged)
        caller->staged = calloc(1, sizeof *caller->staged);
    if (!caller->staged)
        return 0;
    caller->staged->call.caller = caller;
    caller->staged->call.event = kind;
    caller->staged->edge = entry_exit;
    caller->staged->count = 0;
    return 1;
}

int tev_fin(void)
{
    struct trace_staged *staged = caller_self()->staged;
    if (!staged || !staged->edge)
        return 0;
    int edge = staged->edge;
    staged->edge = 0;
    trace_write(&staged->call, edge, staged->fields, staged->count);
    return 1;
}
