/* talks.c - pairs that talk are few: they are looked for one by one. */
#include "sched/talks.h"

#include <stdlib.h>

#include "sched/memory.h"

/* So much of the talk of tasks on one host is remembered from one picture to the next, */
static const double remembered = 0.9;
/* unless it is less than that: frames a second. */
static const double whisper = 0.1;

void talks_free(struct talks *talks)
{
    free(talks->pairs);
    *talks = (struct talks){.pairs = NULL};
}

static bool is_pair(const struct talk *one, const struct talk *other)
{
    return (one->one == other->one && one->other == other->other) ||
           (one->one == other->other && one->other == other->one);
}

static struct talk *talk_of(struct talks *talks, const struct talk *pair)
{
    for (size_t i = 0; i < talks->count; i++)
        if (is_pair(&talks->pairs[i], pair))
            return &talks->pairs[i];
    talks->pairs = memory_grow(talks->pairs, talks->count, &talks->room, sizeof *talks->pairs);
    struct talk *talk = &talks->pairs[talks->count++];
    *talk = (struct talk){.one = pair->one, .other = pair->other};
    return talk;
}

/* What is left of the talk before, if nothing is measured. */
static double talk_left(const struct picture *picture, const struct talk *talk)
{
    int here = picture_whereabouts(picture, talk->one);
    int there = picture_whereabouts(picture, talk->other);
    return here != 0 && here == there ? talk->rate * remembered : 0;
}

static void talks_fade(struct talks *talks, const struct picture *picture)
{
    for (size_t i = 0; i < talks->count; i++)
        talks->pairs[i].rate = talk_left(picture, &talks->pairs[i]);
}

static void talks_forget(struct talks *talks)
{
    size_t kept = 0;
    for (size_t i = 0; i < talks->count; i++)
        if (talks->pairs[i].rate >= whisper)
            talks->pairs[kept++] = talks->pairs[i];
    talks->count = kept;
}

void talks_keep(struct talks *talks, struct picture *picture)
{
    talks_fade(talks, picture);
    for (size_t i = 0; i < picture->talk_count; i++)
        talk_of(talks, &picture->talks[i])->rate += picture->talks[i].rate;
    talks_forget(talks);
    free(picture->talks);
    picture->talks = memory_take(talks->count, sizeof *picture->talks);
    picture->talk_count = talks->count;
    for (size_t i = 0; i < talks->count; i++)
        picture->talks[i] = talks->pairs[i];
}
