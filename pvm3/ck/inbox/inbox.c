/* inbox.c - hash chains of posted receivers, beside the queue of messages. */
#include "ck/inbox/inbox.h"

#include "core/rarely.h"

/* So many posted receivers are looked through. Of more, chains are, until half as many are left. */
#define INBOX_SHORT 8

void inbox_start(struct inbox *inbox)
{
    *inbox = (struct inbox){.first = NULL};
    match_queue_start(&inbox->arrived);
}

void inbox_finish(struct inbox *inbox)
{
    while (inbox_let_in(inbox))
        continue;
    match_queue_finish(&inbox->arrived);
    hopeless_finish(&inbox->hopeless);
}

static struct receiver_chain *inbox_chain(struct inbox *inbox, enum pattern_class class,
                                          const struct pattern *pattern)
{
    return &inbox->chains[pattern_hash(class, pattern) % INBOX_CHAINS];
}

/* The receiver that was posted first among the receivers of a class that match. */
static struct receiver *inbox_first_of(struct inbox *inbox, enum pattern_class class,
                                       const struct message *message)
{
    if (inbox->posted[class] == 0)
        return NULL;
    const struct pattern key = pattern_of(&message->header);
    struct receiver *receiver = inbox_chain(inbox, class, &key)->first;
    while (receiver) {
        inbox->compared++;
        if (receiver->class == class && pattern_matches(&receiver->pattern, &message->header))
            break;
        receiver = receiver->chain_next;
    }
    return receiver;
}

/* What inbox_receiver_for returns, found by looking at one receiver after the other. */
static struct receiver *inbox_look_through(struct inbox *inbox, const struct message *message)
{
    struct receiver *first = NULL;
    for (struct receiver *receiver = inbox->first; receiver; receiver = receiver->next) {
        inbox->compared++;
        if (!pattern_matches(&receiver->pattern, &message->header))
            continue;
        if (message->header.wait == receiver->pattern.wait)
            return receiver;
        if (!first)
            first = receiver;
    }
    return first;
}

struct receiver *inbox_receiver_for(struct inbox *inbox, const struct message *message)
{
    struct receiver *first = NULL;
    if (!inbox->chained)
        return inbox_look_through(inbox, message);
    if (message->header.wait != 0)
        first = inbox_first_of(inbox, PATTERN_OF_ANSWER, message);
    if (first)
        return first;
    for (enum pattern_class kind = 0; kind < PATTERN_OF_ANSWER; kind++) {
        struct receiver *receiver = inbox_first_of(inbox, kind, message);
        if (receiver && (!first || receiver->number < first->number))
            first = receiver;
    }
    return first;
}

/* Examinations that have judged all other messages go on with `message`, which was queued. */
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

/* Gives `message` to the receiver that it is for; NULL when no receiver matches. */
static struct receiver *inbox_hand_over(struct inbox *inbox, struct message *message)
{
    struct receiver *receiver = inbox_receiver_for(inbox, message);
    if (!receiver)
        return NULL;
    inbox_withdraw(inbox, receiver);
    receiver->message = message;
    receiver->waiter.done = true;
    return receiver;
}

struct receiver *inbox_deliver(struct inbox *inbox, struct message *message)
{
    message->arrival = ++inbox->arrivals;
    struct receiver *receiver = inbox_hand_over(inbox, message);
    if (receiver)
        return receiver;
    match_queue_add(&inbox->arrived, message);
    inbox_show(inbox, message);
    return NULL;
}

struct receiver *inbox_deliver_again(struct inbox *inbox, struct message *message)
{
    struct receiver *receiver = inbox_hand_over(inbox, message);
    if (receiver)
        return receiver;
    match_queue_put_back(&inbox->arrived, message);
    for (struct examination *examination = inbox->examinations; examination;
         examination = examination->other) { /* it may belong in front of what they have judged */
        examination->best = NULL;
        examination->next = inbox->arrived.first;
        examination->waiter.done = true;
    }
    return NULL;
}

/* Whether the examination has judged all messages that were let in, and waits for more. */
static bool inbox_is_idle(const struct examination *examination)
{
    return examination->patient && !examination->next && !examination->current;
}

/*
 * Whether a receive or an examination waits, to which a new message is shown at once. An
 * examination is shown one message, and chooses before the next one is let in.
 */
