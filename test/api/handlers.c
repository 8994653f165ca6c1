/* Message handlers: ids, what is refused, what a handler finds, and when it runs. */
#include "observe.h"
#include <pvm3.h>

static int me, runs, seen_value, seen_tag, seen_send_buffer, seen_is_active;

static int take(int buffer)
{
    runs++;
    pvm_bufinfo(buffer, NULL, &seen_tag, NULL);
    seen_send_buffer = pvm_getsbuf();
    seen_is_active = pvm_getrbuf() == buffer;
    pvm_upkint(&seen_value, 1, 1);
    return 0;
}

static int answer(int buffer)
{
    int source, value;

    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_upkint(&value, 1, 1);
    value++;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    return pvm_send(source, 22);
}

static int left;

static int leave_buffer(int buffer)
{
    (void)buffer;
    runs++;
    left = pvm_initsend(PvmDataDefault);
    return pvm_pkint(&runs, 1, 1);
}

static void give(int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(me, tag);
}

static void ids_see(void)
{
    AREA("ids and what is refused");
    SEE(pvm_addmhf(me, 10, 0, take));
    SEE(pvm_addmhf(me, 11, 0, take));
    SEE(pvm_addmhf(me, 10, 0, take));
    SEE(pvm_addmhf(-1, 10, 0, take));
    SEE(pvm_addmhf(-1, -1, -1, take));
    SEE(pvm_addmhf(me, 10, 1, take));
    SEE(pvm_delmhf(11));
    SEE(pvm_delmhf(11));
    SEE(pvm_delmhf(-1));
    SEE(pvm_addmhf(-1, 12, 0, take));
    SEE(pvm_delmhf(11));
}

static void found_see(void)
{
    int active = pvm_initsend(PvmDataDefault), other = 7, got = 0;

    AREA("what a handler finds");
    pvm_pkint(&other, 1, 1);
    pvm_send(me, 20);
    pvm_recv(me, 20);
    give(10, 42);
    active = pvm_getsbuf();
    int received = pvm_getrbuf();
    while (runs == 0)
        pvm_probe(-1, 99);
    SEE(seen_value);
    SEE(seen_tag);
    SEE(seen_send_buffer);
    SEE(seen_is_active);
    SEE(pvm_getsbuf() == active);
    SEE(pvm_getrbuf() == received);
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_nrecv(-1, 10));
}

static void order_see(void)
{
    AREA("a handler runs before a later message is received");
    int late = 0;
    for (int i = 0; i < 300; i++) {
        runs = 0;
        give(10, i);
        give(21, i);
        pvm_recv(me, 21);
        late += runs != 1 || seen_value != i;
    }
    SEE(late);
}

static void calls_see(void)
{
    int value = 0, handler;

    AREA("what a handler may call");
    SEE((handler = pvm_addmhf(me, 15, 0, answer)) > 0);
    give(15, 70);
    SEE(pvm_recv(me, 22) > 0);
    SEE((pvm_upkint(&value, 1, 1), value));
    SEE(pvm_delmhf(handler));
}

static void end_see(void)
{
    int handler;

    AREA("what a handler leaves behind");
    SEE((handler = pvm_addmhf(me, 16, 0, leave_buffer)) > 0);
    runs = 0;
    give(16, 1);
    while (runs == 0)
        pvm_probe(-1, 99);
    SEE(pvm_bufinfo(left, NULL, NULL, NULL));
    SEE(pvm_delmhf(handler));
}

static void leaving_see(void)
{
    AREA("leaving");
    runs = 0;
    give(10, 5);
    SEE(pvm_exit());
    SEE(pvm_mytid() > me);
    me = pvm_mytid();
    runs = 0;
    give(10, 6);
    SEE(pvm_recv(me, 10) > 0);
    SEE(runs);
    SEE(pvm_addmhf(me, 10, 0, take));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    ids_see();
    found_see();
    order_see();
    calls_see();
    end_see();
    leaving_see();
    pvm_exit();
    return 0;
}
