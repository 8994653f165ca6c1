/* peer_requests.c - which message goes where. */
#include "daemon/requests/peer_requests.h"

#include "daemon/base/log.h"
#include "daemon/hosts/keep_alive.h"
#include "daemon/hosts/witness.h"
#include "daemon/members/add_hosts.h"
#include "daemon/members/halt.h"
#include "daemon/members/host_settings.h"
#include "daemon/members/table_replica.h"
#include "daemon/post/host_link.h"
#include "daemon/post/multicast.h"
#include "daemon/post/tree_branch.h"
#include "daemon/post/tree_origin.h"
#include "daemon/requests/again.h"
#include "daemon/requests/arrivals.h"
#include "daemon/requests/contexts.h"
#include "daemon/requests/departures.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/host_requests.h"
#include "daemon/requests/mailbox_requests.h"
#include "daemon/requests/move_orders.h"
#include "daemon/requests/move_words.h"
#include "daemon/requests/region_requests.h"
#include "daemon/requests/replica.h"
#include "daemon/requests/request_room.h"
#include "daemon/requests/revivals.h"
#include "daemon/requests/status.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/spawn.h"

static enum request_result peer_request_ignore(struct request *request)
{
    (void)request;
    return REQUEST_DONE;
}

/* A frame of a task that was born elsewhere (host_packets.c). */
static enum request_result peer_request_take_frame(struct request *request)
{
    struct control_reader *body = &request->body;
    struct host_link *link = hosts_link(&request->daemon->post->hosts, request->origin.tid);
    struct received_frame received = {.frame.destination = control_get_tid(body)};
    received.frame.source = control_get_tid(body);
    received.frame.flags = (uint8_t)(control_get_int(body) & (FRAME_FIRST | FRAME_LAST));
    received.frame.length = (uint32_t)control_get_count(body, 1);
    if (body->failed || (!host_stream_may_bring(&link->stream, &received.frame) &&
                         !tid_is_tree(received.frame.destination)))
        return REQUEST_MALFORMED;
    received.chunk = chunk_new(FRAME_HEADER_SIZE + (size_t)received.frame.length);
    if (!received.chunk) {
        log_write("no memory for what goes to t%x: a message is lost", received.frame.destination);
        return REQUEST_DONE;
    }
    received.body = received.chunk->data + FRAME_HEADER_SIZE;
    control_get_bytes(body, received.body, received.frame.length);
    if (!body->failed)
        request->daemon->post->upcalls.host_frame(link, &received);
    chunk_release(received.chunk);
    return body->failed ? REQUEST_MALFORMED : REQUEST_DONE;
}

/* Between which daemons a message goes. */
enum peer_way { WAY_ANY, WAY_TO_MASTER, WAY_FROM_MASTER };

struct peer_request_kind {
    const char *name;
    request_handler *handle; /* NULL: it is an answer */
    int32_t answer;          /* tag of the answer, 0 when there is none */
    enum peer_way way;
};

