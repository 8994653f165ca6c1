/* new_calls.c - the operators, by the names that compilers give them. */
#include "ulp/new_calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ulp/calls.h"
#include "ulp/heap.h"
#include "ulp/heap_calls.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* Where the library of C++ lies, if there is one. */
static _Atomic(uintptr_t) library_first, library_size;

static int find_library(struct dl_phdr_info *library, size_t size, void *argument)
{
    (void)size, (void)argument;
    if (!strstr(library->dlpi_name, "/libstdc++.so"))
        return 0;
    uintptr_t end = 0;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_LOAD)
            end = library->dlpi_phdr[i].p_vaddr + library->dlpi_phdr[i].p_memsz;
    atomic_store(&library_first, library->dlpi_addr);
    atomic_store(&library_size, end);
    return 1;
}

void new_calls_know_libraries(void)
{
    dl_iterate_phdr(find_library, NULL);
}

/* The heap for a call that returns to this address. */
static struct heap *heap_of_caller(const void *address)
{
    const struct ulp *ulp = room_owner();
    if (!ulp || !ulp->heap)
        return NULL;
    uintptr_t place = (uintptr_t)address;
    bool of_program = place - (uintptr_t)ulp->image.base < ulp->image.file->span;
    bool of_library = place - atomic_load(&library_first) < atomic_load(&library_size);
    return of_program || of_library ? ulp->heap : NULL;
}

/* Without memory this throws, or asks the program for some: the library knows. */
static void *take_or_throw(struct heap *heap, size_t size, size_t alignment)
{
    void *block = heap_call_take(heap, size, alignment);
    if (block)
        return block;
    void *(*operator_new)(size_t size, size_t alignment) = NULL;
    *(void **)&operator_new =
        dlsym(RTLD_NEXT, alignment > HEAP_ALIGNMENT ? "_ZnwmSt11align_val_t" : "_Znwm");
    return operator_new(size, alignment);
}

#define OF_CALLER heap_of_caller(__builtin_return_address(0))

/*
 * The dynamic linker looks at the program of a process first: all libraries find these. But a
 * sanitizer has operators of its own, which are to be left alone.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OPERATOR __attribute__((noinline))
#define SERVED   false
#else
#define OPERATOR __attribute__((visibility("default"), noinline))
#define SERVED   true
#endif

OPERATOR void *_Znwm(size_t size);
void *_Znwm(size_t size)
{
    return take_or_throw(OF_CALLER, size, HEAP_ALIGNMENT);
}

OPERATOR void *_Znam(size_t size);
void *_Znam(size_t size)
{
    return take_or_throw(OF_CALLER, size, HEAP_ALIGNMENT);
}

OPERATOR void *_ZnwmSt11align_val_t(size_t size, size_t alignment);
void *_ZnwmSt11align_val_t(size_t size, size_t alignment)
{
    return take_or_throw(OF_CALLER, size, alignment);
}

OPERATOR void *_ZnamSt11align_val_t(size_t size, size_t alignment);
void *_ZnamSt11align_val_t(size_t size, size_t alignment)
{
    return take_or_throw(OF_CALLER, size, alignment);
}

/* Those that do not throw. */
OPERATOR void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow)
{
    (void)nothrow;
    return heap_call_take(OF_CALLER, size, HEAP_ALIGNMENT);
}

OPERATOR void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow);
void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow)
{
    (void)nothrow;
    return heap_call_take(OF_CALLER, size, HEAP_ALIGNMENT);
}

static const struct call calls[] = {
    {"_Znwm", (void *)_Znwm},
    {"_Znam", (void *)_Znam},
    {"_ZnwmSt11align_val_t", (void *)_ZnwmSt11align_val_t},
    {"_ZnamSt11align_val_t", (void *)_ZnamSt11align_val_t},
    {"_ZnwmRKSt9nothrow_t", (void *)_ZnwmRKSt9nothrow_t},
    {"_ZnamRKSt9nothrow_t", (void *)_ZnamRKSt9nothrow_t},
};

void *new_call_find(const char *name)
{
    return SERVED ? call_find(calls, sizeof calls / sizeof *calls, name) : NULL;
}
