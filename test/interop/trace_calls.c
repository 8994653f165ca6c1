/*
 * A task to be traced: one call after the other of an area, each way that it can end.
 *
 *     trace_calls AREA
 */
#include <stdio.h>

#include <pvm3.h>
#include <pvmtev.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An empty send buffer in the default encoding. */
static int fresh(void)
{
    return pvm_initsend(PvmDataDefault);
}

#define TAG    5
#define NOBODY 0x40fff /* a tid that no task has */

static int self;

/* A message to the task itself. */
static void post(int tag)
{
    int value = tag;
    fresh();
    pvm_pkint(&value, 1, 1);
    pvm_send(self, tag);
}

static void identity(void)
{
    int *tids;
    pvm_mytid();
    pvm_parent();
    pvm_tidtohost(self);
    pvm_tidtohost(-1);
    pvm_siblings(&tids);
    pvm_siblings(&tids);
    pvm_version();
    pvm_perror("as it is");
    pvm_perror(NULL);
    pvm_strerror();
    pvm_export("HOME");
    pvm_unexport("HOME");
}

static void buffers(void)
{
    int bytes, tag, tid, id;
    struct pvmminfo info;
    pvm_mkbuf(99);
    id = pvm_mkbuf(PvmDataRaw);
    pvm_mkbuf(PvmDataInPlace);
    pvm_mkbuf(PvmDataTrace);
    fresh();
    pvm_initsend(PvmDataRaw);
    pvm_initsend(77);
    pvm_getsbuf();
    pvm_getrbuf();
    pvm_setsbuf(id);
    pvm_setsbuf(0);
    pvm_setsbuf(-1);
    pvm_setsbuf(1234);
    pvm_setrbuf(id);
    pvm_setrbuf(-1);
    pvm_setrbuf(0);
    pvm_bufinfo(id, &bytes, &tag, &tid);
    pvm_bufinfo(id, NULL, NULL, NULL);
    pvm_bufinfo(-1, &bytes, &tag, &tid);
    pvm_bufinfo(1234, &bytes, NULL, NULL);
    pvm_getminfo(id, &info);
    pvm_getminfo(-1, &info);
    pvm_setminfo(id, &info);
    pvm_setminfo(1234, &info);
    pvm_freebuf(id);
    pvm_freebuf(id);
    pvm_freebuf(0);
    pvm_freebuf(-1);
}

#define PACK_TWO(name, type)                                                                       \
    {                                                                                              \
        type items[4] = {0};                                                                       \
        pvm_pk##name(items, 2, 1);                                                                 \
        pvm_pk##name(items, -1, 1);                                                                \
        pvm_pk##name(items, 0, 3);                                                                 \
        pvm_upk##name(items, 2, 1);                                                                \
        pvm_upk##name(items, -1, 1);                                                               \
    }

static void pack(void)
{
    char text[100];
    int value, count = 3, inner;
    pvm_setsbuf(0);
    pvm_setrbuf(0);
    pvm_pkint(&self, 1, 1);
    pvm_upkint(&value, 1, 1);
    pvm_pkstr("nowhere");
    pvm_upkstr(text);
    pvm_packf("%d", 1);
    pvm_unpackf("%d", &value);
    fresh();
    PACK_TWO(byte, char)
    PACK_TWO(cplx, float)
    PACK_TWO(dcplx, double)
    PACK_TWO(double, double)
    PACK_TWO(float, float)
    PACK_TWO(int, int)
    PACK_TWO(uint, unsigned)
    PACK_TWO(long, long)
    PACK_TWO(ulong, unsigned long)
    PACK_TWO(short, short)
    PACK_TWO(ushort, unsigned short)
    pvm_pkstr("some text");
    pvm_packf("%d %s", 7, "more");
    pvm_packf("%+ %d", PvmDataRaw, 7);
    pvm_packf("%q", 7);
    pvm_packf("%*d", count, &self);
    fresh();
    pvm_pkint(&self, 1, 1);
    pvm_pkstr("text");
    pvm_send(self, TAG);
    pvm_recv(self, TAG);
    pvm_upkint(&value, 1, 1);
    pvm_upkstr(text);
    pvm_upkint(&value, 1, 1);
    pvm_upkstr(text);
    pvm_setrbuf(pvm_getrbuf());
    pvm_unpackf("%d %s", &value, text);
    pvm_unpackf("%d", &value);
    pvm_unpackf("%q", &value);
    inner = pvm_mkbuf(PvmDataDefault);
    fresh();
    pvm_pkmesg(inner);
    pvm_pkmesgbody(inner);
    pvm_pkmesg(-1);
    pvm_upkmesg();
}

