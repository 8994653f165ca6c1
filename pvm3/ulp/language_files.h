/*
 * language_files.h - files that libraries of C++ and Fortran open for a program. They cannot go
 * along to another process, since the libraries keep what they know of them: so they are noted
 * (files.h).
 *
 * Calls of Fortran are bound to what stands here. Those of C++ find it: the dynamic linker looks at
 * the program of a process first.
 *
 * Threads: any thread.
 */
#ifndef ULP_LANGUAGE_FILES_H
#define ULP_LANGUAGE_FILES_H

/* The substitute for a function of this name; NULL if there is no substitute. */
void *language_file_find(const char *name);

#endif
