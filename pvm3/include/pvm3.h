/*
 * pvm3.h - the C interface of PVM 3.4, and what this library adds to it.
 *
 * Names, values and layouts are those of PVM 3.4.6: programs compiled with either header run on
 * either library. The header compiles as C89, C17 and C++.
 *
 * Every function returns an int: 0 on success unless its comment says more, and one of the negative
 * codes below on failure. On failure the code is also in pvm_errno of the process, and a line is
 * printed to stderr unless pvm_setopt(PvmAutoErr, 0) was called.
 *
 * Threads. Any thread may call any function. This is our addition: 3.4.6 allows one
 * thread. The active send buffer, the active receive buffer and the message context belong to the
 * calling thread; everything else belongs to the task. A thread may hand a buffer id to another
 * thread, which makes the buffer active with pvm_setsbuf or pvm_setrbuf. The comment of a function
 * ends with a mark that says who may call it:
 *     [any]         any thread at any time, also in a message handler
 *     [own]         as [any]; the call uses the active buffers or the context of its thread
 *     [list]        as [any], while no thread reads what an earlier call of the function handed out
 *     [env]         as [any], while no thread is in getenv(): the call changes the environment
 *     [no handler]  as [any], but not in a message handler
 *
 * In a program written for 3.4.6, threads may take turns under a lock of the program. Its active
 * buffers and context belong to the task, as in 3.4.6; pvm_threads(7) says how the library
 * recognizes the program. After pvm_threadsafe() they belong to the thread in any program.
 */
#ifndef _PVM3_H_
#define _PVM3_H_

#include <stddef.h>
#include <sys/time.h>

#define PVM_VER           "3.4.6"
#define PVM_MAJOR_VERSION 3
#define PVM_MINOR_VERSION 4
#define PVM_PATCH_VERSION 6

/*
 * Only this library defines it: any thread may call any function, and the functions marked ADDED
 * exist.
 */
#define PVM_THREADSAFE 1

/*
 * ADDED. Arguments that a function only reads are const. Compile a program with -DPVM_CONST= to
 * get the declarations of 3.4.6 if it declares or defines functions of this header itself.
 */
#ifndef PVM_CONST
#define PVM_CONST const
#endif

/* Encodings: pvm_initsend, pvm_mkbuf. */
#define PvmDataDefault 0 /* XDR, understood everywhere */
#define PvmDataRaw     1 /* as in memory, for hosts with one data format */
#define PvmDataInPlace 2 /* as in memory, read by the send */
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
#define PvmTaskThread    1024 /* ADDED: task names a function; see pvm_spawnt(3) */
#define PvmTaskUlp       2048 /* ADDED: user-level processes; see pvmulp(1) */

/* Kinds of pvm_notify. */
#define PvmTaskExit     1
#define PvmHostDelete   2
#define PvmHostAdd      3
#define PvmRouteAdd     4
#define PvmRouteDelete  5
#define PvmNotifyCancel 256 /* added to a kind: cancels the request */

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
#define PvmMboxPersistent       1  /* the entry stays when its owner exits */
#define PvmMboxMultiInstance    2  /* the entry joins others of the same name */
#define PvmMboxOverWritable     4  /* any task may replace or delete it */
#define PvmMboxFirstAvail       8  /* get the first entry at the index or after it */
#define PvmMboxReadAndDelete    16 /* delete the entry, too */
#define PvmMboxWaitForInfo      32 /* wait until the entry exists */
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
#define PVMHOSTERCLASS  "###_PVM_HOSTER_###"   /* tasks that start daemons */
#define PVMTASKERCLASS  "###_PVM_TASKER_###"   /* tasks that start tasks */
#define PVMTRACERCLASS  "###_PVM_TRACER_###"   /* tasks that collect traces */
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
 * Temporary names: room for a name, and how to make one. Without NOTMPNAM the system makes it, with
 * NOTMPNAM this library does, in the folder PVM_TMP.
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

