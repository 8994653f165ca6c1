/* line.c - who uses a line, and the end of the last one. */
#include "ck/ports/stream/line.h"

#include <errno.h>
#include <stdlib.h>

#include "core/cache_line.h"

struct line *line_open(struct endpoint *endpoint, int descriptor, int *error)
{
    struct engine *engine = endpoint->engine;
    struct line *line = cache_line_allocate(sizeof *line);
    *error = -ENOMEM;
    if (!line)
        return NULL;
    *line = (struct line){.only = endpoint, .seen = 1, .users = 1};
    stream_port_start(&line->port);
    stream_port_use_pools(&line->port, &engine->chunks, &engine->messages);
    *error = stream_port_open(&line->port, descriptor, engine->waiting.epoll);
    if (*error == 0)
        return line;
    stream_port_finish(&line->port);
    free(line);
    return NULL;
}

static void line_free(struct line *line)
{
    stream_port_finish(&line->port);
    free(line);
}

bool line_keep(struct line *line, struct engine *engine)
{
    if (engine->under_part || line->ended)
        return false;
    lock_acquire(&engine->waiting.lock);
    bool keep = line->only && line->only->attached;
    if (keep) {
        engine->under_part = line;
        line->kept = true;
        line->only = NULL;
    }
    lock_release(&engine->waiting.lock);
    return keep;
}

struct line *line_join(struct engine *engine)
{
    struct line *line = engine->under_part;
    if (line) {
        line->seen++;
        line->users++;
    }
    return line;
}

void line_drop(struct engine *engine)
{
    struct line *line = engine->under_part;
    engine->under_part = NULL;
    line->kept = false;
    if (line->seen == 0)
        stream_port_unwatch(&line->port);
    if (line->users == 0)
        line_free(line);
}

void line_end(struct line *line, struct engine *engine)
{
    line->ended = true;
    stream_port_unwatch(&line->port);
    lock_acquire(&engine->waiting.lock);
    line->users++;
    line->kept = false;
    if (engine->under_part == line)
        engine->under_part = NULL;
    engine_admit(engine);
    lock_release(&engine->waiting.lock);
}

void line_withdraw(struct line *line)
{
    if (--line->seen == 0 && !line->kept)
        stream_port_unwatch(&line->port);
}

void line_leave(struct line *line, struct engine *engine)
{
    lock_acquire(&engine->waiting.lock);
    bool unused = --line->users == 0 && !line->kept;
    lock_release(&engine->waiting.lock);
    if (unused)
        line_free(line);
}

struct outgoing *line_cut(struct line *line, const struct endpoint *endpoint)
{
    struct way *way = &line->port.way;
    return line->only ? way->cut(way) : stream_port_cut_source(&line->port, endpoint->own);
}
