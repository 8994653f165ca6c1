/*
 * traced_calls.c - the public functions as programs call them: the other files have what they do;
 * here they write its trace events (trace.h). TRACED_CALLS in public.h lists them.
 */
#define TRACED_CALLS_HERE
#include "lib/task/public.h"

#include <stdlib.h>

#include "ck/base/cancel.h"
#include "core/rarely.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/process.h"

#define UNTRACED(name)                                                                             \
    extern __typeof__(pvm_##name) untraced_##name __attribute__((visibility("hidden")));
TRACED_CALLS(UNTRACED)

/* These work without a pvmd, and 3.4.6 does not look for one in them. */
static bool trace_enrols(int event)
{
    return event != TEV_SETOPT && event != TEV_GETOPT;
}

/* The slow half of trace_begin. */
RARELY static bool trace_begin_call(struct trace_call *call, int event)
{
    struct caller *caller = caller_self();
    /* pvmtoplvl is 0 while libgpvm3 of 3.4.6 makes calls of its own. */
    if (caller->traced || !task_is_heeded(caller->task) ||
        __atomic_load_n(&pvmtoplvl, __ATOMIC_RELAXED) == 0)
        return false;
    if (trace_enrols(event))
        pvmd_link_try(caller->task);
    *call = (struct trace_call){.caller = caller, .event = event};
    caller->traced = true;
    return true;
}

/* False when no call has to be traced, nor to enrol its task. */
static inline bool trace_is_possible(void)
{
    return __atomic_load_n(&pvmtrc.trctid, __ATOMIC_RELAXED) > 0 ||
           __atomic_load_n(&pvmmytid, __ATOMIC_RELAXED) < 0;
}

/*
 * True when the call may have to be traced: then it ends with trace_exit or trace_result. A task
 * that is not enrolled yet is enrolled if a pvmd runs: that is what 3.4.6 does here.
 */
static inline bool trace_begin(struct trace_call *call, int event)
{
    return trace_is_possible() && trace_begin_call(call, event);
}

/*
 * A function that returns an int, the only field of its exit. `values` are those of trace_entry,
 * `call` among them. In a process of one thread that traces nothing it costs a jump.
 */
#define TRACED(event, name, parameters, arguments, values)                                         \
    __attribute__((noinline)) static int held_##name parameters                                    \
    {                                                                                              \
        HOLD_OFF_CANCELLATION;                                                                     \
        struct trace_call call;                                                                    \
        if (!trace_begin(&call, event))                                                            \
            return untraced_##name arguments;                                                      \
        trace_entry values;                                                                        \
        return trace_result(&call, untraced_##name arguments);                                     \
    }                                                                                              \
    int pvm_##name parameters                                                                      \
    {                                                                                              \
        return process_has_one_thread() && !trace_is_possible() ? untraced_##name arguments        \
                                                                : held_##name arguments;           \
    }

/*
 * Like TRACED, for a function that reaches no point of cancellation unless it is traced, or holds
 * cancellation off itself. Where nothing is traced, it costs a jump.
 */
#define TRACED_QUICKLY(event, name, parameters, arguments, values)                                 \
    RARELY static int traced_##name parameters                                                     \
    {                                                                                              \
        struct trace_call call;                                                                    \
        if (!trace_begin(&call, event))                                                            \
            return untraced_##name arguments;                                                      \
        HOLD_OFF_CANCELLATION;                                                                     \
        trace_entry values;                                                                        \
        return trace_result(&call, untraced_##name arguments);                                     \
    }                                                                                              \
    int pvm_##name parameters                                                                      \
    {                                                                                              \
        return trace_is_possible() ? traced_##name arguments : untraced_##name arguments;          \
    }

/* The context of the calling thread. */
static int context(void)
{
    return untraced_getcontext();
}

/* The task, its machine, its options. ---------------------------------------------------------- */

TRACED(TEV_MYTID, mytid, (void), (), (&call))
TRACED(TEV_EXIT, exit, (void), (), (&call))
TRACED(TEV_PARENT, parent, (void), (), (&call))
TRACED(TEV_HALT, halt, (void), (), (&call))
TRACED(TEV_MSTAT, mstat, (const char *host), (host), (&call, host))
TRACED(TEV_ARCHCODE, archcode, (const char *arch), (arch), (&call, arch))
TRACED(TEV_ADDHOSTS, addhosts, (char *const *hosts, int count, int *status), (hosts, count, status),
       (&call, count, hosts))
TRACED(TEV_DELHOSTS, delhosts, (char *const *hosts, int count, int *status), (hosts, count, status),
       (&call, count, hosts))
TRACED(TEV_START_PVMD, start_pvmd, (int argc, char *const *argv, int block), (argc, argv, block),
       (&call, block, argv ? argc : 0, argv))
TRACED(TEV_PSTAT, pstat, (int tid), (tid), (&call, tid))
TRACED(TEV_SENDSIG, sendsig, (int tid, int signum), (tid, signum), (&call, tid, signum))
TRACED(TEV_KILL, kill, (int tid), (tid), (&call, tid))
TRACED(TEV_NOTIFY, notify, (int what, int msgtag, int cnt, const int *vals),
       (what, msgtag, cnt, vals), (&call, what, msgtag, vals ? cnt : 0, vals))
TRACED(TEV_GETOPT, getopt, (int what), (what), (&call, what))
TRACED(TEV_GETCONTEXT, getcontext, (void), (), (&call))
TRACED(TEV_SETCONTEXT, setcontext, (int newctx), (newctx), (&call, newctx))
TRACED(TEV_NEWCONTEXT, newcontext, (void), (), (&call))
TRACED(TEV_FREECONTEXT, freecontext, (int ctx), (ctx), (&call, ctx))
TRACED(TEV_ADDMHF, addmhf, (int src, int tag, int ctx, int (*handler)(int bufid)),
       (src, tag, ctx, handler), (&call, src, tag, ctx))
TRACED(TEV_DELMHF, delmhf, (int mhid), (mhid), (&call, mhid))
TRACED(TEV_REG_HOSTER, reg_hoster, (void), (), (&call))
TRACED(TEV_REG_TASKER, reg_tasker, (void), (), (&call))
TRACED(TEV_REG_RM, reg_rm, (struct pvmhostinfo * *hip), (hip), (&call))
TRACED(TEV_REG_TRACER, reg_tracer,
       (int tctx, int ttag, int octx, int otag, const char *mask, int tbuf, int topt),
       (tctx, ttag, octx, otag, mask, tbuf, topt),
       (&call, tctx, ttag, octx, otag, mask, tbuf, topt))

/* The call that begins tracing tells its exit, as in 3.4.6. */
int pvm_setopt(int what, int val)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    if (trace_begin(&call, TEV_SETOPT)) {
        trace_entry(&call, what, val);
        return trace_result(&call, untraced_setopt(what, val));
    }
    int result = untraced_setopt(what, val);
    return trace_begin(&call, TEV_SETOPT) ? trace_result(&call, result) : result;
}

int pvm_config(int *nhost, int *narch, struct pvmhostinfo **hostp)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    int hosts = 0, formats = 0;
    if (!trace_begin(&call, TEV_CONFIG))
        return untraced_config(nhost, narch, hostp);
    trace_entry(&call);
    int result = untraced_config(&hosts, &formats, hostp);
    if (nhost)
        *nhost = hosts;
    if (narch)
        *narch = formats;
    trace_exit(&call, hosts, formats, result);
    return result;
}

int pvm_tasks(int where, int *ntask, struct pvmtaskinfo **taskp)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    int tasks = 0;
    if (!trace_begin(&call, TEV_TASKS))
        return untraced_tasks(where, ntask, taskp);
    trace_entry(&call, where);
    int result = untraced_tasks(where, &tasks, taskp);
    if (ntask)
        *ntask = tasks;
    trace_exit(&call, result, tasks);
    return result;
}