/* A host: pvm_config, pvm_reg_rm. The strings belong to the library. */
struct pvmhostinfo {
    int hi_tid; /* host part of its tids */
    char *hi_name;
    char *hi_arch; /* architecture name */
    int hi_speed;  /* relative speed, 1000 unless set */
    int hi_dsig;   /* its data signature */
};

/* A task: pvm_tasks. The string belongs to the library. */
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

/* A mailbox name: pvm_getmboxinfo. The string and the arrays belong to the library. */
struct pvmmboxinfo {
    char *mi_name;
    int mi_nentries;
    int *mi_indices;
    int *mi_owners;
    int *mi_flags;
};

/* Some programs declare their own functions with this macro. */
#undef __ProtoGlarp__
#define __ProtoGlarp__(parameters) parameters

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What holds for all functions, unless the comment of a function says otherwise.
 *
 * The pvmd is the daemon of this host. A function that needs it enrols the process first, and
 * returns PvmSysErr if no pvmd runs or the pvmd has been lost.
 *
 * Your memory. Arrays, strings and structures that you pass stay yours. The library uses them only
 * during the call, except for items packed with PvmDataInPlace. A pointer for a result may be NULL.
 *
 * Memory of the library. Lists and strings that a function hands out are not to be changed or
 * freed. A list is valid until the next call of the function in any thread.
 *
 * Buffers. The id of a buffer is valid until the buffer is freed: by pvm_freebuf, or when
 * pvm_initsend or a receive replaces it as the active buffer. A thread that ends frees its
 * active buffers, and pvm_exit frees the active receive buffer of its caller. In one thread a
 * buffer is active as send buffer or as receive buffer, not as both.
 */

/* Enrolling and leaving. ----------------------------------------------------------------------- */

/* Returns the own tid. Enrols the process if needed. [any] */
int pvm_mytid(void);

/*
 * Leaves the virtual machine; the process goes on. Waiting calls of other threads get PvmSysErr.
 * PvmNotImpl: the caller is a message handler. [no handler]
 */
int pvm_exit(void);

/* Returns the spawner's tid. No line with PvmNoParent: none, and PvmParentNotSet: hidden. [any] */
int pvm_parent(void);

/*
 * Lists the tasks that were spawned by one call, with the caller; returns how many. Waits for the
 * list from the spawner. The list is valid until the process leaves. tids: not NULL. [any]
 */
int pvm_siblings(int **tids);

/*
 * Starts a pvmd with argc arguments and enrols. If block, waits for the hosts of the host file.
 * PvmDupHost: a pvmd runs already. Sets PVMSOCK. [env]
 */
int pvm_start_pvmd(int argc, char *PVM_CONST *argv, int block);

/* Returns the host part of a tid. Does not check it, and never fails. [any] */
int pvm_tidtohost(int tid);

/* Tasks. --------------------------------------------------------------------------------------- */

/*
 * Starts ntask copies of task. argv has no program name, ends with NULL, and may be NULL.
 * Returns how many started. Their tids come first in tids, then error codes for the others. [any]
 */
int pvm_spawn(PVM_CONST char *task, char *PVM_CONST *argv, int flag, PVM_CONST char *where,
              int ntask, int *tids);

/*
 * ADDED. Tasks that are threads of this process, as in C. M. P. Santos and J. S. Aude, "PM-PVM: A
 * Portable Multithreaded PVM", 1999. Each runs `function` with the words argv behind its name, as
 * main has them, and is a task like any other. where: the processors on which they run in turn,
 * such as "0,2-3", or NULL. flag: PvmNoSpawnParent, or 0. Returns as pvm_spawn does. [any]
 */
int pvm_spawnt(int (*function)(int, char **), char *PVM_CONST *argv, int flag,
               PVM_CONST char *where, int ntask, int *tids);

