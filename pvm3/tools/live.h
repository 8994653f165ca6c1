/* live.h - events as lines of JSON, each as soon as it is known. */
#ifndef TOOLS_LIVE_H
#define TOOLS_LIVE_H

#include "tracing/record.h"

/* To the standard output. The time has been corrected. */
void live_print(struct record *record);

#endif
