/*
 * addition.h - how do the hosts of one request come into the table?
 *
 * Each goes its own way: its name is looked up, it is judged, its daemon is started - by itself, or
 * by a hoster together with the others - and when its daemon runs it is taken into the table
 * (table_update.h). They are judged in the order in which they were asked for, which is the order
 * of their tids, and hosts that are ready at about the same time come into the table together; but
 * no host waits longer than a moment for another that does not answer. One thread.
 */
#ifndef DAEMON_MEMBERS_ADDITION_H
#define DAEMON_MEMBERS_ADDITION_H

#include "daemon/hosts/lookup.h"
#include "daemon/members/host_spec.h"
#include "daemon/members/host_start.h"
#include "daemon/members/starter.h"
#include "daemon/post/request.h"

enum added_host_state {
    ADDED_HOST_NAMED, /* to be looked up and judged */
    ADDED_HOST_GOOD,  /* to be started */
    ADDED_HOST_STARTING,
    ADDED_HOST_RUNNING, /* its daemon does; to be taken into the table */
    ADDED_HOST_SETTLED, /* is in the table, or nothing became of it */
};

struct added_host {
    struct addition *addition;
    enum added_host_state state;
    struct host_spec spec; /* of what was asked for, completed from the host file */
    uint32_t address;
    uint32_t part;  /* of the tids that it is to have; 0 when it is not to be started */
    int32_t result; /* 0 while nothing is known against it */
    struct starter starter;
    struct host_start_result told; /* by its daemon */
};

struct addition {
    struct daemon *daemon;
    struct request_origin origin; /* tid 0: the host file asks, nobody is told */
    struct lookup lookup;
    struct loop_timer moment; /* after it hosts that are ready wait no longer for others */
    struct added_host *hosts;
    int32_t count;
    bool hurried;    /* names are judged in the order in which they become known */
    bool for_hoster; /* there was a hoster when the addition began */
    uint32_t hoster; /* the task that is asked to start them, 0: none yet */
    int32_t wait;    /* wait identifier of the hoster's answer */
    void (*done)(struct addition *addition);
};

/* Room for so many hosts; NULL when memory is short. */
struct addition *addition_new(struct daemon *daemon, int32_t room);
void addition_free(struct addition *addition);

/* One host more, as a user describes it. */
void addition_add(struct addition *addition, const char *text);

/*
 * Begins. `done` is called, from the loop, when something has become of each host: result is an
 * error, or 0 for one that came into the table, where it may be no longer. False when nothing can
 * be started.
 */
bool addition_begin(struct addition *addition, void (*done)(struct addition *));

/* The host that is to have the tids of `part`, NULL when there is none. */
struct added_host *addition_find(const struct addition *addition, uint32_t part);

/* Takes the line in which a daemon tells of itself, or the name of an error. */
void addition_take_line(struct added_host *host, const char *line);

/* All daemons have the table: the addition that there is, if any, goes on. */
void addition_updated(struct daemon *daemon);

/* The hoster has answered: hosts that are still starting have not been started. */
void addition_end_starts(struct addition *addition);

#endif
