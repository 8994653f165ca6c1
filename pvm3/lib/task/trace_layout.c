/* trace_layout.c - the table of fields. Observed of 3.4.6 (test/interop/test_trace.py). */
#include "lib/task/trace_layout.h"

#include <pvmtev.h>

#define COUNT(...) (sizeof((unsigned char[]){__VA_ARGS__}))
#define FIELDS(...)                                                                                \
    {                                                                                              \
        COUNT(__VA_ARGS__),                                                                        \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* clang-format off */
#define ARRIVED TEV_DID_MB, TEV_DID_MNB, TEV_DID_MC, TEV_DID_MCX, TEV_DID_SRC
#define WANTED  TEV_DID_RST, TEV_DID_RMC, TEV_DID_RCX
#define PACKED  FIELDS(TEV_DID_PDA, TEV_DID_PC, TEV_DID_PSD)
#define TEXT    FIELDS(TEV_DID_PDA)

static const struct trace_layout entries[TEV_MAX + 1] = {
    [TEV_ADDHOSTS] = FIELDS(TEV_DID_HNL),
    [TEV_ADDMHF] = FIELDS(WANTED),
    [TEV_ARCHCODE] = FIELDS(TEV_DID_AN),
    [TEV_BUFINFO] = FIELDS(TEV_DID_MB),
    [TEV_DELETE] = FIELDS(TEV_DID_CN, TEV_DID_CI),
    [TEV_DELHOSTS] = FIELDS(TEV_DID_HNL),
    [TEV_DELINFO] = FIELDS(TEV_DID_CN, TEV_DID_CI, TEV_DID_CF),
    [TEV_DELMHF] = FIELDS(TEV_DID_MHI),
    [TEV_FREEBUF] = FIELDS(TEV_DID_MB),
    [TEV_FREECONTEXT] = FIELDS(TEV_DID_CXF),
    [TEV_GETINFO] = FIELDS(TEV_DID_CN, TEV_DID_CI, TEV_DID_CF),
    [TEV_GETMBOXINFO] = FIELDS(TEV_DID_CN),
    [TEV_GETMINFO] = FIELDS(TEV_DID_MB),
    [TEV_GETOPT] = FIELDS(TEV_DID_OPT),
    [TEV_INITSEND] = FIELDS(TEV_DID_ME),
    [TEV_INSERT] = FIELDS(TEV_DID_CN, TEV_DID_CI, TEV_DID_CD),
    [TEV_KILL] = FIELDS(TEV_DID_TT),
    [TEV_LOOKUP] = FIELDS(TEV_DID_CN, TEV_DID_CI),
    [TEV_MCAST] = FIELDS(TEV_DID_MNB, TEV_DID_MC, TEV_DID_MCX, TEV_DID_MDL),
    [TEV_MHF_INVOKE] = FIELDS(WANTED, ARRIVED),
    [TEV_MKBUF] = FIELDS(TEV_DID_ME),
    [TEV_MSTAT] = FIELDS(TEV_DID_HN),
    [TEV_NOTIFY] = FIELDS(TEV_DID_NE, TEV_DID_NMC, TEV_DID_NTL),
    [TEV_NRECV] = FIELDS(WANTED),
    [TEV_PACKF] = FIELDS(TEV_DID_PF),
    [TEV_PKBYTE] = PACKED,
    [TEV_PKCPLX] = PACKED,
    [TEV_PKDCPLX] = PACKED,
    [TEV_PKDOUBLE] = PACKED,
    [TEV_PKFLOAT] = PACKED,
    [TEV_PKINT] = PACKED,
    [TEV_PKLONG] = PACKED,
    [TEV_PKSHORT] = PACKED,
    [TEV_PKSTR] = TEXT,
    [TEV_PKUINT] = PACKED,
    [TEV_PKULONG] = PACKED,
    [TEV_PKUSHORT] = PACKED,
    [TEV_PRECV] = FIELDS(WANTED, TEV_DID_PDA, TEV_DID_PC, TEV_DID_PDT),
    [TEV_PROBE] = FIELDS(WANTED),
    [TEV_PSEND] = FIELDS(TEV_DID_DST, TEV_DID_MC, TEV_DID_MCX, TEV_DID_PDA, TEV_DID_PC,
                         TEV_DID_PDT),
    [TEV_PSTAT] = FIELDS(TEV_DID_TT),
    [TEV_PUTINFO] = FIELDS(TEV_DID_CN, TEV_DID_CI, TEV_DID_CF, TEV_DID_CD),
    [TEV_RECV] = FIELDS(WANTED),
    [TEV_REG_TRACER] = FIELDS(TEV_DID_TRC, TEV_DID_TRT, TEV_DID_TRX, TEV_DID_TRO, TEV_DID_TRM,
                              TEV_DID_TRB, TEV_DID_TRL),
    [TEV_SEND] = FIELDS(TEV_DID_MNB, TEV_DID_DST, TEV_DID_MC, TEV_DID_MCX),
    [TEV_SENDSIG] = FIELDS(TEV_DID_TT, TEV_DID_SN),
    [TEV_SETCONTEXT] = FIELDS(TEV_DID_CXS),
    [TEV_SETMINFO] = FIELDS(TEV_DID_MB),
    [TEV_SETOPT] = FIELDS(TEV_DID_OPT, TEV_DID_OPV),
    [TEV_SETRBUF] = FIELDS(TEV_DID_MB),
    [TEV_SETSBUF] = FIELDS(TEV_DID_MB),
    [TEV_SPAWN] = FIELDS(TEV_DID_SE, TEV_DID_SW, TEV_DID_SF, TEV_DID_SC),
    [TEV_START_PVMD] = FIELDS(TEV_DID_BF, TEV_DID_AS),
    [TEV_TASKS] = FIELDS(TEV_DID_TW),
    [TEV_TICKLE] = FIELDS(TEV_DID_TA),
    [TEV_TRECV] = FIELDS(WANTED, TEV_DID_MTS, TEV_DID_MTU),
    [TEV_UNPACKF] = FIELDS(TEV_DID_PF),
    [TEV_UPKBYTE] = PACKED,
    [TEV_UPKCPLX] = PACKED,
    [TEV_UPKDCPLX] = PACKED,
    [TEV_UPKDOUBLE] = PACKED,
    [TEV_UPKFLOAT] = PACKED,
    [TEV_UPKINT] = PACKED,
    [TEV_UPKLONG] = PACKED,
    [TEV_UPKSHORT] = PACKED,
    [TEV_UPKSTR] = TEXT,
    [TEV_UPKUINT] = PACKED,
    [TEV_UPKULONG] = PACKED,
    [TEV_UPKUSHORT] = PACKED,
};

/* Exits that say more than the condition code, or say it in another field. */
static const struct trace_layout exits[TEV_MAX + 1] = {
    [TEV_ADDMHF] = FIELDS(TEV_DID_MHI),
    [TEV_ARCHCODE] = FIELDS(TEV_DID_AC),
    [TEV_BUFINFO] = FIELDS(TEV_DID_CC, TEV_DID_INB, TEV_DID_IMC, TEV_DID_IST),
    [TEV_CONFIG] = FIELDS(TEV_DID_NH, TEV_DID_NA, TEV_DID_CC),
    [TEV_GETCONTEXT] = FIELDS(TEV_DID_CXC),
    [TEV_GETFDS] = FIELDS(TEV_DID_CC, TEV_DID_FDS),
    [TEV_GETINFO] = FIELDS(TEV_DID_CC, TEV_DID_CR),
    [TEV_GETOPT] = FIELDS(TEV_DID_OPV),
    [TEV_GETRBUF] = FIELDS(TEV_DID_MRB),
    [TEV_GETSBUF] = FIELDS(TEV_DID_MSB),
    [TEV_INITSEND] = FIELDS(TEV_DID_MSB),
    [TEV_MKBUF] = FIELDS(TEV_DID_MB),
    [TEV_MSTAT] = FIELDS(TEV_DID_HS),
    [TEV_MYTID] = FIELDS(TEV_DID_MT),
    [TEV_NEWCONTEXT] = FIELDS(TEV_DID_CXN),
    [TEV_NRECV] = FIELDS(ARRIVED),
    [TEV_PARENT] = FIELDS(TEV_DID_PT),
    [TEV_PRECV] = FIELDS(TEV_DID_CC, TEV_DID_MNB, TEV_DID_MC, TEV_DID_MCX, TEV_DID_SRC),
    [TEV_PSTAT] = FIELDS(TEV_DID_TST),
    [TEV_RECV] = FIELDS(ARRIVED),
    [TEV_SETOPT] = FIELDS(TEV_DID_OPV),
    [TEV_SETRBUF] = FIELDS(TEV_DID_MRB),
    [TEV_SETSBUF] = FIELDS(TEV_DID_MSB),
    [TEV_SIBLINGS] = FIELDS(TEV_DID_SIB),
    [TEV_SPAWN] = FIELDS(TEV_DID_CC, TEV_DID_STL),
    [TEV_TASKS] = FIELDS(TEV_DID_CC, TEV_DID_TNT),
    [TEV_TICKLE] = FIELDS(TEV_DID_CC, TEV_DID_TR),
    [TEV_TRECV] = FIELDS(ARRIVED),
};

static const struct trace_layout condition = FIELDS(TEV_DID_CC);
static const struct trace_layout nothing;
/* clang-format on */

const struct trace_layout *trace_layout(int event, int edge)
{
    if (edge == TEV_EVENT_ENTRY)
        return &entries[event];
    if (event == TEV_RECVF)
        return &nothing;
    return exits[event].count > 0 ? &exits[event] : &condition;
}

int trace_field_type(int id)
{
    switch (id) {
    case TEV_DID_AN:
    case TEV_DID_CN:
    case TEV_DID_HN:
    case TEV_DID_PF:
    case TEV_DID_SE:
    case TEV_DID_SW:
    case TEV_DID_TRM:
        return TEV_DATA_STRING;
    case TEV_DID_AS:
    case TEV_DID_HNL:
    case TEV_DID_VID:
        return TEV_DATA_STRING | TEV_DATA_ARRAY;
    case TEV_DID_FDS:
    case TEV_DID_MDL:
    case TEV_DID_NTL:
    case TEV_DID_PRF:
    case TEV_DID_SIB:
    case TEV_DID_STL:
    case TEV_DID_TA:
    case TEV_DID_TGS:
    case TEV_DID_TGU:
    case TEV_DID_TR:
        return TEV_DATA_INT | TEV_DATA_ARRAY;
    case TEV_DID_PDA:
        return TEV_DATA_LONG;
    default:
        return TEV_DATA_INT;
    }
}
