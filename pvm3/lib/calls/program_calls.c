/* program_calls.c - what pvmulp says of the programs of its tasks. */
#include "lib/link/results.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

void own_program_set(const struct own_program *program)
{
    struct task *task = caller_self()->task;
    if (!program)
        results_leave_behind(task);
    lock_acquire(&task->options_lock);
    task->program = program ? program : &task_of_process;
    task_show(task);
    lock_release(&task->options_lock);
}
