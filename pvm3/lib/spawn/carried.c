/* carried.c - the carriers of a process, and what they carry. */
#include "lib/spawn/carried.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "ck/wait/carriers.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

/* How many processors the calling thread may use. */
static int carried_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? count : 1;
}

bool own_program_carry(bool (*may_suspend)(uintptr_t instruction),
                       void (*interrupted)(void *context))
{
    const struct fibers_owner owner = {may_suspend, interrupted};
    struct process *process = caller_self()->task->process;
    struct fiber *fiber = malloc(sizeof *fiber);
    if (fiber)
        process->carriers = carriers_start(&process->engine->waiting, carried_processors(), &owner);
    if (process->carriers)
        carried_begin(process, fiber);
    else
        free(fiber);
    return process->carriers != NULL;
}

void carried_begin(const struct process *process, struct fiber *fiber)
{
    if (process->carriers)
        fiber_begin(fiber, carriers_fibers(process->carriers));
}

const void *own_program_fiber(void)
{
    return fiber_current();
}

void own_program_end_carrying(void)
{
    atomic_store(&caller_self()->task->move.stays, true);
    fiber_end();
}

void own_program_interrupt(void)
{
    carriers_interrupt();
}

void own_program_keep_mask(void)
{
    fiber_keep_mask();
}

void own_program_go_home(void)
{
    int error = errno;
    fiber_go_home();
    errno = error;
}

void own_program_come_back(void)
{
    int error = errno;
    fiber_come_back();
    errno = error;
}
