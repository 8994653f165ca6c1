/*
 * pvm3.h - the C interface of PVM 3.4, and what this library adds to it.
 *
 * Names, values and layouts are those of PVM 3.4.6: programs compiled with either header run on
 * either library. The header compiles as C89, C17 and C++.
 *
 * Every function returns an int, 0 or greater on success and one of the negative codes below on
 * failure, unless its comment says otherwise. On failure the code is also in pvm_errno of the
 * process, and a line is printed to stderr unless pvm_setopt(PvmAutoErr, 0) was called.
 *
 * Threads. Any thread may call any function at any time; this is our addition, 3.4.6 allows one
 * thread. The active send buffer, the active receive buffer and the message context belong to the
 * calling thread; everything else belongs to the task. A buffer id may be handed to another thread,
 * which makes it active with pvm_setsbuf or pvm_setrbuf. In a program of 3.4.6 whose threads take
 * turns under a lock of its own, they belong to the task, as there; pvm_threads(7) says how a program
 * is told from the other kind. After pvm_threadsafe() they belong to the thread in any case.
 */
#ifndef _PVM3_H_
#define _PVM3_H_

#include <sys/time.h>

#define PVM_VER           "3.4.6"
#define PVM_MAJOR_VERSION 3
#define PVM_MINOR_VERSION 4
#define PVM_PATCH_VERSION 6

/*
 * Defined by this library alone: functions may be called by any thread, and the calls marked ADDED
 * exist.
 */
#define PVM_THREADSAFE 1

/*
 * ADDED. What a function only reads is const. A program that declares or defines such functions
 * itself, for the header of 3.4.6, is compiled with -DPVM_CONST= and has them without.
 */
#ifndef PVM_CONST
#define PVM_CONST const
#endif

/* Encodings: pvm_initsend, pvm_mkbuf. */
#define PvmDataDefault 0 /* XDR, understood everywhere */
#define PvmDataRaw     1 /* as in memory, for machines alike */
#define PvmDataInPlace 2 /* as in memory, read when sent */
#define PvmDataFoo     PvmDataDefault
#define PvmDataTrace   4 /* XDR with types, for user trace events */

/* Flags of pvm_spawn. */
#define PvmTaskDefault   0
#define PvmTaskHost      1
#define PvmTaskArch      2
#define PvmTaskDebug     4
#define PvmTaskTrace     8
#define PvmMppFront      16
#define PvmHostCompl     32
#define PvmNoSpawnParent 64

/* Kinds of pvm_notify. */
#define PvmTaskExit     1
#define PvmHostDelete   2
#define PvmHostAdd      3
#define PvmRouteAdd     4
#define PvmRouteDelete  5
#define PvmNotifyCancel 256 /* added to a kind: take the request back */

/* Options: pvm_setopt, pvm_getopt. */
#define PvmRoute             1
#define PvmDebugMask         2
#define PvmAutoErr           3
#define PvmOutputTid         4
#define PvmOutputCode        5
#define PvmTraceTid          6
#define PvmTraceCode         7
#define PvmTraceBuffer       8
#define PvmTraceOptions      9
#define PvmFragSize          10
#define PvmResvTids          11
#define PvmSelfOutputTid     12
#define PvmSelfOutputCode    13
#define PvmSelfTraceTid      14
#define PvmSelfTraceCode     15
#define PvmSelfTraceBuffer   16
#define PvmSelfTraceOptions  17
#define PvmShowTids          18
#define PvmPollType          19
#define PvmPollTime          20
#define PvmOutputContext     21
#define PvmTraceContext      22
#define PvmSelfOutputContext 23
#define PvmSelfTraceContext  24
#define PvmNoReset           25

/* Values of PvmRoute. */
#define PvmDontRoute   1
#define PvmAllowDirect 2
#define PvmRouteDirect 3

/* Values of PvmTraceOptions. */
#define PvmTraceFull  1
#define PvmTraceTime  2
#define PvmTraceCount 3

