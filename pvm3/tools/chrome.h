/*
 * chrome.h - a timeline in the trace event format, which chrome://tracing and ui.perfetto.dev show.
 *
 * A host is a process there, a task a thread (or several, see timeline.h), a call a slice and a
 * message an arrow. Times are microseconds since the begin of the trace.
 */
#ifndef TOOLS_CHROME_H
#define TOOLS_CHROME_H

#include <stdio.h>

#include "tools/messages.h"
#include "tools/timeline.h"

/* What cannot be written is seen by ferror. */
void chrome_write(FILE *file, struct timeline *timeline, const struct messages *messages);

#endif
