/* metrics.c - a table of metrics, of hosts and of tasks. */
#include "top/metrics.h"

/* A metric of which each host or each task has one. */
struct metric {
    const char *name, *type, *help;
    double (*of_host)(const struct picture *picture, const struct host *host);
    double (*of_task)(const struct task *task);
};

/* What is not known has no line in the text. */
static const double unknown = -1;

static double host_processors(const struct picture *picture, const struct host *host)
{
    (void)picture;
    return host->processors > 0 ? host->processors : unknown;
}

static double host_load(const struct picture *picture, const struct host *host)
{
    (void)picture;
    return host->answered ? host->load : unknown;
}

static double host_memory(const struct picture *picture, const struct host *host)
{
    (void)picture;
    return host->answered ? host->memory : unknown;
}

static double host_available(const struct picture *picture, const struct host *host)
{
    (void)picture;
    return host->answered ? host->available : unknown;
}

static double host_tasks(const struct picture *picture, const struct host *host)
{
    return picture_tasks_of(picture, host);
}

static double task_processor(const struct task *task)
{
    return task->known ? task->usage.processor : unknown;
}

static double task_memory(const struct task *task)
{
    return task->known ? task->usage.memory : unknown;
}

static double task_threads(const struct task *task)
{
    return task->known ? task->usage.threads : unknown;
}

static const struct metric metrics[] = {
    {"pvm_host_processors", "gauge", "Processors of the host.", .of_host = host_processors},
    {"pvm_host_load1", "gauge", "Load average of a minute.", .of_host = host_load},
    {"pvm_host_memory_bytes", "gauge", "Memory of the host.", .of_host = host_memory},
    {"pvm_host_memory_available_bytes", "gauge", "Memory that a new process can get.",
     .of_host = host_available},
    {"pvm_host_tasks", "gauge", "Tasks on the host.", .of_host = host_tasks},
    {"pvm_task_cpu_seconds_total", "counter", "Processor time of the process of the task.",
     .of_task = task_processor},
    {"pvm_task_memory_bytes", "gauge", "Resident memory of the process of the task.",
     .of_task = task_memory},
    {"pvm_task_threads", "gauge", "Threads of the process of the task.", .of_task = task_threads},
};

/* NAME="VALUE", with what the format wants quoted. */
static void label_write(FILE *file, const char *name, const char *value)
{
    fprintf(file, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\n') {
            fputs("\\n", file);
            continue;
        }
        if (*value == '"' || *value == '\\')
            fputc('\\', file);
        fputc(*value, file);
    }
    fputc('"', file);
}

static void host_write(FILE *file, const struct metric *metric, const struct picture *picture,
                       const struct host *host)
{
    double value = metric->of_host(picture, host);
    if (value < 0)
        return;
    fprintf(file, "%s{", metric->name);
    label_write(file, "host", host->name);
    fprintf(file, "} %.15g\n", value);
}

static void task_write(FILE *file, const struct metric *metric, const struct task *task)
{
    double value = metric->of_task(task);
    if (value < 0)
        return;
    fprintf(file, "%s{", metric->name);
    label_write(file, "host", task->host->name);
    fprintf(file, ",tid=\"t%x\",", (unsigned)task->tid);
    label_write(file, "program", task->program);
    fprintf(file, "} %.15g\n", value);
}

void metrics_write(FILE *file, const struct picture *picture)
{
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        const struct metric *metric = &metrics[m];
        fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name,
                metric->type);
        for (size_t i = 0; metric->of_host && i < picture->host_count; i++)
            host_write(file, metric, picture, &picture->hosts[i]);
        for (size_t i = 0; metric->of_task && i < picture->shown; i++)
            task_write(file, metric, &picture->tasks[i]);
    }
}
