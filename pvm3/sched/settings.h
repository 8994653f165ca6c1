/* settings.h - what the words of the command say. */
#ifndef SCHED_SETTINGS_H
#define SCHED_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct policy;

enum { POLICIES_MOST = 8 };

struct settings {
    const struct policy *policies[POLICIES_MOST]; /* in this order */
    size_t policy_count;
    double every;      /* seconds between two looks at the machine */
    double least;      /* seconds for which a task stays where it was moved to */
    double gain;       /* so much more of a processor, at least, a task is moved for: 0.1 is 10 % */
    double idle;       /* seconds without input after which an owner is away */
    double talk;       /* so many frames a second, at least, a task is moved for */
    double owner_load; /* the share of its processors that a host's owner wants when active */
    const char *drain; /* names of the hosts to empty, with commas, or NULL */
    const char *log;   /* path, or NULL for the standard output */
    bool dry_run;
    bool once;
    bool is_agent;
};

/* What holds without options, but for the policies. */
void settings_start(struct settings *settings);

#endif
