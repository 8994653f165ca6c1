/* fiber_self.c - the variable that tells. */
#include "ck/base/fiber_self.h"

static _Thread_local struct {
    struct fiber *fiber;
    struct carrier *carrier;
} fiber_self __attribute__((tls_model("initial-exec")));

struct fiber *fiber_current(void)
{
    return fiber_self.fiber;
}

void fiber_set_current(struct fiber *fiber)
{
    fiber_self.fiber = fiber;
}

struct carrier *carrier_current(void)
{
    return fiber_self.carrier;
}

void carrier_set_current(struct carrier *carrier)
{
    fiber_self.carrier = carrier;
}
