/* receive.c - the calls that wait for messages, and those that stop them. */
#include "deadline.h"
#include "forward.h"

/* Variable of libpvm3. */
extern int pvm_errno __attribute__((weak));

/* To the pvmd: the tid, the tag of requests about mailboxes, and the operation that looks. */
#define PVMD          ((int)0x80000000)
#define TAG_MAILBOX   ((int)0x80010010)
#define MAILBOX_GET   3
#define FIRST_CONTEXT ((int)0x80000000) /* of ours; no other is below 0, but -1 */

static int attempt_receive(struct waiter *waiter)
{
    return pvm_nrecv(waiter->tid, waiter->tag);
}

PUBLIC int pvm_recv(int tid, int tag)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_recv)
    struct waiter waiter = {
        .attempt = attempt_receive, .interruptible = true, .tid = tid, .tag = tag};
    int result = section_may_wait() ? section_wait(&waiter) : next(tid, tag);
    section_leave(outermost, true);
    return result;
}

/* A time that is over, or negative, is one look. */
PUBLIC int pvm_trecv(int tid, int tag, struct timeval *limit)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_trecv)
    bool waits = section_may_wait() && (!limit || (limit->tv_sec >= 0 && limit->tv_usec >= 0));
    struct timespec deadline = limit && waits ? deadline_after(limit) : (struct timespec){0};
    struct waiter waiter = {.attempt = attempt_receive,
                            .interruptible = true,
                            .deadline = limit ? &deadline : NULL,
                            .tid = tid,
                            .tag = tag};
    int result = waits ? section_wait(&waiter) : next(tid, tag, limit);
    section_leave(outermost, true);
    return result;
}

/* What pvm_precv was called with beside tid and tag. */
struct array {
    __typeof__(pvm_precv) *receive;
    void *items;
    int count;
    int type;
    int *tid;
    int *tag;
    int *size;
    int result;
};

/* What a probe has found is there for a receive. */
static int attempt_array(struct waiter *waiter)
{
    struct array *array = waiter->more;
    int found = pvm_probe(waiter->tid, waiter->tag);
    if (found == 0)
        return 0;
    array->result = found < 0 ? found
                              : array->receive(waiter->tid, waiter->tag, array->items, array->count,
                                               array->type, array->tid, array->tag, array->size);
    return 1;
}

PUBLIC int pvm_precv(int tid, int tag, void *items, int count, int type, int *from, int *with,
                     int *size)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_precv)
    struct array array = {next, items, count, type, from, with, size, PvmSysErr};
    struct waiter waiter = {
        .attempt = attempt_array, .interruptible = true, .tid = tid, .tag = tag, .more = &array};
    bool waits = section_may_wait() && type > PVM_STR && type <= PVM_ULONG;
    int result = waits ? (section_wait(&waiter), array.result)
                       : next(tid, tag, items, count, type, from, with, size);
    section_leave(outermost, true);
    return result;
}

/* Mailboxes. ----------------------------------------------------------------------------------- */

/*
 * A wait for an entry. The pvmd answers in the context of the question once there is an entry. A
 * request of another thread would take that for its own answer, so a handler takes it first.
 */
struct question {
    int context;
    int result; /* the buffer of the entry, or an error; 0: not yet */
    struct question *next;
};

static struct question *questions;
static int handled; /* contexts that have a handler, until pvm_exit */

static int question_answer(int answer)
{
    struct pvmminfo info;
    struct question *question = questions;
    int result = PvmBadMsg;
    pvm_getminfo(answer, &info);
    while (question && question->context != info.ctx)
        question = question->next;
    if (!question)
        return 0;
    if (pvm_upkint(&result, 1, 1) >= 0 && result >= 0)
        result = pvm_upkmesg();
    question->result = result;
    return 0;
}

static int question_ask(const struct question *question, char *name, int index, int flags)
{
    int head[] = {MAILBOX_GET, pvm_mytid()};
    int tail[] = {index, flags};
    int reserved = pvm_setopt(PvmResvTids, 1);
    int before = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
    int asker = pvm_setcontext(question->context);
    pvm_pkint(head, 2, 1);
    pvm_pkstr(name);
    pvm_pkint(tail, 2, 1);
    int result = pvm_send(PVMD, TAG_MAILBOX);
    pvm_setcontext(asker);
    pvm_freebuf(pvm_setsbuf(before));
    pvm_setopt(PvmResvTids, reserved);
    return result;
}

/* A probe takes in what there is. */
static int attempt_mailbox(struct waiter *waiter)
{
    struct question *question = waiter->more;
    int result = question->result != 0 ? 0 : pvm_probe(PVMD, TAG_MAILBOX);
    return result < 0 ? result : question->result;
}

/* The entry becomes the active receive buffer, in place of the one before. */
static int question_take(int result)
{
    if (result < 0) {
        pvm_errno = result;
        return result;
    }
    int before = pvm_setrbuf(result);
    if (before > 0)
        pvm_freebuf(before);
    return result;
}

/* A context that no other question has, with a handler, which stays. */
static int question_choose_context(void)
{
    int number = 0;
    for (struct question *other = questions; other; other = other->next)
        if (other->context - FIRST_CONTEXT >= number)
            number = other->context - FIRST_CONTEXT + 1;
    int context = FIRST_CONTEXT + number;
    if (number < handled)
        return context;
    if (pvm_addmhf(PVMD, TAG_MAILBOX, context, question_answer) < 0)
        return 0;
    handled++;
    return context;
}

static int question_wait(char *name, int index, int flags)
{
    struct question question = {.next = questions};
    struct waiter waiter = {.attempt = attempt_mailbox, .more = &question};
    struct question **link = &questions;
    int result = pvm_mytid();
    if (result < 0)
        return result;
    question.context = question_choose_context();
    if (question.context == 0)
        return PvmSysErr;
    questions = &question;
    result = question_ask(&question, name, index, flags);
    if (result >= 0)
        result = question_take(section_wait(&waiter));
    while (*link != &question)
        link = &(*link)->next;
    *link = question.next;
    return result;
}

PUBLIC int pvm_recvinfo(char *name, int index, int flags)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_recvinfo)
    bool waits = section_may_wait() && name && *name && index >= 0 && flags > 0 &&
                 (flags & PvmMboxWaitForInfo);
    int result = waits ? question_wait(name, index, flags) : next(name, index, flags);
    section_leave(outermost, true);
    return result;
}

/* Leaving ends the waits of other threads: they would wait as another task. */
PUBLIC int pvm_exit(void)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_exit)
    section_abandon(PvmSysErr);
    handled = 0;
    int result = next();
    section_leave(outermost, false);
    return result;
}

/* Interrupts. ---------------------------------------------------------------------------------- */

/* Within a message handler the section cannot be left, so that no receive could begin. */
PUBLIC int pvm_interrupt_recv(void)
{
    bool outermost = section_enter();
    int result = outermost ? pvm_mytid() : PvmSysErr;
    if (result >= 0)
        section_stop_receiver();
    section_leave(outermost, true);
    return result < 0 ? result : PvmOk;
}

PUBLIC int pvm_resume_recv(void)
{
    bool outermost = section_enter();
    bool resumed = section_resume_receiver();
    section_leave(outermost, true);
    return resumed ? PvmOk : PvmNotFound;
}
