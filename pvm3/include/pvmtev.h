/*
 * pvmtev.h - trace events of PVM 3.4: their numbers, their fields, and the masks that choose them.
 *
 * For programs that set trace masks or read trace messages. Names and values are those of 3.4.6. A
 * trace message is XDR; each part stands between two markers. All in it are integers but for the
 * data of the fields and for names, which are packed strings.
 */
#ifndef _PVMTEV_H_
#define _PVMTEV_H_

#include <sys/time.h>

/* Markers: what follows, and its end. ---------------------------------------------------------- */

#define TEV_MARK_EVENT_BUFFER          (-1) /* several events in one message */
#define TEV_MARK_EVENT_BUFFER_END      (-2)
#define TEV_MARK_DATA_ID               (-3) /* number, key and text of each field */
#define TEV_MARK_DATA_ID_END           (-4)
#define TEV_MARK_EVENT_DESC            (-5) /* an event's name, its fields */
#define TEV_MARK_EVENT_DESC_END        (-6)
#define TEV_MARK_EVENT_RECORD          (-7) /* an event described before: data only */
#define TEV_MARK_EVENT_RECORD_END      (-8)
#define TEV_MARK_USER_EVENT_RECORD     (-9) /* what a program packed with PvmDataTrace */
#define TEV_MARK_USER_EVENT_RECORD_END (-10)

/* pvm_send to this tid with this tag makes the active buffer a user event. */
#define PVM_TRACE_TID  (-1111)
#define PVM_TRACE_CODE (-2222)

/* Types of fields; an array has its count before its data. ------------------------------------- */

#define TEV_DATA_NULL         0
#define TEV_DATA_BYTE         1
#define TEV_DATA_CPLX         2
#define TEV_DATA_DCPLX        3
#define TEV_DATA_DOUBLE       4
#define TEV_DATA_FLOAT        5
#define TEV_DATA_INT          6
#define TEV_DATA_UINT         7
#define TEV_DATA_LONG         8
#define TEV_DATA_ULONG        9
#define TEV_DATA_SHORT        10
#define TEV_DATA_USHORT       11
#define TEV_DATA_STRING       12
#define TEV_DATA_STRUCT_START 13
#define TEV_DATA_STRUCT_END   14
#define TEV_DATA_DEFERRED     15

#define TEV_DATA_SCALAR 0x00
#define TEV_DATA_ARRAY  0x80

/* Fields. -------------------------------------------------------------------------------------- */

#define TEV_DID_FIRST 0

