/*
 * pvmproto.h - what hosters, taskers and resource managers say to a pvmd, and a pvmd to them.
 *
 * A hoster, tasker or manager registers itself (pvm_reg_hoster, pvm_reg_tasker, pvm_reg_rm in
 * pvm3.h), sets the option PvmResvTids, receives the SM_ messages below and answers them, with the
 * wait id of the message that it answers (pvm_setminfo). All bodies have the encoding
 * PvmDataDefault; the comments name the items, i an int, s a string, X* any number of X.
 *
 * Names and values are those of PVM 3.4.6. Structures and functions that only its pvmd uses are
 * left out. The header stands alone and compiles as C89, C17 and C++.
 */
#ifndef _PVMPROTO_H_
#define _PVMPROTO_H_

/* Versions of the three protocols. Both sides must have the same. */
#define TDPROTOCOL 1318 /* task and pvmd, task and task */
#define DDPROTOCOL 2316 /* pvmd and pvmd */
#define SDPROTOCOL 4302 /* scheduler; told, never compared */

/*
 * A task to its pvmd, and the answers, which have the same tag. ---------------------------------
 */

#define TM_FIRST    ((int)0x80010001)
#define TM_CONNECT  (TM_FIRST + 0)
#define TM_CONN2    (TM_FIRST + 1)
#define TM_EXIT     (TM_FIRST + 2)
#define TM_ADDHOST  (TM_FIRST + 3)
#define TM_DELHOST  (TM_FIRST + 4)
#define TM_CONFIG   (TM_FIRST + 5)
#define TM_MSTAT    (TM_FIRST + 6)
#define TM_HALT     (TM_FIRST + 7)
#define TM_TICKLE   (TM_FIRST + 8)
#define TM_SPAWN    (TM_FIRST + 9)
#define TM_PSTAT    (TM_FIRST + 10)
#define TM_SENDSIG  (TM_FIRST + 11)
#define TM_TASK     (TM_FIRST + 12)
#define TM_MCA      (TM_FIRST + 13)
#define TM_NOTIFY   (TM_FIRST + 14)
#define TM_DB       (TM_FIRST + 15)
#define TM_SCHED    (TM_FIRST + 16)
#define TM_TASKER   (TM_FIRST + 17)
#define TM_HOSTER   (TM_FIRST + 18)
#define TM_TRACER   (TM_FIRST + 19)
#define TM_HOSTSYNC (TM_FIRST + 20)
#define TM_SETOPT   (TM_FIRST + 21)
#define TM_GETOPT   (TM_FIRST + 22)
#define TM_CONTEXT  (TM_FIRST + 23)
#define TM_SHMCONN  (TM_FIRST + 24)
#define TM_LAST     TM_SHMCONN

/* A pvmd to a pvmd. ---------------------------------------------------------------------------- */

#define DM_FIRST       ((int)0x80020001)
#define DM_ADD         (DM_FIRST + 0)
#define DM_ADDACK      (DM_FIRST + 1)
#define DM_EXEC        (DM_FIRST + 2)
#define DM_EXECACK     (DM_FIRST + 3)
#define DM_SENDSIG     (DM_FIRST + 4)
#define DM_HTUPD       (DM_FIRST + 5)
#define DM_HTUPDACK    (DM_FIRST + 6)
#define DM_HTCOMMIT    (DM_FIRST + 7)
#define DM_SLCONF      (DM_FIRST + 8)
#define DM_STARTACK    (DM_FIRST + 9)
#define DM_TASK        (DM_FIRST + 10)
#define DM_TASKACK     (DM_FIRST + 11)
#define DM_DELHOST     (DM_FIRST + 12)
#define DM_DELHOSTACK  (DM_FIRST + 13)
#define DM_NULL        (DM_FIRST + 14)
#define DM_TASKOUT     (DM_FIRST + 15)
#define DM_PSTAT       (DM_FIRST + 16)
#define DM_PSTATACK    (DM_FIRST + 17)
#define DM_HALT        (DM_FIRST + 18)
#define DM_MCA         (DM_FIRST + 19)
#define DM_NOTIFY      (DM_FIRST + 20)
#define DM_NOTIFYACK   (DM_FIRST + 21)
#define DM_DB          (DM_FIRST + 22)
#define DM_DBACK       (DM_FIRST + 23)
#define DM_RESET       (DM_FIRST + 24)
#define DM_RESETACK    (DM_FIRST + 25)
#define DM_HTDEL       (DM_FIRST + 26)
#define DM_HOSTSYNC    (DM_FIRST + 27)
#define DM_HOSTSYNCACK (DM_FIRST + 28)
#define DM_LAST        DM_HOSTSYNCACK

