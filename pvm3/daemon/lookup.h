/*
 * lookup.h - the addresses of host names, asked for by a child process, since the resolver may take
 * its time.
 */
#ifndef DAEMON_LOOKUP_H
#define DAEMON_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/loop.h"

/* After this time the names that have not been answered have no address. */
#define LOOKUP_SECONDS 30

struct lookup {
    struct loop *loop;
    struct loop_source source;
    struct loop_timer deadline;
    struct loop_work end;
    pid_t child;
    size_t count;
    size_t answered;     /* bytes of `addresses` that have come */
    uint32_t *addresses; /* IPv4, host byte order; 0 when a name has none */
    void (*done)(struct lookup *lookup);
};

/*
 * IPv4 address of `name`, host byte order; 0 when it has none. Blocks: for start-up and for the
 * child.
 */
uint32_t lookup_address(const char *name);

/*
 * Asks for `count` names; `done` is called from the loop when all addresses are there or the time
 * is up. False when that cannot be started. The names are not needed any more when it returns.
 */
bool lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names, size_t count,
                  void (*done)(struct lookup *));

/* Lets go of it, whether it is done or not. */
void lookup_finish(struct lookup *lookup);

#endif