/*
 * ADDED. Gives a function a name, by which pvm_spawn finds it under PvmTaskThread. Functions that
 * are dynamic symbols of the program have one already. For tasks on other hosts it is called
 * before any other function. name: copied; "" stands for all that are not registered. [any]
 */
int pvm_register(PVM_CONST char *name, int (*function)(int, char **));

/*
 * ADDED. Has a user-level process (PvmTaskUlp) go on as it is on another host, under its tid.
 * host: a tid of that host, as pvm_config lists. Returns 0 when it lives there; the caller itself is
 * only told to move, and does so in its next receive or at its next turn. [any]
 */
int pvm_migrate(int tid, int host);

/* Sends SIGTERM to a task. Returns 0 when it is on its way; an unused tid is no error. [any] */
int pvm_kill(int tid);

/* Sends a signal to a task. Returns as pvm_kill does. [any] */
int pvm_sendsig(int tid, int signum);

/* Returns 0 if the task exists. PvmNoTask prints no line and leaves pvm_errno as it was. [any] */
int pvm_pstat(int tid);

/* Lists all tasks (where 0), those of a host (its number), or one (its tid). [list] */
int pvm_tasks(int where, int *ntask, struct pvmtaskinfo **taskp);

/*
 * Requests a message with msgtag, in the caller's context, when a task, host or route comes or
 * goes. Returns at once. The request belongs to the task and ends when the task leaves. [own]
 */
int pvm_notify(int what, int msgtag, int cnt, PVM_CONST int *vals);

/* The virtual machine. ------------------------------------------------------------------------- */

/* Lists the hosts, the master first. narch becomes the number of different data formats. [list] */
int pvm_config(int *nhost, int *narch, struct pvmhostinfo **hostp);

/* Adds hosts (host file lines). Returns how many; status gets each one's tid or error. [any] */
int pvm_addhosts(char *PVM_CONST *hosts, int count, int *status);

/* Deletes hosts, ends what runs there. Returns how many; status: 0 or an error for each. [any] */
int pvm_delhosts(char *PVM_CONST *hosts, int count, int *status);

/* Returns 0 if a host is alive. PvmNoHost, PvmHostFail: no line, pvm_errno unchanged. [any] */
int pvm_mstat(PVM_CONST char *host);

/*
 * Ends the virtual machine. Every task gets SIGTERM, the caller, too. Waiting calls of other
 * threads get PvmSysErr. [any]
 */
int pvm_halt(void);

/* Reads a host's clock (host: any tid there). clk + delta is the local time. [any] */
int pvm_hostsync(int host, struct timeval *clk, struct timeval *delta);

/* Sends the pvmd a debug command of narg (1 to 10) integers. resp: room for its answer, 4. [any] */
int pvm_tickle(int narg, PVM_CONST int *argp, int *nresp, int *resp);

/* Returns the data signature of an architecture. PvmNotFound: no host has it. [any] */
int pvm_archcode(PVM_CONST char *arch);

/* Returns the version, "3.4.6". The string is static. Needs no pvmd. [any] */
char *pvm_version(void);

/*
 * ADDED. Returns 1. From now on each thread has active buffers and a context of its own, in any
 * program. Use it in a program with threads that was not compiled with this header, or that may
 * run with the libpvm3 of 3.4.6: there a weak reference to pvm_threadsafe is null. [any]
 */
int pvm_threadsafe(void);

/* Buffers. None of these functions needs a pvmd. ----------------------------------------------- */

/* Makes an empty active send buffer, returns its id. Frees the active send buffer before. [own] */
int pvm_initsend(int encoding);

/* Makes a buffer that is not active, returns its id. The caller frees it: pvm_freebuf. [any] */
int pvm_mkbuf(int encoding);

/* Frees a buffer, in whichever thread the buffer is active. Id 0 does nothing. [any] */
int pvm_freebuf(int bufid);

/* Returns the active send buffer, 0 for none. [own] */
int pvm_getsbuf(void);

