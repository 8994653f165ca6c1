/*
 * pattern.h - does a name match a pattern with stars?
 */
#ifndef DAEMON_REQUESTS_PATTERN_H
#define DAEMON_REQUESTS_PATTERN_H

#include <stdbool.h>

/*
 * True when the pattern matches anywhere in `name`: a star stands for any run of characters, a
 * backslash in front of a star takes away its meaning. As in 3.4.6 it does not so at the start of
 * the pattern or behind a star. An empty pattern matches every name. The time is bounded by the
 * product of the lengths.
 */
bool pattern_fits(const char *pattern, const char *name);

#endif
