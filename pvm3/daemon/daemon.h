/*
 * daemon.h - what there is once in a daemon. One thread.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "core/pool.h"
#include "daemon/address_file.h"
#include "daemon/base/backlog.h"
#include "daemon/base/complaint.h"
#include "daemon/base/loop.h"
#include "daemon/base/settings.h"
#include "daemon/base/signals.h"
#include "daemon/base/statistics.h"
#include "daemon/hosts/former_hosts.h"
#include "daemon/hosts/keep_alive.h"
#include "daemon/members/slave.h"
#include "daemon/members/table_update.h"
#include "daemon/members/terminal.h"
#include "daemon/post/datagrams.h"
#include "daemon/post/doorman.h"
#include "daemon/post/hosts.h"
#include "daemon/post/notify.h"
#include "daemon/post/pending.h"
#include "daemon/post/tasks.h"
#include "daemon/post/upcalls.h"
#include "daemon/requests/contexts.h"
#include "daemon/requests/mailbox.h"
#include "daemon/tasks/listener.h"
#include "daemon/tasks/services.h"

struct addition;
struct host_file;

struct daemon {
    struct loop loop;
    struct upcalls upcalls;
    struct complaints complaints;
    struct settings settings;
    struct pool chunks;       /* what is read from tasks */
    struct loop_timer trim;   /* after a burst: memory goes back to the system */
    struct backlogs backlogs; /* what waits for tasks and hosts */
    struct hosts hosts;
    struct former_hosts former_hosts;
    struct datagrams datagrams;
    struct doorman doorman;
    struct keep_alive keep_alive;
    struct list pendings;   /* what other daemons have been asked */
    uint32_t serving;       /* tid of the task whose frame is being handled, 0: none */
    uint32_t last_wait;     /* the wait identifier given last to a question */
    uint32_t spawn_cursor;  /* index of the host that is to start tasks next */
    struct list orders;     /* to start tasks here, being carried out */
    struct list multicasts; /* lists that other daemons announced */
    struct slave_starter starter;
    struct loop_timer idle_end;  /* of a slave that its master does not take into the table */
    struct host_file *host_file; /* NULL: none was given */
    struct table_update table_update;
    struct terminal terminal;  /* where users are asked */
    struct addition *addition; /* the request for hosts that is being worked on, or NULL */
    struct listener listener;
    struct address_file address_file;
    struct tasks tasks;
    struct contexts contexts;
    struct notify notify;
    struct mailboxes mailboxes;
    struct list mailbox_waits; /* requests for entries that are not there yet */
    struct list mailbox_users; /* tasks on other hosts that own mailbox entries or wait for one */
    struct services services;
    struct list trace_readers; /* tasks that have been told of kinds of events */
    struct statistics statistics;
    struct signals signals;
    unsigned temporary_names; /* how many were made */
    int exit_status;
};

/* Every part empty, so that all can be finished whatever was started. */
void daemon_prepare(struct daemon *daemon);
/* Ends tasks and takes leave of other hosts; then nothing is left. */
void daemon_finish(struct daemon *daemon);

#endif
