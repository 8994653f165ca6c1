/*
 * new_calls.h - operator new, in place of that of the library of C++: which memory it gives depends
 * on who asks (heap_calls.h). The C++ library's operator delete calls free, which looks at the
 * address.
 *
 * Threads: any thread.
 */
#ifndef ULP_NEW_CALLS_H
#define ULP_NEW_CALLS_H

/* The substitute in a program for a function of this name; NULL if there is no substitute. */
void *new_call_find(const char *name);

/* Libraries of a program have been opened: that of C++ may be among them. */
void new_calls_know_libraries(void);

#endif