int pvm_tickle(int narg, const int *argp, int *nresp, int *resp)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    int responses = 0;
    if (!trace_begin(&call, TEV_TICKLE))
        return untraced_tickle(narg, argp, nresp, resp);
    trace_entry(&call, narg, argp);
    int result = untraced_tickle(narg, argp, &responses, resp);
    if (nresp && result >= 0)
        *nresp = responses;
    trace_exit(&call, result, nresp && resp ? responses : 0, resp);
    return result;
}

int pvm_spawn(const char *file, char *const *argv, int flag, const char *where, int ntask,
              int *tids)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    int *started = NULL;
    if (!trace_begin(&call, TEV_SPAWN))
        return untraced_spawn(file, argv, flag, where, ntask, tids);
    trace_entry(&call, file, where, flag, ntask);
    if (!tids && ntask > 0)
        started = malloc((size_t)ntask * sizeof *started);
    int result = untraced_spawn(file, argv, flag, where, ntask, tids ? tids : started);
    trace_exit(&call, result, (tids || started) && result > 0 ? result : 0, tids ? tids : started);
    free(started);
    return result;
}

int pvm_siblings(int **tids)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    if (!trace_begin(&call, TEV_SIBLINGS))
        return untraced_siblings(tids);
    trace_entry(&call);
    int result = untraced_siblings(tids);
    trace_exit(&call, result > 0 ? result : 0, result > 0 ? *tids : NULL);
    return result;
}