static void messages(void)
{
    struct timeval moment = {0, 1000}, long_enough = {60, 0};
    int values[2] = {1, 2}, tid, tag, length;
    int tids[2] = {self, NOBODY};
    post(TAG);
    post(TAG + 1);
    pvm_recv(-1, TAG + 1);
    pvm_probe(self, TAG);
    pvm_probe(-1, 99);
    pvm_recv(-1, TAG);
    pvm_bufinfo(pvm_getrbuf(), &length, &tag, &tid);
    pvm_nrecv(-1, -1);
    post(TAG);
    post(TAG + 1);
    pvm_recv(-1, TAG + 1);
    pvm_nrecv(self, TAG);
    post(TAG);
    pvm_trecv(self, TAG, &long_enough);
    pvm_trecv(self, TAG, &moment);
    post(TAG);
    pvm_trecv(-1, -1, NULL);
    pvm_send(-5, TAG);
    pvm_send(self, -TAG);
    pvm_mcast(tids, 2, TAG);
    pvm_mcast(tids, -1, TAG);
    pvm_mcast(tids, 2, -3);
    pvm_mcast(tids, 0, TAG);
    pvm_psend(self, TAG, values, 2, PVM_INT);
    pvm_psend(self, TAG, "x", 2, PVM_STR);
    pvm_psend(self, TAG, values, 2, 99);
    pvm_psend(-7, TAG, values, 2, PVM_INT);
    pvm_precv(self, TAG, values, 2, PVM_INT, &tid, &tag, &length);
    pvm_psend(self, TAG, values, 1, PVM_INT);
    pvm_precv(-1, -1, values, 2, PVM_INT, NULL, NULL, NULL);
    pvm_precv(self, TAG, values, 2, 99, &tid, &tag, &length);
    pvm_precv(self, TAG, values, 2, PVM_STR, &tid, &tag, &length);
}

static void machine(void)
{
    int hosts, formats, status[2], ask = 5, told, answers[10];
    struct pvmhostinfo *list;
    char *names[] = {"no.such.host.invalid", "other.invalid"};
    char *argument[] = {"-t"};
    pvm_config(&hosts, &formats, &list);
    pvm_config(NULL, NULL, NULL);
    pvm_config(NULL, NULL, &list);
    pvm_mstat(list[0].hi_name);
    pvm_mstat("no.such.host.invalid");
    pvm_mstat("");
    pvm_mstat(NULL);
    pvm_addhosts(names, 0, status);
    pvm_delhosts(names, 2, status);
    pvm_delhosts(names, 0, status);
    pvm_delhosts(names, 1, NULL);
    pvm_tickle(1, &ask, &told, answers);
    pvm_tickle(1, &ask, NULL, NULL);
    pvm_archcode(list[0].hi_arch);
    pvm_archcode("NONE");
    pvm_archcode(NULL);
    pvm_start_pvmd(1, argument, 0);
    pvm_start_pvmd(0, NULL, 1);
}

static void tasks(void)
{
    int count, tids[3];
    struct pvmtaskinfo *list;
    char *arguments[] = {"one", "two", NULL};
    pvm_tasks(0, &count, &list);
    pvm_tasks(self, NULL, NULL);
    pvm_tasks(0xfc0000, &count, &list);
    pvm_spawn("no such program", arguments, PvmTaskHost, "no.such.host", 1, tids);
    pvm_spawn("no such program", NULL, PvmTaskDefault, NULL, 2, tids);
    pvm_spawn("no such program", NULL, PvmTaskDefault, "", 2, NULL);
    pvm_spawn("x", NULL, PvmTaskDefault, "", 0, tids);
    pvm_setopt(PvmTraceTid, 0);
    pvm_spawn("/bin/true", NULL, PvmTaskTrace, "", 2, tids);
    pvm_spawn("/bin/true", NULL, PvmTaskDefault, "", 1, NULL);
    pvm_pstat(self);
    pvm_pstat(NOBODY);
    pvm_pstat(-1);
    pvm_sendsig(NOBODY, 0);
    pvm_sendsig(-1, 0);
    pvm_kill(NOBODY);
    pvm_kill(-1);
    tids[0] = NOBODY;
    tids[1] = self;
    pvm_notify(PvmTaskExit, TAG, 1, tids);
    pvm_notify(PvmTaskExit, -TAG, 1, tids);
    pvm_notify(PvmHostAdd, TAG, 2, NULL);
    pvm_notify(PvmHostDelete, TAG, 1, tids);
    pvm_notify(99, TAG, 1, tids);
    pvm_notify(PvmTaskExit, TAG, 0, NULL);
    pvm_recv(-1, TAG);
}

