/*
 * annotate.h - tells Helgrind the order that a reference count imposes, which it cannot see in the
 * atomics.
 *
 * In debug builds with Valgrind's header at hand these are its client requests (a few instructions,
 * no effect outside Valgrind); otherwise they are nothing. They state facts of our code; they
 * suppress no report.
 */
#ifndef CORE_ANNOTATE_H
#define CORE_ANNOTATE_H

#if defined(PVM_DEBUG) && defined(HAVE_VALGRIND_HELGRIND_H)
#include <valgrind/helgrind.h>
#define ANNOTATE_RELEASE(address) ANNOTATE_HAPPENS_BEFORE(address)
#define ANNOTATE_ACQUIRE(address) ANNOTATE_HAPPENS_AFTER(address)
#define ANNOTATE_FORGET(address)  ANNOTATE_HAPPENS_BEFORE_FORGET_ALL(address)
#else
#define ANNOTATE_RELEASE(address) ((void)(address))
#define ANNOTATE_ACQUIRE(address) ((void)(address))
#define ANNOTATE_FORGET(address)  ((void)(address))
#endif

#endif