/* By tag, from DM_ADD on. */
static const struct peer_request_kind kinds[] = {
    {"DM_ADD", add_hosts_request, DM_ADDACK, WAY_TO_MASTER},
    {"DM_ADDACK", NULL, 0, WAY_ANY},
    {"DM_EXEC", spawn_order, DM_EXECACK, WAY_ANY},
    {"DM_EXECACK", NULL, 0, WAY_ANY},
    {"DM_SENDSIG", status_signal, 0, WAY_ANY},
    {"DM_HTUPD", table_replica_take, DM_HTUPDACK, WAY_FROM_MASTER},
    {"DM_HTUPDACK", NULL, 0, WAY_ANY},
    {"DM_HTCOMMIT", table_replica_take_commit, 0, WAY_FROM_MASTER},
    {"DM_SLCONF", host_settings_take, 0, WAY_ANY},
    {"DM_STARTACK", NULL, 0, WAY_ANY},
    {"DM_TASK", status_list, DM_TASKACK, WAY_ANY},
    {"DM_TASKACK", NULL, 0, WAY_ANY},
    {"DM_DELHOST", host_requests_delete, DM_DELHOSTACK, WAY_TO_MASTER},
    {"DM_DELHOSTACK", NULL, 0, WAY_ANY},
    {"DM_NULL", peer_request_ignore, 0, WAY_ANY},
    {"DM_TASKOUT", output_take, 0, WAY_ANY},
    {"DM_PSTAT", status_tell, DM_PSTATACK, WAY_ANY},
    {"DM_PSTATACK", NULL, 0, WAY_ANY},
    {"DM_HALT", halt_request, 0, WAY_TO_MASTER},
    {"DM_MCA", multicast_take_list, 0, WAY_ANY},
    {"DM_NOTIFY", notify_request_of_host, DM_NOTIFYACK, WAY_ANY},
    {"DM_NOTIFYACK", NULL, 0, WAY_ANY},
    {"DM_DB", mailbox_request, DM_DBACK, WAY_TO_MASTER},
    {"DM_DBACK", NULL, 0, WAY_ANY},
    {"DM_RESET", notify_request_of_reset, DM_RESETACK, WAY_ANY},
    {"DM_RESETACK", NULL, 0, WAY_ANY},
    {"DM_HTDEL", table_replica_take_deletion, 0, WAY_FROM_MASTER},
    {"DM_HOSTSYNC", host_requests_clock, DM_HOSTSYNCACK, WAY_ANY},
    {"DM_HOSTSYNCACK", NULL, 0, WAY_ANY},
};

/* By tag, from CONTROL_BLOCK on: what only our own daemons say. */
static const struct peer_request_kind own_kinds[] = {
    {"CONTROL_BLOCK", region_grant_block, CONTROL_BLOCK_ANSWER, WAY_TO_MASTER},
    {"CONTROL_BLOCK_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_BLOCK_BACK", region_take_block_back, 0, WAY_TO_MASTER},
    {"CONTROL_MOVE_ORDER", move_order_request, CONTROL_MOVE_ANSWER, WAY_ANY},
    {"CONTROL_MOVE_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_TASK_HOLD", move_word_hold, 0, WAY_ANY},
    {"CONTROL_TASK_HELD", departure_take_held, 0, WAY_ANY},
    {"CONTROL_TASK_RECORD", arrival_take_record, CONTROL_RECORD_ANSWER, WAY_ANY},
    {"CONTROL_RECORD_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_TASK_MOVED", move_word_moved, 0, WAY_ANY},
    {"CONTROL_TASK_OVER", move_word_over, 0, WAY_ANY},
    {"CONTROL_TASK_SETTLE", arrival_settle, CONTROL_SETTLE_ANSWER, WAY_ANY},
    {"CONTROL_SETTLE_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_TASK_FLUSH", follower_take_flush, CONTROL_FLUSH_ANSWER, WAY_ANY},
    {"CONTROL_FLUSH_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_CONTEXT", contexts_take_back, CONTROL_CONTEXT_ANSWER, WAY_ANY},
    {"CONTROL_CONTEXT_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_FRAME", peer_request_take_frame, 0, WAY_ANY},
    {"CONTROL_TASK_CLAIM", revival_take_claim, CONTROL_CLAIM_ANSWER, WAY_ANY},
    {"CONTROL_CLAIM_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_TREE", tree_branch_take_list, 0, WAY_ANY},
    {"CONTROL_TREE_OVER", tree_branch_take_over, 0, WAY_ANY},
    {"CONTROL_TREE_TURN", tree_branch_take_turn, 0, WAY_ANY},
    {"CONTROL_TREE_PULL", tree_origin_take_pull, 0, WAY_ANY},
    {"CONTROL_TREE_TAKEN", tree_origin_take_taken, 0, WAY_ANY},
    {"CONTROL_SALTS", table_replica_take_salts, 0, WAY_FROM_MASTER},
    {"CONTROL_PROBE", witness_take_probe, 0, WAY_ANY},
    {"CONTROL_PROBED", keep_alive_take_answer, 0, WAY_ANY},
    {"CONTROL_DEPUTY", succession_take_rank, 0, WAY_FROM_MASTER},
    {"CONTROL_VOTE", succession_take_request, 0, WAY_ANY},
    {"CONTROL_VOTED", succession_take_vote, 0, WAY_ANY},
    {"CONTROL_MASTER", succession_obey, 0, WAY_ANY},
    {"CONTROL_COPY", replica_take, 0, WAY_FROM_MASTER},
    {"CONTROL_COPIED", deputies_take_copied, 0, WAY_TO_MASTER},
    {"CONTROL_AGAIN", again_request, CONTROL_AGAIN_ANSWER, WAY_TO_MASTER},
    {"CONTROL_AGAIN_ANSWER", NULL, 0, WAY_ANY},
    {"CONTROL_GONE", table_replica_take_gone, 0, WAY_TO_MASTER},
};

