/* estimate.c - how many processors each task wants. */
#include "sched/estimate.h"

#include <string.h>

/* A process wants all that it can get if its threads wanted to run for so much of the time. */
static const double always = 0.9;

static double load_in(const struct picture *picture, const struct holder *holder)
{
    const struct host *host = picture_host(picture, holder->host);
    if (!host->known)
        return 0;
    double tasks = (double)holder->count;
    double threads = tasks < host->processors ? tasks : host->processors;
    double each = holder->wanted / tasks;
    return holder->wanted >= always * threads || each > 1 ? 1 : each;
}

/* The highest load among the tasks of a program becomes that of all of them. */
static void raise_program(struct picture *picture, const struct task *model)
{
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        if (task->load < model->load && strcmp(task->program, model->program) == 0)
            task->load = model->load;
    }
}

void estimate_loads(struct picture *picture)
{
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        task->load = load_in(picture, &picture->holders[task->holder]);
    }
    for (size_t i = 0; i < picture->task_count; i++)
        raise_program(picture, &picture->tasks[i]);
}
