/* active_buffer.c - which buffer a thread has received, and what it leaves behind. */
#include "lib/task/active_buffer.h"

#include <pvm3.h>

#include "lib/task/caller.h"

/* What other threads may be about to use stays. */
static void active_buffer_leave(struct caller *caller, struct buffer **active, enum turns_role role)
{
    if (turns_leave(caller, role))
        buffer_activate(active, NULL);
    else
        buffer_discard_active(caller->task, active);
}

void active_buffer_forget(struct caller *caller)
{
    active_buffer_leave(caller, &caller->send, TURNS_SEND);
    active_buffer_leave(caller, &caller->receive, TURNS_RECEIVE);
    turns_leave_call(caller);
}

/* For what came in `message`, which is freed if there is no buffer. */
static int active_buffer_set_received(struct caller *caller, struct buffer *buffer, int id,
                                      struct message *message, bool arrived)
{
    if (!buffer) {
        message_free(message);
        return PvmNoMem;
    }
    owned_lock_acquire(&buffer->lock);
    buffer->arrived = arrived;
    owned_lock_release(&buffer->lock);
    buffer_activate(&caller->receive, buffer);
    turns_tell(&caller->task->turns, caller, TURNS_RECEIVE, id);
    return id;
}

int active_buffer_receive(struct caller *caller, struct message *message)
{
    int id;
    struct buffer *buffer = buffer_for_message(caller->task, message, &id);
    return active_buffer_set_received(caller, buffer, id, message, true);
}

int active_buffer_receive_inner(struct caller *caller, struct message *message,
                                struct cursor cursor)
{
    int id;
    message->fragment = buffer_fragment(caller->task);
    struct buffer *buffer = buffer_new(caller->task, message, BUFFER_UNPACKED, false, &id);
    if (buffer) {
        owned_lock_acquire(&buffer->lock);
        buffer->cursor = cursor;
        owned_lock_release(&buffer->lock);
    }
    return active_buffer_set_received(caller, buffer, id, message, false);
}

void active_buffer_begin_receive(struct caller *caller)
{
    turns_replace(&caller->task->turns, caller, TURNS_RECEIVE);
    if (caller->receive)
        buffer_drop_contents(caller->receive);
}

int active_buffer_end_receive(struct caller *caller, struct message *message, int result)
{
    struct buffer *buffer = caller->receive;
    int id = 0;
    if (buffer && message && message->buffer == 0)
        id = buffer_refill(buffer, message);
    if (id) {
        turns_tell(&caller->task->turns, caller, TURNS_RECEIVE, id);
        return id;
    }
    buffer_discard_active(caller->task, &caller->receive);
    if (message)
        return active_buffer_receive(caller, message);
    turns_tell(&caller->task->turns, caller, TURNS_RECEIVE, 0);
    return result;
}

void active_buffer_put(struct caller *caller, struct luggage *luggage)
{
    luggage_put_int(luggage, buffer_active_id(&caller->send));
    luggage_put_int(luggage, buffer_active_id(&caller->receive));
    turns_put(caller, luggage);
}

void active_buffer_get(struct caller *caller, struct luggage_reader *reader)
{
    int send = luggage_get_int(reader), receive = luggage_get_int(reader);
    buffer_activate(&caller->send, buffer_find(caller->task, send));
    buffer_activate(&caller->receive, buffer_find(caller->task, receive));
    turns_get(caller, reader);
}
