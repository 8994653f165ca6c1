/*
 * machine.h - what depends on the kind of processor: relocations, where thread-local variables of a
 * program lie, and how a program is entered.
 *
 * Facts: System V Application Binary Interface, AMD64 Architecture Processor Supplement; ELF for the
 * Arm 64-bit Architecture (AArch64).
 *
 * Threads: any thread may call anything.
 */
#ifndef ULP_MACHINE_H
#define ULP_MACHINE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)

#define MACHINE_ELF          EM_X86_64
#define MACHINE_R_ABSOLUTE   R_X86_64_64
#define MACHINE_R_RELATIVE   R_X86_64_RELATIVE
#define MACHINE_R_DATA       R_X86_64_GLOB_DAT
#define MACHINE_R_FUNCTION   R_X86_64_JUMP_SLOT
#define MACHINE_R_COPY       R_X86_64_COPY
#define MACHINE_R_IRELATIVE  R_X86_64_IRELATIVE
#define MACHINE_R_TLS_OFFSET R_X86_64_TPOFF64

/*
 * Where the thread-local variables of a program begin, from the thread pointer on, if they are of
 * this size and alignment: they end at the thread pointer.
 */
static inline intptr_t machine_tls_offset(size_t size, size_t alignment)
{
    return -(intptr_t)((size + alignment - 1) / alignment * alignment);
}

static inline unsigned char *machine_thread_pointer(void)
{
    unsigned char *pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

static inline void machine_call_resolver(void *resolver, void **result)
{
    *result = ((void *(*)(void))resolver)();
}

/* Enters a program as the system does: `stack` begins with the number of words. */
__attribute__((noreturn)) static inline void machine_enter(void *entry, void **stack)
{
    __asm__ volatile("mov %1, %%rsp\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "xor %%edx, %%edx\n\t"
                     "jmp *%0"
                     :
                     : "r"(entry), "r"(stack)
                     : "rdx", "memory");
    __builtin_unreachable();
}

/* The instructions of machine_run_on. */
#define MACHINE_RUN_ON                                                                             \
    "mov %rdi, %rsp\n"                                                                             \
    "xor %ebp, %ebp\n"                                                                             \
    "call *%rsi\n"                                                                                 \
    "ud2\n"
#define MACHINE_NO_CALLER ".cfi_undefined rip\n"

/* And of machine_go_on: the call by which a signal handler returns. */
#define MACHINE_GO_ON                                                                              \
    "mov %rdi, %rsp\n"                                                                             \
    "mov $15, %eax\n"                                                                              \
    "syscall\n"                                                                                    \
    "ud2\n"

#elif defined(__aarch64__)

#define MACHINE_ELF          EM_AARCH64
#define MACHINE_R_ABSOLUTE   R_AARCH64_ABS64
#define MACHINE_R_RELATIVE   R_AARCH64_RELATIVE
#define MACHINE_R_DATA       R_AARCH64_GLOB_DAT
#define MACHINE_R_FUNCTION   R_AARCH64_JUMP_SLOT
#define MACHINE_R_COPY       R_AARCH64_COPY
#define MACHINE_R_IRELATIVE  R_AARCH64_IRELATIVE
#define MACHINE_R_TLS_OFFSET R_AARCH64_TLS_TPREL

/* They begin behind two words that the system uses. */
static inline intptr_t machine_tls_offset(size_t size, size_t alignment)
{
    (void)size;
    return (intptr_t)((2 * sizeof(void *) + alignment - 1) / alignment * alignment);
}

static inline unsigned char *machine_thread_pointer(void)
{
    unsigned char *pointer;
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
    return pointer;
}

static inline void machine_call_resolver(void *resolver, void **result)
{
    *result = ((void *(*)(uint64_t, const void *))resolver)(0, NULL);
}

#define MACHINE_RUN_ON                                                                             \
    "mov sp, x0\n"                                                                                 \
    "mov x29, xzr\n"                                                                               \
    "blr x1\n"                                                                                     \
    "brk #1\n"
#define MACHINE_NO_CALLER ".cfi_undefined x30\n"
#define MACHINE_GO_ON                                                                              \
    "sub sp, x0, #128\n"                                                                           \
    "mov x8, #139\n"                                                                               \
    "svc #0\n"                                                                                     \
    "brk #1\n"

__attribute__((noreturn)) static inline void machine_enter(void *entry, void **stack)
{
    __asm__ volatile("mov sp, %1\n\t"
                     "mov x29, xzr\n\t"
                     "mov x30, xzr\n\t"
                     "mov x0, xzr\n\t"
                     "br %0"
                     :
                     : "r"(entry), "r"(stack)
                     : "x0", "memory");
    __builtin_unreachable();
}

#endif

/*
 * Calls `function`, which does not return, on a stack that ends at `stack`. A debugger or an
 * exception that looks for callers finds none there, as in the first function of a thread.
 */
__attribute__((noreturn)) void machine_run_on(void *stack, void (*function)(void));

/*
 * Goes on where a signal has interrupted a thread. `context` is as the system wrote it for the
 * handler, and lies on the stack where it lay then.
 */
__attribute__((noreturn)) void machine_go_on(void *context);

/*
 * The first byte of what lies on a stack for machine_go_on; and what else must be equal where that
 * is called, but for AT_HWCAP and AT_HWCAP2: which registers the system keeps, and the values that
 * guard stacks and hide addresses.
 */
unsigned char *machine_context_begin(void *context);
uint64_t machine_features(void);
uint64_t machine_guards(void);

#endif
