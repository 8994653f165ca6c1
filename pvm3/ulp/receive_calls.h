/*
 * receive_calls.h - the receives of a program, in which it may move to another host.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_RECEIVE_CALLS_H
#define ULP_RECEIVE_CALLS_H

/* The substitute for a function of this name; NULL if there is no substitute. */
void *receive_call_find(const char *name);

#endif
