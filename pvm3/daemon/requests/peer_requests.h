/*
 * peer_requests.h - what other daemons ask and tell (the DM messages).
 */
#ifndef DAEMON_REQUESTS_PEER_REQUESTS_H
#define DAEMON_REQUESTS_PEER_REQUESTS_H

#include "core/message.h"

struct host_link;

/* Handles a whole message from another daemon. The host may be gone afterwards. */
void peer_request_take(struct host_link *link, struct message *message);

#endif
