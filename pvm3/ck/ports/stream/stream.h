/*
 * stream.h - the port under: the common way to the daemon, and direct routes.
 *
 * Both are streams in the frames of 3.4.6 (stream_port.h). direct.h says how routes come and go.
 */
#ifndef CK_PORTS_STREAM_STREAM_H
#define CK_PORTS_STREAM_STREAM_H

#include <stdatomic.h>

#include "ck/endpoint/endpoint.h"
#include "ck/ports/stream/line.h"

/* What an endpoint has of this port. */
struct stream {
    struct line *line; /* to the daemon; NULL when not attached */
    int watched;       /* routes, by the leader */
    atomic_int routes; /* to peers; read without the lock as a hint */
};

static inline struct stream *stream_of(const struct endpoint *endpoint)
{
    return endpoint->under_part;
}

extern const struct port port_stream;

#endif
