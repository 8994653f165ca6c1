/*
 * command_calls.h - the calls by which a program runs others, which get its own environment.
 *
 * A program that has the process to itself, or is a child of fork, may put another in its place.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_COMMAND_CALLS_H
#define ULP_COMMAND_CALLS_H

/* The substitute for a function of this name; NULL if there is no substitute. */
void *command_call_find(const char *name);

#endif
