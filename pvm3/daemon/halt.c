/* halt.c - the end. */
#include "daemon/halt.h"

#include <signal.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/signals.h"

void halt(struct daemon *daemon, int status)
{
    daemon->exit_status = status;
    loop_end(&daemon->loop);
    LIST_FOR_EACH(node, &daemon->tasks.list)
    signals_send(task_at(node), SIGTERM);
}

/* There is no answer: the requester sees its connection end. */
enum request_result halt_request(struct request *request)
{
    log_note("halting: t%x asked for it", request->task->tid);
    halt(request->daemon, 0);
    return REQUEST_DONE;
}