int pvm_getfds(int **fds)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    if (!trace_begin(&call, TEV_GETFDS))
        return untraced_getfds(fds);
    trace_entry(&call);
    int result = untraced_getfds(fds);
    trace_exit(&call, result, result > 0 ? result : 0, result > 0 ? *fds : NULL);
    return result;
}

/* Mailboxes. ----------------------------------------------------------------------------------- */

#define IN_FLAGS (-1) /* the index, in events, of a call that has it among its flags */

TRACED(TEV_PUTINFO, putinfo, (const char *name, int bufid, int flags), (name, bufid, flags),
       (&call, name, IN_FLAGS, flags, bufid))
TRACED(TEV_DELINFO, delinfo, (const char *name, int index, int flags), (name, index, flags),
       (&call, name, index, flags))
TRACED(TEV_GETMBOXINFO, getmboxinfo,
       (const char *pattern, int *nclasses, struct pvmmboxinfo **classes),
       (pattern, nclasses, classes), (&call, pattern))
TRACED(TEV_INSERT, insert, (const char *name, int req, int data), (name, req, data),
       (&call, name, req, data))
TRACED(TEV_LOOKUP, lookup, (const char *name, int req, int *data), (name, req, data),
       (&call, name, req))
TRACED(TEV_DELETE, delete, (const char *name, int req), (name, req), (&call, name, req))

int pvm_recvinfo(const char *name, int index, int flags)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    int length = -1;
    if (!trace_begin(&call, TEV_GETINFO))
        return untraced_recvinfo(name, index, flags);
    trace_entry(&call, name, index, flags);
    int result = untraced_recvinfo(name, index, flags);
    if (result > 0)
        untraced_bufinfo(result, &length, NULL, NULL);
    trace_exit(&call, result > 0 ? PvmOk : result, length);
    return result;
}

/* Buffers. ------------------------------------------------------------------------------------- */

TRACED_QUICKLY(TEV_MKBUF, mkbuf, (int encoding), (encoding), (&call, encoding))
TRACED_QUICKLY(TEV_INITSEND, initsend, (int encoding), (encoding), (&call, encoding))
TRACED_QUICKLY(TEV_FREEBUF, freebuf, (int bufid), (bufid), (&call, bufid))
TRACED_QUICKLY(TEV_GETSBUF, getsbuf, (void), (), (&call))
TRACED_QUICKLY(TEV_GETRBUF, getrbuf, (void), (), (&call))
TRACED_QUICKLY(TEV_SETSBUF, setsbuf, (int bufid), (bufid), (&call, bufid))
TRACED_QUICKLY(TEV_SETRBUF, setrbuf, (int bufid), (bufid), (&call, bufid))
TRACED_QUICKLY(TEV_GETMINFO, getminfo, (int bufid, struct pvmminfo *info), (bufid, info),
               (&call, bufid))
