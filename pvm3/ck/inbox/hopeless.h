/*
 * hopeless.h - receives for which nobody sends any more, as the owner of the endpoint says.
 *
 * Threads: the caller holds the lock of the inbox's endpoint.
 */
#ifndef CK_INBOX_HOPELESS_H
#define CK_INBOX_HOPELESS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/match.h"

/* Receives from `source`, or from any source if that is PATTERN_ANY_SOURCE. */
struct hopeless_case {
    int owner; /* by which it is withdrawn */
    uint32_t source;
    int32_t context;
};

/* {0}: there is no case. */
struct hopeless {
    struct hopeless_case *cases;
    size_t count;
};

/* False without memory. */
bool hopeless_add(struct hopeless *hopeless, const struct hopeless_case *added);

/* Withdraws what this owner has added. */
void hopeless_remove(struct hopeless *hopeless, int owner);

/* Whether there is a case for a receive. */
bool hopeless_is(const struct hopeless *hopeless, const struct pattern *pattern);

void hopeless_finish(struct hopeless *hopeless);

#endif
