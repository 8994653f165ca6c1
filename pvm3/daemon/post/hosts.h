/*
 * hosts.h - the host table of the virtual machine.
 *
 * Entries are known by their index, which is the host part of tids. A host that an update brings is
 * pending until the master commits: it is spoken to, but nobody is told of it yet.
 * One thread.
 */
#ifndef DAEMON_POST_HOSTS_H
#define DAEMON_POST_HOSTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/environment.h"
#include "core/tid.h"
#include "daemon/base/loop.h"
#include "daemon/post/host_key.h"
#include "daemon/post/pending.h"

struct daemon;
struct host_link;

/* The largest datagram between daemons; tasks take it as the size of their fragment buffers. */
#define HOST_MTU               4080
#define HOST_MTU_LEAST         52 /* has room for the headers and some bytes */
#define HOST_NAME_SIZE         256
#define HOST_ARCHITECTURE_SIZE 64

/* What is known of a host, from its daemon or from the master. */
struct host_facts {
    const char *name;
    const char *architecture;
    uint32_t address;
    uint16_t port;
    int mtu; /* what its daemon takes */
    int speed;
    uint32_t signature;
};

/* daemon/members/deputies.h and succession.h */
struct host_deputy {
    bool told;       /* that there are deputies */
    int rank;        /* 1 and 2 are deputies */
    uint32_t sent;   /* number of the change that it was sent last */
    uint32_t copied; /* number of the last change that it has */
    int32_t vote;    /* the term for which it has given this daemon its vote */
};

struct host {
    uint32_t part; /* the host bits of its tids */
    char name[HOST_NAME_SIZE];
    char architecture[HOST_ARCHITECTURE_SIZE];
    uint32_t address; /* IPv4, host byte order */
    uint16_t port;    /* of its daemon's datagram socket */
    int mtu;          /* the longest datagram that both sides take */
    int speed;
    uint32_t signature;
    bool pending;
    struct pending table_question; /* does it have the table? while the master waits for it */
    bool table_awaited;            /* others wait for its answer: it was a member before */
    bool table_new;                /* it has not had a table before */
    struct host_deputy deputy;     /* what the master, or who wants to be it, knows of it */
    bool deposed;                  /* another host is the master in its place */
    struct loop_work removal;      /* frees it at the end of a round */
    struct host_key key;           /* of its packets, if its daemon is one of ours */
    struct host_link *link;        /* NULL for the own host */
};

struct hosts {
    struct daemon *daemon;
    struct host *table[TID_HOST_MAX + 1]; /* by index; entry 0 is never used */
    struct host *own;
    struct host *master;
    int32_t serial;  /* of the table: one more with every addition */
    uint32_t cursor; /* the index given last to a host that was to be added */
    unsigned window; /* packets underway to one host */
};

/*
 * Makes the table with the own host, whose index is `index` and whose name is the system's unless
 * `name` gives it; it is the master until slave_know_master says otherwise. 0, or -1 after a line
 * on the log.
 */
int hosts_start(struct hosts *hosts, struct daemon *daemon, uint32_t index, const char *name);

static inline struct host *hosts_own(const struct hosts *hosts)
{
    return hosts->own;
}

static inline bool hosts_is_master(const struct hosts *hosts)
{
    return hosts->own == hosts->master;
}

/* By the host part of the tid. NULL when there is none; part 0 names no host. */
static inline struct host *hosts_find(const struct hosts *hosts, uint32_t tid)
{
    return hosts->table[tid_host_part(tid) >> TID_HOST_SHIFT];
}

/* "." is the own host. NULL when no host has the name, or only a pending one. */
struct host *hosts_find_name(const struct hosts *hosts, const char *name);

/* The first host that is not pending, or the one behind `host`; NULL behind the last. */
struct host *hosts_next(const struct hosts *hosts, const struct host *host);

/* The other host whose daemon has that address and port; NULL: none. */
struct host *hosts_find_socket(const struct hosts *hosts, uint32_t address, uint16_t port);

/* The link to the host, NULL when it is not there any more. */
struct host_link *hosts_link(const struct hosts *hosts, uint32_t part);

/* The first other host, pending or not, or the one behind `host`; NULL behind the last. */
struct host *hosts_next_other(const struct hosts *hosts, const struct host *host);

/*
 * A host, pending or not, has the address; a host that is being deleted does not count: it can be
 * added again.
 */
bool hosts_has_address(const struct hosts *hosts, uint32_t address);

/* Takes over what is known of another host; the names are copied. */
void hosts_describe(struct host *host, const struct host_facts *facts);

/* Pending hosts are full members now. Their parts go to `added`, with room for all; how many. */
int hosts_commit(struct hosts *hosts, uint32_t added[TID_HOST_MAX]);

/* So many packets may be underway to each host from now on, if that makes sense. */
void hosts_set_window(struct hosts *hosts, int32_t window);

/*
 * Whether the daemon with which this one has the key may become the master, or take that part from
 * this one: it holds the secret of the machine, or nobody does.
 */
bool hosts_may_rule(const struct hosts *hosts, const struct host_key *key);

/*
 * The host part for a host that is to be added. Indices are not given back when the addition fails,
 * as in 3.4.6, so that a late daemon is not taken for another one. 0: all are taken.
 */
uint32_t hosts_next_part(struct hosts *hosts);

#endif
