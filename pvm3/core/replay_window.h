/*
 * replay_window.h - which numbers of one sender have come already, when packets may come in any
 * order.
 *
 * A sender numbers its packets from 1 and never uses a number twice. The window remembers the
 * newest number and the REPLAY_WINDOW_SIZE numbers before it. An older number counts as one that
 * has come. The window is a value, all zeros at first. One caller at a time.
 *
 * The bits are a ring of words, as in X. Zhang, T. Tsou: IPsec Anti-Replay Algorithm without Bit
 * Shifting, RFC 6479, 2012.
 */
#ifndef CORE_REPLAY_WINDOW_H
#define CORE_REPLAY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* One word of the ring is being cleared while the others hold the window. */
#define REPLAY_WINDOW_WORDS 32
#define REPLAY_WINDOW_SIZE  ((REPLAY_WINDOW_WORDS - 1) * 64)

struct replay_window {
    uint64_t newest;
    uint64_t bits[REPLAY_WINDOW_WORDS];
};

/* True, once for each number: the number has not come yet. From now on it has. */
bool replay_window_take(struct replay_window *window, uint64_t number);

#endif
