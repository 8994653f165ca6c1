/* park_order.c - the last order counts. */
#include "lib/link/park_order.h"

#include <stdlib.h>

#include "core/control.h"
#include "lib/link/move_order.h"
#include "lib/link/pvmd_link.h"

int park_order_give(struct task *task, uint32_t tid, const char *address, const char *secret)
{
    struct message *order = control_new(CONTROL_PARK, CONTROL_CONTEXT_TC, 0);
    control_put_string(order, address);
    control_put_string(order, secret);
    return pvmd_link_tell(task, order, tid);
}

bool park_order_is(const struct message_header *header)
{
    return header->tag == CONTROL_PARK && header->context == CONTROL_CONTEXT_TC;
}

/* Both become the task's. */
static void park_order_set(struct task *task, char *address, char *secret)
{
    struct park *park = &task->park;
    lock_acquire(&task->options_lock);
    char *old_address = park->address, *old_secret = park->secret;
    park->address = address;
    park->secret = secret;
    atomic_store(&park->wanted, address && secret);
    lock_release(&task->options_lock);
    free(old_address);
    free(old_secret);
    move_order_recall(task);
}

/* Without memory the one who asked waits in vain, for a while. */
static void park_order_refuse(struct task *task, uint32_t asker)
{
    struct message *answer = control_new(CONTROL_PARK_NOT, CONTROL_CONTEXT_TC, 0);
    struct unattended *letter = endpoint_prepare(&answer, &asker, 1);
    if (letter)
        endpoint_send_unattended(&task->endpoint, letter);
}

void park_order_take(struct task *task, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    char *address = control_get_string(&reader, 0), *secret = control_get_string(&reader, 0);
    if (!reader.failed && move_order_may_come(task)) {
        park_order_set(task, address, secret);
        return;
    }
    free(address);
    free(secret);
    park_order_refuse(task, message->header.source);
}

void park_order_begin(struct task *task, char **address, char **secret)
{
    struct park *park = &task->park;
    lock_acquire(&task->options_lock);
    *address = park->address;
    *secret = park->secret;
    park->address = park->secret = NULL;
    atomic_store(&park->wanted, false);
    lock_release(&task->options_lock);
    move_order_recall(task);
}

void park_order_put(struct task *task, struct luggage *luggage)
{
    lock_acquire(&task->options_lock);
    luggage_put_text(luggage, task->park.address);
    luggage_put_text(luggage, task->park.secret);
    lock_release(&task->options_lock);
}

void park_order_get(struct task *task, struct luggage_reader *reader)
{
    char *address = luggage_get_text(reader), *secret = luggage_get_text(reader);
    park_order_set(task, address, secret);
}

void park_order_finish(struct task *task)
{
    free(task->park.address);
    free(task->park.secret);
}
