/* hold_order.c - fields, one behind the other. */
#include "lib/spawn/hold_order.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "lib/link/pvmd_link.h"
#include "lib/serve/trace_settings.h"

/* The sizes of stacks are told in these. */
#define PLACE_UNIT 4096

struct message *hold_order_put(const struct hold_order *order)
{
    struct message *message = control_new(CONTROL_HOLD, CONTROL_CONTEXT_TC, 0);
    int words = 0;
    while (order->words && order->words[words])
        words++;
    control_put_int(message, order->tag);
    control_put_string(message, order->program);
    control_put_string(message, order->function);
    control_put_int(message, words);
    for (int i = 0; i < words; i++)
        control_put_string(message, order->words[i]);
    control_put_int(message, order->count);
    control_put_int(message, order->hidden_parent);
    control_put_int(message, order->context);
    pvmd_link_put_sinks(message, &order->sinks);
    control_put_int(message, order->sinks.trcbuf);
    control_put_int(message, order->sinks.trcopt);
    control_put_string(message, order->sinks.tmask);
    control_put_int(message, order->guest.place);
    control_put_int(message, (int)(order->guest.stack / PLACE_UNIT));
    return message;
}

/* A word takes at least its length. */
#define WORD_SIZE 4

static void hold_order_get_words(struct control_reader *reader, struct hold_order *order)
{
    int words = control_get_count(reader, WORD_SIZE);
    char **list = calloc((size_t)words + 1, sizeof *list);
    if (!list)
        reader->failed = true;
    for (int i = 0; i < words && !reader->failed; i++)
        list[i] = control_get_string(reader, 0);
    order->words = list;
}

static void hold_order_get_sinks(struct control_reader *reader, struct Pvmtracer *sinks)
{
    pvmd_link_get_sinks(reader, sinks);
    sinks->trcbuf = control_get_int(reader);
    sinks->trcopt = control_get_int(reader);
    char *mask = control_get_string(reader, sizeof sinks->tmask);
    TEV_MASK_INIT(sinks->tmask)
    if (mask && trace_settings_is_mask(mask))
        memcpy(sinks->tmask, mask, TEV_MASK_LENGTH);
    free(mask);
}

/* An older libpvm3 has no guests. */
static void hold_order_get_guest(struct control_reader *reader, struct guest *guest)
{
    guest->place = control_rest(reader) > 0 ? control_get_int(reader) : -1;
    guest->stack = guest->place < 0 ? 0 : (size_t)control_get_int(reader) * PLACE_UNIT;
}

bool hold_order_get(const struct message *message, struct hold_order *order)
{
    struct control_reader reader;
    control_read(&reader, message);
    *order = (struct hold_order){.tag = control_get_int(&reader)};
    order->program = control_get_string(&reader, 0);
    order->function = control_get_string(&reader, 0);
    hold_order_get_words(&reader, order);
    order->count = control_get_int(&reader);
    order->hidden_parent = control_get_int(&reader) != 0;
    order->context = control_get_int(&reader);
    hold_order_get_sinks(&reader, &order->sinks);
    hold_order_get_guest(&reader, &order->guest);
    return !reader.failed && order->count > 0;
}

void hold_order_free(struct hold_order *order)
{
    for (char *const *word = order->words; word && *word; word++)
        free(*word);
    free((void *)order->words);
    free((void *)order->program);
    free((void *)order->function);
}

struct message *hold_answer_put(const struct hold_answer *answer, int tag)
{
    struct message *message = control_new(tag, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, answer->place);
    control_put_int(message, answer->error);
    control_put_int(message, answer->count);
    for (int i = 0; i < answer->count; i++)
        control_put_int(message, answer->results[i]);
    return message;
}

void hold_answer_get(const struct message *message, struct hold_answer *answer, int *results,
                     int count)
{
    struct control_reader reader;
    control_read(&reader, message);
    answer->place = control_get_int(&reader);
    answer->error = control_get_int(&reader);
    answer->count = control_get_int(&reader);
    for (int i = 0; i < count; i++)
        results[i] = i < answer->count ? control_get_int(&reader) : PvmDSysErr;
    answer->results = results;
    if (reader.failed)
        answer->error = PvmBadMsg;
}
