/*
 * pending.h - what this daemon has asked another one and waits for.
 *
 * A pending question is part of a larger structure, which its functions free. It ends once: by the
 * answer of the host, or by the host's end. One thread.
 */
#ifndef DAEMON_POST_PENDING_H
#define DAEMON_POST_PENDING_H

#include "core/control.h"
#include "daemon/base/list.h"

struct daemon;
struct host;

struct pending {
    struct list node; /* in the daemon's list of all */
    struct daemon *daemon;
    int32_t wait;  /* identifier that the answer carries */
    int32_t tag;   /* of the answer */
    uint32_t part; /* of the host that is to answer */
    void (*answered)(struct pending *pending, struct control_reader *body);
    void (*failed)(struct pending *pending);
};

/*
 * Begins to wait for the answer of `host` to a question with the tag `question`, which is to carry
 * pending->wait.
 */
void pending_start(struct pending *pending, struct daemon *daemon, const struct host *host,
                   int32_t question, void (*answered)(struct pending *, struct control_reader *),
                   void (*failed)(struct pending *));

/* Waits no more. */
void pending_cancel(struct pending *pending);

/*
 * Takes an answer of a host. False when no question to this host waits for an answer of this kind.
 */
bool pending_take(struct daemon *daemon, uint32_t part, const struct message *message);

/* The daemon ends: everything has failed. */
void pending_fail_all(struct daemon *daemon);

/* The host is gone: everything that waits for it has failed. */
void pending_fail(struct daemon *daemon, uint32_t part);

#endif
