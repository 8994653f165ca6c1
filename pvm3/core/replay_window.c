/* replay_window.c - a ring of bits. */
#include "core/replay_window.h"

#include <string.h>

/* Forgets what the words between the newest number and the new one hold of older numbers. */
static void replay_window_advance(struct replay_window *window, uint64_t number)
{
    uint64_t from = window->newest / 64, words = number / 64 - from;
    if (words >= REPLAY_WINDOW_WORDS)
        memset(window->bits, 0, sizeof window->bits);
    else
        for (uint64_t i = 1; i <= words; i++)
            window->bits[(from + i) % REPLAY_WINDOW_WORDS] = 0;
    window->newest = number;
}

bool replay_window_take(struct replay_window *window, uint64_t number)
{
    uint64_t *word = &window->bits[number / 64 % REPLAY_WINDOW_WORDS];
    const uint64_t bit = (uint64_t)1 << number % 64;
    if (number == 0 || (number < window->newest && window->newest - number > REPLAY_WINDOW_SIZE))
        return false;
    if (number > window->newest)
        replay_window_advance(window, number);
    if (*word & bit)
        return false;
    *word |= bit;
    return true;
}