static void mailbox(void)
{
    int id, value, classes;
    struct pvmmboxinfo *list;
    id = fresh();
    pvm_pkint(&self, 1, 1);
    pvm_putinfo("box", id, PvmMboxDefault);
    pvm_putinfo("box", id, PvmMboxDefault);
    pvm_putinfo("", id, PvmMboxDefault);
    pvm_putinfo(NULL, id, PvmMboxDefault);
    pvm_recvinfo("box", 0, PvmMboxDefault);
    pvm_upkint(&value, 1, 1);
    pvm_recvinfo("no box", 0, PvmMboxDefault);
    pvm_recvinfo("", 0, PvmMboxDefault);
    pvm_recvinfo("box", -1, PvmMboxDefault);
    pvm_recvinfo(NULL, 0, PvmMboxDefault);
    pvm_getmboxinfo("box", &classes, &list);
    pvm_getmboxinfo("*", &classes, &list);
    pvm_getmboxinfo("nothing", &classes, &list);
    pvm_getmboxinfo(NULL, NULL, NULL);
    pvm_delinfo("box", 0, PvmMboxDefault);
    pvm_delinfo("box", 0, PvmMboxDefault);
    pvm_delinfo("", 0, PvmMboxDefault);
    pvm_delinfo(NULL, 0, PvmMboxDefault);
    pvm_insert("old", 3, 42);
    pvm_insert("old", -1, 43);
    pvm_insert("", -1, 43);
    pvm_insert(NULL, 0, 43);
    pvm_lookup("old", 3, &value);
    pvm_lookup("old", -1, NULL);
    pvm_lookup("older", 0, &value);
    pvm_lookup("", 0, &value);
    pvm_lookup(NULL, 0, &value);
    pvm_delete("old", 3);
    pvm_delete("old", 3);
    pvm_delete("old", -1);
    pvm_delete("", 3);
    pvm_delete(NULL, 3);
    pvm_setopt(PvmNoReset, 1);
    pvm_setopt(PvmNoReset, 0);
}

static void options(void)
{
    Pvmtmask mask;
    for (int what = PvmRoute; what <= PvmNoReset; what++)
        if (what != PvmPollType && what != PvmPollTime)
            pvm_getopt(what);
    pvm_setopt(PvmRoute, PvmAllowDirect);
    pvm_setopt(PvmRoute, 99);
    pvm_setopt(PvmFragSize, 4096);
    pvm_setopt(PvmFragSize, 1);
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmAutoErr, 1);
    pvm_setopt(PvmShowTids, 0);
    pvm_setopt(PvmTraceOptions, 9);
    pvm_setopt(PvmTraceOptions, PvmTraceFull);
    pvm_setopt(PvmTraceBuffer, 100);
    pvm_setopt(PvmSelfTraceOptions, 9);
    pvm_setopt(PvmSelfTraceContext, 9);
    pvm_setopt(PvmPollType, 1);
    pvm_setopt(77, 1);
    pvm_gettmask(PvmTaskSelf, mask);
    pvm_gettmask(PvmTaskChild, mask);
    pvm_gettmask(7, mask);
    pvm_settmask(PvmTaskSelf, mask);
    pvm_settmask(PvmTaskChild, mask);
    pvm_settmask(7, mask);
}

static void contexts(void)
{
    int context = pvm_newcontext();
    pvm_getcontext();
    pvm_setcontext(context);
    post(TAG);
    pvm_recv(self, TAG);
    pvm_setcontext(PvmBaseContext);
    pvm_freecontext(context);
    pvm_freecontext(context);
    pvm_freecontext(-1);
}

static int handled;

static int on_message(int bufid)
{
    int value;
    pvm_upkint(&value, 1, 1);
    pvm_bufinfo(bufid, NULL, NULL, NULL);
    pvm_getcontext();
    handled++;
    return 0;
}

static void handlers(void)
{
    int id = pvm_addmhf(-1, TAG, -1, on_message);
    pvm_addmhf(self, TAG, 0, on_message);
    post(TAG);
    post(TAG + 1);
    pvm_recv(self, TAG + 1);
    if (handled != 1)
        abort();
    pvm_delmhf(id);
    pvm_delmhf(id);
    pvm_delmhf(-1);
}

