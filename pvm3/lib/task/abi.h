/*
 * abi.h - the data symbols that 3.4.6 exports and that shipped programs or libraries name.
 *
 * pvm_errno is written by every thread that fails, and by programs; it is only ever accessed with
 * abi_error and abi_set_error. pvmmytid, pvmtrc and pvmctrc are for others to read: they show the
 * task that last enrolled, left, or changed what is in them (task_show). The library reads its
 * tasks. As a thread asks without a lock whether its task is traced, changes there go through
 * abi_set_number and abi_set_mask, too.
 */
#ifndef LIB_TASK_ABI_H
#define LIB_TASK_ABI_H

#include "core/error.h"

struct trace_codec;

#pragma GCC visibility push(default)

#include <pvmtev.h>

extern int pvm_errno;
extern char *pvm_errlist[ERROR_COUNT];
extern int pvm_nerr;
extern int pvmmytid;             /* -1 when not enrolled */
extern int pvmmyctx;             /* what a thread set last with pvm_setcontext */
extern int pvmtoplvl;            /* 1: libgpvm3 of 3.4.6 asks whether a call is the program's own */
extern struct Pvmtracer pvmtrc;  /* of the task itself */
extern struct Pvmtracer pvmctrc; /* given to its children */
extern const struct trace_codec *pvmtrccodef; /* how libgpvm3 of 3.4.6 writes fields of events */
extern struct Pvmtevdid pvmtevdidlist[TEV_DID_MAX + 1];
extern struct Pvmtevinfo pvmtevinfo[TEV_MAX + 1];

#pragma GCC visibility pop

/* `error` is pvm_errno, or what a program of its own has in its place (own_program.h). */
int abi_error(const int *error);
void abi_set_error(int *error, int code);

/* Sets pvmmytid, pvmtrc and pvmctrc. */
void abi_show(int tid, const struct Pvmtracer *own, const struct Pvmtracer *child);

/* For numbers and masks that are read without the lock which guards them. */
void abi_set_number(int *field, int value);
void abi_set_mask(Pvmtmask field, const char *mask);

/* Copies the settings of `from`. */
void abi_set_tracer(struct Pvmtracer *tracer, const struct Pvmtracer *from);

#endif
