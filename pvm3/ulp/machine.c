/* machine.c - what depends on the kind of processor, and is no expression. */
#include "ulp/machine.h"

#define FUNCTION(name, instructions)                                                               \
    __asm__(".pushsection .text\n"                                                                 \
            ".p2align 4\n"                                                                         \
            ".globl " name "\n"                                                                    \
            ".hidden " name "\n"                                                                   \
            ".type " name ", %function\n" name ":\n"                                               \
            ".cfi_startproc\n" MACHINE_NO_CALLER instructions ".cfi_endproc\n"                     \
            ".size " name ", . - " name "\n"                                                       \
            ".popsection\n")

FUNCTION("machine_run_on", MACHINE_RUN_ON);
FUNCTION("machine_go_on", MACHINE_GO_ON);

#if defined(__x86_64__)

#include <cpuid.h>

/* The system writes an address in front of the context. */
unsigned char *machine_context_begin(void *context)
{
    return (unsigned char *)context - sizeof(void *);
}

/* The parts of the state that are in use, and their size. */
uint64_t machine_features(void)
{
    unsigned size, size_of_all, low, high;
    if (!__get_cpuid_count(0xd, 0, &low, &size, &size_of_all, &high))
        return 0;
    return (uint64_t)size << 32 | low;
}

uint64_t machine_guards(void)
{
    uint64_t guard, hiding;
    __asm__("mov %%fs:0x28, %0\n\t"
            "mov %%fs:0x30, %1"
            : "=r"(guard), "=r"(hiding));
    return guard ^ (hiding << 1 | hiding >> 63);
}

#elif defined(__aarch64__)

#include <dlfcn.h>

/* The system writes what it says of the signal in front of the context. */
unsigned char *machine_context_begin(void *context)
{
    return (unsigned char *)context - 128;
}

uint64_t machine_features(void)
{
    return 0;
}

/* They are variables of the dynamic linker. */
static uint64_t machine_variable(const char *name, const char *version)
{
    const uint64_t *place = dlvsym(RTLD_DEFAULT, name, version);
    return place ? *place : 0;
}

uint64_t machine_guards(void)
{
    return machine_variable("__stack_chk_guard", "GLIBC_2.17") ^
           machine_variable("__pointer_chk_guard", "GLIBC_PRIVATE") << 1;
}

#endif