#define TEV_DID_AN  0   /* PVM Architecture Name */
#define TEV_DID_AC  1   /* PVM Architecture Code */
#define TEV_DID_AS  2   /* Argument Strings (Argc/Argv) */
#define TEV_DID_BF  3   /* Block Flag */
#define TEV_DID_CC  4   /* Condition Code */
#define TEV_DID_CN  5   /* Class Name */
#define TEV_DID_CI  6   /* Class Index */
#define TEV_DID_CF  7   /* Class Flags */
#define TEV_DID_CD  8   /* Class Data */
#define TEV_DID_CR  9   /* Returned Class Data */
#define TEV_DID_CL  10  /* Returned Class Names */
#define TEV_DID_CDA 11  /* Collective Data Address */
#define TEV_DID_CDT 12  /* Collective Data Type */
#define TEV_DID_CDX 13  /* Collective Data */
#define TEV_DID_CDC 14  /* Collective Count */
#define TEV_DID_CGI 15  /* Collective Group Result Instance */
#define TEV_DID_CRF 16  /* Collective Reduce Function */
#define TEV_DID_CXC 17  /* Current Message Context */
#define TEV_DID_CXF 18  /* Freed Message Context */
#define TEV_DID_CXN 19  /* New Message Context */
#define TEV_DID_CXS 20  /* Set Message Context */
#define TEV_DID_ERI 21  /* PVM Error Identifier */
#define TEV_DID_ERR 22  /* PVM Error String */
#define TEV_DID_FDS 23  /* File Descriptors */
#define TEV_DID_FP  24  /* File Pointer */
#define TEV_DID_GN  25  /* Group Name */
#define TEV_DID_GI  26  /* Group Instance Number */
#define TEV_DID_GT  27  /* Group Task ID */
#define TEV_DID_GS  28  /* Group Size */
#define TEV_DID_GBC 29  /* Group Barrier Count */
#define TEV_DID_HN  30  /* Host Name */
#define TEV_DID_HNL 31  /* Host Name List */
#define TEV_DID_HNA 32  /* Host Name Alias */
#define TEV_DID_HPT 33  /* Host PVMD Task ID */
#define TEV_DID_HA  34  /* Host Architecture */
#define TEV_DID_HSP 35  /* Host Speed */
#define TEV_DID_HIS 36  /* Host Information Structures */
#define TEV_DID_HCS 37  /* Host Clock Seconds */
#define TEV_DID_HCU 38  /* Host Clock Microseconds */
#define TEV_DID_HDS 39  /* Host Delta Seconds */
#define TEV_DID_HDU 40  /* Host Delta Microseconds */
#define TEV_DID_HS  41  /* Host Status */
#define TEV_DID_INB 42  /* Info Number of Message Bytes */
#define TEV_DID_IMC 43  /* Info Message Code */
#define TEV_DID_IST 44  /* Info Message Source Task */
#define TEV_DID_MC  45  /* Message Code */
#define TEV_DID_MCX 46  /* Message Context */
#define TEV_DID_MB  47  /* Message Buffer */
#define TEV_DID_MNB 48  /* Message Number of Bytes */
#define TEV_DID_SRC 49  /* Message Source Task ID */
#define TEV_DID_DST 50  /* Message Destination Task ID */
#define TEV_DID_MDL 51  /* Message Destination Task ID List */
#define TEV_DID_MTS 52  /* Message Timeout Seconds */
#define TEV_DID_MTU 53  /* Message Timeout Microseconds */
#define TEV_DID_MRF 54  /* Message Receive Function */
#define TEV_DID_MRB 55  /* Message Receive Buffer */
#define TEV_DID_MSB 56  /* Message Send Buffer */
#define TEV_DID_ME  57  /* Message Encoding */
#define TEV_DID_MHI 58  /* Message Handler Index */
#define TEV_DID_AST 59  /* Actual Message Sender Task ID */
#define TEV_DID_AMC 60  /* Actual Message Code */
#define TEV_DID_AML 61  /* Actual Message Length */
#define TEV_DID_NE  62  /* Notify Event ID */
#define TEV_DID_NMC 63  /* Notify Message Code */
#define TEV_DID_NCT 64  /* Notify Count */
#define TEV_DID_NTL 65  /* Notify Task ID List */
#define TEV_DID_NH  66  /* Number of Hosts */
#define TEV_DID_NA  67  /* Number of Architectures */
#define TEV_DID_OPT 68  /* PVM Option ID */
#define TEV_DID_OPV 69  /* PVM Option Value */
#define TEV_DID_OS  70  /* Output String */
#define TEV_DID_PDA 71  /* Pack Data Address */
#define TEV_DID_PDT 72  /* Pack Data Type */
#define TEV_DID_PC  73  /* Pack Count */
#define TEV_DID_PSD 74  /* Pack Stride */
#define TEV_DID_PSG 75  /* Pack String */
#define TEV_DID_PF  76  /* Pack Format */
#define TEV_DID_PRF 77  /* Profiling Count */
#define TEV_DID_RST 78  /* Receive Msg Source Task / Wildcard */
#define TEV_DID_RMC 79  /* Receive Msg Code / Wildcard */
#define TEV_DID_RCX 80  /* Receive Msg Context */
#define TEV_DID_SN  81  /* Signal Number */
#define TEV_DID_SE  82  /* Spawn Executable File */
#define TEV_DID_SF  83  /* Spawn Flags */
#define TEV_DID_SW  84  /* Spawn Where */
#define TEV_DID_SC  85  /* Spawn Count */
#define TEV_DID_STL 86  /* Spawned Task ID List */
#define TEV_DID_SIB 87  /* Sibling Task ID List */
#define TEV_DID_TID 88  /* Task ID */
#define TEV_DID_PT  89  /* Parent Task ID */
#define TEV_DID_MT  90  /* My Task ID */
#define TEV_DID_TF  91  /* Task Flags */
#define TEV_DID_TN  92  /* Task Name */
#define TEV_DID_PID 93  /* Task Process ID */
#define TEV_DID_TT  94  /* Target Task ID */
#define TEV_DID_TW  95  /* Tasks Where */
#define TEV_DID_TIS 96  /* Task Information Structures */
#define TEV_DID_TNT 97  /* Task Info - Number of Tasks */
#define TEV_DID_TST 98  /* Task Status */
#define TEV_DID_TUS 99  /* Task User Usage Seconds */
#define TEV_DID_TUU 100 /* Task User Usage Microseconds */
#define TEV_DID_TSS 101 /* Task System Usage Seconds */
#define TEV_DID_TSU 102 /* Task System Usage Microseconds */
#define TEV_DID_TES 103 /* Task Exit Status */
#define TEV_DID_TA  104 /* Tickle Arguments */
#define TEV_DID_TR  105 /* Tickle Responses */
#define TEV_DID_TS  106 /* Time Seconds */
#define TEV_DID_TU  107 /* Time Microseconds */
#define TEV_DID_TGS 108 /* Timing Seconds */
#define TEV_DID_TGU 109 /* Timing Microseconds */
#define TEV_DID_TMW 110 /* Trace Mask Who */
#define TEV_DID_TM  111 /* Trace Mask */
#define TEV_DID_TRC 112 /* Tracer Message Trace Context */
#define TEV_DID_TRT 113 /* Tracer Message Trace Tag */
#define TEV_DID_TRX 114 /* Tracer Message Output Context */
#define TEV_DID_TRO 115 /* Tracer Message Output Tag */
#define TEV_DID_TRM 116 /* Tracer Trace Mask */
#define TEV_DID_TRB 117 /* Tracer Trace Buffering */
#define TEV_DID_TRL 118 /* Tracer Trace Options */
#define TEV_DID_VER 119 /* PVM Version */
#define TEV_DID_VCT 120 /* Trace Event Count */
#define TEV_DID_VID 121 /* Trace Event ID */
#define TEV_DID_WID 122 /* Wait Identifier Number */

