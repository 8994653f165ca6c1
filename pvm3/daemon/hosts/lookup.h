/*
 * lookup.h - the addresses of host names, asked for by a child process, since the resolver may take
 * its time.
 *
 * All names are asked for at the same time: one whose answer takes long holds up none of the
 * others. Numbers in dots need no resolver, and no child.
 */
#ifndef DAEMON_HOSTS_LOOKUP_H
#define DAEMON_HOSTS_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/inquiry.h"
#include "daemon/base/loop.h"

/* After this time the names that have not been answered have no address. */
#define LOOKUP_SECONDS 30

struct looked_up {
    bool known;
    uint32_t address; /* IPv4, host byte order; 0 when the name has none */
};

struct lookup {
    struct inquiry inquiry;
    struct loop_work news;
    size_t count;
    size_t unknown; /* names that have not been answered */
    struct looked_up *names;
    void (*progress)(struct lookup *lookup);
};

/* IPv4 address of `name`, host byte order; 0 when it has none. Blocks: for start-up only. */
uint32_t lookup_address(const char *name);

/*
 * Asks for `count` names; `progress` is called from the loop when more of them are known, at last
 * when all are, or the time is up, which is as good. False when that cannot be started. The names
 * are not needed any more when it returns.
 */
bool lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names, size_t count,
                  void (*progress)(struct lookup *));

/* Lets go of it, whether it is done or not. */
void lookup_finish(struct lookup *lookup);

#endif
