/* inbox.c - the posted receivers are few: a list serves. */
#include "ck/inbox.h"

void inbox_start(struct inbox *inbox)
{
    match_queue_start(&inbox->arrived);
    inbox->first = inbox->last = NULL;
}

void inbox_finish(struct inbox *inbox)
{
    match_queue_finish(&inbox->arrived);
}

static struct receiver *inbox_receiver_for(const struct inbox *inbox, const struct message *message,
                                           bool answer)
{
    for (struct receiver *receiver = inbox->first; receiver; receiver = receiver->next)
        if ((receiver->pattern.wait != 0) == answer &&
            pattern_matches(&receiver->pattern, &message->header))
            return receiver;
    return NULL;
}

struct receiver *inbox_deliver(struct inbox *inbox, struct message *message, int *error)
{
    *error = 0;
    struct receiver *receiver = NULL;
    if (message->header.wait != 0)
        receiver = inbox_receiver_for(inbox, message, true);
    if (!receiver)
        receiver = inbox_receiver_for(inbox, message, false);
    if (!receiver) {
        *error = match_queue_add(&inbox->arrived, message);
        if (*error < 0)
            message_free(message);
        return NULL;
    }
    inbox_withdraw(inbox, receiver);
    receiver->message = message;
    receiver->waiter.done = true;
    return receiver;
}

struct message *inbox_find(const struct inbox *inbox, const struct pattern *pattern)
{
    return match_queue_find(&inbox->arrived, pattern);
}

struct message *inbox_take(struct inbox *inbox, const struct pattern *pattern)
{
    struct message *message = match_queue_find(&inbox->arrived, pattern);
    if (message)
        match_queue_remove(&inbox->arrived, message);
    return message;
}

void inbox_post(struct inbox *inbox, struct receiver *receiver)
{
    if (receiver->posted)
        return;
    receiver->posted = true;
    receiver->next = NULL;
    receiver->previous = inbox->last;
    *(inbox->last ? &inbox->last->next : &inbox->first) = receiver;
    inbox->last = receiver;
}

void inbox_withdraw(struct inbox *inbox, struct receiver *receiver)
{
    if (!receiver->posted)
        return;
    receiver->posted = false;
    *(receiver->previous ? &receiver->previous->next : &inbox->first) = receiver->next;
    *(receiver->next ? &receiver->next->previous : &inbox->last) = receiver->previous;
}