#define TEV_DID_MAX 122

/* Key and text of a field: struct Pvmtevdid pvmtevdidlist[TEV_DID_MAX + 1] in libpvm3. */
struct Pvmtevdid {
    char *did;
    char *desc;
};

/* Events. -------------------------------------------------------------------------------------- */

#define TEV_FIRST 0

#define TEV_ADDHOSTS     0
#define TEV_BARRIER      1
#define TEV_BCAST        2
#define TEV_BUFINFO      3
#define TEV_CONFIG       4
#define TEV_DELETE       5
#define TEV_DELHOSTS     6
#define TEV_EXIT         7
#define TEV_FREEBUF      8
#define TEV_GETFDS       9
#define TEV_GETINST      10
#define TEV_GETOPT       11
#define TEV_GETRBUF      12
#define TEV_GETSBUF      13
#define TEV_GETTID       14
#define TEV_GSIZE        15
#define TEV_HALT         16
#define TEV_INITSEND     17
#define TEV_INSERT       18
#define TEV_JOINGROUP    19
#define TEV_KILL         20
#define TEV_LOOKUP       21
#define TEV_LVGROUP      22
#define TEV_MCAST        23
#define TEV_MKBUF        24
#define TEV_MSTAT        25
#define TEV_MYTID        26
#define TEV_NOTIFY       27
#define TEV_NRECV        28
#define TEV_PARENT       29
#define TEV_PERROR       30
#define TEV_PKBYTE       31
#define TEV_PKCPLX       32
#define TEV_PKDCPLX      33
#define TEV_PKDOUBLE     34
#define TEV_PKFLOAT      35
#define TEV_PKINT        36
#define TEV_PKUINT       37
#define TEV_PKLONG       38
#define TEV_PKULONG      39
#define TEV_PKSHORT      40
#define TEV_PKUSHORT     41
#define TEV_PKSTR        42
#define TEV_PROBE        43
#define TEV_PSTAT        44
#define TEV_RECV         45
#define TEV_RECVF        46
#define TEV_SEND         47
#define TEV_SENDSIG      48
#define TEV_SETOPT       49
#define TEV_SETRBUF      50
#define TEV_SETSBUF      51
#define TEV_SPAWN        52
#define TEV_START_PVMD   53
#define TEV_TASKS        54
#define TEV_TICKLE       55
#define TEV_TIDTOHOST    56
#define TEV_TRECV        57
#define TEV_UPKBYTE      58
#define TEV_UPKCPLX      59
#define TEV_UPKDCPLX     60
#define TEV_UPKDOUBLE    61
#define TEV_UPKFLOAT     62
#define TEV_UPKINT       63
#define TEV_UPKUINT      64
#define TEV_UPKLONG      65
#define TEV_UPKULONG     66
#define TEV_UPKSHORT     67
#define TEV_UPKUSHORT    68
#define TEV_UPKSTR       69
#define TEV_VERSION      70
#define TEV_REG_HOSTER   71
#define TEV_REG_RM       72
#define TEV_REG_TASKER   73
#define TEV_REG_TRACER   74
#define TEV_NEWTASK      75
#define TEV_ENDTASK      76
#define TEV_SPNTASK      77
#define TEV_ARCHCODE     78
#define TEV_CATCHOUT     79
#define TEV_GETMWID      80
#define TEV_GETTMASK     81
#define TEV_HOSTSYNC     82
#define TEV_PACKF        83
#define TEV_PRECV        84
#define TEV_PSEND        85
#define TEV_REDUCE       86
#define TEV_SETMWID      87
#define TEV_SETTMASK     88
#define TEV_UNPACKF      89
#define TEV_GATHER       90
#define TEV_SCATTER      91
#define TEV_PUTINFO      92
#define TEV_GETINFO      93
#define TEV_DELINFO      94
#define TEV_GETMBOXINFO  95
#define TEV_NEWCONTEXT   96
#define TEV_FREECONTEXT  97
#define TEV_SETCONTEXT   98
#define TEV_GETCONTEXT   99
#define TEV_SIBLINGS     100
#define TEV_GETMINFO     101
#define TEV_SETMINFO     102
#define TEV_ADDMHF       103
#define TEV_DELMHF       104
#define TEV_MHF_INVOKE   105
#define TEV_TIMING       106
#define TEV_PROFILING    107
#define TEV_USER_DEFINED 108

