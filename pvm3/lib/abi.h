/*
 * abi.h - the data symbols that 3.4.6 exports and that shipped programs or libraries name (abi.md
 * 2.2).
 *
 * pvm_errno is written by every thread that fails; it is only ever accessed with abi_error and
 * abi_set_error.
 */
#ifndef LIB_ABI_H
#define LIB_ABI_H

#include "core/error.h"

#define ABI_TRACE_MASK_SIZE 36

/* Where a task's trace events and its children's output go. Layout: abi.md 5, struct Pvmtracer. */
struct Pvmtracer {
    int trctid;
    int trcctx;
    int trctag;
    int outtid;
    int outctx;
    int outtag;
    int trcbuf;
    int trcopt;
    char tmask[ABI_TRACE_MASK_SIZE];
};

#pragma GCC visibility push(default)

extern int pvm_errno;
extern char *pvm_errlist[ERROR_COUNT];
extern int pvm_nerr;
extern int pvmmytid;             /* -1 when not enrolled */
extern int pvmmyctx;             /* what a thread set last with pvm_setcontext */
extern int pvmtoplvl;            /* 1: libgpvm3 of 3.4.6 asks whether a call is the program's own */
extern struct Pvmtracer pvmtrc;  /* of the task itself */
extern struct Pvmtracer pvmctrc; /* given to its children */
extern void *pvmtrccodef;

#pragma GCC visibility pop

int abi_error(void);
void abi_set_error(int code);

#endif
