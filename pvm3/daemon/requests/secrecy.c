/* secrecy.c - what asks for ways past the daemons. */
#include "daemon/requests/secrecy.h"

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/post/host_packets.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"

/* In the name of the task that was asked. */
static void secrecy_deny(const struct task *task, uint32_t asked)
{
    struct message *message = control_new(TC_CONACK, CONTROL_CONTEXT_TC, 0);
    struct received_frame whole = {0};
    control_put_int(message, CONTROL_TASK_PROTOCOL);
    control_put_int(message, 1);
    control_put_string(message, "");
    if (control_is_whole(message))
        whole = host_packets_frame(message, task->tid, asked);
    if (whole.chunk)
        router_forward(task->daemon, &whole);
    else
        log_write("no memory to deny t%x a direct route: it waits for the answer", task->tid);
    chunk_release(whole.chunk);
    message_free(message);
}

bool secrecy_keeps(const struct task *task, const struct received_frame *received)
{
    const struct post_room *post = task->daemon->post;
    const struct frame *frame = &received->frame;
    struct message_header header;
    if (!post->machine_key.secrecy || frame->flags != (FRAME_FIRST | FRAME_LAST) ||
        frame->length < FRAME_MESSAGE_HEADER_SIZE)
        return false;
    frame_decode_message(&header, frame->source, received->body);
    if (header.context != CONTROL_CONTEXT_TC ||
        (header.tag != TC_CONREQ && header.tag != TC_NOOP) ||
        places_host(task->daemon, frame->destination) == hosts_own(&post->hosts))
        return false;
    if (header.tag == TC_CONREQ)
        secrecy_deny(task, frame->destination);
    return true;
}
