/* inbox.c - the posted receivers are few: a list serves. */
#include "ck/inbox.h"

void inbox_start(struct inbox *inbox)
{
    match_queue_start(&inbox->arrived);
    inbox->first = inbox->last = NULL;
    inbox->examinations = NULL;
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

/* Those that have judged all the others go on with `message`, which was queued. */
static void inbox_show(const struct inbox *inbox, struct message *message)
{
    for (struct examination *examination = inbox->examinations; examination;
         examination = examination->other) {
        if (!examination->next) {
            examination->next = message;
            examination->waiter.done = true;
        }
    }
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
        else
            inbox_show(inbox, message);
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
        inbox_remove(inbox, message);
    return message;
}

void inbox_remove(struct inbox *inbox, struct message *message)
{
    struct message *behind = message->next;
    match_queue_remove(&inbox->arrived, message);
    for (struct examination *examination = inbox->examinations; examination;
         examination = examination->other) {
        if (examination->current == message)
            examination->current = NULL;
        if (examination->next == message)
            examination->next = behind;
        if (examination->best == message) {
            examination->best = NULL;
            examination->next = inbox->arrived.first;
        }
    }
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

void inbox_begin_examination(struct inbox *inbox, struct examination *examination)
{
    examination->next = inbox->arrived.first;
    examination->current = examination->best = NULL;
    examination->error = 0;
    examination->other = inbox->examinations;
    inbox->examinations = examination;
}

void inbox_end_examination(struct inbox *inbox, const struct examination *examination)
{
    struct examination **place = &inbox->examinations;
    while (*place != examination)
        place = &(*place)->other;
    *place = examination->other;
}

struct message *inbox_examine_next(struct examination *examination)
{
    struct message *message = examination->next;
    examination->current = message;
    if (message)
        examination->next = message->next;
    return message;
}

struct receiver *inbox_receiver_of(const struct inbox *inbox, struct waiter *waiter)
{
    for (const struct examination *examination = inbox->examinations; examination;
         examination = examination->other)
        if (&examination->waiter == waiter)
            return NULL;
    return (struct receiver *)((char *)waiter - offsetof(struct receiver, waiter));
}
