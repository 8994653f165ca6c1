/*
 * settings.h - the options of a task, by name.
 */
#ifndef CONSOLE_SETTINGS_H
#define CONSOLE_SETTINGS_H

#include <stddef.h>

/* The names in the order of the options; NULL behind the last. */
const char *option_name(size_t index);

#endif
