/* Tracing: names, masks, options, what a tracer orders, being one, user events as bytes. */
#include "observe.h"
#include <pvm3.h>
#include <pvmtev.h>
#include <string.h>

#define CONTROL_CONTEXT 0x7ffff
#define TC_SETTRACE     ((int)0x80030006)
#define TC_SETTMASK     ((int)0x80030007)
#define TC_SETTRCBUF    ((int)0x80030008)
#define TC_SETTRCOPT    ((int)0x80030009)

extern struct Pvmtevinfo pvmtevinfo[];
extern struct Pvmtevdid pvmtevdidlist[];
extern int pvm_errno;

static int self;

static void names_see(void)
{
    AREA("names");
    for (int i = TEV_FIRST; i <= TEV_MAX; i++)
        printf("event %d: %s %d %d\n", i, pvmtevinfo[i].name, pvmtevinfo[i].desc_status,
               pvmtevinfo[i].count);
    for (int i = TEV_DID_FIRST; i <= TEV_DID_MAX; i++)
        printf("field %d: %s, %s\n", i, pvmtevdidlist[i].did, pvmtevdidlist[i].desc);
}

static void masks_see(const char *when)
{
    Pvmtmask mask;
    printf("== masks %s\n", when);
    memset(mask, 'x', sizeof mask);
    SEE(pvm_gettmask(PvmTaskSelf, mask));
    SEE_TEXT("self", mask);
    SEE(pvm_gettmask(PvmTaskChild, mask));
    SEE_TEXT("children", mask);
}

static void settings_see(const char *when)
{
    printf("== settings %s\n", when);
    SEE(pvm_getopt(PvmTraceTid));
    SEE(pvm_getopt(PvmTraceContext));
    SEE(pvm_getopt(PvmTraceCode));
    SEE(pvm_getopt(PvmTraceBuffer));
    SEE(pvm_getopt(PvmTraceOptions));
    SEE(pvm_getopt(PvmSelfTraceTid));
    SEE(pvm_getopt(PvmSelfTraceContext));
    SEE(pvm_getopt(PvmSelfTraceCode));
    SEE(pvm_getopt(PvmSelfTraceBuffer));
    SEE(pvm_getopt(PvmSelfTraceOptions));
}

static void mask_setting_see(void)
{
    Pvmtmask mask, other;
    AREA("setting masks");
    TEV_MASK_INIT(mask);
    SEE_TEXT("empty", mask);
    TEV_MASK_SET(mask, TEV_SEND);
    TEV_MASK_SET(mask, TEV_USER_DEFINED);
    SEE_TEXT("two", mask);
    SEE(TEV_MASK_CHECK(mask, TEV_SEND) != 0);
    SEE(TEV_MASK_CHECK(mask, TEV_RECV) != 0);
    TEV_MASK_UNSET(mask, TEV_SEND);
    SEE_TEXT("one", mask);
    SEE(pvm_settmask(PvmTaskChild, mask));
    SEE(pvm_settmask(2, mask));
    SEE(pvm_settmask(-1, mask));
    SEE(pvm_gettmask(2, other));
    SEE(pvm_gettmask(-1, other));
    masks_see("of children set");
    SEE(pvm_settmask(PvmTaskSelf, mask));
    TEV_MASK_INIT(mask);
    SEE(pvm_settmask(PvmTaskChild, mask));
    masks_see("of the task set");
    SEE(pvm_settmask(PvmTaskSelf, mask));
}

static void options_see(void)
{
    AREA("setting options");
    SEE(pvm_setopt(PvmTraceBuffer, 100));
    SEE(pvm_setopt(PvmTraceBuffer, -3));
    SEE(pvm_setopt(PvmTraceOptions, PvmTraceCount));
    SEE(pvm_setopt(PvmTraceOptions, 0));
    SEE(pvm_setopt(PvmTraceOptions, 4));
    SEE(pvm_setopt(PvmSelfTraceBuffer, 200));
    SEE(pvm_setopt(PvmSelfTraceOptions, PvmTraceTime));
    SEE(pvm_setopt(PvmSelfTraceOptions, 0));
    SEE(pvm_setopt(PvmSelfTraceOptions, 4));
    SEE(pvm_setopt(PvmSelfTraceContext, 5));
    settings_see("after numbers");
    SEE(pvm_setopt(PvmTraceTid, self + 1));
    SEE(pvm_setopt(PvmTraceTid, self));
    SEE(pvm_setopt(PvmTraceContext, 9));
    SEE(pvm_setopt(PvmTraceCode, 10));
    settings_see("with a sink of children");
    SEE(pvm_setopt(PvmSelfTraceTid, self));
    SEE(pvm_setopt(PvmSelfTraceCode, 12));
    settings_see("with a sink of the task");
    SEE(pvm_setopt(PvmSelfTraceTid, 0));
    settings_see("without");
    SEE(pvm_setopt(PvmSelfTraceBuffer, 0));
    SEE(pvm_setopt(PvmTraceBuffer, 0));
}

