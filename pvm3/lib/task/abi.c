/* abi.c - the exported data. */
#include "lib/task/abi.h"

#include <stddef.h>

#define ABI_TEXT(index, name, text) [index] = text,

_Static_assert(sizeof(struct Pvmtracer) == 68, "struct Pvmtracer is part of the ABI");

int pvm_errno = 0;
char *pvm_errlist[ERROR_COUNT] = {ERROR_LIST(ABI_TEXT)};
int pvm_nerr = ERROR_COUNT;
int pvmmytid = -1;
int pvmmyctx = 0;
int pvmtoplvl = 1;
struct Pvmtracer pvmtrc;
struct Pvmtracer pvmctrc;

int abi_error(const int *error)
{
    return __atomic_load_n(error, __ATOMIC_RELAXED);
}

void abi_set_error(int *error, int code)
{
    /*
     * An exchange rather than a store: the race of two failing threads is wanted, and Helgrind
     * takes it for one.
     */
    __atomic_exchange_n(error, code, __ATOMIC_RELAXED);
}

void abi_show(int tid, const struct Pvmtracer *own, const struct Pvmtracer *child)
{
    abi_set_number(&pvmmytid, tid);
    abi_set_tracer(&pvmtrc, own);
    abi_set_tracer(&pvmctrc, child);
}

void abi_set_number(int *field, int value)
{
    __atomic_exchange_n(field, value, __ATOMIC_RELAXED);
}

void abi_set_mask(Pvmtmask field, const char *mask)
{
    for (int i = 0; i < TEV_MASK_LENGTH; i++)
        __atomic_exchange_n(&field[i], mask[i], __ATOMIC_RELAXED);
}

void abi_set_tracer(struct Pvmtracer *tracer, const struct Pvmtracer *from)
{
    abi_set_number(&tracer->outtid, from->outtid);
    abi_set_number(&tracer->outctx, from->outctx);
    abi_set_number(&tracer->outtag, from->outtag);
    abi_set_number(&tracer->trctid, from->trctid);
    abi_set_number(&tracer->trcctx, from->trcctx);
    abi_set_number(&tracer->trctag, from->trctag);
    abi_set_number(&tracer->trcbuf, from->trcbuf);
    abi_set_number(&tracer->trcopt, from->trcopt);
    abi_set_mask(tracer->tmask, from->tmask);
}
