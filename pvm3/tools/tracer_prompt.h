/*
 * tracer_prompt.h - the commands that are typed at the prompt of tracer.
 */
#ifndef TOOLS_TRACER_PROMPT_H
#define TOOLS_TRACER_PROMPT_H

#include <stdbool.h>

#include <pvmtev.h>

#define TRACER_VERSION "1.0.0"

/* What tasks are told to tell. */
struct tracer_settings {
    Pvmtmask mask;
    int buffer; /* bytes */
    int option; /* PvmTraceFull, ... */
};

void settings_start(struct tracer_settings *settings);

/* A table under that title. */
void settings_print_mask(const struct tracer_settings *settings, const char *title);

enum prompt_result { PROMPT_DONE, PROMPT_CHANGED, PROMPT_QUIT };

/* Carries out a line and prints what it has to say. */
enum prompt_result prompt_line(struct tracer_settings *settings, const char *line);

#endif
