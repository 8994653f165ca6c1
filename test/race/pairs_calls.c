/* pairs_calls.c - the table of calls. */
#include "pairs_calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTMPNAM
#include <pvm3.h>
#include <pvmtev.h>

#define NOBODY  0x3fffe /* a tid of the first host that no task has */
#define ANYBODY (-1)

int shared_send, shared_receive, peer_tid;

static FILE *captured;

/* What is packed; nobody writes it. */
static char bytes[64] = "text of a few bytes";
static short shorts[8] = {1, -1, 2, -2};
static int ints[8] = {1, -1, 2, -2};
static long longs[8] = {1, -1, 2, -2};
static float floats[16] = {1, -1, 2, -2};
static double doubles[16] = {1, -1, 2, -2};
static unsigned short ushorts[8];
static unsigned uints[8];
static unsigned long ulongs[8];

/* Helpers. ------------------------------------------------------------------------------------- */

/* The own tid; while there is no pvmd, that of nobody. */
static int own_tid(void)
{
    int own = pvm_mytid();
    return own > 0 ? own : (1 << 18) + NOBODY;
}

static int send_self(int tag)
{
    return pvm_psend(own_tid(), tag, ints, 4, PVM_INT);
}

void calls_feed(void)
{
    send_self(TAG_MESSAGE);
    send_self(TAG_HELPER);
    send_self(TAG_HELPER + 1);
}

/* A destination: the task itself, another, or none. */
static int somebody(struct worker *me)
{
    int host = pvm_tidtohost(own_tid());
    switch (me->turn % 3) {
    case 0:
        return own_tid();
    case 1:
        return peer_tid ? peer_tid : host + NOBODY;
    default:
        return host + NOBODY;
    }
}

/* A name in the mailbox: of the thread, or of both. */
static char *mailbox(struct worker *me)
{
    static char *const names[] = {"first", "second", "both"};
    return names[me->turn % 2 ? 2 : me->number];
}

static void take_signal(int number)
{
    (void)number;
}

