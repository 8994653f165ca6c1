/*
 * host_settings.h - what a host is told to do its work with (DM_SLCONF): the master
 * tells a new host, and the host of a tracer all others.
 */
#ifndef DAEMON_MEMBERS_HOST_SETTINGS_H
#define DAEMON_MEMBERS_HOST_SETTINGS_H

#include "daemon/post/request.h"

struct host_spec;

/* Tells a new host, which `spec` describes. */
void host_settings_send(struct daemon *daemon, uint32_t part, const struct host_spec *spec);

enum request_result host_settings_take(struct request *request); /* DM_SLCONF */

#endif