/* Sends the packed message to the task itself, as a tracer does, and waits until it has worked. */
static void order(int tag)
{
    int context = pvm_setcontext(CONTROL_CONTEXT);
    pvm_send(self, tag);
    pvm_setcontext(context);
    pvm_initsend(PvmDataDefault);
    pvm_send(self, 1);
    pvm_recv(self, 1);
}

static void order_int_see(const char *what, int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    order(tag);
    settings_see(what);
}

static void order_mask_see(const char *what, char *mask)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkstr(mask);
    order(TC_SETTMASK);
    masks_see(what);
}

static void orders_see(void)
{
    Pvmtmask mask;
    pvm_setopt(PvmResvTids, 1);
    order_int_see("with an ordered buffer", TC_SETTRCBUF, 77);
    order_int_see("with options ordered", TC_SETTRCOPT, PvmTraceCount);
    memset(mask, 'C', sizeof mask);
    mask[TEV_MASK_LENGTH - 1] = '\0';
    order_mask_see("ordered", mask);
    TEV_MASK_INIT(mask);
    order_mask_see("ordered empty", mask);
    order_int_see("with no buffer ordered", TC_SETTRCBUF, 0);
    pvm_setopt(PvmResvTids, 0);
}

static void boxes_see(void)
{
    struct pvmmboxinfo *boxes;
    struct pvmtaskinfo *tasks;
    int count;
    SEE(pvm_getmboxinfo(PVMTRACERCLASS, &count, &boxes));
    for (int i = 0; i < count; i++)
        printf("%s: %d entries, first %d of t%x with %d\n", boxes[i].mi_name, boxes[i].mi_nentries,
               boxes[i].mi_indices[0], (unsigned)boxes[i].mi_owners[0], boxes[i].mi_flags[0]);
    pvm_tasks(self, &count, &tasks);
    printf("flags: %x\n", count == 1 ? (unsigned)tasks[0].ti_flag : 0u);
}

static void entry_see(void)
{
    int numbers[5], rest[2];
    char mask[100];
    int bufid = pvm_recvinfo(PVMTRACERCLASS, 0, PvmMboxDefault);
    if (bufid > 0) {
        SEE(pvm_upkint(numbers, 5, 1));
        SEE(pvm_upkstr(mask));
        SEE(pvm_upkint(rest, 2, 1));
        printf("entry: t%x %d %d %d %d %s %d %d\n", (unsigned)numbers[0], numbers[1], numbers[2],
               numbers[3], numbers[4], mask, rest[0], rest[1]);
    }
}

/* A second task: what it is traced with, and whether it can be the tracer. */
static void second(void)
{
    int settings[] = {pvm_getopt(PvmSelfTraceTid),     pvm_getopt(PvmSelfTraceContext),
                      pvm_getopt(PvmSelfTraceCode),    pvm_getopt(PvmSelfTraceBuffer),
                      pvm_getopt(PvmSelfTraceOptions), pvm_getopt(PvmSelfOutputTid),
                      pvm_getopt(PvmSelfOutputCode),   pvm_getopt(PvmTraceTid)};
    Pvmtmask mask;
    pvm_gettmask(PvmTaskSelf, mask);
    pvm_setopt(PvmAutoErr, 0);
    int result = pvm_reg_tracer(1, 2, 3, 4, mask, 5, PvmTraceFull);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&result, 1, 1);
    pvm_pkint(settings, 8, 1);
    pvm_pkstr(mask);
    pvm_send(pvm_parent(), 2);
}

static void second_see(const char *when)
{
    int result, settings[8], tid;
    char mask[100];
    char *arguments[] = {"second", NULL};
    printf("== a second task %s\n", when);
    SEE(pvm_spawn("tracing", arguments, PvmTaskDefault, "", 1, &tid));
    pvm_recv(tid, 2);
    pvm_upkint(&result, 1, 1);
    pvm_upkint(settings, 8, 1);
    pvm_upkstr(mask);
    SEE(result);
    for (int i = 0; i < 8; i++)
        printf("setting %d: %d\n", i, settings[i]);
    SEE_TEXT("mask", mask);
}

static void tracer_see(void)
{
    Pvmtmask mask;
    AREA("registering");
    TEV_MASK_INIT(mask);
    TEV_MASK_SET(mask, TEV_GETSBUF);
    boxes_see();
    SEE(pvm_reg_tracer(31, 32, 33, 34, mask, 35, PvmTraceFull));
    boxes_see();
    entry_see();
    settings_see("of the tracer");
    pvm_setopt(PvmTraceTid, 0);
    second_see("while there is a tracer");
    SEE(pvm_reg_tracer(31, 32, 33, 34, mask, 35, PvmTraceFull));
    boxes_see();
    SEE(pvm_reg_tracer(41, 42, 43, 44, mask, 45, PvmTraceCount));
    boxes_see();
    entry_see();
    SEE(pvm_reg_tracer(41, 42, 43, 44, mask, 45, PvmTraceCount));
    boxes_see();
}

