/* request_room.h - what the room of requests owns: contexts, mailboxes, and requests that wait. */
#ifndef DAEMON_REQUESTS_REQUEST_ROOM_H
#define DAEMON_REQUESTS_REQUEST_ROOM_H

#include "daemon/members/member_room.h"
#include "daemon/requests/contexts.h"
#include "daemon/requests/mailbox.h"
#include "daemon/requests/moves.h"
#include "daemon/requests/region_requests.h"
#include "daemon/requests/replica.h"

struct request_room {
    struct contexts contexts;
    struct mailboxes mailboxes;
    struct list mailbox_waits; /* requests for entries that are not there yet */
    struct list mailbox_users; /* tasks that own mailbox entries or wait for one */
    struct replica replica;    /* what a deputy keeps of what the master has done */
    struct region_waits region_waits;
    struct moves moves;
};

#endif
