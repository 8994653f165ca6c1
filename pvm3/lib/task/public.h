/*
 * public.h - every function that the library exports: those of pvm3.h, and those that no header of
 * 3.4.6 declares but shipped programs and libraries call. Files that define one
 * include this instead of pvm3.h, which is what makes them visible.
 *
 * A function of TRACED_CALLS is exported by traced_calls.c, which writes its trace events. In any
 * other file of the library its name means the function without trace events, whose symbol is
 * untraced_...: so calls within the library are never traced.
 */
#ifndef LIB_TASK_PUBLIC_H
#define LIB_TASK_PUBLIC_H

#include <stdarg.h>
#include <stdio.h>

#pragma GCC visibility push(default)

#define NOTMPNAM /* pvm3.h declares pvmtmpnam only then */
#include <pvm3.h>
#include <pvmtev.h>

int pvm_vpackf(const char *format, va_list arguments);
int pvm_vunpackf(const char *format, va_list arguments);

/*
 * Raises an error as the library does: sets pvm_errno, prints as PvmAutoErr says. Returns `code`.
 */
int lpvmerr(char *function, int code);

int pvmbeatask(void);           /* enrols; 0 or PvmSysErr */
int pvmendtask(void);           /* drops the connection to the pvmd; 0 */
int pvmsettaskname(char *name); /* for ps; PvmBadParam, or PvmExists when enrolled */
int pvmreset(int mytid, int killtasks, char *class,
             int index); /* kills tasks, clears mailboxes left over */
void pvmdisplaymhfinfo(char *who, char *msg,
                       int tid); /* lists handlers on stdout, as of `who` with `tid` */

/*
 * The name of a tag of pvmproto.h, or the number as text, the calling thread's until its next call;
 * *found, which may be NULL, says which.
 */
char *pvmnametag(int tag, int *found);

int pvmgetclock(struct timeval *clock); /* the time of day; 0 */
int pvmsleep(int seconds);              /* sleep(3) */
int pvmputenv(char *assignment);        /* keeps the string; -1 when there is no '=' */
int pvmstrtoi(char *text);              /* decimal, 0x hexadecimal, 0 octal */
int pvmxtoi(char *text);                /* hexadecimal */
void i_dump(int how);                   /* prints how much memory is in use, as 3.4.6 sees it */

/* How libgpvm3 traces its calls (trace_abi.c); that of 3.4.6 knows the last two. */
int tev_enter(void);
void tev_leave(void);
int tev_begin(int kind, int entry_exit);
int tev_fin(void);

/* clang-format off */
#define TRACED_CALLS(CALL)                                                                        \
    CALL(addhosts) CALL(addmhf) CALL(archcode) CALL(bufinfo) CALL(config) CALL(delete)            \
    CALL(delhosts) CALL(delinfo) CALL(delmhf) CALL(exit) CALL(freebuf) CALL(freecontext)          \
    CALL(getcontext) CALL(getfds) CALL(getmboxinfo) CALL(getminfo) CALL(getopt) CALL(getrbuf)     \
    CALL(getsbuf) CALL(halt) CALL(initsend) CALL(insert) CALL(kill) CALL(lookup) CALL(mcast)      \
    CALL(mkbuf) CALL(mstat) CALL(mytid) CALL(newcontext) CALL(notify) CALL(nrecv) CALL(parent)    \
    CALL(pkbyte) CALL(pkcplx) CALL(pkdcplx) CALL(pkdouble) CALL(pkfloat) CALL(pkint)              \
    CALL(pklong) CALL(pkshort) CALL(pkstr) CALL(pkuint) CALL(pkulong) CALL(pkushort)              \
    CALL(precv) CALL(probe) CALL(psend) CALL(pstat) CALL(putinfo) CALL(recv) CALL(recvf)          \
    CALL(recvinfo) CALL(reg_hoster) CALL(reg_rm) CALL(reg_tasker) CALL(reg_tracer) CALL(send)     \
    CALL(sendsig) CALL(setcontext) CALL(setminfo) CALL(setopt) CALL(setrbuf) CALL(setsbuf)        \
    CALL(siblings) CALL(spawn) CALL(start_pvmd) CALL(tasks) CALL(tickle) CALL(trecv)              \
    CALL(upkbyte) CALL(upkcplx) CALL(upkdcplx) CALL(upkdouble) CALL(upkfloat) CALL(upkint)        \
    CALL(upklong) CALL(upkshort) CALL(upkstr) CALL(upkuint) CALL(upkulong) CALL(upkushort)        \
    CALL(vpackf) CALL(vunpackf)
/* clang-format on */

#ifndef TRACED_CALLS_HERE
#define TRACED_CALL(name) extern __typeof__(pvm_##name) pvm_##name __asm__("untraced_" #name);
TRACED_CALLS(TRACED_CALL)
#undef TRACED_CALL
#endif

#pragma GCC visibility pop

#endif