/* Values of PvmPollType; 3.4.6 has them for shared-memory machines only. */
#define PvmPollConstant 1
#define PvmPollSleep    2

/* Whose trace mask: pvm_settmask, pvm_gettmask. */
#define PvmTaskSelf  0
#define PvmTaskChild 1

#define PvmBaseContext 0

/* Flags of mailbox entries: pvm_putinfo, pvm_recvinfo. */
#define PvmMboxDefault          0
#define PvmMboxPersistent       1  /* stays when its owner exits */
#define PvmMboxMultiInstance    2  /* beside others of the name */
#define PvmMboxOverWritable     4  /* any task may replace or delete it */
#define PvmMboxFirstAvail       8  /* take the first at the index or behind it */
#define PvmMboxReadAndDelete    16 /* take it out */
#define PvmMboxWaitForInfo      32 /* wait until it is there */
#define PvmMboxMaxFlag          512
#define PvmMboxDirectIndexShift 10
#define PvmMboxMaxDirectIndex   ((unsigned)1 << 21)

/* An index within the flags, and back. PvmMboxDirectIndex needs stdio.h. */
#define PvmMboxDirectIndexOf(flags)                                                                \
    (((unsigned)(flags) >> PvmMboxDirectIndexShift) & (PvmMboxMaxDirectIndex - 1))
#define PvmMboxDirectIndex(index)                                                                  \
    ((unsigned)(index) < PvmMboxMaxDirectIndex                                                     \
         ? (int)((unsigned)(index) << PvmMboxDirectIndexShift)                                     \
         : (fprintf(stderr, "PvmMboxDirectIndex: index %d is not below %u\n", (int)(index),        \
                    PvmMboxMaxDirectIndex),                                                        \
            0))

/* Mailbox names that the system uses. */
#define PVMRMCLASS      "###_PVM_RM_###"       /* resource managers */
#define PVMHOSTERCLASS  "###_PVM_HOSTER_###"   /* who starts daemons */
#define PVMTASKERCLASS  "###_PVM_TASKER_###"   /* who starts tasks */
#define PVMTRACERCLASS  "###_PVM_TRACER_###"   /* who collects traces */
#define PVMNORESETCLASS "###_PVM_NO_RESET_###" /* tasks that a reset leaves alone */

/* Types of items: pvm_psend, pvm_precv, the group library. */
#define PVM_STR    0
#define PVM_BYTE   1
#define PVM_SHORT  2
#define PVM_INT    3
#define PVM_FLOAT  4
#define PVM_CPLX   5
#define PVM_DOUBLE 6
#define PVM_DCPLX  7
#define PVM_LONG   8
#define PVM_USHORT 9
#define PVM_UINT   10
#define PVM_ULONG  11

/*
 * Temporary names: of the system, or with NOTMPNAM ours, which PVM_TMP governs. Room for one, and
 * how to make it.
 */
#if !defined(NOTMPNAM) && defined(L_tmpnam)
#define PVMTMPNAMLEN L_tmpnam /* from stdio.h */
#else
#define PVMTMPNAMLEN 128
#endif
#ifndef NOTMPNAM
#define PVMTMPNAMFUN(name) tmpnam(name)
#else
#define PVMTMPNAMFUN(name) pvmtmpnam(name)
#endif

/* Error codes. */
#define PvmOk           0
#define PvmBadParam     (-2)
#define PvmMismatch     (-3)
#define PvmOverflow     (-4)
#define PvmNoData       (-5)
#define PvmNoHost       (-6)
#define PvmNoFile       (-7)
#define PvmDenied       (-8)
#define PvmNoMem        (-10)
#define PvmBadMsg       (-12)
#define PvmSysErr       (-14)
#define PvmNoBuf        (-15)
#define PvmNoSuchBuf    (-16)
#define PvmNullGroup    (-17)
#define PvmDupGroup     (-18)
#define PvmNoGroup      (-19)
#define PvmNotInGroup   (-20)
#define PvmNoInst       (-21)
#define PvmHostFail     (-22)
#define PvmNoParent     (-23)
#define PvmNotImpl      (-24)
#define PvmDSysErr      (-25)
#define PvmBadVersion   (-26)
#define PvmOutOfRes     (-27)
#define PvmDupHost      (-28)
#define PvmCantStart    (-29)
#define PvmAlready      (-30)
#define PvmNoTask       (-31)
#define PvmNotFound     (-32)
#define PvmExists       (-33)
#define PvmHostrNMstr   (-34)
#define PvmParentNotSet (-35)
#define PvmIPLoopback   (-36)
#define PvmNoEntry      PvmNotFound
#define PvmDupEntry     PvmDenied