static void user(void)
{
    char bytes[] = {1, 2, 3};
    int values[] = {-1, 2, 3};
    short shorts[] = {-4, 5};
    unsigned short ushorts[] = {65535, 5};
    unsigned uints[] = {4000000000u, 5};
    long longs[] = {6, 7};
    unsigned long ulongs[] = {8, 9};
    float floats[] = {1.5f, 2.5f, 3.5f, 4.5f};
    double doubles[] = {1.25, 2.25, 3.25, 4.25};
    int value;
    int id = pvm_initsend(PvmDataTrace);
    pvm_pkbyte(bytes, 3, 1);
    pvm_pkbyte(bytes, 1, 1);
    pvm_pkint(values, 3, 1);
    pvm_pkint(values, 1, 1);
    pvm_pkint(values, 2, 2);
    pvm_pkint(values, 2, 0);
    pvm_pkuint(uints, 2, 1);
    pvm_pkshort(shorts, 2, 1);
    pvm_pkshort(shorts, 1, 1);
    pvm_pkushort(ushorts, 2, 1);
    pvm_pklong(longs, 2, 1);
    pvm_pkulong(ulongs, 2, 1);
    pvm_pkfloat(floats, 2, 1);
    pvm_pkdouble(doubles, 2, 1);
    pvm_pkcplx(floats, 2, 1);
    pvm_pkcplx(floats, 1, 1);
    pvm_pkdcplx(doubles, 2, 1);
    pvm_pkstr("text");
    pvm_pkstr("");
    pvm_packf("%d", 11);
    pvm_bufinfo(id, &value, NULL, NULL);
    pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE);
    pvm_initsend(PvmDataTrace);
    pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE);

    fresh();
    pvm_send(PVM_TRACE_TID, TAG);
    pvm_send(self, PVM_TRACE_CODE);
}

static void registers(void)
{
    struct pvmhostinfo *list;
    Pvmtmask mask;
    int *descriptors;
    TEV_MASK_INIT(mask);
    pvm_getfds(&descriptors);
    pvm_recvf(NULL);
    pvm_reg_hoster();
    pvm_reg_tasker();
    pvm_reg_tasker();
    pvm_reg_rm(&list);
    pvm_reg_tracer(0, 7, 0, 8, mask, 0, PvmTraceFull);
    pvm_reg_tracer(0, 7, 0, 8, mask, 0, PvmTraceFull);
}

/* Changes of where the task tells. */
static void sinks(void)
{
    int sink = pvm_getopt(PvmSelfTraceTid);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, 0);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, sink);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, self);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, sink);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, sink);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceCode, TAG);
    pvm_getrbuf();
}

/* Changes of where and what the task tells. */
static void settings(void)
{
    Pvmtmask mask, none;
    int sink = pvm_getopt(PvmSelfTraceTid);
    TEV_MASK_INIT(none);
    pvm_gettmask(PvmTaskSelf, mask);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceBuffer, 300);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceBuffer, 0);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceBuffer, 300);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceOptions, PvmTraceCount);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceOptions, PvmTraceCount);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceOptions, PvmTraceTime);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceOptions, PvmTraceFull);
    pvm_getrbuf();
    pvm_settmask(PvmTaskSelf, none);
    pvm_getrbuf();
    pvm_settmask(PvmTaskSelf, mask);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceCode, TAG);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, 0);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, sink);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, self);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, sink);
    pvm_getrbuf();
    pvm_setopt(PvmSelfTraceTid, sink);
    pvm_getrbuf();
    pvm_exit();
    pvm_getopt(PvmSelfTraceTid);
    pvm_getsbuf();
}

#define CONTROL_CONTEXT 0x7ffff
#define TC_SETTRACE     ((int)0x80030006)
#define TC_SETTMASK     ((int)0x80030007)
#define TC_SETTRCBUF    ((int)0x80030008)
#define TC_SETTRCOPT    ((int)0x80030009)

/* Sends the packed message to the task itself as a tracer would, and waits until it has worked. */
static void order(int tag)
{
    int context = pvm_setcontext(CONTROL_CONTEXT);
    pvm_send(self, tag);
    pvm_setcontext(context);
    post(TAG);
    pvm_recv(self, TAG);
}

static void order_int(int tag, int value)
{
    fresh();
    pvm_pkint(&value, 1, 1);
    order(tag);
}

