/*
 * Message handlers in pvm_exit: what has come by then, and notices of the own end. What they send
 * there arrives.
 */
#include "observe.h"

enum { ASK = 1, ANSWER, NOTICE };

static int me, answers;

static const char *name_of(int tid)
{
    return tid == me ? "mine" : tid == (int)0x80000000 ? "pvmd" : tid == 0 ? "none" : "another";
}

/* Tells of a message: "mine" is the own tid. */
static int note(int buffer)
{
    struct pvmminfo info;
    int value;

    pvm_getminfo(buffer, &info);
    value = first_int();
    printf("handled: tag %d, length %d, context %d, ", info.tag, info.len, info.ctx);
    printf("source %s, destination %s, ", name_of(info.src), name_of(info.dst));
    printf(value == me ? "mine" : "%d", value);
    printf(", left %d\n", first_int());
    return 0;
}

static int answer(int buffer)
{
    int source = 0;

    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&source, 1, 1);
    answers += pvm_send(source, ANSWER) == 0;
    return 0;
}

/* Lets in what the pvmd has sent by now, and runs handlers. */
static void let_in(void)
{
    pvm_pstat(me);
    while (pvm_nrecv(-1, -1) > 0)
        continue;
}

static void begin(const char *area, int handled_context)
{
    AREA(area);
    me = pvm_mytid();
    pvm_setopt(PvmAutoErr, 0); /* 3.4.6 stumbles over handlers of the life before */
    pvm_addmhf(-1, -1, handled_context, note);
}

static void own_end_see(void)
{
    int tids[3], before;

    begin("two notices of the own end", 0);
    SEE(pvm_notify(PvmTaskExit, NOTICE, 1, &me));
    SEE(pvm_notify(PvmTaskExit, NOTICE + 1, 1, &me));
    SEE(pvm_exit());

    begin("none", 0);
    before = me;
    SEE(pvm_exit());

    begin("twice in a list, beside others", 0);
    tids[0] = tids[2] = me;
    tids[1] = before;
    pvm_notify(PvmTaskExit, NOTICE, 3, tids);
    let_in();
    SEE(pvm_exit());

    begin("a cancel is no cancel", 0);
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, NOTICE, 1, &me));
    let_in();
    SEE(pvm_exit());

    begin("nor does it cancel one", 0);
    pvm_notify(PvmTaskExit, NOTICE, 1, &me);
    pvm_notify(PvmTaskExit | PvmNotifyCancel, NOTICE, 1, &me);
    let_in();
    SEE(pvm_exit());

    begin("in another context", 7);
    SEE(pvm_notify(PvmTaskExit, NOTICE, 1, &me));
    pvm_setcontext(7);
    SEE(pvm_notify(PvmTaskExit, NOTICE, 1, &me));
    pvm_setcontext(0);
    SEE(pvm_exit());

    begin("asked for by the life before", 0);
    before = me;
    SEE(pvm_notify(PvmTaskExit, NOTICE, 1, &me));
    SEE(pvm_exit());
    begin("the next one", 0);
    pvm_notify(PvmTaskExit, NOTICE, 1, &before);
    let_in();
    SEE(pvm_exit());
}

static void no_route_see(void)
{
    begin("a notice of no route", 0);
    pvm_notify(PvmRouteDelete, NOTICE, 1, &me);
    let_in();
    SEE(pvm_exit());
}

/* The other task asks, which lies there when the first one leaves, and hears an answer. */
static void ask(int in, int out)
{
    int to = 0;

    if (read(in, &to, sizeof to) != sizeof to)
        exit(1);
    me = pvm_mytid();
    pvm_initsend(PvmDataDefault);
    for (int i = 0; i < 3; i++)
        SEE(pvm_send(to, ASK));
    pvm_pstat(me); /* now the pvmd has passed them on */
    if (write(out, &me, sizeof me) != sizeof me)
        exit(1);
    may_hang();
    for (int i = 0; i < 3; i++)
        SEE(pvm_recv(to, ANSWER) > 0);
    SEE(first_int() == me);
    pvm_exit();
    exit(0);
}

static void answers_see(int in, int out, pid_t other)
{
    int asking = 0, status = 0, result;

    begin("what handlers send there", 1);
    SEE(pvm_addmhf(-1, ASK, 0, answer) > 0);
    if (write(out, &me, sizeof me) != sizeof me || read(in, &asking, sizeof asking) < 1)
        exit(1);
    result = pvm_exit();
    waitpid(other, &status, 0);
    see_end("the other task", status);
    SEE(result);
    SEE(answers);
}

int main(void)
{
    int to_other[2], to_first[2];

    observe();
    if (pipe(to_other) < 0 || pipe(to_first) < 0)
        return 1;
    pid_t other = fork();
    if (other == 0)
        ask(to_other[0], to_first[1]);
    own_end_see();
    no_route_see();
    answers_see(to_first[0], to_other[1], other);
    return 0;
}