/* Makes a buffer (0: none) the active send buffer. Returns the former one and keeps it. [own] */
int pvm_setsbuf(int bufid);

/* Returns the active receive buffer, 0 for none. [own] */
int pvm_getrbuf(void);

/* Makes a buffer (0: none) the active receive buffer. Returns the former one and keeps it. [own] */
int pvm_setrbuf(int bufid);

/* Gets the length in bytes, the tag and the sender of a message. [any] */
int pvm_bufinfo(int bufid, int *bytes, int *msgtag, int *tid);

/* Gets the header of a message. info: not NULL. [any] */
int pvm_getminfo(int bufid, struct pvmminfo *info);

/* Sets ctx, tag, wid, src and dst of a message, unless it was only probed. info: not NULL. [any] */
int pvm_setminfo(int bufid, PVM_CONST struct pvmminfo *info);

/* Packing. Needs no pvmd. ---------------------------------------------------------------------- */

/*
 * Packing appends cnt items to the active send buffer and returns 0. The n-th item is np[n * std];
 * cnt and std count items, and a complex item is a pair. The address may be NULL only if cnt is 0.
 * PvmNoBuf: the thread has no active send buffer. With PvmDataInPlace std is 1, and the items must
 * stay in place until the last send of the buffer, which reads them.
 */

/* Packs bytes, never converted. [own] */
int pvm_pkbyte(PVM_CONST char *cp, int cnt, int std);

/* Packs pairs of float. [own] */
int pvm_pkcplx(PVM_CONST float *xp, int cnt, int std);

/* Packs pairs of double. [own] */
int pvm_pkdcplx(PVM_CONST double *zp, int cnt, int std);

/* Packs doubles. [own] */
int pvm_pkdouble(PVM_CONST double *dp, int cnt, int std);

/* Packs floats. [own] */
int pvm_pkfloat(PVM_CONST float *fp, int cnt, int std);

/* Packs ints. [own] */
int pvm_pkint(PVM_CONST int *np, int cnt, int std);

/* Packs unsigned ints. [own] */
int pvm_pkuint(PVM_CONST unsigned int *np, int cnt, int std);

/* Packs longs; in XDR 32 bits each, else PvmOverflow. [own] */
int pvm_pklong(PVM_CONST long *np, int cnt, int std);

/* Packs unsigned longs; in XDR 32 bits each, else PvmOverflow. [own] */
int pvm_pkulong(PVM_CONST unsigned long *np, int cnt, int std);

/* Packs shorts. [own] */
int pvm_pkshort(PVM_CONST short *np, int cnt, int std);

/* Packs unsigned shorts. [own] */
int pvm_pkushort(PVM_CONST unsigned short *np, int cnt, int std);

/* Packs a string with its zero byte. PvmNotImpl with PvmDataInPlace. [own] */
int pvm_pkstr(PVM_CONST char *cp);

/* Packs by a format, like printf ("%d %5f %s"). A leading "%+" calls pvm_initsend. [own] */
int pvm_packf(const char *fmt, ...);

/* Packs the message of another buffer. Failures: no line, pvm_errno unchanged. [own] */
int pvm_pkmesg(int bufid);

/* Appends the contents of another buffer, whose memory is shared. Fails like pvm_pkmesg. [own] */
int pvm_pkmesgbody(int bufid);

/*
 * ADDED. Packs an int, the number of bytes, and behind it the bytes of an array, which is read-only
 * from now on. The array is not copied where sender and receiver share memory. release(array), if
 * not NULL, is called when nobody refers to the array any more: in any thread, in which it must not
 * call this library. It is not called when this call fails. [own]
 */
int pvm_share(const void *array, size_t bytes, void (*release)(void *array));

/* Unpacking. Needs no pvmd. -------------------------------------------------------------------- */

