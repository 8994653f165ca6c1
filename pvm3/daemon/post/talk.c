/* talk.c - a table with open addressing, half of which stays empty. */
#include "daemon/post/talk.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 4096

void talk_finish(struct talk *talk)
{
    free(talk->pairs);
    *talk = (struct talk){.pairs = NULL};
}

/* Where the pair is, or has a place. */
static struct talk_pair *talk_find(const struct talk *talk, uint32_t source, uint32_t destination)
{
    uint32_t at = (source * 2654435761u ^ destination * 2246822519u) >> 16;
    struct talk_pair *pair = &talk->pairs[at % PLACES];
    while (pair->frames > 0 && (pair->source != source || pair->destination != destination))
        pair = &talk->pairs[++at % PLACES];
    return pair;
}

void talk_note(struct talk *talk, uint32_t source, uint32_t destination)
{
    struct talk_pair *pair = talk_find(talk, source, destination);
    if (pair->frames == 0 && talk->count >= PLACES / 2)
        return;
    talk->count += pair->frames == 0;
    pair->source = source;
    pair->destination = destination;
    pair->frames += pair->frames < INT32_MAX;
}

static void talk_begin(struct talk *talk)
{
    if (!talk->pairs)
        talk->pairs = calloc(PLACES, sizeof *talk->pairs);
    else
        memset(talk->pairs, 0, PLACES * sizeof *talk->pairs);
    talk->count = talk->taken = 0;
}

bool talk_take(struct talk *talk, struct talk_pair *pair)
{
    while (talk->pairs && talk->taken < PLACES) {
        *pair = talk->pairs[talk->taken++];
        if (pair->frames > 0)
            return true;
    }
    talk_begin(talk);
    return false;
}
