/*
 * inbound.h - frames that have come, from tasks and from other hosts: each is forwarded, or is part
 * of a message for this daemon.
 */
#ifndef DAEMON_REQUESTS_INBOUND_H
#define DAEMON_REQUESTS_INBOUND_H

#include "core/frame_reader.h"

struct host_link;
struct task;

/* Takes a frame that `task` sent. The task may be gone afterwards. */
void inbound_take_from_task(struct task *task, struct received_frame *received);

/* Takes a frame that came from another host. The host may be gone afterwards. */
void inbound_take_from_host(struct host_link *link, struct received_frame *received);

#endif
