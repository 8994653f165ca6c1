/* lines.c - putting pieces together, and labels. */
#include "run/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A longer line goes out in pieces. */
#define LINE_LIMIT (64 << 10)

static void lines_put(struct run *run, int rank, int stream, const char *text, size_t length)
{
    char label[32];
    struct outlet *outlet = &run->outlets[stream];
    if (run->job.labels) {
        char name[RANK_NAME_SIZE];
        int size = snprintf(label, sizeof label, "[%s] ", rank_name(run, rank, name));
        outlet_add(outlet, rank, label, (size_t)size);
    }
    outlet_add(outlet, rank, text, length);
}

static void lines_keep(struct line *line, const char *text, size_t length)
{
    if (line->length + length > line->room) {
        line->room = line->length + length;
        line->text = memory_resize(line->text, line->room, 1);
    }
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

static void lines_flush(struct run *run, int rank, int stream)
{
    struct line *line = &run->ranks[rank].lines[stream];
    if (line->length > 0)
        lines_put(run, rank, stream, line->text, line->length);
    line->length = 0;
}

void lines_take(struct run *run, int rank, int stream, const char *text, size_t length)
{
    struct line *line = &run->ranks[rank].lines[stream];
    if (run->size == 1 && !run->job.labels) { /* nobody else prints: questions come as they are */
        outlet_add(&run->outlets[stream], rank, text, length);
        return;
    }
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        size_t size = newline ? (size_t)(newline - text) + 1 : length;
        lines_keep(line, text, size);
        if (newline || line->length >= LINE_LIMIT)
            lines_flush(run, rank, stream);
        text += size;
        length -= size;
    }
}

void lines_end(struct run *run, int rank)
{
    for (int stream = 0; stream < 2; stream++) {
        lines_flush(run, rank, stream);
        free(run->ranks[rank].lines[stream].text);
        run->ranks[rank].lines[stream] = (struct line){0};
    }
}