void calls_begin(void)
{
    struct sigaction action = {.sa_handler = take_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    captured = fopen("/dev/null", "w");
    if (!captured)
        exit(EXIT_FAILURE);
}

/* Enrolling and leaving. ----------------------------------------------------------------------- */

static int call_mytid(struct worker *me)
{
    (void)me;
    return pvm_mytid();
}

static int call_exit(struct worker *me)
{
    (void)me;
    int result = pvm_exit();
    calls_feed();
    return result;
}

static int call_parent(struct worker *me)
{
    (void)me;
    return pvm_parent();
}

static int call_siblings(struct worker *me)
{
    int *tids;
    int count = pvm_siblings(&tids);
    if (me->alone && count > 0 && tids[0] == 0)
        return PvmBadParam;
    return count;
}

static int call_start_pvmd(struct worker *me)
{
    (void)me;
    int result = pvm_start_pvmd(0, NULL, 0);
    calls_feed();
    return result;
}

static int call_tidtohost(struct worker *me)
{
    return pvm_tidtohost(me->turn);
}

/* Tasks. --------------------------------------------------------------------------------------- */

static int call_spawn(struct worker *me)
{
    char *arguments[] = {"printed by a task", NULL};
    int tid;
    if (me->turn % 8)
        return pvm_spawn("no such program", arguments, PvmTaskDefault, NULL, 1, &tid);
    return pvm_spawn("/bin/echo", arguments, PvmTaskDefault, "", 1, &tid);
}

/* A thread task calls, too, beside all others, and ends. */
static int be_thread_task(int count, char **words)
{
    (void)count, (void)words;
    send_self(TAG_MESSAGE);
    return pvm_nrecv(ANYBODY, TAG_MESSAGE);
}

static int call_spawnt(struct worker *me)
{
    int tid;
    (void)me;
    return pvm_spawnt(be_thread_task, NULL, 0, NULL, 1, &tid);
}

static int call_register(struct worker *me)
{
    return pvm_register(me->turn % 2 ? "a name" : "another", be_thread_task);
}

static int call_kill(struct worker *me)
{
    return pvm_kill(me->turn % 2 ? own_tid() : pvm_tidtohost(own_tid()) + NOBODY);
}

static int call_migrate(struct worker *me)
{
    return pvm_migrate(pvm_tidtohost(own_tid()) + NOBODY, pvm_tidtohost(own_tid()));
}

static int call_sendsig(struct worker *me)
{
    (void)me;
    return pvm_sendsig(own_tid(), SIGUSR1);
}

static int call_pstat(struct worker *me)
{
    return pvm_pstat(somebody(me));
}

static int call_tasks(struct worker *me)
{
    int count = 0;
    struct pvmtaskinfo *tasks;
    int result = pvm_tasks(0, &count, &tasks);
    for (int i = 0; result == 0 && me->alone && i < count; i++)
        if (strlen(tasks[i].ti_a_out) > 4096)
            return PvmOverflow;
    return result;
}

static int call_notify(struct worker *me)
{
    int nobody = pvm_tidtohost(own_tid()) + NOBODY;
    switch (me->turn % 4) {
    case 0:
        return pvm_notify(PvmTaskExit, TAG_NOTE, 1, &nobody);
    case 1:
        return pvm_notify(PvmHostAdd, TAG_NOTE, -1, NULL);
    case 2:
        return pvm_notify(PvmHostAdd | PvmNotifyCancel, TAG_NOTE, 0, NULL);
    default:
        return pvm_notify(PvmHostDelete, TAG_NOTE, 1, &nobody);
    }
}

/* The virtual machine. ------------------------------------------------------------------------- */

static int call_config(struct worker *me)
{
    int hosts = 0, formats = 0;
    struct pvmhostinfo *list;
    int result = pvm_config(&hosts, &formats, &list);
    if (result == 0 && me->alone && (hosts < 1 || strlen(list[0].hi_name) == 0))
        return PvmBadParam;
    return result;
}

static int call_addhosts(struct worker *me)
{
    (void)me;
    char *names[] = {"no-such-host.invalid"};
    int status;
    return pvm_addhosts(names, 1, &status);
}

static int call_delhosts(struct worker *me)
{
    (void)me;
    char *names[] = {"no-such-host.invalid"};
    int status;
    return pvm_delhosts(names, 1, &status);
}

static int call_mstat(struct worker *me)
{
    (void)me;
    return pvm_mstat("no-such-host.invalid");
}

static int call_halt(struct worker *me)
{
    (void)me;
    return pvm_halt();
}

static int call_hostsync(struct worker *me)
{
    (void)me;
    struct timeval there, ahead;
    return pvm_hostsync(own_tid(), &there, &ahead);
}

static int call_tickle(struct worker *me)
{
    (void)me;
    int arguments[10] = {0}, answers[10], count;
    return pvm_tickle(1, arguments, &count, answers);
}

static int call_archcode(struct worker *me)
{
    (void)me;
    return pvm_archcode("LINUX64");
}

static int call_version(struct worker *me)
{
    (void)me;
    return (int)strlen(pvm_version());
}

static int call_threadsafe(struct worker *me)
{
    (void)me;
    return pvm_threadsafe();
}

/* Buffers. ------------------------------------------------------------------------------------- */

static int call_initsend(struct worker *me)
{
    return pvm_initsend(me->turn % 3);
}

static int call_mkbuf(struct worker *me)
{
    int id = pvm_mkbuf(me->turn % 3);
    pvm_freebuf(id);
    return id;
}

static int call_freebuf(struct worker *me)
{
    return pvm_freebuf(me->turn % 2 ? pvm_mkbuf(PvmDataRaw) : shared_send);
}

static int call_getsbuf(struct worker *me)
{
    (void)me;
    return pvm_getsbuf();
}

static int call_setsbuf(struct worker *me)
{
    return pvm_setsbuf(me->turn % 2 ? shared_send : pvm_mkbuf(PvmDataDefault));
}

static int call_getrbuf(struct worker *me)
{
    (void)me;
    return pvm_getrbuf();
}

static int call_setrbuf(struct worker *me)
{
    return pvm_setrbuf(me->turn % 2 ? shared_receive : 0);
}

static int call_bufinfo(struct worker *me)
{
    int size, tag, tid;
    return pvm_bufinfo(me->turn % 2 ? shared_send : shared_receive, &size, &tag, &tid);
}

static int call_getminfo(struct worker *me)
{
    struct pvmminfo info;
    return pvm_getminfo(me->turn % 2 ? shared_send : shared_receive, &info);
}

static int call_setminfo(struct worker *me)
{
    struct pvmminfo info = {.ctx = 0, .tag = me->turn, .wid = 0};
    return pvm_setminfo(me->turn % 2 ? shared_send : shared_receive, &info);
}

/* Packing and unpacking. ----------------------------------------------------------------------- */

#define PACKING(type, source)                                                                      \
    static int call_pk##type(struct worker *me)                                                    \
    {                                                                                              \
        (void)me;                                                                                  \
        return pvm_pk##type(source, 4, 1);                                                         \
    }                                                                                              \
    static int call_upk##type(struct worker *me)                                                   \
    {                                                                                              \
        (void)me;                                                                                  \
        __typeof__(*(source)) items[8];                                                            \
        return pvm_upk##type(items, 2, 2);                                                         \
    }

PACKING(byte, bytes)
PACKING(int, ints)
PACKING(uint, uints)
PACKING(long, longs)
PACKING(ulong, ulongs)
PACKING(short, shorts)
PACKING(ushort, ushorts)
PACKING(float, floats)
PACKING(double, doubles)
PACKING(cplx, floats)
PACKING(dcplx, doubles)

static int call_pkstr(struct worker *me)
{
    (void)me;
    return pvm_pkstr(bytes);
}

/* As long as any message here, whose length the string cannot exceed. */
static int call_upkstr(struct worker *me)
{
    (void)me;
    char text[8192];
    return pvm_upkstr(text);
}

static int call_packf(struct worker *me)
{
    return pvm_packf("%4d %d %lf", ints, me->turn, 1.5);
}

static int call_unpackf(struct worker *me)
{
    (void)me;
    int four[4], one;
    double number;
    return pvm_unpackf("%4d %d %lf", four, &one, &number);
}

static int call_pkmesg(struct worker *me)
{
    (void)me;
    return pvm_pkmesg(shared_receive);
}

static int call_pkmesgbody(struct worker *me)
{
    (void)me;
    return pvm_pkmesgbody(shared_receive);
}

static int call_share(struct worker *me)
{
    (void)me;
    return pvm_share(doubles, sizeof doubles, NULL);
}

static int call_shared(struct worker *me)
{
    const void *array;
    size_t size;
    (void)me;
    return pvm_shared(&array, &size);
}

static int call_upkmesg(struct worker *me)
{
    int result = pvm_upkmesg();
    if (result > 0 && me->turn % 2)
        pvm_freebuf(result);
    return result;
}

/* Messages. ------------------------------------------------------------------------------------ */

static int call_send(struct worker *me)
{
    return pvm_send(somebody(me), TAG_LEFT);
}

static int call_mcast(struct worker *me)
{
    int own = own_tid();
    int tids[] = {own, pvm_tidtohost(own) + NOBODY, peer_tid ? peer_tid : own};
    return pvm_mcast(tids, 3, me->turn % 2 ? TAG_LEFT : TAG_NOTE);
}

static int call_psend(struct worker *me)
{
    return pvm_psend(somebody(me), TAG_LEFT, doubles, 16, PVM_DOUBLE);
}

static int call_recv(struct worker *me)
{
    (void)me;
    send_self(TAG_MESSAGE);
    return pvm_recv(ANYBODY, TAG_MESSAGE);
}

static int call_nrecv(struct worker *me)
{
    (void)me;
    send_self(TAG_MESSAGE);
    return pvm_nrecv(ANYBODY, TAG_MESSAGE);
}

static int call_trecv(struct worker *me)
{
    struct timeval wait = {0, 100};
    send_self(TAG_MESSAGE);
    return pvm_trecv(ANYBODY, TAG_MESSAGE, me->turn % 2 ? &wait : NULL);
}

static int call_precv(struct worker *me)
{
    (void)me;
    int items[4], tid, tag, size;
    send_self(TAG_MESSAGE);
    return pvm_precv(ANYBODY, TAG_MESSAGE, items, 4, PVM_INT, &tid, &tag, &size);
}

static int call_probe(struct worker *me)
{
    int tag;
    send_self(TAG_LEFT);
    int id = pvm_probe(ANYBODY, me->turn % 2 ? ANYBODY : TAG_LEFT);
    if (id > 0)
        pvm_bufinfo(id, NULL, &tag, NULL);
    return id;
}

static int match(int bufid, int tid, int tag)
{
    int size, its_tag, its_tid;
    return pvm_bufinfo(bufid, &size, &its_tag, &its_tid) == 0 &&
           (tid == ANYBODY || tid == its_tid) && (tag == ANYBODY || tag == its_tag);
}

static int call_recvf(struct worker *me)
{
    (void)me;
    if (!pvm_recvf(match))
        return PvmNotFound;
    return pvm_recvf(NULL) ? 0 : PvmNotFound;
}

static int call_getfds(struct worker *me)
{
    int *descriptors;
    int count = pvm_getfds(&descriptors);
    if (me->alone && count > 0 && descriptors[0] < 0)
        return PvmBadParam;
    return count;
}

/* A third thread receives, so that there is a receive to stop. */
struct helper {
    pthread_t thread;
    int tag;
    atomic_int stop;
};

static void *help(void *argument)
{
    struct helper *helper = argument;
    while (!atomic_load(&helper->stop))
        pvm_recv(ANYBODY, helper->tag);
    return NULL;
}

static int call_interrupt_recv(struct worker *me)
{
    struct helper helper = {.tag = TAG_HELPER + me->number};
    if (pthread_create(&helper.thread, NULL, help, &helper) != 0)
        return PvmOutOfRes;
    int result = pvm_interrupt_recv();
    pvm_resume_recv();
    atomic_store(&helper.stop, 1);
    send_self(helper.tag);
    pthread_join(helper.thread, NULL);
    return result;
}

static int call_resume_recv(struct worker *me)
{
    (void)me;
    return pvm_resume_recv();
}

/* Contexts and handlers. ----------------------------------------------------------------------- */

static int call_newcontext(struct worker *me)
{
    (void)me;
    int context = pvm_newcontext();
    pvm_freecontext(context);
    return context;
}

static int call_setcontext(struct worker *me)
{
    int result = pvm_setcontext(me->turn);
    pvm_setcontext(PvmBaseContext);
    return result;
}

static int call_getcontext(struct worker *me)
{
    (void)me;
    return pvm_getcontext();
}

static int call_freecontext(struct worker *me)
{
    (void)me;
    int context = pvm_newcontext();
    return context < 0 ? context : pvm_freecontext(context);
}

static int handle(int bufid)
{
    int value, tag;
    pvm_bufinfo(bufid, NULL, &tag, NULL);
    pvm_upkint(&value, 1, 1);
    return pvm_nrecv(ANYBODY, TAG_LEFT);
}

static int handled_tag(struct worker *me)
{
    return TAG_HANDLED + (me->turn % 2 ? 2 : me->number);
}

static int call_addmhf(struct worker *me)
{
    int id = pvm_addmhf(ANYBODY, handled_tag(me), ANYBODY, handle);
    send_self(handled_tag(me));
    pvm_probe(ANYBODY, TAG_NOTE);
    if (id >= 0)
        pvm_delmhf(id);
    return id;
}

static int call_delmhf(struct worker *me)
{
    int id = pvm_addmhf(ANYBODY, handled_tag(me), ANYBODY, handle);
    return id < 0 ? id : pvm_delmhf(id);
}

/* Mailboxes. ----------------------------------------------------------------------------------- */

static int call_putinfo(struct worker *me)
{
    return pvm_putinfo(mailbox(me), shared_send, PvmMboxMultiInstance | PvmMboxOverWritable);
}

static int call_recvinfo(struct worker *me)
{
    return pvm_recvinfo(mailbox(me), 0, me->turn % 4 ? PvmMboxFirstAvail : PvmMboxReadAndDelete);
}

static int call_delinfo(struct worker *me)
{
    return pvm_delinfo(mailbox(me), 0, PvmMboxDefault);
}

static int call_getmboxinfo(struct worker *me)
{
    int count = 0;
    struct pvmmboxinfo *list;
    int result = pvm_getmboxinfo(NULL, &count, &list);
    for (int i = 0; result == 0 && me->alone && i < count; i++)
        if (strlen(list[i].mi_name) == 0 || list[i].mi_nentries < 0)
            return PvmBadParam;
    return result;
}

static int call_insert(struct worker *me)
{
    return pvm_insert(mailbox(me), -1, me->turn);
}

static int call_lookup(struct worker *me)
{
    int value;
    return pvm_lookup(mailbox(me), -1, &value);
}

static int call_delete(struct worker *me)
{
    return pvm_delete(mailbox(me), me->turn % 4);
}

static int call_getnoresets(struct worker *me)
{
    int *tids = NULL, count = 0;
    int result = pvm_getnoresets(&tids, &count);
    if (me->alone && count > 0 && tids[0] == 0)
        return PvmBadParam;
    return result;
}

/* Options, output and errors. ------------------------------------------------------------------ */

static int call_getopt(struct worker *me)
{
    static const int options[] = {PvmRoute,     PvmAutoErr,      PvmFragSize, PvmShowTids,
                                  PvmOutputTid, PvmSelfTraceTid, PvmNoReset};
    return pvm_getopt(options[me->turn % 7]);
}

static int call_setopt(struct worker *me)
{
    int turn = me->turn / 2;
    switch (me->turn % 8) {
    case 0:
        return pvm_setopt(PvmRoute, turn % 3 + 1);
    case 1:
        return pvm_setopt(PvmFragSize, turn % 2 ? 4080 : 256);
    case 2:
        return pvm_setopt(PvmShowTids, turn % 2);
    case 3:
        return pvm_setopt(PvmOutputTid, turn % 2 ? 0 : own_tid());
    case 4:
        return pvm_setopt(PvmAutoErr, 0);
    case 5:
        return pvm_setopt(PvmNoReset, turn % 2);
    case 6:
        return pvm_setopt(PvmTraceOptions, PvmTraceFull);
    default:
        return pvm_setopt(PvmResvTids, turn % 2);
    }
}

static int call_catchout(struct worker *me)
{
    return pvm_catchout(me->turn % 2 ? captured : NULL);
}

static int call_export(struct worker *me)
{
    return pvm_export(me->number ? "ONE_VARIABLE" : "ANOTHER_VARIABLE");
}

static int call_unexport(struct worker *me)
{
    return pvm_unexport(me->number ? "ANOTHER_VARIABLE" : "ONE_VARIABLE");
}

static int call_perror(struct worker *me)
{
    (void)me;
    return pvm_perror("what was done");
}

static int call_strerror(struct worker *me)
{
    (void)me;
    return (int)strlen(pvm_strerror());
}

static int call_tmpnam(struct worker *me)
{
    (void)me;
    char name[PVMTMPNAMLEN];
    return pvmtmpnam(name) == name ? 0 : PvmBadParam;
}

static int call_getrsh(struct worker *me)
{
    (void)me;
    return (int)strlen(pvmgetrsh());
}

static int call_gettmp(struct worker *me)
{
    (void)me;
    return (int)strlen(pvmgettmp());
}

/* Tracing. ------------------------------------------------------------------------------------- */

static int call_gettmask(struct worker *me)
{
    Pvmtmask mask;
    return pvm_gettmask(me->turn % 2 ? PvmTaskSelf : PvmTaskChild, mask);
}

static int call_settmask(struct worker *me)
{
    Pvmtmask mask;
    TEV_MASK_INIT(mask);
    if (me->turn % 4)
        memset(mask, 'O', TEV_MASK_LENGTH - 1); /* all bits of every event */
    return pvm_settmask(me->turn % 2 ? PvmTaskSelf : PvmTaskChild, mask);
}

/* Services. ------------------------------------------------------------------------------------ */

static int call_reg_hoster(struct worker *me)
{
    (void)me;
    return pvm_reg_hoster();
}

static int call_reg_tasker(struct worker *me)
{
    (void)me;
    return pvm_reg_tasker();
}

static int call_reg_rm(struct worker *me)
{
    (void)me;
    struct pvmhostinfo *host;
    return pvm_reg_rm(&host);
}

static int call_reg_tracer(struct worker *me)
{
    (void)me;
    char mask[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
    return pvm_reg_tracer(0, TAG_LEFT, 0, TAG_LEFT, mask, 0, PvmTraceFull);
}

/* The table: those that change the life of the task last. -------------------------------------- */

#define NO_BUFFER (ERROR_BIT(PvmNoBuf) | ERROR_BIT(PvmNoSuchBuf))
#define PACKED    (NO_BUFFER | ERROR_BIT(PvmNotImpl))
#define UNPACKED  (NO_BUFFER | ERROR_BIT(PvmNoData) | ERROR_BIT(PvmBadMsg))
#define NO_ENTRY  (ERROR_BIT(PvmNotFound) | ERROR_BIT(PvmDenied))
#define NO_ROLE   (ERROR_BIT(PvmAlready) | ERROR_BIT(PvmNoTask))

/* A group call has buffers; the number of one may be what pvm_freebuf of another thread frees. */
#define NO_GROUP  (NO_BUFFER | ERROR_BIT(PvmNoGroup))
#define NO_MEMBER (NO_GROUP | ERROR_BIT(PvmNotInGroup) | ERROR_BIT(PvmNoInst))

const struct call calls[] = {
    {"pvm_mytid", call_mytid, 0},
    {"pvm_parent", call_parent, ERROR_BIT(PvmNoParent)},
    {"pvm_siblings", call_siblings, 0},
    {"pvm_tidtohost", call_tidtohost, 0},
    {"pvm_spawn", call_spawn, 0},
    {"pvm_spawnt", call_spawnt, 0},
    {"pvm_register", call_register, 0},
    {"pvm_kill", call_kill, 0},
    {"pvm_migrate", call_migrate, ERROR_BIT(PvmNoTask)},
    {"pvm_sendsig", call_sendsig, 0},
    {"pvm_pstat", call_pstat, ERROR_BIT(PvmNoTask)},
    {"pvm_tasks", call_tasks, 0},
    {"pvm_notify", call_notify, 0},
    {"pvm_config", call_config, 0},
    {"pvm_addhosts", call_addhosts, ERROR_BIT(PvmAlready)},
    {"pvm_delhosts", call_delhosts, 0},
    {"pvm_mstat", call_mstat, ERROR_BIT(PvmNoHost)},
    {"pvm_hostsync", call_hostsync, 0},
    {"pvm_tickle", call_tickle, 0},
    {"pvm_archcode", call_archcode, 0},
    {"pvm_version", call_version, 0},
    {"pvm_threadsafe", call_threadsafe, 0},
    {"pvm_initsend", call_initsend, 0},
    {"pvm_mkbuf", call_mkbuf, 0},
    {"pvm_freebuf", call_freebuf, NO_BUFFER},
    {"pvm_getsbuf", call_getsbuf, 0},
    {"pvm_setsbuf", call_setsbuf, NO_BUFFER},
    {"pvm_getrbuf", call_getrbuf, 0},
    {"pvm_setrbuf", call_setrbuf, NO_BUFFER},
    {"pvm_bufinfo", call_bufinfo, NO_BUFFER},
    {"pvm_getminfo", call_getminfo, NO_BUFFER},
    {"pvm_setminfo", call_setminfo, NO_BUFFER},
    {"pvm_pkbyte", call_pkbyte, PACKED},
    {"pvm_pkcplx", call_pkcplx, PACKED},
    {"pvm_pkdcplx", call_pkdcplx, PACKED},
    {"pvm_pkdouble", call_pkdouble, PACKED},
    {"pvm_pkfloat", call_pkfloat, PACKED},
    {"pvm_pkint", call_pkint, PACKED},
    {"pvm_pkuint", call_pkuint, PACKED},
    {"pvm_pklong", call_pklong, PACKED},
    {"pvm_pkulong", call_pkulong, PACKED},
    {"pvm_pkshort", call_pkshort, PACKED},
    {"pvm_pkushort", call_pkushort, PACKED},
    {"pvm_pkstr", call_pkstr, PACKED},
    {"pvm_packf", call_packf, PACKED},
    {"pvm_pkmesg", call_pkmesg, PACKED | ERROR_BIT(PvmBadParam)},
    {"pvm_pkmesgbody", call_pkmesgbody, PACKED | ERROR_BIT(PvmBadParam) | ERROR_BIT(PvmMismatch)},
    {"pvm_share", call_share, PACKED},
    {"pvm_upkbyte", call_upkbyte, UNPACKED},
    {"pvm_upkcplx", call_upkcplx, UNPACKED},
    {"pvm_upkdcplx", call_upkdcplx, UNPACKED},
    {"pvm_upkdouble", call_upkdouble, UNPACKED},
    {"pvm_upkfloat", call_upkfloat, UNPACKED},
    {"pvm_upkint", call_upkint, UNPACKED},
    {"pvm_upkuint", call_upkuint, UNPACKED},
    {"pvm_upklong", call_upklong, UNPACKED},
    {"pvm_upkulong", call_upkulong, UNPACKED},
    {"pvm_upkshort", call_upkshort, UNPACKED},
    {"pvm_upkushort", call_upkushort, UNPACKED},
    {"pvm_upkstr", call_upkstr, UNPACKED},
    {"pvm_unpackf", call_unpackf, UNPACKED},
    {"pvm_upkmesg", call_upkmesg, UNPACKED},
    {"pvm_shared", call_shared, UNPACKED},
    {"pvm_send", call_send, NO_BUFFER},
    {"pvm_mcast", call_mcast, NO_BUFFER},
    {"pvm_psend", call_psend, 0},
    {"pvm_recv", call_recv, 0},
    {"pvm_nrecv", call_nrecv, 0},
    {"pvm_trecv", call_trecv, 0},
    {"pvm_precv", call_precv, 0},
    {"pvm_probe", call_probe, 0},
    {"pvm_recvf", call_recvf, 0},
    {"pvm_getfds", call_getfds, 0},
    {"pvm_interrupt_recv", call_interrupt_recv, 0},
    {"pvm_resume_recv", call_resume_recv, ERROR_BIT(PvmNotFound)},
    {"pvm_newcontext", call_newcontext, 0},
    {"pvm_setcontext", call_setcontext, 0},
    {"pvm_getcontext", call_getcontext, 0},
    {"pvm_freecontext", call_freecontext, ERROR_BIT(PvmNotFound)},
    {"pvm_addmhf", call_addmhf, ERROR_BIT(PvmExists)},
    {"pvm_delmhf", call_delmhf, ERROR_BIT(PvmExists) | ERROR_BIT(PvmNotFound)},
    {"pvm_putinfo", call_putinfo, NO_BUFFER | NO_ENTRY},
    {"pvm_recvinfo", call_recvinfo, NO_ENTRY},
    {"pvm_delinfo", call_delinfo, NO_ENTRY},
    {"pvm_getmboxinfo", call_getmboxinfo, 0},
    {"pvm_insert", call_insert, NO_ENTRY},
    {"pvm_lookup", call_lookup, NO_ENTRY | ERROR_BIT(PvmNoData)},
    {"pvm_delete", call_delete, NO_ENTRY},
    {"pvm_getnoresets", call_getnoresets, 0},
    {"pvm_getopt", call_getopt, 0},
    {"pvm_setopt", call_setopt, ERROR_BIT(PvmBadParam)},
    {"pvm_catchout", call_catchout, 0},
    {"pvm_export", call_export, 0},
    {"pvm_unexport", call_unexport, 0},
    {"pvm_perror", call_perror, 0},
    {"pvm_strerror", call_strerror, 0},
    {"pvmtmpnam", call_tmpnam, 0},
    {"pvmgetrsh", call_getrsh, 0},
    {"pvmgettmp", call_gettmp, 0},
    {"pvm_gettmask", call_gettmask, 0},
    {"pvm_settmask", call_settmask, 0},
    {"pvm_reg_tracer", call_reg_tracer, NO_ROLE | ERROR_BIT(PvmDenied)},
    {"pvm_reg_hoster", call_reg_hoster, NO_ROLE},
    {"pvm_reg_tasker", call_reg_tasker, NO_ROLE},
    {"pvm_reg_rm", call_reg_rm, NO_ROLE},
    {"pvm_joingroup", call_joingroup, ERROR_BIT(PvmDupGroup) | NO_MEMBER},
    {"pvm_lvgroup", call_lvgroup, NO_MEMBER},
    {"pvm_gsize", call_gsize, NO_GROUP},
    {"pvm_getinst", call_getinst, NO_MEMBER},
    {"pvm_gettid", call_gettid, NO_MEMBER},
    {"pvm_bcast", call_bcast, NO_MEMBER},
    {"pvm_barrier", call_barrier, NO_MEMBER},
    {"pvm_freezegroup", call_freezegroup, ERROR_BIT(PvmDupGroup) | NO_MEMBER},
    {"pvm_gather", call_gather, NO_MEMBER},
    {"pvm_scatter", call_scatter, NO_MEMBER},
    {"pvm_allgather", call_allgather, NO_MEMBER},
    {"pvm_alltoall", call_alltoall, NO_MEMBER},
    {"pvm_allreduce", call_allreduce, NO_MEMBER},
    {"pvm_reduce", call_reduce, NO_MEMBER},
    {"pvm_start_pvmd", call_start_pvmd, ERROR_BIT(PvmDupHost) | ERROR_BIT(PvmCantStart)},
    {"pvm_exit", call_exit, 0},
    {"pvm_halt", call_halt, 0},
};

const int call_count = sizeof calls / sizeof *calls;
