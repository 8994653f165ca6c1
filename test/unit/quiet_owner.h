/* What does the owner of an endpoint (endpoint.h) do where a test asks nothing of it? */
#ifndef QUIET_OWNER_H
#define QUIET_OWNER_H

#include "ck/endpoint/endpoint.h"
#include "lib/link/dialect.h"

static inline bool quiet_wants(void *owner, const struct message_header *header)
{
    (void)owner;
    (void)header;
    return false;
}

static inline bool quiet_intercept(void *owner, struct message *message)
{
    (void)owner;
    (void)message;
    return false;
}

static inline void quiet_errand(void *owner)
{
    (void)owner;
}

static inline void quiet_report(void *owner, const char *reason)
{
    (void)owner;
    (void)reason;
}

static inline void quiet_discard(void *owner, struct message *message)
{
    (void)owner;
    message_free(message);
}

static inline bool quiet_name(void *owner, char *path)
{
    (void)owner;
    (void)path;
    return false;
}

static inline void quiet_routed(void *owner, uint32_t peer, int descriptor)
{
    (void)owner;
    (void)peer;
    (void)descriptor;
}

/* Of which the test replaces what it does look at. */
static inline struct endpoint_owner quiet_owner(void *owner)
{
    return (struct endpoint_owner){.wants = quiet_wants,
                                   .intercept = quiet_intercept,
                                   .errand = quiet_errand,
                                   .lost = quiet_report,
                                   .dropped = quiet_report,
                                   .no_network = quiet_report,
                                   .discard = quiet_discard,
                                   .name = quiet_name,
                                   .routed = quiet_routed,
                                   .dialect = &dialect_3_4_6,
                                   .owner = owner};
}

#endif
