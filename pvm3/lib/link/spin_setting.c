/* spin_setting.c - PVM_SPIN. */
#include "lib/link/spin_setting.h"

#include <sched.h>
#include <unistd.h>

#include "lib/task/variables.h"

/* Processors that this process may run on. */
static int spin_setting_processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more than the set has room for */
}

void spin_setting_read(struct task *task)
{
    const char *text = variables_get(task, "PVM_SPIN", "auto");
    int64_t setting = SPIN_AUTO;
    if (!spin_parse(text, &setting))
        task_print(task,
                   "PVM_SPIN is %.100s: taking auto, as it must be auto or microseconds, 0 to %d",
                   text, SPIN_MOST_MICROSECONDS);
    engine_set_spin(task->endpoint.engine, setting, spin_setting_processors());
}
