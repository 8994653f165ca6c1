/*
 * fiber_switch.h - what depends on the kind of processor when a fiber (fiber.h) goes from one thread
 * of the system to another.
 *
 * A fiber that is not running has on its stack the registers which a function keeps for its caller,
 * and its record tells where. The thread pointer goes along, and with it everything that is
 * thread-local. The modes in which floating-point numbers are rounded go along, too.
 *
 * Facts: System V Application Binary Interface, AMD64 Architecture Processor Supplement; Procedure
 * Call Standard for the Arm 64-bit Architecture (AArch64).
 *
 * Threads: for the thread that runs the fiber.
 */
#ifndef CK_BASE_FIBER_SWITCH_H
#define CK_BASE_FIBER_SWITCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The order of these is known to fiber_switch.c. */
struct fiber_place {
    void *stack; /* where it goes on, while it does not run */
    void *thread_pointer;
    atomic_uint running; /* 1: a thread uses its stack */
    atomic_uint home;    /* 1: its own thread is to go on with it, and nobody else runs it */
};

/* Whether this processor and system can switch. */
bool fiber_switch_is_possible(void);

/* The thread pointer of the calling thread. */
void *fiber_thread_pointer(void);

/*
 * The calling thread leaves `from` and goes on with `to`, which nobody runs. `fast`: it may set its
 * thread pointer without the system. Returns when a thread goes on with `from`.
 */
void fiber_switch(struct fiber_place *from, struct fiber_place *to, unsigned fast);

/* Where a signal has interrupted a thread: `context` as its handler has it. */
uintptr_t fiber_instruction(const void *context);

/* Whether fiber_switch may be fast. */
unsigned fiber_switch_is_fast(void);

/*
 * The fiber's own thread leaves it, and sleeps until place->home is set. It needs no stack for that:
 * others run on the one it has. It returns when a thread goes on with the fiber, this one or another.
 * All signals are blocked.
 */
void fiber_leave_to_others(struct fiber_place *place);

#endif