/*
 * Unpacking takes the next cnt items from the active receive buffer, stores the n-th at
 * np[n * std], and returns 0. The address may be NULL only if cnt is 0. PvmNoBuf: the thread has no
 * active receive buffer. PvmNoData: the message has no more items.
 */

/* Unpacks bytes. [own] */
int pvm_upkbyte(char *cp, int cnt, int std);

/* Unpacks pairs of float. [own] */
int pvm_upkcplx(float *xp, int cnt, int std);

/* Unpacks pairs of double. [own] */
int pvm_upkdcplx(double *zp, int cnt, int std);

/* Unpacks doubles. [own] */
int pvm_upkdouble(double *dp, int cnt, int std);

/* Unpacks floats. [own] */
int pvm_upkfloat(float *fp, int cnt, int std);

/* Unpacks ints. [own] */
int pvm_upkint(int *np, int cnt, int std);

/* Unpacks unsigned ints. [own] */
int pvm_upkuint(unsigned int *np, int cnt, int std);

/* Unpacks longs. [own] */
int pvm_upklong(long *np, int cnt, int std);

/* Unpacks unsigned longs. [own] */
int pvm_upkulong(unsigned long *np, int cnt, int std);

/* Unpacks shorts. [own] */
int pvm_upkshort(short *np, int cnt, int std);

/* Unpacks unsigned shorts. [own] */
int pvm_upkushort(unsigned short *np, int cnt, int std);

/* Unpacks a string. cp must have room for the string and its zero byte: nothing checks it. [own] */
int pvm_upkstr(char *cp);

/* Unpacks by a format, like scanf: every item argument is an address. [own] */
int pvm_unpackf(const char *fmt, ...);

/*
 * Unpacks a message packed by pvm_pkmesg into a new buffer and returns its id. The caller frees it.
 * Fails like pvm_pkmesg. [own]
 */
int pvm_upkmesg(void);

/*
 * ADDED. Unpacks an array that pvm_share has packed: *array points to it, or to a copy, as long as
 * the receive buffer is not freed, and is read-only. [own]
 */
int pvm_shared(const void **array, size_t *bytes);

/* Messages. tid -1 and tag -1 match any sender and any tag. ------------------------------------ */

/* Sends the active send buffer, which stays active. Waits only under back-pressure. [own] */
int pvm_send(int tid, int msgtag);

/* Sends the active send buffer to tasks, once to each, never to the caller. [own] */
int pvm_mcast(PVM_CONST int *tids, int ntask, int msgtag);

/* Sends len items from buf. The active buffers are not used; buf may be changed on return. [own] */
int pvm_psend(int tid, int msgtag, PVM_CONST void *buf, int len, int datatype);

/*
 * Waits for a message, makes it the active receive buffer, and returns its id.
 * Frees the previous active receive buffer. [own]
 */
int pvm_recv(int tid, int msgtag);

/* As pvm_recv, but does not wait. Returns 0 if there is no message: no buffer is active. [own] */
int pvm_nrecv(int tid, int msgtag);

/* As pvm_nrecv, but waits for a message, at most tmout, without limit if tmout is NULL. [own] */
int pvm_trecv(int tid, int msgtag, PVM_CONST struct timeval *tmout);

/*
 * Waits for a message and stores at most len items in buf; extra data is lost. The active
 * receive buffer is not used. rtid, rtag, rlen get sender, tag and full length in bytes. [own]
 */
int pvm_precv(int tid, int msgtag, void *buf, int len, int datatype, int *rtid, int *rtag,
              int *rlen);

/*
 * Returns the buffer id of a message that has come, for pvm_bufinfo, or 0. The message stays queued
 * and keeps the id when it is received. Another thread may receive it first. [own]
 */
int pvm_probe(int tid, int msgtag);

