/*
 * router.h - where a frame from a task goes, and how the daemon's own messages reach a task.
 *
 * Frames between tasks are forwarded as they came, as slices of the chunk they were read into; only
 * the source in their header is made true. The rules are those of 3.4.6.
 */
#ifndef DAEMON_ROUTER_H
#define DAEMON_ROUTER_H

#include <stdbool.h>

#include "core/frame_reader.h"
#include "daemon/request.h"

struct daemon;
struct host_link;
struct task;

/* Takes a frame that `task` sent. The task may be gone afterwards. */
void router_take(struct task *task, struct received_frame *received);

/*
 * The task sends nothing more: what it has sent comes to other hosts before all that the daemon
 * says from now on.
 */
void router_end_task(const struct task *task);

/* Takes a frame that came from another host. The host may be gone afterwards. */
void router_take_from_host(struct host_link *link, struct received_frame *received);

/*
 * Sends a message of the daemon to a task, of any host, or to another daemon, and frees it. It is
 * dropped when there is none.
 */
void router_send(struct daemon *daemon, uint32_t destination, struct message *message);

enum request_result router_announce(struct request *request);  /* TM_MCA */
enum request_result router_take_list(struct request *request); /* DM_MCA */

/* Forgets what the host has announced. */
void router_host_end(struct daemon *daemon, uint32_t part);
/* Forgets what all have. */
void router_finish(struct daemon *daemon);

#endif
