/*
 * daemon.h - what there is once in a daemon. One thread.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "core/pool.h"
#include "daemon/address_file.h"
#include "daemon/backlog.h"
#include "daemon/complaint.h"
#include "daemon/contexts.h"
#include "daemon/datagrams.h"
#include "daemon/doorman.h"
#include "daemon/former_hosts.h"
#include "daemon/hosts.h"
#include "daemon/keep_alive.h"
#include "daemon/listener.h"
#include "daemon/loop.h"
#include "daemon/mailbox.h"
#include "daemon/notify.h"
#include "daemon/pending.h"
#include "daemon/services.h"
#include "daemon/settings.h"
#include "daemon/signals.h"
#include "daemon/slave.h"
#include "daemon/statistics.h"
#include "daemon/table_update.h"
#include "daemon/tasks.h"
#include "daemon/terminal.h"
#include "daemon/upcalls.h"

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
    uint32_t last_wait;     /* the number given last to such a question */
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
    struct list mailbox_waits;  /* requests for entries that are not there yet */
    struct list mailbox_owners; /* those of other hosts */
    struct services services;
    struct list trace_readers; /* who has been told of events */
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
