/* move_order.c - taking the order, which wakes a receive that may move, and refusing it. */
#include "lib/link/move_order.h"

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/process.h"

bool move_order_is(const struct message_header *header)
{
    return header->tag == CONTROL_MOVE && header->context == CONTROL_CONTEXT_TC &&
           header->source == TID_OWN_DAEMON;
}

/* Without memory the one who asked waits until the task is over. */
static void move_order_answer(struct task *task, int number, int code, const char *why)
{
    const uint32_t pvmd = TID_OWN_DAEMON;
    struct message *answer = pvmd_link_request(CONTROL_MIGRATED);
    control_put_int(answer, number);
    control_put_int(answer, code);
    control_put_string(answer, why);
    struct unattended *letter = endpoint_prepare(&answer, &pvmd, 1);
    if (letter)
        endpoint_send_unattended(&task->endpoint, letter);
}

void move_order_take(struct task *task, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    int number = control_get_int(&reader);
    uint32_t host = control_get_tid(&reader);
    if (!task->is_thread || !task->process->carriers) {
        move_order_answer(task, number, PvmNotImpl, "it is not a user-level process that can move");
        return;
    }
    task->move.number = number;
    atomic_store(&task->move.host, host);
    endpoint_recall(&task->endpoint, true);
}

void move_order_refuse(struct task *task, int code, const char *why)
{
    int number = task->move.number;
    endpoint_recall(&task->endpoint, false);
    atomic_store(&task->move.host, 0);
    move_order_answer(task, number, code, why);
}
