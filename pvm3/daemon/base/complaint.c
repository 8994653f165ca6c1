/* complaint.c - a short list of what has been told lately. */
#include "daemon/base/complaint.h"

#include <stdarg.h>
#include <stdio.h>

#include "daemon/base/log.h"

#define COUNT_SECONDS 30

/* Senders of the same nonsense that are told of apart; further ones are counted with the last. */
#define APART_MOST 8

static void complaint_tell_more(struct complaint *complaint)
{
    if (complaint->more > 0)
        log_write("%lu more like this: %s", complaint->more, complaint->text);
    complaint->more = 0;
}

/* What was not repeated is forgotten, and told again when it comes again. */
static void complaints_expire(struct loop_timer *timer)
{
    struct complaints *complaints = LIST_OWNER(timer, struct complaints, timer);
    bool any = false;
    for (int i = 0; i < COMPLAINTS_MAX; i++) {
        struct complaint *complaint = &complaints->list[i];
        if (complaint->more == 0)
            complaint->format = NULL;
        any |= complaint->format != NULL;
        complaint_tell_more(complaint);
    }
    if (any)
        loop_timer_set(complaints->loop, timer, COUNT_SECONDS * 1000);
}

void complaints_start(struct complaints *complaints, struct loop *loop)
{
    *complaints = (struct complaints){.loop = loop};
    loop_timer_start(&complaints->timer, complaints_expire);
}

void complaints_finish(struct complaints *complaints)
{
    loop_timer_cancel(&complaints->timer);
    for (int i = 0; i < COMPLAINTS_MAX; i++)
        complaint_tell_more(&complaints->list[i]);
}

/* The one that was told before and stands for this one too, or NULL. */
static struct complaint *complaints_find(struct complaints *complaints, uint32_t who,
                                         const char *format)
{
    struct complaint *last = NULL;
    int alike = 0;
    for (int i = 0; i < COMPLAINTS_MAX; i++) {
        struct complaint *complaint = &complaints->list[i];
        if (complaint->format != format)
            continue;
        if (complaint->who == who)
            return complaint;
        last = complaint;
        alike++;
    }
    return alike < APART_MOST ? NULL : last;
}

static struct complaint *complaints_take_place(struct complaints *complaints)
{
    for (int i = 0; i < COMPLAINTS_MAX; i++)
        if (!complaints->list[i].format)
            return &complaints->list[i];
    struct complaint *oldest = &complaints->list[complaints->oldest];
    complaints->oldest = (complaints->oldest + 1) % COMPLAINTS_MAX;
    complaint_tell_more(oldest);
    return oldest;
}

void complain(struct complaints *complaints, uint32_t who, const char *format, ...)
{
    struct complaint *complaint = complaints_find(complaints, who, format);
    if (complaint) {
        complaint->more++;
        return;
    }
    va_list arguments;
    complaint = complaints_take_place(complaints);
    *complaint = (struct complaint){.format = format, .who = who};
    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
    va_end(arguments);
    log_write("%s", complaint->text);
    if (!loop_timer_is_set(&complaints->timer))
        loop_timer_set(complaints->loop, &complaints->timer, COUNT_SECONDS * 1000);
}
