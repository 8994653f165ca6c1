/*
 * ucx_network.h - what the port has for all endpoints of a process: one worker of UCX, at which
 * everything arrives, and by which everything goes out.
 *
 * Nothing is loaded or made before the first task of another host is spoken with. Messages travel
 * as active messages, one for each segment of the body (core/message.h). In front of each stands a
 * header: those of 3.4.6 (core/frame.h), the number of the fence behind which the message comes,
 * and the size of the fragments. All are sent eagerly: a message that waited in its sender's memory
 * would need the sender, and no task waits for another one to look.
 *
 * UCX counts a message that it has copied as sent. By an adapter it then is on its way. Over TCP it
 * may lie in the process until the socket takes more, which needs the sender, too. So there nothing
 * is copied, and UCX tells when the system has all of it.
 *
 * Threads: one at a time is in the worker, with the lock of the network, which is the last of all.
 */
#ifndef CK_PORTS_UCX_UCX_NETWORK_H
#define CK_PORTS_UCX_UCX_NETWORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck/base/lock.h"
#include "ck/endpoint/engine.h"
#include "ck/ports/ucx/ucx_calls.h"
#include "core/frame.h"

struct ucx_link;

/* The one kind of active message. */
#define UCX_KIND 1

/* The headers and two numbers of 32 bits. */
#define UCX_HEADER_SIZE (FRAME_HEADERS_SIZE + 8)

/* Beside FRAME_FIRST and FRAME_LAST, in a message without a body. */
#define UCX_HELLO 0x40 /* the first word: it is sent when the connection is there */
#define UCX_BYE   0x10 /* its sender leaves: nothing follows */
#define UCX_HEARD 0x20 /* the answer to that */

enum ucx_state { UCX_UNTRIED, UCX_STARTING, UCX_THERE, UCX_ABSENT };

struct ucx_network {
    struct engine *engine;
    enum network setting;
    _Atomic(enum ucx_state) state;
    struct lock lock; /* guards what follows, once the network is there */
    struct ucx_calls calls;
    ucp_context_h context;
    ucp_worker_h worker; /* NULL: none, also in a child of fork */
    ucp_address_t *address;
    size_t address_size;
    int descriptor;          /* is readable when something has come, if the worker is armed */
    int alarm;               /* a timer, for words of ends that are held; -1: none */
    struct message *arrived; /* what has come, by next; ucx_arrival_ says more */
    struct message **arrived_end;
    struct message *useless; /* to be freed without the lock, by next */
    struct ucx_link *links;  /* all, by next */
    bool touched;            /* something has happened to a link that the leader is to see to */
    bool alarmed;            /* the timer has been set; the leader's */
};

static inline struct ucx_network *ucx_network_of(const struct engine *engine)
{
    return engine->far_part;
}

static inline bool ucx_network_is_there(struct ucx_network *network)
{
    return atomic_load_explicit(&network->state, memory_order_acquire) == UCX_THERE;
}

/* 0 or -ENOMEM. */
int ucx_network_make(struct engine *engine, enum network setting);
void ucx_network_free(struct ucx_network *network);

/*
 * Whether the network may be used, which is found out now if it was not before; and if it is now,
 * why not in words, for the log. Without a lock. While another thread is at it, it may not.
 */
bool ucx_network_start(struct ucx_network *network, const char **reason);

/* Has the worker do what it can. True if it did anything. With the lock. */
bool ucx_network_progress(struct ucx_network *network);

/* The worker's descriptor tells of whatever comes from now on; false if something is there. */
bool ucx_network_arm(struct ucx_network *network);

/* What has come, in order: taken off. With the lock. */
struct message *ucx_network_take(struct ucx_network *network);

/* Frees what was useless. Without the lock. */
void ucx_network_clear(struct ucx_network *network);

/*
 * While a piece of a message is in the list, its flags and its number stand in its place among
 * messages that have arrived, which it has not got yet.
 */
static inline void ucx_arrival_mark(struct message *piece, uint8_t flags, uint32_t number)
{
    piece->arrival = (uint64_t)flags << 32 | number;
}

static inline uint8_t ucx_arrival_flags(const struct message *piece)
{
    return (uint8_t)(piece->arrival >> 32);
}

static inline uint32_t ucx_arrival_number(const struct message *piece)
{
    return (uint32_t)piece->arrival;
}

#endif