static const struct peer_request_kind *peer_request_find(int32_t tag)
{
    uint32_t number = (uint32_t)tag - (uint32_t)DM_ADD;
    uint32_t own_number = (uint32_t)tag - (uint32_t)CONTROL_BLOCK;
    if (own_number < sizeof own_kinds / sizeof own_kinds[0])
        return &own_kinds[own_number];
    return number < sizeof kinds / sizeof kinds[0] ? &kinds[number] : NULL;
}

/* NULL, or why a message does not go from that daemon to this one. */
static const char *peer_request_check_way(const struct hosts *hosts, enum peer_way way,
                                          uint32_t from)
{
    if (way == WAY_TO_MASTER && !hosts_is_master(hosts))
        return "is for the master";
    if (way == WAY_FROM_MASTER && hosts_find(hosts, from) != hosts->master)
        return "is only the master's to say";
    return NULL;
}

static void peer_request_handle(struct request *request, const struct peer_request_kind *kind)
{
    uint32_t from = request->origin.tid;
    if (!kind->handle) {
        if (!pending_take(request->daemon, tid_host_part(from), request->message) &&
            request->message->header.wait != 0)
            log_debug(LOG_WAITS, "%s from t%x answers nothing", kind->name, from);
        return;
    }
    const char *wrong = peer_request_check_way(&request->daemon->post->hosts, kind->way, from);
    if (wrong) {
        complain(&request->daemon->complaints, from, "%s from t%x %s: dropped", kind->name, from,
                 wrong);
        return;
    }
    table_replica_heed(request->daemon, from);
    if (kind->handle(request) == REQUEST_DONE)
        return;
    complain(&request->daemon->complaints, from,
             "a %s of %zu bytes from t%x makes no sense: dropped", kind->name,
             request->message->length, from);
    request_refuse(&request->origin);
}

/* Of the connection between the two daemons. */
static void peer_request_take_word(struct host_link *link, const struct message *message)
{
    struct control_reader body;
    unsigned char bytes[LINK_WORD_SIZE];
    struct link_word word;
    control_read(&body, message);
    if (control_rest(&body) == sizeof bytes)
        control_get_bytes(&body, bytes, sizeof bytes);
    else
        body.failed = true;
    if (body.failed || !link_word_decode(&word, bytes, sizeof bytes) ||
        !link_upgrade_take(link, &word))
        complain(&link->daemon->complaints, message->header.source,
                 "t%x says of its connection what makes no sense: ignored", message->header.source);
}

void peer_request_take(struct host_link *link, struct message *message)
{
    if (message->header.tag == LINK_TAG) {
        message->header.encoding = MESSAGE_XDR;
        peer_request_take_word(link, message);
        return;
    }
    const struct message_header *header = &message->header;
    const struct peer_request_kind *kind = peer_request_find(header->tag);
    if (!kind) {
        complain(&link->daemon->complaints, header->source,
                 "t%x sent a message with tag 0x%x that no daemon sends: dropped", header->source,
                 (unsigned)header->tag);
        return;
    }
    struct request request = {
        .daemon = link->daemon,
        .origin = {link->daemon, header->source, kind->answer, 0, header->wait},
        .message = message,
    };
    log_debug(LOG_MESSAGES, "%s from t%x, %zu bytes", kind->name, header->source, message->length);
    message->header.encoding = MESSAGE_XDR; /* whatever it says */
    control_read(&request.body, message);
    peer_request_handle(&request, kind);
}
