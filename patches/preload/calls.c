/* calls.c - the public functions of libpvm3 that do not wait for messages: one line each. */
#include "forward.h"

#include <stdarg.h>
#include <stdio.h>

/* What pvm3.h of 3.4.6 declares when stdio.h stands before it, and what libgpvm3 uses besides. */
int pvm_catchout(FILE *file);
int pvm_vpackf(const char *format, va_list items);
int pvm_vunpackf(const char *format, va_list items);
int pvm_settmask(int who, char *mask);
int pvm_gettmask(int who, char *mask);
int pvmbeatask(void);

PUBLIC int pvm_threadsafe(void)
{
    return 1;
}

/* Enrolling, tasks, the virtual machine. ------------------------------------------------------- */

REMOTE(pvm_mytid, (void), ())
REMOTE(pvmbeatask, (void), ())
REMOTE(pvm_parent, (void), ())
REMOTE(pvm_siblings, (int **tids), (tids))
REMOTE(pvm_start_pvmd, (int count, char **words, int block), (count, words, block))
REMOTE(pvm_tidtohost, (int tid), (tid))
REMOTE(pvm_spawn, (char *task, char **words, int flag, char *where, int count, int *tids),
       (task, words, flag, where, count, tids))
REMOTE(pvm_kill, (int tid), (tid))
REMOTE(pvm_sendsig, (int tid, int number), (tid, number))
REMOTE(pvm_pstat, (int tid), (tid))
REMOTE(pvm_tasks, (int where, int *count, struct pvmtaskinfo **tasks), (where, count, tasks))
REMOTE(pvm_notify, (int what, int tag, int count, int *values), (what, tag, count, values))
REMOTE(pvm_config, (int *hosts, int *kinds, struct pvmhostinfo **info), (hosts, kinds, info))
REMOTE(pvm_addhosts, (char **hosts, int count, int *status), (hosts, count, status))
REMOTE(pvm_delhosts, (char **hosts, int count, int *status), (hosts, count, status))
REMOTE(pvm_mstat, (char *host), (host))
REMOTE(pvm_halt, (void), ())
REMOTE(pvm_hostsync, (int host, struct timeval *clock, struct timeval *delta), (host, clock, delta))
REMOTE(pvm_tickle, (int count, int *values, int *answers, int *answer),
       (count, values, answers, answer))
REMOTE(pvm_archcode, (char *kind), (kind))

/* Buffers. ------------------------------------------------------------------------------------- */

LOCAL(pvm_initsend, (int encoding), (encoding))
LOCAL(pvm_mkbuf, (int encoding), (encoding))
LOCAL(pvm_getsbuf, (void), ())
LOCAL(pvm_setsbuf, (int buffer), (buffer))
LOCAL(pvm_getrbuf, (void), ())
LOCAL(pvm_setrbuf, (int buffer), (buffer))
LOCAL(pvm_bufinfo, (int buffer, int *bytes, int *tag, int *tid), (buffer, bytes, tag, tid))
LOCAL(pvm_getminfo, (int buffer, struct pvmminfo *info), (buffer, info))
LOCAL(pvm_setminfo, (int buffer, struct pvmminfo *info), (buffer, info))

PUBLIC int pvm_freebuf(int buffer)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_freebuf)
    section_forget_buffer(buffer);
    int result = next(buffer);
    section_leave(outermost, false);
    return result;
}

/* Packing and unpacking. ----------------------------------------------------------------------- */

