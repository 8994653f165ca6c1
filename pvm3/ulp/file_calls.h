/*
 * file_calls.h - the calls by which a program opens and closes files, which note what is open
 * (files.h).
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_FILE_CALLS_H
#define ULP_FILE_CALLS_H

/* The substitute for a function of this name; NULL if there is no substitute. */
void *file_call_find(const char *name);

#endif
