/*
 * finding.h - looks for a program, by a child process, since its folders may be on a file system
 * that takes its time.
 */
#ifndef DAEMON_TASKS_FINDING_H
#define DAEMON_TASKS_FINDING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/inquiry.h"
#include "daemon/base/loop.h"

/* After this time the program is not found. */
#define FINDING_SECONDS 30

struct finding {
    struct inquiry inquiry;
    struct loop_work end;
    size_t length;           /* of what has come of the path */
    char path[PATH_MAX + 1]; /* empty when the program is not found */
    void (*done)(struct finding *finding);
};

/*
 * Looks for `name` as search_program does, from `directory`, or from where the daemon is if
 * `directory` is NULL or no folder. `done` is called from the loop when the path is there or the
 * time is up. False when the search cannot be started; then only finding_finish may be called.
 */
bool finding_start(struct finding *finding, struct loop *loop, const char *name,
                   const char *search_path, const char *directory, void (*done)(struct finding *));

/* Looks for it at once, and may wait: for start-up. `done` is not called. */
void finding_run(struct finding *finding, struct loop *loop, const char *name,
                 const char *search_path);

/* Lets go of it, whether it is done or not. */
void finding_finish(struct finding *finding);

#endif