/* Fields of DM_SLCONF. */
#define DM_SLCONF_EP    1 /* where programs are looked for */
#define DM_SLCONF_BP    2 /* the debugger */
#define DM_SLCONF_WD    3 /* the working directory */
#define DM_SLCONF_SCHED 4 /* the resource manager */
#define DM_SLCONF_TRACE 5 /* the tracer and what it wants */

/*
 * Anyone to a task, in the context SYSCTX_TC. ---------------------------------------------------
 */

#define TC_FIRST     ((int)0x80030001)
#define TC_CONREQ    (TC_FIRST + 0)
#define TC_CONACK    (TC_FIRST + 1)
#define TC_TASKEXIT  (TC_FIRST + 2)
#define TC_NOOP      (TC_FIRST + 3)
#define TC_OUTPUT    (TC_FIRST + 4)
#define TC_SETTRACE  (TC_FIRST + 5)
#define TC_SETTMASK  (TC_FIRST + 6)
#define TC_SETTRCBUF (TC_FIRST + 7)
#define TC_SETTRCOPT (TC_FIRST + 8)
#define TC_SHMAT     (TC_FIRST + 9)
#define TC_OUTPUTX   (TC_FIRST + 10)
#define TC_SIBLINGS  (TC_FIRST + 11)
#define TC_LAST      TC_SIBLINGS

/*
 * Services. ------------------------------------------------------------------------------------
 *
 * Resource manager. Tasks that enrol after it registered ask it in place of their pvmd, and get
 * answers with the same tag; what the bodies hold, a task's own requests show:
 *   SM_SPAWN    s file, i flags, s where, i count, i nargs, s*, i otid, i octx, i otag, i ttid,
 *               i tctx, i ttag, i nenv, s*                    -> i count, i tid or error*
 *   SM_TASK     i where -> i error, (i tid, i parent, i host, i flags, s name, i pid)*
 *   SM_CONFIG   -> i hosts, i formats, (i tid, s name, s arch, i speed, i dsig)*
 *   SM_ADDHOST  i count, s* -> i count, i 0, (i tid or error, s name, s arch, i speed, i dsig)*
 *   SM_DELHOST  i count, s* -> i count, i error*
 *   SM_NOTIFY   i what, i context, i tag, i count, i tid*       no answer; events come later
 *   SM_SCHED    another one wants to take over -> i error, or i 0 and the master host as above
 * It orders from a pvmd, and hears from it:
 *   SM_EXEC     i parent, s file, i flags, i count, i nargs, s*, i otid, i octx, i otag, i ttid,
 *               i tctx, i ttag, i nenv, s*, i first, i total
 *   SM_EXECACK  i count, i tid or error*; also, with wait id 0, for a task that came by itself
 *   SM_ADD      as SM_ADDHOST, to the master -> SM_ADDACK
 *   SM_TASKX    i tid, i status, i user s, i user us, i system s, i system us: a task is over
 *   SM_HOSTX    i tid of the pvmd: a host is gone
 *   SM_HANDOFF  i tid: who is the resource manager from now on; no answer
 * Tasker:
 *   SM_STTASK   i tid, i flags, s path, i argc, s*, i nenv, s*, i first, i here, i total: start it,
 *               with that environment; no answer
 *   SM_TASKX    as above, to the pvmd: it is over
 * Hoster, on the master:
 *   SM_STHOST   i count, (i tid, s options, s [login@]host, s command, s command for Windows,
 *               s machine id)*
 *   SM_STHOSTACK i count, (i tid, s the line that the pvmd printed, or the name of an error)*
 */