/*
 * Makes `matcher` decide for every receive and probe of the task. The matcher gets each message
 * that has come, of any context, in order of arrival, with the tid and tag of the receive. Result:
 *     below 0  the receive fails with this code,
 *     0        the message stays,
 *     1        the message is taken,
 *     above 1  after all messages have been judged, the one with the highest value is taken.
 * NULL selects by tid, tag and context again. Returns the previous matcher, never NULL. The
 * matcher runs in the receiving threads, perhaps in several at once, and may call any function.
 * [any]
 */
int (*pvm_recvf(int (*matcher)(int bufid, int tid, int msgtag)))(int bufid, int tid, int msgtag);

/*
 * Lists descriptors that become readable when a message may have come; returns how many. Use a
 * descriptor only in select() or poll(): never read or close it. fds: not NULL. [list]
 */
int pvm_getfds(int **fds);

/*
 * ADDED. Interruptible receive, as in T. Plachetka, "(Quasi-) Thread-Safe PVM and (Quasi-)
 * Thread-Safe MPI without Active Polling", 2002, section 4.1. The library itself does not need
 * pvm_interrupt_recv and pvm_resume_recv: they serve programs written to the paper.
 *
 * Stops the receive (pvm_recv, pvm_trecv, pvm_precv) that has waited longest, and waits for one if
 * no thread is waiting. The receive does not return until pvm_resume_recv. Each call stops another
 * receive. [any]
 */
int pvm_interrupt_recv(void);

/*
 * ADDED. Continues the receive that has been stopped longest. The receive takes messages that
 * came meanwhile in their order. PvmNotFound: no receive is stopped. [any]
 */
int pvm_resume_recv(void);

/* Contexts and handlers. ----------------------------------------------------------------------- */

/* Returns a new context, greater than 0, that no other task has. The task owns it. [any] */
int pvm_newcontext(void);

/* Sets the context of the calling thread and returns the previous one. Accepts any number. [own] */
int pvm_setcontext(int context);

/* Returns the context of the calling thread. [own] */
int pvm_getcontext(void);

/* Gives back a context that the task owns. PvmNotFound: the task does not own the context. [any] */
int pvm_freecontext(int context);

/*
 * Calls handler for each matching message (-1: any), in any thread inside a call, one at a time.
 * Returns the handler's id. PvmExists: another handler may match, too. Needs no pvmd. [any]
 */
int pvm_addmhf(int src, int tag, int ctx, int (*handler)(int bufid));

/* Removes a handler. Needs no pvmd. [any] */
int pvm_delmhf(int mhid);

/* Mailboxes. PvmNotFound and PvmExists print no line. ------------------------------------------ */

/*
 * Puts a copy of a buffer under a name and returns its index. The task owns the entry. The entry
 * is deleted when the task ends, unless PvmMboxPersistent. PvmDenied prints no line. [any]
 */
int pvm_putinfo(PVM_CONST char *name, int bufid, int flags);

/*
 * Gets a copy of an entry as the active receive buffer and returns its id. Frees the previous
 * active receive buffer, also with PvmNotFound. Waits with PvmMboxWaitForInfo. [own]
 */
int pvm_recvinfo(PVM_CONST char *name, int index, int flags);

/* Deletes an own or overwritable entry and returns its index. PvmDenied prints no line. [any] */
int pvm_delinfo(PVM_CONST char *name, int index, int flags);

/* Lists the names that match pattern, with their entries. NULL matches every name. [list] */
int pvm_getmboxinfo(PVM_CONST char *pattern, int *nclasses, struct pvmmboxinfo **classes);

/* For programs of 3.3. Puts an integer, returns its index; req -1: the lowest free one. [any] */
int pvm_insert(PVM_CONST char *name, int req, int data);

/* For programs of 3.3. Gets an integer; req -1: the first entry. Returns the index. [any] */
int pvm_lookup(PVM_CONST char *name, int req, int *data);

/* For programs of 3.3. Deletes an integer that the task put, and returns its index. [any] */
int pvm_delete(PVM_CONST char *name, int req);

