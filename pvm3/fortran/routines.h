/*
 * routines.h - what Fortran programs call: the names, as the compiler writes them, and the
 * arguments.
 *
 * A Fortran compiler gives the address of each argument, and the lengths of CHARACTER arguments by
 * value behind all others, in their order. Only this file knows how the compiler writes the names
 * of procedures: configure finds it out (FC_FUNC), and without a compiler takes the way of nearly
 * all compilers. Everywhere else the names are those of the manual.
 *
 * Results stand in the last argument but where said otherwise. They are the results of the C calls
 * of the same names. Any thread may call any of the routines. A CHARACTER argument counts without
 * the blanks at its end and may then have 256 characters, or else the result is PvmBadParam.
 */
#ifndef FORTRAN_ROUTINES_H
#define FORTRAN_ROUTINES_H

#include <stddef.h>

#ifndef FC_FUNC
#define FC_FUNC(name, NAME) name##_
#endif

/* As gfortran 8 and later pass it. Others pass an int, so only the low half counts. */
typedef size_t text_length;

#pragma GCC visibility push(default)

/* Enrolling and leaving, tasks. ---------------------------------------------------------------- */

#define pvmfmytid FC_FUNC(pvmfmytid, PVMFMYTID)
void pvmfmytid(int *tid);

#define pvmfexit FC_FUNC(pvmfexit, PVMFEXIT)
void pvmfexit(int *info);

#define pvmfparent FC_FUNC(pvmfparent, PVMFPARENT)
void pvmfparent(int *tid);

/*
 * How many siblings there are, and the tid of one, from 0 on: PvmNoTask if there is no sibling with
 * this number.
 */
#define pvmfsiblings FC_FUNC(pvmfsiblings, PVMFSIBLINGS)
void pvmfsiblings(int *ntids, int *index, int *tid);

/* Anywhere if where is '*'. */
#define pvmfspawn FC_FUNC(pvmfspawn, PVMFSPAWN)
void pvmfspawn(char *task, int *flag, char *where, int *ntask, int *tids, int *numt,
               text_length task_length, text_length where_length);

#define pvmfregister FC_FUNC(pvmfregister, PVMFREGISTER)
void pvmfregister(char *name, int (*function)(void), int *info, text_length name_length);
#define pvmfmigrate FC_FUNC(pvmfmigrate, PVMFMIGRATE)
void pvmfmigrate(int *tid, int *host, int *info);
#define pvmfkill FC_FUNC(pvmfkill, PVMFKILL)
void pvmfkill(int *tid, int *info);

#define pvmfsendsig FC_FUNC(pvmfsendsig, PVMFSENDSIG)
void pvmfsendsig(int *tid, int *signum, int *info);

#define pvmfpstat FC_FUNC(pvmfpstat, PVMFPSTAT)
void pvmfpstat(int *tid, int *status);

#define pvmfnotify FC_FUNC(pvmfnotify, PVMFNOTIFY)
void pvmfnotify(int *what, int *tag, int *count, int *tids, int *info);

/* The virtual machine. ------------------------------------------------------------------------- */

#define pvmfstartpvmd FC_FUNC(pvmfstartpvmd, PVMFSTARTPVMD)
void pvmfstartpvmd(char *arguments, int *block, int *info, text_length arguments_length);

#define pvmfhalt FC_FUNC(pvmfhalt, PVMFHALT)
void pvmfhalt(int *info);

/* One host each; the result is its tid or why not. */
#define pvmfaddhost FC_FUNC(pvmfaddhost, PVMFADDHOST)
void pvmfaddhost(char *host, int *info, text_length host_length);

#define pvmfdelhost FC_FUNC(pvmfdelhost, PVMFDELHOST)
void pvmfdelhost(char *host, int *info, text_length host_length);

#define pvmfmstat FC_FUNC(pvmfmstat, PVMFMSTAT)
void pvmfmstat(char *host, int *status, text_length host_length);

#define pvmftidtohost FC_FUNC(pvmftidtohost, PVMFTIDTOHOST)
void pvmftidtohost(int *tid, int *dtid);

#define pvmfarchcode FC_FUNC(pvmfarchcode, PVMFARCHCODE)
void pvmfarchcode(char *arch, int *code, text_length arch_length);

#define pvmfhostsync FC_FUNC(pvmfhostsync, PVMFHOSTSYNC)
void pvmfhostsync(int *host, int *clock_seconds, int *clock_microseconds, int *delta_seconds,
                  int *delta_microseconds, int *info);

/*
 * These three tell one entry of a list per call, and 1 when there is one. A cycle begins with the
 * first call, with the one behind the last entry, and when the number (nhost, ntask, nclasses) is
 * -1 on entry; all of its entries are of the time when it began. Each thread has cycles of its
 * own.
 */
#define pvmfconfig FC_FUNC(pvmfconfig, PVMFCONFIG)
void pvmfconfig(int *nhost, int *narch, int *dtid, char *name, char *arch, int *speed, int *info,
                text_length name_length, text_length arch_length);

