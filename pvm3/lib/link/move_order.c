/* move_order.c - taking the order, which wakes a receive that may move, and refusing it. */
#include "lib/link/move_order.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/process.h"

static bool move_order_is_return(const struct message_header *header)
{
    return header->tag == CONTROL_BACK && header->context == CONTROL_CONTEXT_TC &&
           header->source == header->destination;
}

bool move_order_is(const struct message_header *header)
{
    bool order = header->context == CONTROL_CONTEXT_TC && header->tag == CONTROL_MOVE;
    bool answer = header->context == CONTROL_CONTEXT_TM && header->tag == CONTROL_MIGRATE &&
                  header->wait == 0;
    return ((order || answer) && header->source == TID_OWN_DAEMON) || move_order_is_return(header);
}

int move_order_read_answer(struct task *task, const struct message *answer)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int result = control_get_int(&reader);
    if (result == PvmHostFail && control_rest(&reader) == 0)
        return result;
    char *why = control_get_string(&reader, 0);
    if (reader.failed)
        result = PvmBadMsg;
    else if (result < 0 && *why && atomic_load(&task->auto_error) != 0)
        task_print(task, "pvm_migrate(): the task stays: %s", why);
    free(why);
    return result;
}

/* Without memory others go on reaching it by the pvmd. */
void move_order_return(struct task *task)
{
    const uint32_t tid = (uint32_t)atomic_load(&task->tid);
    struct message *word = control_new(CONTROL_BACK, CONTROL_CONTEXT_TC, 0);
    struct unattended *letter = endpoint_prepare(&word, &tid, 1);
    if (!letter)
        return;
    endpoint_return(&task->endpoint);
    endpoint_send_unattended(&task->endpoint, letter);
}

bool move_order_may_come(const struct task *task)
{
    return task->is_thread && task->process->carriers && !atomic_load(&task->move.stays);
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

static bool move_order_is_there(struct task *task)
{
    return atomic_load(&task->move.host) != 0 || atomic_load(&task->park.wanted);
}

/* An order may come just while another one is done with. */
void move_order_recall(struct task *task)
{
    bool recall = move_order_is_there(task);
    endpoint_recall(&task->endpoint, RECALL_RECEIVES, recall);
    if (!recall && move_order_is_there(task))
        endpoint_recall(&task->endpoint, RECALL_RECEIVES, true);
}

void move_order_call_in(struct task *task)
{
    atomic_store(&task->move.host, task->move.host_then);
    move_order_recall(task);
}

void move_order_put_off(struct task *task)
{
    atomic_store(&task->move.host, 0);
    move_order_recall(task);
}

static void move_order_obey(struct task *task, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    int number = control_get_int(&reader);
    uint32_t host = control_get_tid(&reader);
    if (atomic_load(&task->move.stays)) {
        move_order_answer(
            task, number, PvmDenied,
            "it has started a thread, or changed its working folder or mask for files");
        return;
    }
    if (!move_order_may_come(task)) {
        move_order_answer(task, number, PvmNotImpl, "it is not a user-level process that can move");
        return;
    }
    task->move.number = number;
    task->move.host_then = host;
    move_order_call_in(task);
}

void move_order_take(struct task *task, const struct message *message)
{
    if (message->header.tag == CONTROL_MOVE)
        move_order_obey(task, message);
    else if (message->header.tag == CONTROL_BACK)
        endpoint_open_fence(&task->endpoint);
    else
        move_order_read_answer(task, message);
}

void move_order_refuse(struct task *task, int code, const char *why)
{
    int number = task->move.number;
    move_order_put_off(task);
    move_order_answer(task, number, code, why);
}