/* Services. ------------------------------------------------------------------------------------ */

/*
 * The task takes over a part of the pvmd's work; pvmproto.h gives the messages. The role
 * ends when the task leaves, or, except for pvm_reg_rm, with the next call of the task. PvmAlready:
 * another task has the role, or another thread is changing it.
 */

/* Becomes the hoster, which starts pvmds. Only on the master, else PvmHostrNMstr. [any] */
int pvm_reg_hoster(void);

/*
 * Becomes the resource manager until the task leaves. Returns the tid of the previous one, 0 for
 * none. *hip becomes the master host. [list]
 */
int pvm_reg_rm(struct pvmhostinfo **hip);

/* Becomes the tasker, which starts the tasks of its host. [any] */
int pvm_reg_tasker(void);

/* Becomes the tracer: gets events and output of later tasks. mask: see TEV_MASK_INIT. [any] */
int pvm_reg_tracer(int tctx, int ttag, int octx, int otag, PVM_CONST char *mask, int tbuf,
                   int topt);

/* Lists the tasks that a reset leaves alone (option PvmNoReset). Always returns 0. [list] */
int pvm_getnoresets(int **tids, int *ntids);

/* Options, output and errors. ------------------------------------------------------------------ */

/* Returns the value of an option, which may be negative. Options belong to the task. [any] */
int pvm_getopt(int what);

/* Sets an option and returns the previous value. PvmNotImpl: the option cannot be set. [any] */
int pvm_setopt(int what, int val);

#ifdef EOF
/*
 * Writes to ff the output of tasks that are spawned from now on, and of their children. Each line
 * begins with the tid of its task unless PvmShowTids is 0. pvm_exit waits for the output; the
 * program must not close ff before. NULL ends it. Returns 0, also on failure, with a line. [any]
 */
int pvm_catchout(FILE *ff);
#endif

/* Adds a variable to PVM_EXPORT, the list of variables that spawned tasks inherit. [env] */
int pvm_export(PVM_CONST char *name);

/* Removes a variable from PVM_EXPORT. [env] */
int pvm_unexport(PVM_CONST char *name);

/* Prints msg and the text of pvm_errno to stderr. Always returns 0. [any] */
int pvm_perror(PVM_CONST char *msg);

/* Returns the text of pvm_errno. The string is static. [any] */
char *pvm_strerror(void);

/* Returns PVM_RSH, or the default remote shell. Valid until PVM_RSH changes. [any] */
char *pvmgetrsh(void);

/* Returns PVM_TMP, or /tmp. Valid until PVM_TMP changes. [any] */
char *pvmgettmp(void);

#ifdef NOTMPNAM
/*
 * Returns a new temporary name, in buf of PVMTMPNAMLEN bytes; if buf is NULL, in memory of the
 * library that the next call overwrites. Ends the process if PVM_TMP is too long. [list]
 */
char *pvmtmpnam(char *buf);
#endif

/*
 * The group library, libgpvm3. -----------------------------------------------------------------
 *
 * A group is a name and its members, which have instance numbers from 0. A task may be in any
 * number of groups, and leaves them all when it ends. The member is the task, not the thread.
 * Threads of one task may wait in several groups at once.
 *
 * PvmNullGroup: no name. PvmNoGroup: no such group. PvmNotInGroup: the caller is no member.
 * PvmSysErr: no group server can be reached, or it has ended. Only pvm_gather, pvm_scatter and
 * pvm_reduce print a line of their own on failure.
 */

/* Joins and returns the instance, the lowest free number. PvmDupGroup: already a member. [any] */
int pvm_joingroup(PVM_CONST char *group);

/* Leaves a group. [any] */
int pvm_lvgroup(PVM_CONST char *group);

/* Returns the number of members. The caller need not be a member. [any] */
int pvm_gsize(PVM_CONST char *group);

/*
 * Returns the instance of a task. PvmNotInGroup: the task is no member; the caller need not be.
 * [any]
 */