TRACED_QUICKLY(TEV_SETMINFO, setminfo, (int bufid, const struct pvmminfo *info), (bufid, info),
               (&call, bufid))

RARELY static int traced_bufinfo(int bufid, int *bytes, int *msgtag, int *tid)
{
    struct trace_call call;
    int length, tag, source;
    if (!trace_begin(&call, TEV_BUFINFO))
        return untraced_bufinfo(bufid, bytes, msgtag, tid);
    HOLD_OFF_CANCELLATION;
    trace_entry(&call, bufid);
    int result = untraced_bufinfo(bufid, &length, &tag, &source);
    if (result < 0) {
        trace_exit(&call, result, result, result, result);
        return result;
    }
    if (bytes)
        *bytes = length;
    if (msgtag)
        *msgtag = tag;
    if (tid)
        *tid = source;
    trace_exit(&call, result, length, tag, source);
    return result;
}

int pvm_bufinfo(int bufid, int *bytes, int *msgtag, int *tid)
{
    return trace_is_possible() ? traced_bufinfo(bufid, bytes, msgtag, tid)
                               : untraced_bufinfo(bufid, bytes, msgtag, tid);
}

/* Packing. ------------------------------------------------------------------------------------- */

#define TRACED_PACK(event, name, item)                                                             \
    TRACED_QUICKLY(TEV_PK##event, pk##name, (const item *items, int count, int stride),            \
                   (items, count, stride), (&call, (void *)items, count, stride))                  \
    TRACED_QUICKLY(TEV_UPK##event, upk##name, (item * items, int count, int stride),               \
                   (items, count, stride), (&call, (void *)items, count, stride))

TRACED_PACK(BYTE, byte, char)
TRACED_PACK(CPLX, cplx, float)
TRACED_PACK(DCPLX, dcplx, double)
TRACED_PACK(DOUBLE, double, double)
TRACED_PACK(FLOAT, float, float)
TRACED_PACK(INT, int, int)
TRACED_PACK(UINT, uint, unsigned int)
TRACED_PACK(LONG, long, long)
TRACED_PACK(ULONG, ulong, unsigned long)
TRACED_PACK(SHORT, short, short)
TRACED_PACK(USHORT, ushort, unsigned short)
TRACED_QUICKLY(TEV_PKSTR, pkstr, (const char *string), (string), (&call, (void *)string))
TRACED_QUICKLY(TEV_UPKSTR, upkstr, (char *string), (string), (&call, (void *)string))
TRACED(TEV_PACKF, vpackf, (const char *format, va_list arguments), (format, arguments),
       (&call, format))
TRACED(TEV_UNPACKF, vunpackf, (const char *format, va_list arguments), (format, arguments),
       (&call, format))

int pvm_packf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = pvm_vpackf(format, arguments);
    va_end(arguments);
    return result;
}

int pvm_unpackf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = pvm_vunpackf(format, arguments);
    va_end(arguments);
    return result;
}

/* Sending. ------------------------------------------------------------------------------------- */

/* Bytes in the active send buffer; -1 without one. */
static int active_length(void)
{
    int length = -1;
    int bufid = untraced_getsbuf();
    if (bufid > 0)
        untraced_bufinfo(bufid, &length, NULL, NULL);
    return length;
}

TRACED_QUICKLY(TEV_SEND, send, (int tid, int msgtag), (tid, msgtag),
               (&call, active_length(), tid, msgtag, context()))
TRACED(TEV_MCAST, mcast, (const int *tids, int ntask, int msgtag), (tids, ntask, msgtag),
       (&call, active_length(), msgtag, context(), ntask, tids))
