/*
 * How do T1 and T2 share the communication library? The versions of Plachetka, "(Quasi-)
 * Thread-Safe PVM and (Quasi-) Thread-Safe MPI without Active Polling", 2002: POLL (figure 2b), QTS
 * (figure 3), TS (figure 2a), and GETFDS, which is POLL with the sleep replaced by a wait on the
 * library's descriptors. On TPL, on each of its grounds, it is as in TS.
 */
#ifndef PINGPONG_VERSION_H
#define PINGPONG_VERSION_H

#include <pthread.h>
#include <stdint.h>

#include "link.h"

struct version;

/* What the threads of one P1 share. `sleeps` is T2's, read it after T2 has ended. */
struct version_state {
    const struct version *version;
    struct link_pair links;
    int64_t period_ns; /* POLL: how long to sleep between two looks; 0: only yield */
    pthread_mutex_t comm;
    long sleeps;
};

/* What T2 does with a message; false ends the loop. In POLL and GETFDS it runs with the library
 * locked, so it may use links.t2 in every version. */
typedef bool version_handler(void *context, const struct link_message *message);

struct version {
    const char *name;
    void (*send)(struct version_state *state, int kind, const void *bytes, size_t size);
    void (*receive)(struct version_state *state, struct link_message *message,
                    version_handler *handle, void *context);
};

extern const struct version version_poll, version_qts, version_ts, version_getfds;
extern const struct version version_tpl_safe, version_tpl_interrupt, version_tpl_getfds;

void version_state_create(struct version_state *state, const struct version *version,
                          struct link_pair links, int64_t period_ns);
void version_state_destroy(struct version_state *state);

#endif