int pvm_getinst(PVM_CONST char *group, int tid);

/* Returns the tid of an instance, or PvmNoInst. The caller need not be a member. [any] */
int pvm_gettid(PVM_CONST char *group, int inst);

/*
 * Sends the active send buffer to all present members but the caller, and waits for none of them.
 * The caller need not be a member. PvmNoInst: there is no other member. [own]
 */
int pvm_bcast(PVM_CONST char *group, int msgtag);

/*
 * Waits until cnt members have called with the same cnt. A different cnt gets PvmMismatch, and
 * the others go on waiting. A waiting member that leaves or dies no longer counts. cnt -1 means all
 * members: if every waiting member has passed -1, tasks that join meanwhile are waited for, and
 * members that leave or die are not. Any other cnt is waited for even if too few members are left;
 * pvm_notify reports their end. [any]
 */
int pvm_barrier(PVM_CONST char *group, int cnt);

/*
 * Waits like pvm_barrier, then makes the group static: nobody can join, and the library knows its
 * members without asking the server. Returns the size. When a member leaves or dies the group is
 * dead: its barriers and all questions to the server fail with PvmNoGroup or PvmNotInGroup. [any]
 */
int pvm_freezegroup(PVM_CONST char *group, int size);

/*
 * Collective calls. Every member makes the same call with the same tag, root being an instance
 * number. type is one of PVM_STR to PVM_LONG. A member waits for what others have to send; PvmNoTask:
 * one of them has ended before. gather and scatter need instances without holes, else PvmNoInst.
 */

/* Collects cnt items of each member in root's result, by instance; others may pass NULL. [any] */
int pvm_gather(void *result, PVM_CONST void *data, int cnt, int type, int tag,
               PVM_CONST char *group, int root);

/* Gives each member cnt items of root's data, by instance; others may pass NULL. [any] */
int pvm_scatter(void *result, PVM_CONST void *data, int cnt, int type, int tag,
                PVM_CONST char *group, int root);

/*
 * Combines cnt items of all members into root's data; the data of the others becomes undefined.
 * func sets x to x op y for n items (op associative, commutative), and *info below 0 to fail. [any]
 */
int pvm_reduce(void (*func)(int *type, void *x, void *y, int *n, int *info), void *data, int cnt,
               int type, int tag, PVM_CONST char *group, int root);

/*
 * ADDED. Like pvm_reduce, with the result in the data of all members. They are combined in the order
 * in which pvm_reduce does it for root 0. [any]
 */
int pvm_allreduce(void (*func)(int *type, void *x, void *y, int *n, int *info), void *data, int cnt,
                  int type, int tag, PVM_CONST char *group);

/*
 * ADDED. Like pvm_gather, with the items of all in the result of all members. [any]
 */
int pvm_allgather(void *result, PVM_CONST void *data, int cnt, int type, int tag,
                  PVM_CONST char *group);

/*
 * ADDED. Each member has cnt items of data for each, by instance, and gets cnt items of each in
 * result, by instance. [any]
 */
int pvm_alltoall(void *result, PVM_CONST void *data, int cnt, int type, int tag,
                 PVM_CONST char *group);

/* For pvm_reduce. Sets x to the larger of x and y; complex: by modulus. [any] */
void PvmMax(int *type, void *x, void *y, int *n, int *info);

/* For pvm_reduce. Sets x to the smaller of x and y; complex: by modulus. [any] */
void PvmMin(int *type, void *x, void *y, int *n, int *info);

/* For pvm_reduce. Adds y to x; not of PVM_BYTE. [any] */
void PvmSum(int *type, void *x, void *y, int *n, int *info);

/* For pvm_reduce. Multiplies x by y; not of PVM_BYTE. [any] */
void PvmProduct(int *type, void *x, void *y, int *n, int *info);

#ifdef __cplusplus
}
#endif

#endif