#define pvmftasks FC_FUNC(pvmftasks, PVMFTASKS)
void pvmftasks(int *where, int *ntask, int *tid, int *ptid, int *dtid, int *flag, char *aout,
               int *info, text_length aout_length);

/* Behind the last name comes PvmNotFound once. indices, owners and flags are arrays of nentries. */
#define pvmfgetmboxinfo FC_FUNC(pvmfgetmboxinfo, PVMFGETMBOXINFO)
void pvmfgetmboxinfo(char *pattern, char *name, int *nclasses, int *nentries, int *indices,
                     int *owners, int *flags, int *info, text_length pattern_length,
                     text_length name_length);

/* Mailboxes. ----------------------------------------------------------------------------------- */

#define pvmfputinfo FC_FUNC(pvmfputinfo, PVMFPUTINFO)
void pvmfputinfo(char *name, int *bufid, int *flags, int *index, text_length name_length);

#define pvmfrecvinfo FC_FUNC(pvmfrecvinfo, PVMFRECVINFO)
void pvmfrecvinfo(char *name, int *index, int *flags, int *bufid, text_length name_length);

#define pvmfdelinfo FC_FUNC(pvmfdelinfo, PVMFDELINFO)
void pvmfdelinfo(char *name, int *index, int *flags, int *info, text_length name_length);

/* Buffers. ------------------------------------------------------------------------------------- */

#define pvmfinitsend FC_FUNC(pvmfinitsend, PVMFINITSEND)
void pvmfinitsend(int *encoding, int *bufid);

#define pvmfmkbuf FC_FUNC(pvmfmkbuf, PVMFMKBUF)
void pvmfmkbuf(int *encoding, int *bufid);

#define pvmffreebuf FC_FUNC(pvmffreebuf, PVMFFREEBUF)
void pvmffreebuf(int *bufid, int *info);

#define pvmfgetsbuf FC_FUNC(pvmfgetsbuf, PVMFGETSBUF)
void pvmfgetsbuf(int *bufid);

#define pvmfgetrbuf FC_FUNC(pvmfgetrbuf, PVMFGETRBUF)
void pvmfgetrbuf(int *bufid);

#define pvmfsetsbuf FC_FUNC(pvmfsetsbuf, PVMFSETSBUF)
void pvmfsetsbuf(int *bufid, int *old);

#define pvmfsetrbuf FC_FUNC(pvmfsetrbuf, PVMFSETRBUF)
void pvmfsetrbuf(int *bufid, int *old);

#define pvmfbufinfo FC_FUNC(pvmfbufinfo, PVMFBUFINFO)
void pvmfbufinfo(int *bufid, int *bytes, int *tag, int *tid, int *info);

/*
 * what: STRING and BYTE1 are as many bytes as nitem says, without a length in the message; a number
 * that fpvm3.h does not have is PvmBadParam, and nothing is printed.
 */
#define pvmfpack FC_FUNC(pvmfpack, PVMFPACK)
void pvmfpack(int *what, void *xp, int *nitem, int *stride, int *info);

#define pvmfunpack FC_FUNC(pvmfunpack, PVMFUNPACK)
void pvmfunpack(int *what, void *xp, int *nitem, int *stride, int *info);

/* Sending and receiving. ----------------------------------------------------------------------- */

#define pvmfsend FC_FUNC(pvmfsend, PVMFSEND)
void pvmfsend(int *tid, int *tag, int *info);

#define pvmfmcast FC_FUNC(pvmfmcast, PVMFMCAST)
void pvmfmcast(int *ntask, int *tids, int *tag, int *info);

#define pvmfpsend FC_FUNC(pvmfpsend, PVMFPSEND)
void pvmfpsend(int *tid, int *tag, void *buffer, int *count, int *type, int *info);

#define pvmfrecv FC_FUNC(pvmfrecv, PVMFRECV)
void pvmfrecv(int *tid, int *tag, int *bufid);

#define pvmfnrecv FC_FUNC(pvmfnrecv, PVMFNRECV)
void pvmfnrecv(int *tid, int *tag, int *bufid);

/* Waits without end if seconds is -1. */
#define pvmftrecv FC_FUNC(pvmftrecv, PVMFTRECV)
void pvmftrecv(int *tid, int *tag, int *seconds, int *microseconds, int *bufid);

#define pvmfprobe FC_FUNC(pvmfprobe, PVMFPROBE)
void pvmfprobe(int *tid, int *tag, int *bufid);

/* type: as in pvmfpack. */
#define pvmfprecv FC_FUNC(pvmfprecv, PVMFPRECV)
void pvmfprecv(int *tid, int *tag, void *buffer, int *count, int *type, int *source, int *real_tag,
               int *bytes, int *info);

/* Contexts and handlers. ----------------------------------------------------------------------- */

#define pvmfnewcontext FC_FUNC(pvmfnewcontext, PVMFNEWCONTEXT)
void pvmfnewcontext(int *context);

#define pvmfgetcontext FC_FUNC(pvmfgetcontext, PVMFGETCONTEXT)
void pvmfgetcontext(int *context);

#define pvmfsetcontext FC_FUNC(pvmfsetcontext, PVMFSETCONTEXT)
void pvmfsetcontext(int *context, int *old);

