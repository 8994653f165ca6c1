/* watch.c - a pending question of which only the end counts. */
#include "daemon/post/watch.h"

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/post/hosts.h"
#include "daemon/post/router.h"

static void watch_failed(struct pending *pending)
{
    struct watch *watch = LIST_OWNER(pending, struct watch, question);
    watch->ended(watch);
}

static void watch_answered(struct pending *pending, struct control_reader *body)
{
    (void)body;
    watch_failed(pending);
}

void watch_init(struct watch *watch)
{
    list_start(&watch->question.node);
}

void watch_start(struct watch *watch, struct daemon *daemon, const struct host *host, uint32_t tid,
                 void (*ended)(struct watch *))
{
    watch->ended = ended;
    pending_start(&watch->question, daemon, host, DM_NOTIFY, watch_answered, watch_failed);
    struct message *question = control_new(DM_NOTIFY, 0, watch->question.wait);
    control_put_int(question, PvmTaskExit);
    control_put_tid(question, tid);
    router_send(daemon, host->part | TID_DAEMON_BIT, question);
}

void watch_stop(struct watch *watch)
{
    pending_cancel(&watch->question);
}
