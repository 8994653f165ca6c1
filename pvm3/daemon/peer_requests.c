/* peer_requests.c - which message goes where. */
#include "daemon/peer_requests.h"

#include "daemon/add_hosts.h"
#include "daemon/daemon.h"
#include "daemon/halt.h"
#include "daemon/host_link.h"
#include "daemon/host_requests.h"
#include "daemon/host_settings.h"
#include "daemon/log.h"
#include "daemon/mailbox_requests.h"
#include "daemon/output.h"
#include "daemon/router.h"
#include "daemon/spawn.h"
#include "daemon/status.h"
#include "daemon/table_update.h"

static enum request_result peer_request_ignore(struct request *request)
{
    (void)request;
    return REQUEST_DONE;
}

struct peer_request_kind {
    const char *name;
    request_handler *handle; /* NULL: it is an answer */
    int32_t answer;          /* tag of the answer, 0 when there is none */
    bool only_master;        /* is to be asked */
};

/* By tag, from DM_ADD on. */
static const struct peer_request_kind kinds[] = {
    {"DM_ADD", add_hosts_request, DM_ADDACK, true},
    {"DM_ADDACK", NULL, 0, false},
    {"DM_EXEC", spawn_order, DM_EXECACK, false},
    {"DM_EXECACK", NULL, 0, false},
    {"DM_SENDSIG", status_signal, 0, false},
    {"DM_HTUPD", table_update_take, DM_HTUPDACK, false},
    {"DM_HTUPDACK", NULL, 0, false},
    {"DM_HTCOMMIT", table_update_take_commit, 0, false},
    {"DM_SLCONF", host_settings_take, 0, false},
    {"DM_STARTACK", NULL, 0, false},
    {"DM_TASK", status_list, DM_TASKACK, false},
    {"DM_TASKACK", NULL, 0, false},
    {"DM_DELHOST", host_requests_delete, DM_DELHOSTACK, true},
    {"DM_DELHOSTACK", NULL, 0, false},
    {"DM_NULL", peer_request_ignore, 0, false},
    {"DM_TASKOUT", output_take, 0, false},
    {"DM_PSTAT", status_tell, DM_PSTATACK, false},
    {"DM_PSTATACK", NULL, 0, false},
    {"DM_HALT", halt_request, 0, true},
    {"DM_MCA", router_take_list, 0, false},
    {"DM_NOTIFY", notify_request_of_host, DM_NOTIFYACK, false},
    {"DM_NOTIFYACK", NULL, 0, false},
    {"DM_DB", mailbox_request, DM_DBACK, true},
    {"DM_DBACK", NULL, 0, false},
    {"DM_RESET", notify_request_of_reset, DM_RESETACK, false},
    {"DM_RESETACK", NULL, 0, false},
    {"DM_HTDEL", table_update_take_deletion, 0, false},
    {"DM_HOSTSYNC", host_requests_clock, DM_HOSTSYNCACK, false},
    {"DM_HOSTSYNCACK", NULL, 0, false},
};

static void peer_request_handle(struct request *request, const struct peer_request_kind *kind)
{
    uint32_t from = request->origin.tid;
    if (!kind->handle) {
        if (!pending_take(request->daemon, tid_host_part(from), request->message) &&
            request->message->header.wait != 0)
            log_debug(LOG_WAITS, "%s from t%x answers nothing", kind->name, from);
        return;
    }
    if (kind->only_master && !hosts_is_master(&request->daemon->hosts)) {
        log_write("%s from t%x is for the master: dropped", kind->name, from);
        return;
    }
    if (kind->handle(request) == REQUEST_MALFORMED)
        log_write("a %s of %zu bytes from t%x makes no sense: dropped", kind->name,
                  request->message->length, from);
}

void peer_request_take(struct host_link *link, struct message *message)
{
    const struct message_header *header = &message->header;
    uint32_t number = (uint32_t)header->tag - (uint32_t)DM_ADD;
    if (number >= sizeof kinds / sizeof kinds[0]) {
        log_write("t%x sent a message with tag 0x%x that no daemon sends: dropped", header->source,
                  (unsigned)header->tag);
        return;
    }
    const struct peer_request_kind *kind = &kinds[number];
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
