/* one_copy.c - what a byte costs in one copy, and in two. */
#include "core/one_copy.h"

/* Each way is measured so often before there is a choice; the fastest of these is believed. */
#define KNOWN_FIRST 8

/* The dearer way is tried so often in a row: what it needs is in no cache the first time. */
#define TRIES 4

#define PAUSE_FIRST 32
#define PAUSE_MOST  4096

/* A copy that takes more than this many times the cost has been disturbed. */
#define DISTURBED 4

/* A slow copy changes the cost by this part of the difference, a fast one by all of it. */
#define RISE (1.0 / 16)

static bool one_copy_is_between(size_t size)
{
    return size >= (size_t)1 << ONE_COPY_LEAST_BITS && size <= ONE_COPY_MOST;
}

static struct one_copy_size *one_copy_record(struct one_copy *one_copy, size_t size)
{
    size_t number = 0;
    while (size >> (ONE_COPY_LEAST_BITS + 1 + number) > 0)
        number++;
    return &one_copy->sizes[number];
}

static bool one_copy_is_known(const struct one_copy_size *record, bool in_one)
{
    return record->known[in_one] == KNOWN_FIRST;
}

static bool one_copy_is_cheaper(const struct one_copy_size *record)
{
    return record->costs[true] < record->costs[false];
}

/* Takes the cheaper way `pause` times before the dearer way is tried. */
static void one_copy_pause(struct one_copy_size *record, unsigned pause)
{
    record->left = record->pause = pause;
    record->tries = TRIES;
}

void one_copy_start(struct one_copy *one_copy, int64_t setting)
{
    *one_copy = (struct one_copy){.setting = setting};
    for (int i = 0; i < ONE_COPY_SIZES; i++)
        one_copy_pause(&one_copy->sizes[i], PAUSE_FIRST);
}

size_t one_copy_least(int64_t setting)
{
    if (setting == ONE_COPY_AUTO)
        return (size_t)1 << ONE_COPY_LEAST_BITS;
    return setting > 0 ? (size_t)setting : SIZE_MAX;
}

bool one_copy_learns(const struct one_copy *one_copy, size_t size)
{
    return one_copy->setting == ONE_COPY_AUTO && one_copy_is_between(size);
}

bool one_copy_chooses(struct one_copy *one_copy, size_t size)
{
    if (!one_copy_learns(one_copy, size))
        return size >= one_copy_least(one_copy->setting) && size <= ONE_COPY_MOST;
    struct one_copy_size *record = one_copy_record(one_copy, size);
    if (!one_copy_is_known(record, true))
        return true;
    if (!one_copy_is_known(record, false))
        return false;
    bool in_one = one_copy_is_cheaper(record);
    if (record->left == 0)
        return !in_one;
    record->left--;
    return in_one;
}

static void one_copy_note(struct one_copy_size *record, bool in_one, double seen)
{
    double *cost = &record->costs[in_one];
    bool known = one_copy_is_known(record, in_one);
    if (record->known[in_one] == 0 || seen < *cost)
        *cost = seen;
    else if (known)
        *cost += ((seen < DISTURBED * *cost ? seen : DISTURBED * *cost) - *cost) * RISE;
    if (!known)
        record->known[in_one]++;
}

void one_copy_took(struct one_copy *one_copy, size_t size, bool in_one, int64_t nanoseconds)
{
    if (!one_copy_learns(one_copy, size))
        return;
    struct one_copy_size *record = one_copy_record(one_copy, size);
    bool chosen = one_copy_is_known(record, true) && one_copy_is_known(record, false);
    bool was_cheaper = one_copy_is_cheaper(record);
    one_copy_note(record, in_one, (double)nanoseconds * (in_one ? 1 : 2) / (double)size);
    bool is_cheaper = one_copy_is_cheaper(record);
    if (!chosen)
        return;
    if (is_cheaper != was_cheaper)
        one_copy_pause(record, PAUSE_FIRST);
    else if (in_one != is_cheaper && --record->tries == 0)
        one_copy_pause(record, record->pause < PAUSE_MOST ? 2 * record->pause : PAUSE_MOST);
}
