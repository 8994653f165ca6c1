#include "version.h"

#include <sched.h>
#include <time.h>

void version_state_create(struct version_state *state, const struct version *version,
                          struct link_pair links, int64_t period_ns)
{
    *state = (struct version_state){.version = version, .links = links, .period_ns = period_ns};
    pthread_mutex_init(&state->comm, NULL);
}

void version_state_destroy(struct version_state *state)
{
    pthread_mutex_destroy(&state->comm);
}

/* Figure 2a: the natural code. */

static void version_ts_send(struct version_state *state, int kind, const void *bytes, size_t size)
{
    state->links.t1->send(state->links.t1, kind, bytes, size);
}

static void version_ts_receive(struct version_state *state, struct link_message *message,
                               version_handler *handle, void *context)
{
    do
        state->links.t2->receive(state->links.t2, message);
    while (handle(context, message));
}

const struct version version_ts = {"TS", version_ts_send, version_ts_receive};

/* The same functions, whatever TPL stands on. */
const struct version version_tpl_safe = {"TPL/safe", version_ts_send, version_ts_receive};
const struct version version_tpl_interrupt = {"TPL/interrupt", version_ts_send, version_ts_receive};
const struct version version_tpl_getfds = {"TPL/getfds", version_ts_send, version_ts_receive};

/* Figure 3: T2 as in figure 2a; T1 holds T2's receive while it sends. The mutex excludes further
 * senders; T2 never takes it. */

static void version_qts_send(struct version_state *state, int kind, const void *bytes, size_t size)
{
    pthread_mutex_lock(&state->comm);
    state->links.t1->interrupt();
    state->links.t1->send(state->links.t1, kind, bytes, size);
    state->links.t1->resume();
    pthread_mutex_unlock(&state->comm);
}

const struct version version_qts = {"QTS", version_qts_send, version_ts_receive};

/* Figure 2b: one lock around everything, and T2 looks for messages now and then. */

static void version_poll_send(struct version_state *state, int kind, const void *bytes, size_t size)
{
    pthread_mutex_lock(&state->comm);
    state->links.t1->send(state->links.t1, kind, bytes, size);
    pthread_mutex_unlock(&state->comm);
}

/* Take all the messages that are there; false when the handler has had its last one. */
static bool version_drain(struct version_state *state, struct link_message *message,
                          version_handler *handle, void *context)
{
    struct link *link = state->links.t2;
    while (link->probe(link)) {
        link->receive(link, message);
        if (!handle(context, message))
            return false;
    }
    return true;
}

static void version_poll_pause(struct version_state *state)
{
    struct timespec pause = {.tv_sec = state->period_ns / 1000000000,
                             .tv_nsec = state->period_ns % 1000000000};
    if (state->period_ns == 0) {
        sched_yield();
        return;
    }
    nanosleep(&pause, NULL);
    state->sleeps++;
}

static void version_poll_receive(struct version_state *state, struct link_message *message,
                                 version_handler *handle, void *context)
{
    for (;;) {
        pthread_mutex_lock(&state->comm);
        bool more = version_drain(state, message, handle, context);
        pthread_mutex_unlock(&state->comm);
        if (!more)
            return;
        version_poll_pause(state);
    }
}

const struct version version_poll = {"POLL", version_poll_send, version_poll_receive};

/* As figure 2b, but T2 waits on descriptors instead of sleeping. */

static void version_getfds_send(struct version_state *state, int kind, const void *bytes,
                                size_t size)
{
    pthread_mutex_lock(&state->comm);
    state->links.t1->send(state->links.t1, kind, bytes, size);
    state->links.t1->wake(state->links.t1);
    pthread_mutex_unlock(&state->comm);
}

static void version_getfds_receive(struct version_state *state, struct link_message *message,
                                   version_handler *handle, void *context)
{
    struct link *link = state->links.t2;
    for (;;) {
        pthread_mutex_lock(&state->comm);
        bool more = version_drain(state, message, handle, context);
        if (more)
            link->watch(link);
        pthread_mutex_unlock(&state->comm);
        if (!more)
            return;
        link->wait(link);
    }
}

const struct version version_getfds = {"GETFDS", version_getfds_send, version_getfds_receive};
