/*
 * public.h - every function that the library exports: those of pvm3.h, and those that no header of
 * 3.4.6 declares but shipped programs and libraries call (abi.md 2.1). Files that define one
 * include this instead of pvm3.h, which is what makes them visible.
 */
#ifndef LIB_PUBLIC_H
#define LIB_PUBLIC_H

#include <stdarg.h>
#include <stdio.h>

#pragma GCC visibility push(default)

#define NOTMPNAM /* pvm3.h declares pvmtmpnam only then */
#include <pvm3.h>

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
char *pvmgetrsh(void);                  /* PVM_RSH, or the remote shell built in */
char *pvmgettmp(void);                  /* PVM_TMP, or /tmp */
void i_dump(int how);                   /* prints how much memory is in use, as 3.4.6 sees it */

/* libgpvm3 of 3.4.6 asks these whether a call is traced: never, here. */
int tev_begin(int kind, int entry_exit);
int tev_fin(void);

#pragma GCC visibility pop

#endif
