/* fiber_switch.c - registers onto the stack and back. */
#include "ck/base/fiber_switch.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <ucontext.h>

_Static_assert(offsetof(struct fiber_place, stack) == 0, "known below");
_Static_assert(offsetof(struct fiber_place, thread_pointer) == sizeof(void *), "known below");
_Static_assert(offsetof(struct fiber_place, running) == 2 * sizeof(void *), "known below");
_Static_assert(offsetof(struct fiber_place, home) == 2 * sizeof(void *) + 4, "known below");

#if defined(__x86_64__) && defined(__LP64__)

/* In AT_HWCAP2: a program may set its thread pointer itself. */
#define HWCAP2_FSGSBASE 2

#define KEEP                                                                                       \
    "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"                      \
    "sub $8, %rsp\n stmxcsr (%rsp)\n fnstcw 4(%rsp)\n"
#define BRING                                                                                      \
    "ldmxcsr (%rsp)\n fldcw 4(%rsp)\n add $8, %rsp\n"                                              \
    "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n"
#define FUNCTION(name)                                                                             \
    ".p2align 4\n .globl " name "\n .hidden " name "\n .type " name ", @function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"

/* Writing the word is a release on this processor. 158 is arch_prctl, 0x1002 ARCH_SET_FS. */
__asm__(".pushsection .text\n" FUNCTION("fiber_switch") KEEP "mov %rsp, (%rdi)\n"
                                                             "mov (%rsi), %rsp\n"
                                                             "movl $0, 16(%rdi)\n"
                                                             "mov 8(%rsi), %rsi\n"
                                                             "test %edx, %edx\n"
                                                             "jz 1f\n"
                                                             "wrfsbase %rsi\n"
                                                             "2:\n" BRING "1: mov $158, %eax\n"
                                                             "mov $0x1002, %edi\n"
                                                             "syscall\n"
                                                             "jmp 2b\n" END("fiber_switch")

        /* 202 is futex, 128 FUTEX_WAIT_PRIVATE. */
        FUNCTION("fiber_leave_to_others") KEEP
        "mov %rsp, (%rdi)\n"
        "mov %rdi, %rbx\n"
        "movl $0, 16(%rbx)\n"
        "1: cmpl $0, 20(%rbx)\n"
        "jne 2f\n"
        "mov $202, %eax\n"
        "lea 20(%rbx), %rdi\n"
        "mov $128, %esi\n"
        "xor %edx, %edx\n"
        "xor %r10d, %r10d\n"
        "syscall\n"
        "jmp 1b\n"
        "2: movl $1, 16(%rbx)\n"
        "mov (%rbx), %rsp\n" BRING END("fiber_leave_to_others") ".popsection\n");

void *fiber_thread_pointer(void)
{
    void *pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

bool fiber_switch_is_possible(void)
{
    return true;
}

uintptr_t fiber_instruction(const void *context)
{
    const ucontext_t *user = context;
    return (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
}

unsigned fiber_switch_is_fast(void)
{
    return (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
}

#elif defined(__aarch64__)

#define KEEP                                                                                       \
    "sub sp, sp, #176\n"                                                                           \
    "stp x19, x20, [sp]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n"                     \
    "stp x25, x26, [sp, #48]\n stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"                \
    "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n"                \
    "stp d14, d15, [sp, #144]\n mrs x9, fpcr\n str x9, [sp, #160]\n"
#define BRING                                                                                      \
    "ldr x9, [sp, #160]\n msr fpcr, x9\n"                                                          \
    "ldp x19, x20, [sp]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n"                     \
    "ldp x25, x26, [sp, #48]\n ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"                \
    "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n"                \
    "ldp d14, d15, [sp, #144]\n add sp, sp, #176\n ret\n"
#define FUNCTION(name)                                                                             \
    ".p2align 4\n .globl " name "\n .hidden " name "\n .type " name ", %function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"

__asm__(".pushsection .text\n" FUNCTION("fiber_switch") KEEP
        "mov x9, sp\n"
        "str x9, [x0]\n"
        "ldp x9, x10, [x1]\n"
        "mov sp, x9\n"
        "add x0, x0, #16\n"
        "stlr wzr, [x0]\n"
        "msr tpidr_el0, x10\n" BRING END("fiber_switch")

        /* 98 is futex, 128 FUTEX_WAIT_PRIVATE. */
        FUNCTION("fiber_leave_to_others") KEEP
        "mov x9, sp\n"
        "str x9, [x0]\n"
        "mov x19, x0\n"
        "add x20, x19, #16\n"
        "add x21, x19, #20\n"
        "stlr wzr, [x20]\n"
        "1: ldar w9, [x21]\n"
        "cbnz w9, 2f\n"
        "mov x8, #98\n"
        "mov x0, x21\n"
        "mov x1, #128\n"
        "mov x2, #0\n"
        "mov x3, #0\n"
        "svc #0\n"
        "b 1b\n"
        "2: mov w9, #1\n"
        "str w9, [x20]\n"
        "ldr x9, [x19]\n"
        "mov sp, x9\n" BRING END("fiber_leave_to_others") ".popsection\n");

void *fiber_thread_pointer(void)
{
    void *pointer;
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
    return pointer;
}

bool fiber_switch_is_possible(void)
{
    return true;
}

uintptr_t fiber_instruction(const void *context)
{
    const ucontext_t *user = context;
    return (uintptr_t)user->uc_mcontext.pc;
}

unsigned fiber_switch_is_fast(void)
{
    return 1;
}

#else

bool fiber_switch_is_possible(void)
{
    return false;
}

unsigned fiber_switch_is_fast(void)
{
    return 0;
}

/* Nobody becomes a fiber here. */
uintptr_t fiber_instruction(const void *context)
{
    (void)context;
    abort();
}

void *fiber_thread_pointer(void)
{
    abort();
}

void fiber_switch(struct fiber_place *from, struct fiber_place *to, unsigned fast)
{
    (void)from, (void)to, (void)fast;
    abort();
}

void fiber_leave_to_others(struct fiber_place *place)
{
    (void)place;
    abort();
}

#endif
