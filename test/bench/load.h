/*
 * load.h - many clients of a key-value store, each a process, that make one request after another:
 * how many requests a second, and how long does one take?
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>

#include "kv_table.h"

/* How a client speaks to the store. Each returns only when it has succeeded. */
struct load_client {
    void *(*open)(const char *server);
    void (*put)(void *client, const struct kv_item *item);
    /* Fills in the value of the key. */
    void (*get)(void *client, struct kv_item *item);
    void (*close)(void *client);
};

/*
 * words: the server, how many clients, requests of each in a round, rounds. Prints a line for puts
 * and one for gets of each round: requests, nanoseconds from the first to the end of the last one,
 * and the times of a request, in nanoseconds, that 50 and 99 % do not exceed. Checks what is got.
 */
int load_run(const struct load_client *client, char **words);

/* Ends the client, and so the load: says what went wrong. */
_Noreturn void load_fail(const char *what, const char *why);

#endif
