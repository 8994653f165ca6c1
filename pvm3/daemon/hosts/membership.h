/*
 * membership.h - hosts come into the table, each with a link to its daemon, and leave it.
 */
#ifndef DAEMON_HOSTS_MEMBERSHIP_H
#define DAEMON_HOSTS_MEMBERSHIP_H

#include <stdint.h>

struct host;
struct hosts;

/* A new entry, pending, with a link; hosts_describe fills it. NULL: no memory. */
struct host *membership_add(struct hosts *hosts, uint32_t part);

/* Takes the host out of the table and frees it; not the own one. */
void membership_remove(struct hosts *hosts, struct host *host);

/* Frees all hosts, the own one too. */
void membership_finish(struct hosts *hosts);

#endif