static bool inbox_is_awaited(const struct inbox *inbox)
{
    const struct examination *examination = inbox->examinations;
    while (examination && !inbox_is_idle(examination))
        examination = examination->other;
    return inbox->count > 0 || examination;
}

struct receiver *inbox_arrive(struct inbox *inbox, struct message *message)
{
    if (!inbox->outside && inbox_is_awaited(inbox))
        return inbox_deliver(inbox, message);
    message->next = NULL;
    *(inbox->outside ? &inbox->outside_last->next : &inbox->outside) = message;
    inbox->outside_last = message;
    return NULL;
}

bool inbox_let_in(struct inbox *inbox)
{
    struct message *message = inbox->outside;
    if (!message)
        return false;
    inbox->outside = message->next;
    if (message->next)
        message_fetch(message->next); /* which is asked for soon */
    message->arrival = ++inbox->arrivals;
    match_queue_add(&inbox->arrived, message);
    inbox_show(inbox, message);
    return true;
}

struct message *inbox_find(struct inbox *inbox, const struct pattern *pattern)
{
    return match_queue_find(&inbox->arrived, pattern);
}

struct message *inbox_take(struct inbox *inbox, const struct pattern *pattern)
{
    if (!inbox_has_messages(inbox))
        return NULL;
    struct message *message = match_queue_find(&inbox->arrived, pattern);
    while (!message && inbox_let_in(inbox))
        if (pattern_matches(pattern, &inbox->arrived.last->header))
            message = inbox->arrived.last;
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

void receiver_start(struct receiver *receiver, const struct pattern *pattern)
{
    waiter_start(&receiver->waiter);
    receiver->pattern = *pattern;
    receiver->message = NULL;
    receiver->error = 0;
    receiver->posted = receiver->accepts = false;
}

/* Enters a receiver into its chain, behind those posted before. */
static void inbox_chain_in(struct inbox *inbox, struct receiver *receiver)
{
    receiver->number = ++inbox->number;
    receiver->class = pattern_class(&receiver->pattern);
    inbox->posted[receiver->class]++;
    struct receiver_chain *chain = inbox_chain(inbox, receiver->class, &receiver->pattern);
    receiver->chain = chain;
    receiver->chain_next = NULL;
    receiver->chain_previous = chain->last;
    *(chain->last ? &chain->last->chain_next : &chain->first) = receiver;
    chain->last = receiver;
}

static void inbox_chain_out(struct inbox *inbox, struct receiver *receiver)
{
    struct receiver_chain *chain = receiver->chain;
    struct receiver *before = receiver->chain_previous;
    struct receiver *behind = receiver->chain_next;
    *(before ? &before->chain_next : &chain->first) = behind;
    *(behind ? &behind->chain_previous : &chain->last) = before;
    inbox->posted[receiver->class]--;
}

/* Enters all into chains, or takes all out. */
RARELY static void inbox_use_chains(struct inbox *inbox, bool use)
{
    inbox->chained = use;
    for (struct receiver *receiver = inbox->first; receiver; receiver = receiver->next) {
        if (use)
            inbox_chain_in(inbox, receiver);
        else
            inbox_chain_out(inbox, receiver);
    }
}

void inbox_post(struct inbox *inbox, struct receiver *receiver)
{
    if (receiver->posted)
        return;
    while (inbox->outside)
        inbox_let_in(inbox);
    receiver->posted = true;
    receiver->next = NULL;
    receiver->previous = inbox->last;
    *(inbox->last ? &inbox->last->next : &inbox->first) = receiver;
    inbox->last = receiver;
    inbox->count++;
    if (inbox->chained)
        inbox_chain_in(inbox, receiver);
    else if (inbox->count > INBOX_SHORT)
        inbox_use_chains(inbox, true);
}

void inbox_withdraw(struct inbox *inbox, struct receiver *receiver)
{
    if (!receiver->posted)
        return;
    receiver->posted = false;
    *(receiver->previous ? &receiver->previous->next : &inbox->first) = receiver->next;
    *(receiver->next ? &receiver->next->previous : &inbox->last) = receiver->previous;
    inbox->count--;
    if (inbox->chained) {
        inbox_chain_out(inbox, receiver);
        if (inbox->count <= INBOX_SHORT / 2)
            inbox_use_chains(inbox, false);
    }
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
