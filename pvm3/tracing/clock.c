/* clock.c - the latest difference that was measured counts. */
#include "tracing/clock.h"

#include <stdlib.h>

#define HOST_BITS 0xfffc0000u

struct host_clock {
    struct host_clock *next;
    int host;
    int64_t behind; /* microseconds that it is behind the tracer's */
};

int clock_host(int64_t tid)
{
    return (int)((uint32_t)tid & HOST_BITS);
}

static struct host_clock *clock_get(struct host_clock **clocks, int host)
{
    struct host_clock *clock = *clocks;
    while (clock && clock->host != host)
        clock = clock->next;
    if (clock)
        return clock;
    clock = record_allocate(NULL, sizeof *clock);
    *clock = (struct host_clock){.next = *clocks, .host = host};
    return *clocks = clock;
}

/* Takes the difference out of a host_sync record, which then says 0. */
static int64_t clock_take(struct record *record)
{
    struct record_value *seconds = record_value(record, "HDS"), *rest = record_value(record, "HDU");
    if (!seconds || !rest || !seconds->integers || !rest->integers)
        return 0;
    int64_t behind = record_microseconds(seconds->integers[0], rest->integers[0]);
    seconds->integers[0] = rest->integers[0] = 0;
    return behind;
}

static bool is_of_tool(const struct record *record)
{
    int event = record->layout->event;
    return event == RECORD_HOST_ADD || event == RECORD_HOST_DELETE || event == RECORD_HOST_SYNC;
}

void clock_correct_next(struct host_clock **clocks, struct record *record)
{
    struct host_clock *clock = clock_get(clocks, clock_host(record_integer(record, "TID", 0)));
    if (record->layout->event == RECORD_HOST_SYNC)
        clock->behind = clock_take(record);
    else if (!is_of_tool(record) && clock->behind != 0)
        record_set_time(record, record_time(record) + clock->behind);
}

void clock_free(struct host_clock *clocks)
{
    while (clocks) {
        struct host_clock *clock = clocks;
        clocks = clock->next;
        free(clock);
    }
}

void clock_correct(struct record *first)
{
    struct host_clock *clocks = NULL;
    for (struct record *record = first; record; record = record->next)
        clock_correct_next(&clocks, record);
    clock_free(clocks);
}
