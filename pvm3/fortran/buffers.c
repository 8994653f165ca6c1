/* buffers.c - message buffers, and what is packed to them and unpacked. */
#include "fortran/routines.h"

#include <pvm3.h>

void pvmfinitsend(int *encoding, int *bufid)
{
    *bufid = pvm_initsend(*encoding);
}

void pvmfmkbuf(int *encoding, int *bufid)
{
    *bufid = pvm_mkbuf(*encoding);
}

void pvmffreebuf(int *bufid, int *info)
{
    *info = pvm_freebuf(*bufid);
}

void pvmfgetsbuf(int *bufid)
{
    *bufid = pvm_getsbuf();
}

void pvmfgetrbuf(int *bufid)
{
    *bufid = pvm_getrbuf();
}

void pvmfsetsbuf(int *bufid, int *old)
{
    *old = pvm_setsbuf(*bufid);
}

void pvmfsetrbuf(int *bufid, int *old)
{
    *old = pvm_setrbuf(*bufid);
}

void pvmfbufinfo(int *bufid, int *bytes, int *tag, int *tid, int *info)
{
    *info = pvm_bufinfo(*bufid, bytes, tag, tid);
}

/* What a type of the Fortran header is packed as. */
#define EACH_TYPE(CALL) \
    CALL(PVM_STR, byte) \
    CALL(PVM_BYTE, byte) \
    CALL(PVM_SHORT, short) \
    CALL(PVM_INT, int) \
    CALL(PVM_FLOAT, float) \
    CALL(PVM_CPLX, cplx) \
    CALL(PVM_DOUBLE, double) \
    CALL(PVM_DCPLX, dcplx) \
    CALL(PVM_LONG, long)

#define PACK(TYPE, NAME) \
    case TYPE: \
        *info = pvm_pk##NAME(xp, *nitem, *stride); \
        break;
#define UNPACK(TYPE, NAME) \
    case TYPE: \
        *info = pvm_upk##NAME(xp, *nitem, *stride); \
        break;

void pvmfpack(int *what, void *xp, int *nitem, int *stride, int *info)
{
    switch (*what) {
        EACH_TYPE(PACK)
    default:
        *info = PvmBadParam;
    }
}

void pvmfunpack(int *what, void *xp, int *nitem, int *stride, int *info)
{
    switch (*what) {
        EACH_TYPE(UNPACK)
    default:
        *info = PvmBadParam;
    }
}
