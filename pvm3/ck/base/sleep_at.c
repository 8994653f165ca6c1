/* sleep_at.c - the system's futex. */
#include "ck/base/sleep_at.h"

#include <stddef.h>

#include "core/system.h"

void sleep_at(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, SYSTEM_FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void wake_at(atomic_uint *word)
{
    syscall(SYS_futex, word, SYSTEM_FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
