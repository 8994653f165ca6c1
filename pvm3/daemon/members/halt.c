/* halt.c - the end. */
#include "daemon/members/halt.h"

#include <signal.h>

#include "daemon/base/log.h"
#include "daemon/base/signals.h"
#include "daemon/members/member_room.h"
#include "daemon/post/router.h"

void halt(struct daemon *daemon, int status)
{
    daemon->exit_status = status;
    loop_end(&daemon->loop);
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    signals_send(task_at(node)->pid, task_at(node)->tid, SIGTERM);
}

/* There is no answer: the requester sees its connection end. The master ends all, itself last. */
enum request_result halt_request(struct request *request)
{
    const struct hosts *hosts = &request->daemon->post->hosts;
    if (!hosts_is_master(hosts)) {
        request->daemon->member_room->succession.halt_asked = true;
        router_send(request->daemon, hosts->master->part | TID_DAEMON_BIT,
                    control_new(DM_HALT, 0, 0));
        return REQUEST_DONE;
    }
    log_note("halting: t%x asked for it", request->origin.tid);
    halt(request->daemon, 0);
    return REQUEST_DONE;
}