#define ITEMS(kind, type)                                                                          \
    LOCAL(pvm_pk##kind, (type * items, int count, int stride), (items, count, stride))             \
    LOCAL(pvm_upk##kind, (type * items, int count, int stride), (items, count, stride))

ITEMS(byte, char)
ITEMS(cplx, float)
ITEMS(dcplx, double)
ITEMS(double, double)
ITEMS(float, float)
ITEMS(int, int)
ITEMS(uint, unsigned)
ITEMS(long, long)
ITEMS(ulong, unsigned long)
ITEMS(short, short)
ITEMS(ushort, unsigned short)
LOCAL(pvm_pkstr, (char *text), (text))
LOCAL(pvm_upkstr, (char *text), (text))
LOCAL(pvm_pkmesg, (int buffer), (buffer))
LOCAL(pvm_pkmesgbody, (int buffer), (buffer))
LOCAL(pvm_upkmesg, (void), ())
LOCAL(pvm_vpackf, (const char *format, va_list items), (format, items))
LOCAL(pvm_vunpackf, (const char *format, va_list items), (format, items))

/* Arguments that nobody counted cannot be passed on, but in a list. */
PUBLIC int pvm_packf(const char *format, ...)
{
    va_list items;
    va_start(items, format);
    int result = pvm_vpackf(format, items);
    va_end(items);
    return result;
}

PUBLIC int pvm_unpackf(const char *format, ...)
{
    va_list items;
    va_start(items, format);
    int result = pvm_vunpackf(format, items);
    va_end(items);
    return result;
}

/* Messages. ------------------------------------------------------------------------------------ */

REMOTE(pvm_send, (int tid, int tag), (tid, tag))
REMOTE(pvm_mcast, (int *tids, int count, int tag), (tids, count, tag))
REMOTE(pvm_psend, (int tid, int tag, void *items, int count, int type),
       (tid, tag, items, count, type))
REMOTE(pvm_nrecv, (int tid, int tag), (tid, tag))
REMOTE(pvm_probe, (int tid, int tag), (tid, tag))

/* What it returns is declared as another function in the pvm3.h of 3.4.6. */
typedef int matcher(int buffer, int tid, int tag);
typedef __typeof__(pvm_recvf(NULL)) former_matcher;

PUBLIC former_matcher pvm_recvf(matcher *asked)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_recvf)
    former_matcher before = next(asked);
    section_leave(outermost, true);
    return before;
}

/* Others may ask for the descriptors while the caller looks at them. */
PUBLIC int pvm_getfds(int **descriptors)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_getfds)
    int result = outermost ? section_descriptors(descriptors) : next(descriptors);
    section_leave(outermost, true);
    return result;
}

/* Contexts, handlers, mailboxes, services, options. -------------------------------------------- */

REMOTE(pvm_newcontext, (void), ())
REMOTE(pvm_freecontext, (int context), (context))
LOCAL(pvm_setcontext, (int context), (context))
LOCAL(pvm_getcontext, (void), ())
REMOTE(pvm_addmhf, (int tid, int tag, int context, int (*handler)(int)),
       (tid, tag, context, handler))
LOCAL(pvm_delmhf, (int handler), (handler))
REMOTE(pvm_putinfo, (char *name, int buffer, int flags), (name, buffer, flags))
REMOTE(pvm_delinfo, (char *name, int index, int flags), (name, index, flags))
REMOTE(pvm_getmboxinfo, (char *pattern, int *count, struct pvmmboxinfo **names),
       (pattern, count, names))
REMOTE(pvm_insert, (char *name, int index, int data), (name, index, data))
REMOTE(pvm_lookup, (char *name, int index, int *data), (name, index, data))
REMOTE(pvm_delete, (char *name, int index), (name, index))
REMOTE(pvm_reg_hoster, (void), ())
REMOTE(pvm_reg_rm, (struct pvmhostinfo * *info), (info))
REMOTE(pvm_reg_tasker, (void), ())
REMOTE(pvm_reg_tracer,
       (int context, int tag, int output_context, int output_tag, char *mask, int size, int kind),
       (context, tag, output_context, output_tag, mask, size, kind))
REMOTE(pvm_getnoresets, (int **tids, int *count), (tids, count))
REMOTE(pvm_setopt, (int what, int value), (what, value))
LOCAL(pvm_getopt, (int what), (what))
REMOTE(pvm_catchout, (FILE * file), (file))
REMOTE(pvm_export, (char *name), (name))
REMOTE(pvm_unexport, (char *name), (name))
REMOTE(pvm_perror, (char *text), (text))
FORWARD(false, char *, pvm_strerror, (void), ())
LOCAL(pvm_settmask, (int who, char *mask), (who, mask))
LOCAL(pvm_gettmask, (int who, char *mask), (who, mask))