/* What pvm_config tells of a host. The strings belong to the library. */
struct pvmhostinfo {
    int hi_tid; /* host part of its tids */
    char *hi_name;
    char *hi_arch; /* architecture name */
    int hi_speed;  /* relative speed, 1000 unless set */
    int hi_dsig;   /* its data signature */
};

/* What pvm_tasks tells of a task. The string belongs to the library. */
struct pvmtaskinfo {
    int ti_tid;
    int ti_ptid; /* parent */
    int ti_host; /* host part */
    int ti_flag; /* how it is connected, and its services */
    char *ti_a_out;
    int ti_pid;
};

/* The header of a message: pvm_getminfo, pvm_setminfo. */
struct pvmminfo {
    int len; /* bytes of body */
    int ctx;
    int tag;
    int wid; /* wait id */
    int enc; /* encoding or data signature */
    int crc;
    int src;
    int dst;
};

/* What pvm_getmboxinfo tells of a mailbox name. The arrays belong to the library. */
struct pvmmboxinfo {
    char *mi_name;
    int mi_nentries;
    int *mi_indices;
    int *mi_owners;
    int *mi_flags;
};

/* Some programs declare their own functions with it. */
#undef __ProtoGlarp__
#define __ProtoGlarp__(parameters) parameters

#ifdef __cplusplus
extern "C" {
#endif

/* Enrolling and leaving. ----------------------------------------------------------------------- */

int pvm_mytid(void);  /* own tid; enrols the process if need be. PvmSysErr: no pvmd runs */
int pvm_exit(void);   /* leaves the virtual machine; the process goes on */
int pvm_parent(void); /* PvmNoParent when not spawned, PvmParentNotSet when the spawner hides */
int pvm_siblings(
    int **tids); /* tids spawned in the same call; returns how many. The array is the library's */
int pvm_start_pvmd(int argc, char *PVM_CONST *argv,
                   int block); /* PvmDupHost: one runs already. PvmCantStart */
int pvm_tidtohost(int tid);    /* the host part of a tid; checks nothing */

/* Tasks. --------------------------------------------------------------------------------------- */

/*
 * Starts ntask copies of task; argv (without the program name, NULL ended) may be NULL, and so may
 * tids. Returns how many started; their tids come first in tids, error codes after them.
 */
int pvm_spawn(PVM_CONST char *task, char *PVM_CONST *argv, int flag, PVM_CONST char *where,
              int ntask, int *tids);
int pvm_kill(int tid);
int pvm_sendsig(int tid, int signum);
int pvm_pstat(int tid); /* 0 runs, PvmNoTask, PvmHostFail */
int pvm_tasks(int where, int *ntask,
              struct pvmtaskinfo **taskp); /* the list is valid until the next call */
int pvm_notify(int what, int msgtag, int cnt, PVM_CONST int *vals);

/* The virtual machine. ------------------------------------------------------------------------- */

int pvm_config(int *nhost, int *narch,
               struct pvmhostinfo **hostp); /* the list is valid until the next call */
int pvm_addhosts(char *PVM_CONST *hosts, int count, int *status);
int pvm_delhosts(char *PVM_CONST *hosts, int count, int *status);
int pvm_mstat(PVM_CONST char *host);
int pvm_halt(void);
int pvm_hostsync(int host, struct timeval *clk, struct timeval *delta);
int pvm_tickle(int narg, PVM_CONST int *argp, int *nresp, int *resp);
int pvm_archcode(PVM_CONST char *arch);
char *pvm_version(void); /* static */

/*
 * ADDED. Returns 1: any thread may call any function, and from now on each has active buffers and a
 * context of its own. For programs with threads, those too that are not compiled with this
 * header, or run with whatever libpvm3 they find: a weak reference to it is null with that of
 * 3.4.6.
 */
int pvm_threadsafe(void);

/* Buffers. ------------------------------------------------------------------------------------- */

int pvm_initsend(int encoding); /* a fresh active send buffer; the one before is freed */
int pvm_mkbuf(int encoding);    /* a new buffer, not active */
int pvm_freebuf(int bufid);
int pvm_getsbuf(void);
int pvm_setsbuf(int bufid); /* returns the buffer that was active, 0 for none */
int pvm_getrbuf(void);
int pvm_setrbuf(int bufid);
int pvm_bufinfo(int bufid, int *bytes, int *msgtag, int *tid);
int pvm_getminfo(int bufid, struct pvmminfo *info);
int pvm_setminfo(int bufid, PVM_CONST struct pvmminfo *info);

/* Packing: cnt items, the n-th at np[n * std] (complex items are pairs). ----------------------- */

int pvm_pkbyte(PVM_CONST char *cp, int cnt, int std);
int pvm_pkcplx(PVM_CONST float *xp, int cnt, int std);
int pvm_pkdcplx(PVM_CONST double *zp, int cnt, int std);
int pvm_pkdouble(PVM_CONST double *dp, int cnt, int std);
int pvm_pkfloat(PVM_CONST float *fp, int cnt, int std);
int pvm_pkint(PVM_CONST int *np, int cnt, int std);
int pvm_pkuint(PVM_CONST unsigned int *np, int cnt, int std);
int pvm_pklong(PVM_CONST long *np, int cnt, int std);
int pvm_pkulong(PVM_CONST unsigned long *np, int cnt, int std);
int pvm_pkshort(PVM_CONST short *np, int cnt, int std);
int pvm_pkushort(PVM_CONST unsigned short *np, int cnt, int std);
int pvm_pkstr(PVM_CONST char *cp);
int pvm_packf(const char *fmt, ...);
int pvm_pkmesg(int bufid);
int pvm_pkmesgbody(int bufid);

/* Unpacking. PvmNoData past the end of the message. -------------------------------------------- */

int pvm_upkbyte(char *cp, int cnt, int std);
int pvm_upkcplx(float *xp, int cnt, int std);
int pvm_upkdcplx(double *zp, int cnt, int std);
int pvm_upkdouble(double *dp, int cnt, int std);
int pvm_upkfloat(float *fp, int cnt, int std);
int pvm_upkint(int *np, int cnt, int std);
int pvm_upkuint(unsigned int *np, int cnt, int std);
int pvm_upklong(long *np, int cnt, int std);
int pvm_upkulong(unsigned long *np, int cnt, int std);
int pvm_upkshort(short *np, int cnt, int std);
int pvm_upkushort(unsigned short *np, int cnt, int std);
int pvm_upkstr(char *cp); /* cp has room for the string that was packed */
int pvm_unpackf(const char *fmt, ...);
int pvm_upkmesg(void); /* a new buffer with the message packed by pvm_pkmesg */

/* Messages. tid -1 and tag -1 match any. ------------------------------------------------------- */

int pvm_send(int tid, int msgtag);
int pvm_mcast(PVM_CONST int *tids, int ntask, int msgtag);
int pvm_psend(int tid, int msgtag, PVM_CONST void *buf, int len, int datatype);
int pvm_recv(int tid, int msgtag);  /* waits; returns the active receive buffer */
int pvm_nrecv(int tid, int msgtag); /* 0 when there is none */
int pvm_trecv(int tid, int msgtag,
              PVM_CONST struct timeval *tmout); /* 0 when none came in time; NULL waits */
int pvm_precv(int tid, int msgtag, void *buf, int len, int datatype, int *rtid, int *rtag,
              int *rlen);
int pvm_probe(int tid, int msgtag); /* a buffer for pvm_bufinfo, or 0; the message stays */

/*
 * From now on every receive and probe of the task asks `matcher` about each message that has come,
 * in order of arrival and of whatever context, with the tid and tag that were asked for: less than
 * 0 ends the call with that error, 0 leaves the message, 1 takes it, more takes the message with
 * the highest answer once all that are there have been judged. NULL: by tid, tag and context again.
 * Returns the matcher before, never NULL. It runs in the receiving thread, while others receive,
 * and may call any function.
 */
int (*pvm_recvf(int (*matcher)(int bufid, int tid, int msgtag)))(int bufid, int tid, int msgtag);
int pvm_getfds(int **fds); /* descriptors that become readable when a message may be there */

/*
 * ADDED. Interruptible receive, of Plachetka, "(Quasi-) Thread-Safe PVM and (Quasi-) Thread-Safe
 * MPI without Active Polling", 2002, section 4.1.
 *
 * pvm_interrupt_recv returns when a thread that is blocked in a receive (pvm_recv, pvm_trecv,
 * pvm_precv) stands outside its critical section, and waits for such a thread if there is none.
 * With several, it is the one that has waited longest. Until pvm_resume_recv that receive does not
 * return. Interrupts of several threads are independent: each stops one receive. The library needs
 * neither for its own sake; they serve programs written to the paper. Returns 0, or PvmSysErr when
 * the process cannot enrol or the pvmd is lost.
 */
int pvm_interrupt_recv(void);

/*
 * ADDED. Lets the receive that has been stopped longest go back to exactly the wait it was in;
 * messages that arrived meanwhile are considered in their order. Returns 0, or PvmNotFound when no
 * receive is stopped.
 */
int pvm_resume_recv(void);

/* Contexts and handlers. ----------------------------------------------------------------------- */

int pvm_newcontext(void);
int pvm_setcontext(int context); /* returns the context before */
int pvm_getcontext(void);
int pvm_freecontext(int context);
int pvm_addmhf(int src, int tag, int ctx, int (*handler)(int bufid)); /* returns the handler's id */
int pvm_delmhf(int mhid);

/* Mailboxes. ----------------------------------------------------------------------------------- */

int pvm_putinfo(PVM_CONST char *name, int bufid, int flags);
int pvm_recvinfo(PVM_CONST char *name, int index, int flags);
int pvm_delinfo(PVM_CONST char *name, int index, int flags);
int pvm_getmboxinfo(PVM_CONST char *pattern, int *nclasses, struct pvmmboxinfo **classes);
int pvm_insert(PVM_CONST char *name, int req, int data);
int pvm_lookup(PVM_CONST char *name, int req, int *data);
int pvm_delete(PVM_CONST char *name, int req);

/* Services. ------------------------------------------------------------------------------------ */

/*
 * Take a part of the pvmd's work over; pvmproto.h tells in which messages. A call takes the role of
 * hoster (on the master) or tasker, the next one leaves it: 0, PvmAlready when another task has it
 * or another thread is just changing it, PvmHostrNMstr. The role of resource manager is only taken:
 * returns the tid of the one before, 0 for none; *hip, when hip is not NULL, is the master host,
 * valid until the next call.
 */
int pvm_reg_hoster(void);
int pvm_reg_rm(struct pvmhostinfo **hip);
int pvm_reg_tasker(void);
int pvm_reg_tracer(int tctx, int ttag, int octx, int otag, PVM_CONST char *mask, int tbuf,
                   int topt);
int pvm_getnoresets(int **tids, int *ntids);

/* Options, output and errors. ------------------------------------------------------------------ */

int pvm_getopt(int what);
int pvm_setopt(int what, int val); /* returns the value before */
#ifdef EOF
/*
 * Has tasks that are spawned from now on, and what they spawn, print to ff, each line behind its
 * tid unless PvmShowTids is 0; pvm_exit waits for all of it. NULL: as it was before.
 */
int pvm_catchout(FILE *ff);
#endif
int pvm_export(PVM_CONST char *name);
int pvm_unexport(PVM_CONST char *name);
int pvm_perror(PVM_CONST char *msg);
char *pvm_strerror(void); /* the text of pvm_errno; static */
char *pvmgetrsh(void);    /* PVM_RSH, or the remote shell built in; static */
char *pvmgettmp(void);    /* PVM_TMP, or /tmp; static */
#ifdef NOTMPNAM
char *pvmtmpnam(char *buf); /* the next temporary name, in buf, or static when that is NULL */
#endif

/*
 * The group library, libgpvm3. -----------------------------------------------------------------
 *
 * A group is a name and its members. A task may be in any number of groups, and leaves them all
 * when it ends. Any thread may call; threads of one task may wait in several groups at once.
 * PvmNullGroup: no name. PvmNoGroup: nobody is in it. PvmNotInGroup: the caller is not. PvmSysErr:
 * no group server can be reached, or it ended meanwhile.
 */

int pvm_joingroup(
    PVM_CONST char *group); /* the caller's instance, the lowest free number; PvmDupGroup */
int pvm_lvgroup(PVM_CONST char *group);
int pvm_gsize(PVM_CONST char *group);
int pvm_getinst(PVM_CONST char *group, int tid); /* PvmNotInGroup */
int pvm_gettid(PVM_CONST char *group, int inst); /* PvmNoInst */

/*
 * Sends the active send buffer to all members but the caller, which need not be one: to those who
 * are members when the group server is asked, not to who joins later. PvmNoInst: nobody else is
 * there. It waits for nobody.
 */
int pvm_bcast(PVM_CONST char *group, int msgtag);

/*
 * Waits until cnt members have called it; all must say the same cnt, else PvmMismatch, and the
 * others go on waiting. A member that leaves or dies meanwhile is not counted any more. -1 is all
 * members: while nobody has said a number, who joins is waited for, too, and who leaves or dies no
 * longer. A cnt is waited for whatever happens, perhaps for members that are still to come; whoever
 * wants to know of deaths asks pvm_notify.
 */
int pvm_barrier(PVM_CONST char *group, int cnt);

/*
 * Waits like pvm_barrier, and makes the group static: nobody can join any more, and its members are
 * known without the group server. Returns the size. When a member of a static group leaves or dies
 * the group is dead: who waits in its barrier gets PvmNoGroup, and what is not known yet, too.
 */
int pvm_freezegroup(PVM_CONST char *group, int size);

/*
 * Collective calls: each member makes the same one, with the same tag, and root is an instance.
 * cnt items of a type from PVM_STR to PVM_LONG. They wait for what members have to send, and do not
 * notice when one dies before that. gather and scatter want instances without holes, else
 * PvmNoInst; of result and data the one that has the items of all, by instance, is root's alone.
 */
int pvm_gather(void *result, PVM_CONST void *data, int cnt, int type, int tag,
               PVM_CONST char *group, int root);
int pvm_scatter(void *result, PVM_CONST void *data, int cnt, int type, int tag,
                PVM_CONST char *group, int root);

/*
 * func sets x to x op y for n items; op must be associative and commutative. The result is in
 * root's data; that of others is undefined afterwards. *info below 0 ends the call with that error.
 */
int pvm_reduce(void (*func)(int *type, void *x, void *y, int *n, int *info), void *data, int cnt,
               int type, int tag, PVM_CONST char *group, int root);
void PvmMax(int *type, void *x, void *y, int *n, int *info);
void PvmMin(int *type, void *x, void *y, int *n, int *info);
void PvmSum(int *type, void *x, void *y, int *n, int *info);
void PvmProduct(int *type, void *x, void *y, int *n, int *info);

#ifdef __cplusplus
}
#endif

#endif