#define SM_FIRST     ((int)0x80040001)
#define SM_SPAWN     (SM_FIRST + 0)
#define SM_EXEC      (SM_FIRST + 1)
#define SM_EXECACK   (SM_FIRST + 2)
#define SM_TASK      (SM_FIRST + 3)
#define SM_CONFIG    (SM_FIRST + 4)
#define SM_ADDHOST   (SM_FIRST + 5)
#define SM_DELHOST   (SM_FIRST + 6)
#define SM_ADD       (SM_FIRST + 7)
#define SM_ADDACK    (SM_FIRST + 8)
#define SM_NOTIFY    (SM_FIRST + 9)
#define SM_TASKX     (SM_FIRST + 10)
#define SM_HOSTX     (SM_FIRST + 11)
#define SM_HANDOFF   (SM_FIRST + 12)
#define SM_SCHED     (SM_FIRST + 13)
#define SM_STHOST    (SM_FIRST + 14)
#define SM_STHOSTACK (SM_FIRST + 15)
#define SM_STTASK    (SM_FIRST + 16)
#define SM_LAST      SM_STTASK

/* What else messages hold. --------------------------------------------------------------------- */

/* Operations of TM_DB. */
#define TMDB_PUT    1
#define TMDB_REMOVE 2
#define TMDB_GET    3
#define TMDB_NAMES  4
#define TMDB_RESET  5

/* Options of TM_SETOPT: where a task's output and trace events go. */
#define TS_OUTTID 1
#define TS_OUTCTX 2
#define TS_OUTTAG 3
#define TS_TRCTID 4
#define TS_TRCCTX 5
#define TS_TRCTAG 6

/* In place of the length in a message of collected output. */
#define TO_EOF   0
#define TO_SPAWN (-1)
#define TO_NEW   (-2)

/* Contexts that the system uses, counted down. */
#define BASECONTEXT  0
#define SYSCTX_FIRST 0x7ffff
#define SYSCTX_TC    (SYSCTX_FIRST - 0) /* all TC_ messages */
#define SYSCTX_TM    (SYSCTX_FIRST - 1) /* requests of the library */
#define SYSCTX_SG    (SYSCTX_FIRST - 2) /* static groups */
#define SYSCTX_DG    (SYSCTX_FIRST - 3) /* dynamic groups */
#define SYSCTX_RS4   (SYSCTX_FIRST - 4) /* reserved, up to the last */
#define SYSCTX_RS5   (SYSCTX_FIRST - 5)
#define SYSCTX_RS6   (SYSCTX_FIRST - 6)
#define SYSCTX_RS7   (SYSCTX_FIRST - 7)
#define SYSCTX_RS8   (SYSCTX_FIRST - 8)
#define SYSCTX_RS9   (SYSCTX_FIRST - 9)
#define SYSCTX_LAST  SYSCTX_RS9
#define NUM_SYSCTX   (SYSCTX_FIRST - SYSCTX_LAST + 1)

/* Frames, packets and their times. ------------------------------------------------------------- */

/* Bytes of headers; a message header takes 32. */
#define TDFRAGHDR 16
#define DDFRAGHDR 16
#define MAXHDR    48

/* Flags of a packet between pvmds, beside 1 for the first and 2 for the last of a message. */
#define FFDAT 4
#define FFFIN 8
#define FFACK 16

/* Sequence numbers of packets have 16 bits and wrap. */
#define NEXTSEQNUM(x)       (((x) + 1) & 0xffff)
#define SEQNUMCOMPARE(x, y) ((x) < (y) || ((y) < 0x8000 && 0x8000 < (x)))
#define SEQLESSTHAN(x, y)   ((((x) - (y)) & 0xffff) > 0x8000 || (x) - (y) == 0x8000)

#define DDMINRETRIES 10                            /* transmissions before giving up */
#define DDMAXRTT     9                             /* s */
#define DDMINTIMEOUT (2 * DDMAXRTT * DDMINRETRIES) /* s before giving up */
#define DDERRRETRY   300000                        /* us after a transient error */
#define DDPINGTIME   60                            /* s between signs of life */
#define DDBAILTIME   300                           /* s that a slave waits to be configured */

/* States of a pvmd. */
#define PVMDNORMAL   1
#define PVMDHTUPD    2
#define PVMDSTARTUP  3
#define PVMDPRIME    4
#define PVMDHALTING  5
#define PVMDSHUTDOWN 6
#define PVMDISTASK   7

/* The address file: folder and user id, with SHAREDTMP also the host's name. */
#ifdef SHAREDTMP
#define TDSOCKNAME "%s/pvmd.%d.%s"
#else
#define TDSOCKNAME "%s/pvmd.%d"
#endif

#endif
