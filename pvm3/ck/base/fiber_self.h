/*
 * fiber_self.h - what the calling thread is: a fiber (ck/base/fiber.h), a carrier, or neither.
 *
 * Apart from fiber.h for those that fibers stand on. Threads: for the calling thread.
 */
#ifndef CK_BASE_FIBER_SELF_H
#define CK_BASE_FIBER_SELF_H

struct carrier;
struct fiber;

/* The calling fiber; NULL if the calling thread is no fiber. */
struct fiber *fiber_current(void);
void fiber_set_current(struct fiber *fiber);

/* The carrier whose loop calls, or NULL. */
struct carrier *carrier_current(void);
void carrier_set_current(struct carrier *carrier);

#endif