#define pvmffreecontext FC_FUNC(pvmffreecontext, PVMFFREECONTEXT)
void pvmffreecontext(int *context, int *info);

/* The handler gets the buffer by value. As in 3.4.6 one argument is not used. */
#define pvmfaddmhf FC_FUNC(pvmfaddmhf, PVMFADDMHF)
void pvmfaddmhf(int *source, int *tag, int *context, int *unused, int (*handler)(int bufid),
                int *mhid);

#define pvmfdelmhf FC_FUNC(pvmfdelmhf, PVMFDELMHF)
void pvmfdelmhf(int *mhid, int *info);

/* Options, output and errors. ------------------------------------------------------------------ */

#define pvmfgetopt FC_FUNC(pvmfgetopt, PVMFGETOPT)
void pvmfgetopt(int *what, int *value);

#define pvmfsetopt FC_FUNC(pvmfsetopt, PVMFSETOPT)
void pvmfsetopt(int *what, int *value, int *old);

/* Children print to the standard output unless onoff is 0. */
#define pvmfcatchout FC_FUNC(pvmfcatchout, PVMFCATCHOUT)
void pvmfcatchout(int *onoff, int *info);

/* The message may have any length, and its blanks count. */
#define pvmfperror FC_FUNC(pvmfperror, PVMFPERROR)
void pvmfperror(char *message, int *info, text_length message_length);

/* No result. */
#define pvmfsleep FC_FUNC(pvmfsleep, PVMFSLEEP)
void pvmfsleep(int *seconds);

/* Groups: these alone need libgpvm3. ----------------------------------------------------------- */

#define pvmfjoingroup FC_FUNC(pvmfjoingroup, PVMFJOINGROUP)
void pvmfjoingroup(char *group, int *instance, text_length group_length);

#define pvmflvgroup FC_FUNC(pvmflvgroup, PVMFLVGROUP)
void pvmflvgroup(char *group, int *info, text_length group_length);

#define pvmfgsize FC_FUNC(pvmfgsize, PVMFGSIZE)
void pvmfgsize(char *group, int *size, text_length group_length);

#define pvmfgetinst FC_FUNC(pvmfgetinst, PVMFGETINST)
void pvmfgetinst(char *group, int *tid, int *instance, text_length group_length);

#define pvmfgettid FC_FUNC(pvmfgettid, PVMFGETTID)
void pvmfgettid(char *group, int *instance, int *tid, text_length group_length);

#define pvmffreezegroup FC_FUNC(pvmffreezegroup, PVMFFREEZEGROUP)
void pvmffreezegroup(char *group, int *size, int *info, text_length group_length);

#define pvmfbarrier FC_FUNC(pvmfbarrier, PVMFBARRIER)
void pvmfbarrier(char *group, int *count, int *info, text_length group_length);

#define pvmfbcast FC_FUNC(pvmfbcast, PVMFBCAST)
void pvmfbcast(char *group, int *tag, int *info, text_length group_length);

#define pvmfgather FC_FUNC(pvmfgather, PVMFGATHER)
void pvmfgather(void *result, void *data, int *count, int *type, int *tag, char *group, int *root,
                int *info, text_length group_length);

#define pvmfscatter FC_FUNC(pvmfscatter, PVMFSCATTER)
void pvmfscatter(void *result, void *data, int *count, int *type, int *tag, char *group, int *root,
                 int *info, text_length group_length);

#define pvmfallgather FC_FUNC(pvmfallgather, PVMFALLGATHER)
void pvmfallgather(void *result, void *data, int *count, int *type, int *tag, char *group,
                   int *info, text_length group_length);

#define pvmfalltoall FC_FUNC(pvmfalltoall, PVMFALLTOALL)
void pvmfalltoall(void *result, void *data, int *count, int *type, int *tag, char *group, int *info,
                  text_length group_length);

#define pvmfallreduce FC_FUNC(pvmfallreduce, PVMFALLREDUCE)
void pvmfallreduce(void (*func)(int *type, void *x, void *y, int *count, int *info), void *data,
                   int *count, int *type, int *tag, char *group, int *info,
                   text_length group_length);

/* func: one of the four below, or of the program. */
#define pvmfreduce FC_FUNC(pvmfreduce, PVMFREDUCE)
void pvmfreduce(void (*func)(int *type, void *x, void *y, int *count, int *info), void *data,
                int *count, int *type, int *tag, char *group, int *root, int *info,
                text_length group_length);

#define pvmmax FC_FUNC(pvmmax, PVMMAX)
void pvmmax(int *type, void *x, void *y, int *count, int *info);

#define pvmmin FC_FUNC(pvmmin, PVMMIN)
void pvmmin(int *type, void *x, void *y, int *count, int *info);

#define pvmsum FC_FUNC(pvmsum, PVMSUM)
void pvmsum(int *type, void *x, void *y, int *count, int *info);

#define pvmproduct FC_FUNC(pvmproduct, PVMPRODUCT)
void pvmproduct(int *type, void *x, void *y, int *count, int *info);

#pragma GCC visibility pop

#endif
