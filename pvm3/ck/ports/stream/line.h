/*
 * line.h - the common way: a stream to the daemon, of one endpoint or of several of an engine.
 *
 * An endpoint attaches with a line of its own. Where the daemon allows it, that one can be kept by
 * the engine: others then join it, which costs them neither a descriptor nor a connection, and it
 * stays when the endpoint goes. What the daemon sends on a kept line says which endpoint it is for.
 *
 * Threads: as each function says. "Still", "locked" and "the leader" are those of port.h.
 */
#ifndef CK_PORTS_STREAM_LINE_H
#define CK_PORTS_STREAM_LINE_H

#include <stdbool.h>

#include "ck/endpoint/endpoint.h"
#include "ck/ports/stream/stream_port.h"

struct line {
    struct stream_port port; /* which has no owner */
    struct endpoint *only;   /* whose line it is; NULL once the engine keeps it */
    unsigned seen;           /* endpoints that are not withdrawn, */
    unsigned users;          /* and those that are not closed; both locked */
    bool kept;               /* by the engine, also without users; locked */
    bool ended;              /* nothing comes any more; the leader's */
};

static inline struct line *line_of(struct stream_port *port)
{
    return (struct line *)(void *)port; /* its first member */
}

/*
 * A line of `endpoint` alone, watched in the set of the engine. NULL and a negative errno; then the
 * descriptor is the caller's still. Still.
 */
struct line *line_open(struct endpoint *endpoint, int descriptor, int *error);

/* The engine keeps the line of the endpoint. False when it has one, or this one has ended. Still. */
bool line_keep(struct line *line, struct engine *engine);

/* The line that the engine keeps, for one endpoint more; NULL when there is none. Locked. */
struct line *line_join(struct engine *engine);

/* The engine keeps its line no more, since no endpoint is left. Still, locked. */
void line_drop(struct engine *engine);

/*
 * The daemon has ended the line: nobody joins it any more, and who has is seen. It stays for the
 * caller, the leader, until line_leave.
 */
void line_end(struct line *line, struct engine *engine);

/* An endpoint is seen no more (still, locked), and then uses it no more: the last one closes it. */
void line_withdraw(struct line *line);
void line_leave(struct line *line, struct engine *engine);

/*
 * Nothing more of the endpoint goes this way, unless its sender is writing it just now. Returns what
 * was queued, as way.cut does; what is unattended stays on a line that others use. Any thread.
 */
struct outgoing *line_cut(struct line *line, const struct endpoint *endpoint);

#endif
