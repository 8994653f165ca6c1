/*
 * receive_calls.h - the receives of a program, in which it may move to another host.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_RECEIVE_CALLS_H
#define ULP_RECEIVE_CALLS_H

/* What stands for a function of this name; NULL: it is none of these. */
void *receive_call_find(const char *name);

#endif
