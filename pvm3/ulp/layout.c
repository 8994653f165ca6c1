/* layout.c - a process whose addresses are known beforehand. */
#include "ulp/layout.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <pvm3.h>

/* personality tells what is in force. */
#define CURRENT 0xffffffffUL

#if !defined(__SANITIZE_THREAD__)

#if __has_attribute(no_stack_protector)
#define NO_GUARD __attribute__((no_stack_protector))
#else
#define NO_GUARD
#endif

/* A string that runs over ends at the zero in the first. */
static const uint64_t guard_of_stacks = 0x5c3e9a17d2846b00, hiding_value = 0x91d7264f0ba8e35c;

#if defined(__x86_64__)

/* From the thread pointer on; each thread gets them from the one that starts it. */
NO_GUARD static void layout_fix_guards(void)
{
    __asm__ volatile("mov %0, %%fs:0x28\n\t"
                     "mov %1, %%fs:0x30"
                     :
                     : "r"(guard_of_stacks), "r"(hiding_value)
                     : "memory");
}

#else

/* Variables of the dynamic linker, which nothing changes as a rule. */
NO_GUARD static void layout_fix_variable(const char *name, const char *version, uint64_t value)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint64_t *place = dlvsym(RTLD_DEFAULT, name, version);
    if (!place)
        return;
    void *first = (void *)((uintptr_t)place & ~(page - 1));
    if (mprotect(first, page, PROT_READ | PROT_WRITE) < 0)
        return;
    *place = value;
    mprotect(first, page, PROT_READ);
}

NO_GUARD static void layout_fix_guards(void)
{
    layout_fix_variable("__stack_chk_guard", "GLIBC_2.17", guard_of_stacks);
    layout_fix_variable("__pointer_chk_guard", "GLIBC_PRIVATE", hiding_value);
}

#endif

/* Before the C library uses them. */
__attribute__((section(".preinit_array"),
               used)) static void (*const layout_first)(void) = layout_fix_guards;

#endif

/* Programs that user-level processes start in processes of their own have random addresses again. */
static void layout_in_child(void)
{
    const int now = personality(CURRENT);
    if (now >= 0)
        personality((unsigned long)now & ~(unsigned long)ADDR_NO_RANDOMIZE);
}

void layout_begin(char **words)
{
    const int now = personality(CURRENT);
    if (now >= 0 && (now & ADDR_NO_RANDOMIZE)) {
        pthread_atfork(NULL, NULL, layout_in_child);
        return;
    }
    if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
        return;
    execv("/proc/self/exe", words);
    personality((unsigned long)now);
}

void layout_open_groups(void)
{
    Dl_info libpvm;
    char *path;
    const char *end = dladdr((void *)pvm_mytid, &libpvm) ? strrchr(libpvm.dli_fname, '/') : NULL;
    if (!end ||
        asprintf(&path, "%.*s/libgpvm3.so.3", (int)(end - libpvm.dli_fname), libpvm.dli_fname) < 0)
        return;
    dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    free(path);
}

void layout_open_libraries(void)
{
    static const char *const libraries[] = {"libm.so.6", "libgcc_s.so.1", "libstdc++.so.6",
                                            "libgfortran.so.5"};
    layout_open_groups();
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL);
}