static void order_trace(int sink, int context, int tag, char *mask, int buffer, int option)
{
    int places[] = {sink, context, tag, 0, 0, 0};
    fresh();
    pvm_pkint(places, 6, 1);
    pvm_pkstr(mask);
    pvm_pkint(&buffer, 1, 1);
    pvm_pkint(&option, 1, 1);
    order(TC_SETTRACE);
}

static void tell_settings(void)
{
    for (int what = PvmOutputTid; what <= PvmTraceOptions; what++)
        pvm_getopt(what);
    for (int what = PvmSelfOutputTid; what <= PvmSelfTraceOptions; what++)
        pvm_getopt(what);
}

/* What a tracer may order. */
static void orders(void)
{
    Pvmtmask mask, less;
    pvm_gettmask(PvmTaskSelf, mask);
    memcpy(less, mask, sizeof less);
    TEV_MASK_UNSET(less, TEV_GETSBUF);
    pvm_setopt(PvmResvTids, 1);
    pvm_getrbuf();
    order_int(TC_SETTRCBUF, 300);
    tell_settings();
    order_int(TC_SETTRCBUF, -5);
    tell_settings();
    order_int(TC_SETTRCOPT, PvmTraceFull);
    tell_settings();
    fresh();
    pvm_pkstr(less);
    order(TC_SETTMASK);
    pvm_getsbuf();
    fresh();
    pvm_pkstr("too short");
    order(TC_SETTMASK);
    pvm_getsbuf();
    fresh();
    pvm_pkstr(mask);
    order(TC_SETTMASK);
    pvm_getsbuf();
}

/* What 3.4.6 does not do: totals before a change, and another sink by order. */
static void changes(void)
{
    Pvmtmask mask;
    int sink = pvm_getopt(PvmSelfTraceTid), context = pvm_getopt(PvmSelfTraceContext);
    pvm_gettmask(PvmTaskSelf, mask);
    pvm_setopt(PvmResvTids, 1);
    order_int(TC_SETTRCOPT, PvmTraceCount);
    pvm_getsbuf();
    order_int(TC_SETTRCOPT, PvmTraceFull);
    order_trace(sink, context, TAG, mask, 0, PvmTraceFull);
    pvm_getsbuf();
    order_trace(self, context, TAG, mask, 0, PvmTraceFull);
    pvm_getsbuf();
    order_trace(sink, context, TAG + 1, mask, 0, PvmTraceFull);
    pvm_getsbuf();
}

/* A group of one. */
static void groups(void)
{
    int values[2] = {1, 2}, sums[2];
    pvm_joingroup("traced");
    pvm_joingroup("traced");
    pvm_joingroup(NULL);
    pvm_gsize("traced");
    pvm_gsize("nothing");
    pvm_getinst("traced", self);
    pvm_getinst("traced", NOBODY);
    pvm_gettid("traced", 0);
    pvm_gettid("nothing", 0);
    pvm_barrier("traced", 1);
    pvm_barrier("nothing", 1);
    fresh();
    pvm_pkint(values, 2, 1);
    pvm_bcast("traced", TAG);
    pvm_reduce(PvmSum, values, 2, PVM_INT, TAG, "traced", 0);
    pvm_gather(sums, values, 2, PVM_INT, TAG, "traced", 0);
    pvm_scatter(sums, values, 2, PVM_INT, TAG, "traced", 0);
    pvm_scatter(sums, values, -2, PVM_INT, TAG, "traced", 0);
    pvm_lvgroup("traced");
    pvm_lvgroup("traced");
}

static const struct {
    const char *name;
    void (*run)(void);
} areas[] = {{"identity", identity}, {"buffers", buffers},   {"pack", pack},
             {"messages", messages}, {"machine", machine},   {"tasks", tasks},
             {"mailbox", mailbox},   {"options", options},   {"contexts", contexts},
             {"handlers", handlers}, {"user", user},         {"registers", registers},
             {"groups", groups},     {"settings", settings}, {"sinks", sinks},
             {"orders", orders},     {"changes", changes}};

int main(int argc, char **argv)
{
    int *tids;
    self = pvm_mytid();
    pvm_setopt(PvmAutoErr, 0);
    /* What a child is told at its start, the library handles now; else 3.4.6 stumbles if traced. */
    if (pvm_parent() > 0)
        pvm_siblings(&tids);
    for (size_t i = 0; argc > 1 && i < sizeof areas / sizeof *areas; i++)
        if (strcmp(argv[1], areas[i].name) == 0)
            areas[i].run();
    pvm_exit();
    return 0;
}
