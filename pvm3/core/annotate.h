/*
 * annotate.h - tells the checkers what they cannot see: Helgrind the order that atomics impose,
 * memcheck and AddressSanitizer which memory is kept but must not be touched.
 *
 * In debug builds with Valgrind's header at hand these are its client requests (a few instructions,
 * no effect outside Valgrind); otherwise they are nothing. They state facts of our code; they
 * suppress no report.
 */
#ifndef CORE_ANNOTATE_H
#define CORE_ANNOTATE_H

#if defined(PVM_DEBUG) && defined(HAVE_VALGRIND_HELGRIND_H)
#include <valgrind/helgrind.h>
#define ANNOTATE_RELEASE(address)       ANNOTATE_HAPPENS_BEFORE(address)
#define ANNOTATE_ACQUIRE(address)       ANNOTATE_HAPPENS_AFTER(address)
#define ANNOTATE_FORGET(address)        ANNOTATE_HAPPENS_BEFORE_FORGET_ALL(address)
/* The last reference is gone: what is here is as new, though the allocator does not have it. */
#define ANNOTATE_RENEWED(address, size) VALGRIND_HG_CLEAN_MEMORY(address, size)
/* Every access is atomic, and orders nothing else. */
#define ANNOTATE_ATOMIC(address, size)  VALGRIND_HG_DISABLE_CHECKING(address, size)
/* What follows is ordered by ANNOTATE_RELEASE and ANNOTATE_ACQUIRE again. */
#define ANNOTATE_ORDERED(address, size) VALGRIND_HG_ENABLE_CHECKING(address, size)
#else
#define ANNOTATE_RELEASE(address)       ((void)(address))
#define ANNOTATE_ACQUIRE(address)       ((void)(address))
#define ANNOTATE_FORGET(address)        ((void)(address))
#define ANNOTATE_RENEWED(address, size) ((void)(address))
#define ANNOTATE_ATOMIC(address, size)  ((void)(address))
#define ANNOTATE_ORDERED(address, size) ((void)(address))
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define ANNOTATE_UNUSED(address, size) ASAN_POISON_MEMORY_REGION(address, size)
#define ANNOTATE_USED(address, size)   ASAN_UNPOISON_MEMORY_REGION(address, size)
#define ANNOTATE_FILLED(address, size) ((void)(address))
#elif defined(PVM_DEBUG) && defined(HAVE_VALGRIND_HELGRIND_H)
#include <valgrind/memcheck.h>
#define ANNOTATE_UNUSED(address, size) ((void)VALGRIND_MAKE_MEM_NOACCESS(address, size))
#define ANNOTATE_USED(address, size)   ((void)VALGRIND_MAKE_MEM_UNDEFINED(address, size))
/* Another process has written there. */
#define ANNOTATE_FILLED(address, size) ((void)VALGRIND_MAKE_MEM_DEFINED(address, size))
#else
#define ANNOTATE_UNUSED(address, size) ((void)(address))
#define ANNOTATE_USED(address, size)   ((void)(address))
#define ANNOTATE_FILLED(address, size) ((void)(address))
#endif

#endif