#define TEV_MAX 108

/* Added to an event's number: the call begins, or returns. */
#define TEV_EVENT_ENTRY 0x4000
#define TEV_EVENT_EXIT  0x8000

/* What libpvm3 notes of an event: struct Pvmtevinfo pvmtevinfo[TEV_MAX + 1]. */
struct Pvmtevinfo {
    char *name;
    int desc_status; /* TEV_EVENT_ENTRY and TEV_EVENT_EXIT: that one has been described */
    struct timeval mark;
    struct timeval total;
    int count;
};

/*
 * Masks: text, four events in the low bits of each character, so that the environment can carry it.
 */

#define TEV_MASK_LENGTH 36

typedef char Pvmtmask[TEV_MASK_LENGTH];

#define TEV_MASK_SET(m, k)   ((m)[(k) / 4] |= (char)(1 << ((k)&3)))
#define TEV_MASK_UNSET(m, k) ((m)[(k) / 4] &= (char)~(1 << ((k)&3)))
#define TEV_MASK_CHECK(m, k) ((m)[(k) / 4] & (1 << ((k)&3)))
#define TEV_MASK_INIT(m)                                                                           \
    {                                                                                              \
        int tev_mask_at = TEV_MASK_LENGTH - 1;                                                     \
        (m)[tev_mask_at] = 0;                                                                      \
        while (tev_mask_at-- > 0)                                                                  \
            (m)[tev_mask_at] = '@';                                                                \
    }

/*
 * Where a task's events and output go, and which: struct Pvmtracer pvmtrc and pvmctrc in libpvm3.
 */
struct Pvmtracer {
    int trctid;
    int trcctx;
    int trctag;
    int outtid;
    int outctx;
    int outtag;
    int trcbuf;
    int trcopt;
    Pvmtmask tmask;
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `who` is PvmTaskSelf or PvmTaskChild, else PvmBadParam. The marks are those of pvm3.h. Needs no
 * pvmd.
 */

/* Copies the trace mask of the task, or of tasks that it spawns, to mask. Returns PvmOk. [any] */
int pvm_gettmask(int who, Pvmtmask mask);

/* Sets the trace mask of the task, or of tasks that it spawns, to a copy. Returns PvmOk. [any] */
int pvm_settmask(int who, Pvmtmask mask);

#ifdef __cplusplus
}
#endif

#endif
