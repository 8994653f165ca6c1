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
    struct stream_port port; /* without an owner */
    struct endpoint *only;   /* the endpoint whose line this is; NULL once the engine keeps it */
    unsigned seen;           /* endpoints of the line that are not withdrawn yet; locked */
    unsigned users;          /* endpoints of the line that are not closed yet; locked */
    bool kept;               /* the engine keeps the line, also without users; locked */
    bool ended;              /* the daemon has ended the line; the leader's */
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

/*
 * The engine keeps the line. False if it keeps one already, or if the line has ended, or its
 * endpoint is just leaving. Still.
 */
bool line_keep(struct line *line, struct engine *engine);

/* One endpoint more uses the line that the engine keeps. NULL if it keeps none. Locked. */
struct line *line_join(struct engine *engine);

/* The engine keeps its line no longer, since no endpoint is left. Still, locked. */
void line_drop(struct engine *engine);

/*
 * The daemon has ended the line. No endpoint joins the line any more, and the leader sees all that
 * have joined. The line stays until the caller, which is the leader, calls line_leave.
 */
void line_end(struct line *line, struct engine *engine);

/*
 * The leader sees an endpoint of the line no more (still, locked). Then the endpoint uses the line
 * no more, and the last one closes the line.
 */
void line_withdraw(struct line *line);
void line_leave(struct line *line, struct engine *engine);

/*
 * Takes the messages of the endpoint out of the queue, and returns them as way.cut does. If others
 * use the line, two kinds of messages stay: one that is partly written, and those that nobody waits
 * for. Any thread.
 */
struct outgoing *line_cut(struct line *line, const struct endpoint *endpoint);

#endif