TRACED(TEV_PSEND, psend, (int tid, int msgtag, const void *buf, int len, int datatype),
       (tid, msgtag, buf, len, datatype), (&call, tid, msgtag, context(), buf, len, datatype))

/* Receiving. ----------------------------------------------------------------------------------- */

/* The exit of a call that returns a message, or does not. */
static int received(struct trace_call *call, int result)
{
    struct pvmminfo info = {.len = -1, .tag = -1, .src = -1, .ctx = context()};
    if (result > 0)
        untraced_getminfo(result, &info);
    trace_exit(call, result, info.len, info.tag, info.ctx, info.src);
    return result;
}

/* The sleeps of a receive are points of cancellation, if the thread may be cancelled at all. */
static void begin_receive(int cancellation)
{
    struct caller *caller = caller_self();
    caller->cancellable = cancellation == PTHREAD_CANCEL_ENABLE;
    caller->holds_late = false;
}

TRACED(TEV_PROBE, probe, (int tid, int msgtag), (tid, msgtag), (&call, tid, msgtag, context()))

__attribute__((noinline)) static int held_recv(int tid, int msgtag)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    begin_receive(cancellation);
    if (!trace_begin(&call, TEV_RECV))
        return untraced_recv(tid, msgtag);
    trace_entry(&call, tid, msgtag, context());
    return received(&call, untraced_recv(tid, msgtag));
}

/* A receive of what has come reaches no point of cancellation. */
__attribute__((noinline)) static int late_recv(int tid, int msgtag)
{
    struct caller *caller = caller_self();
    caller->holds_late = true;
    int result = untraced_recv(tid, msgtag);
    bool held = !caller->holds_late;
    caller->holds_late = false;
    if (held && caller->cancellable)
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    return result;
}

int pvm_recv(int tid, int msgtag)
{
    if (trace_is_possible())
        return held_recv(tid, msgtag);
    return process_has_one_thread() ? untraced_recv(tid, msgtag) : late_recv(tid, msgtag);
}

int pvm_nrecv(int tid, int msgtag)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    if (!trace_begin(&call, TEV_NRECV))
        return untraced_nrecv(tid, msgtag);
    trace_entry(&call, tid, msgtag, context());
    return received(&call, untraced_nrecv(tid, msgtag));
}

int pvm_trecv(int tid, int msgtag, const struct timeval *tmout)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    begin_receive(cancellation);
    if (!trace_begin(&call, TEV_TRECV))
        return untraced_trecv(tid, msgtag, tmout);
    trace_entry(&call, tid, msgtag, context(), tmout ? (int)tmout->tv_sec : -1,
                tmout ? (int)tmout->tv_usec : -1);
    return received(&call, untraced_trecv(tid, msgtag, tmout));
}

int pvm_precv(int tid, int msgtag, void *buf, int len, int datatype, int *rtid, int *rtag,
              int *rlen)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    int source = -1, tag = -1, length = -1;
    begin_receive(cancellation);
    if (!trace_begin(&call, TEV_PRECV))
        return untraced_precv(tid, msgtag, buf, len, datatype, rtid, rtag, rlen);
    trace_entry(&call, tid, msgtag, context(), buf, len, datatype);
    int result = untraced_precv(tid, msgtag, buf, len, datatype, &source, &tag, &length);
    if (result >= 0 && rtid)
        *rtid = source;
    if (result >= 0 && rtag)
        *rtag = tag;
    if (result >= 0 && rlen)
        *rlen = length;
    trace_exit(&call, result, length, tag, context(), source);
    return result;
}

int (*pvm_recvf(int (*matcher)(int bufid, int tid, int msgtag)))(int bufid, int tid, int msgtag)
{
    HOLD_OFF_CANCELLATION;
    struct trace_call call;
    if (!trace_begin(&call, TEV_RECVF))
        return untraced_recvf(matcher);
    trace_entry(&call);
    int (*before)(int bufid, int tid, int msgtag) = untraced_recvf(matcher);
    trace_exit(&call);
    return before;
}
