/*
 * host_end.h - what happens when another host is gone.
 */
#ifndef DAEMON_MEMBERS_HOST_END_H
#define DAEMON_MEMBERS_HOST_END_H

struct daemon;
struct host;

/* The host, which is not the master, is gone: what waits for it fails, and it leaves the table. */
void host_end_fail(struct daemon *daemon, struct host *host);

/* The daemon of the host says that it ends; the master's word ends this daemon. */
void host_end_take(struct daemon *daemon, struct host *host);

/* This daemon ends: the others are told. */
void host_end_say(struct daemon *daemon);

#endif
