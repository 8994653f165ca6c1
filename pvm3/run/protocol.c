/* protocol.c - packing and unpacking. */
#include "run/protocol.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

/* Longer texts come from nobody. */
#define TEXT_LIMIT (64 << 20)

int send_number(int tid, int tag, int number)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    return pvm_send(tid, tag);
}

int received_number(int otherwise)
{
    int number;
    return pvm_upkint(&number, 1, 1) == 0 ? number : otherwise;
}

void pack_text(const char *text)
{
    int length = (int)strlen(text);
    pvm_pkint(&length, 1, 1);
    pvm_pkbyte(text, length, 1);
}

char *unpack_text(void)
{
    int length = received_number(-1);
    if (length < 0 || length > TEXT_LIMIT)
        return NULL;
    char *text = memory_resize(NULL, (size_t)length + 1, 1);
    text[length] = '\0';
    if (pvm_upkbyte(text, length, 1) == 0)
        return text;
    free(text);
    return NULL;
}

static void pack_words(const struct words *words)
{
    pvm_pkint(&words->count, 1, 1);
    for (int i = 0; i < words->count; i++)
        pack_text(words->items[i]);
}

int unpack_words(struct words *words)
{
    int count = received_number(-1);
    for (int i = 0; i < count; i++) {
        char *text = unpack_text();
        if (!text)
            return 0;
        words_take(words, text);
    }
    return count >= 0;
}

void order_pack_own(const struct order *order)
{
    const int numbers[] = {order->rank,   order->size,   order->has_input, order->is_private,
                           order->is_far, order->number, order->is_hidden, order->world};
    pvm_pkint(numbers, sizeof numbers / sizeof numbers[0], 1);
}

void order_pack_common(const struct order *order)
{
    pack_text(order->binding ? order->binding : "");
    pack_text(order->folder);
    pack_text(order->search ? order->search : "");
    pack_words(&order->words);
    pack_words(&order->variables);
    pack_words(&order->settings);
}

int order_unpack(struct order *order)
{
    int numbers[8];
    *order = (struct order){0};
    if (pvm_upkint(numbers, 8, 1) < 0 || !(order->binding = unpack_text()) ||
        !(order->folder = unpack_text()) || !(order->search = unpack_text()))
        return 0;
    order->rank = numbers[0];
    order->size = numbers[1];
    order->has_input = numbers[2];
    order->is_private = numbers[3];
    order->is_far = numbers[4];
    order->number = numbers[5];
    order->is_hidden = numbers[6];
    order->world = numbers[7];
    return unpack_words(&order->words) && unpack_words(&order->variables) &&
           unpack_words(&order->settings) && order->words.count > 0;
}

void order_free(struct order *order)
{
    free(order->binding);
    free(order->folder);
    free(order->search);
    words_free(&order->words);
    words_free(&order->variables);
    words_free(&order->settings);
}