/*
 * What was packed, behind the head of an event, as words; then a fresh event. Left out are the time
 * and, by packing bytes by fours, padding, which 3.4.6 does not clear.
 */
static void event_see(const char *what, int result)
{
    int word, place = 0, length;
    struct pvmminfo info;
    printf("%s: %d,", what, result);
    pvm_send(self, 3);
    int bufid = pvm_recv(self, 3);
    pvm_getminfo(bufid, &info);
    printf(" %x %d:", (unsigned)info.enc, length = info.len);
    for (; length > 0; length -= 4, place++)
        if (pvm_upkint(&word, 1, 1) == 0 && (place < 6 || place > 8))
            printf(" %d", word);
    printf("\n");
    pvm_initsend(PvmDataTrace);
}

#define EVENT(call) event_see(#call, call)

static void events_see(void)
{
    static int ints[] = {11, 22, -33, 44};
    static char bytes[] = {1, 2, 3, 4, 5, 6, 7};
    static short shorts[] = {-1, 2};
    static unsigned short ushorts[] = {65535, 3};
    static unsigned uints[] = {4000000000u, 3};
    static long longs[] = {6, 7};
    static unsigned long ulongs[] = {8, 9};
    static float floats[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static double doubles[] = {1, 2, 3, 4, 5, 6, 7, 8};
    char text[100];
    AREA("user events");
    pvm_initsend(PvmDataTrace);
    EVENT(pvm_getsbuf() > 0);
    EVENT(pvm_pkbyte(bytes, 4, 1));
    EVENT(pvm_pkbyte(bytes, 4, 2));
    EVENT(pvm_pkint(ints, 1, 1));
    EVENT(pvm_pkint(ints, 3, 1));
    EVENT(pvm_pkint(ints, 0, 1));
    EVENT(pvm_pkint(ints, -1, 1));
    EVENT(pvm_pkint(ints, 2, 2));
    EVENT(pvm_pkint(ints, 2, 0));
    EVENT(pvm_pkint(ints + 3, 2, -1));
    EVENT(pvm_pkuint(uints, 2, 1));
    EVENT(pvm_pkshort(shorts, 2, 1));
    EVENT(pvm_pkushort(ushorts, 2, 1));
    EVENT(pvm_pklong(longs, 2, 1));
    EVENT(pvm_pkulong(ulongs, 1, 1));
    EVENT(pvm_pkfloat(floats, 2, 1));
    EVENT(pvm_pkdouble(doubles, 1, 1));
    EVENT(pvm_pkcplx(floats, 2, 2));
    EVENT(pvm_pkdcplx(doubles, 1, 1));
    EVENT(pvm_pkstr("abcd"));
    EVENT(pvm_pkstr(""));
    EVENT(pvm_packf("%d %2f", 5, floats));
    pvm_pkint(ints, 1, 1);
    pvm_pkbyte(bytes, 4, 1);
    EVENT(pvm_pkint(ints, 2, 1));
    pvm_pkstr("text");
    pvm_send(self, 4);
    pvm_recv(self, 4);
    SEE(pvm_upkint(ints, 2, 1));
    SEE(pvm_upkstr(text));
    SEE_TEXT("name", text);
}

/* Nothing is traced: it goes nowhere. */
static void event_sending_see(void)
{
    int tid = PVM_TRACE_TID;
    AREA("sending user events");
    pvm_initsend(PvmDataTrace);
    SEE(pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE));
    SEE(pvm_send(PVM_TRACE_TID, 5));
    SEE(pvm_send(self, PVM_TRACE_CODE));
    SEE(pvm_mcast(&tid, 1, PVM_TRACE_CODE));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE));
    pvm_setsbuf(0);
    SEE(pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE));
    SEE(pvm_mkbuf(PvmDataTrace) > 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    observe();
    if (argc > 1) {
        self = pvm_mytid();
        second();
        pvm_exit();
        return 0;
    }
    names_see();
    masks_see("before enrolling");
    settings_see("before enrolling");
    self = pvm_mytid();
    SEE(pvm_errno);
    masks_see("when enrolled");
    settings_see("when enrolled");
    mask_setting_see();
    options_see();
    orders_see();
    tracer_see();
    second_see("without a tracer");
    events_see();
    event_sending_see();
    SEE(pvm_exit());
    settings_see("after leaving");
    masks_see("after leaving");
    return 0;
}
