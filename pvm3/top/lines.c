/* lines.c - the columns of hosts and of tasks. */
#include "top/lines.h"

#include <stdio.h>

/* A cell of a line. */
struct cell {
    char text[16];
};

static struct cell cell_count(int count, bool known)
{
    struct cell cell = {"-"};
    if (known)
        snprintf(cell.text, sizeof cell.text, "%d", count);
    return cell;
}

static struct cell cell_number(double number, int decimals, bool known)
{
    struct cell cell = {"-"};
    if (known)
        snprintf(cell.text, sizeof cell.text, "%.*f", decimals, number);
    return cell;
}

/* Bytes, in the largest unit of which there are some. */
static struct cell cell_bytes(double bytes, bool known)
{
    static const char units[] = "BKMGTP";
    struct cell cell = {"-"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit < sizeof units - 2; unit++)
        bytes /= 1024;
    if (known)
        snprintf(cell.text, sizeof cell.text, "%.*f%c", unit > 2 ? 1 : 0, bytes, units[unit]);
    return cell;
}

static const char host_format[] = "%-24.24s %-8.8s %5s %7s %7s %7s %6s";
static const char task_format[] = "%-9s %-16.16s %-7s %-8s %6s %7s %7s %s";

struct line line_of_hosts(void)
{
    struct line line;
    snprintf(line.text, sizeof line.text, host_format, "HOST", "ARCH", "CPUS", "LOAD", "MEMORY",
             "FREE", "TASKS");
    return line;
}

struct line line_of_host(const struct picture *picture, const struct host *host)
{
    struct line line;
    snprintf(line.text, sizeof line.text, host_format, host->name, host->arch,
             cell_count(host->processors, host->processors > 0).text,
             cell_number(host->load, 2, host->answered).text,
             cell_bytes(host->memory, host->answered).text,
             cell_bytes(host->available, host->answered).text,
             cell_count(picture_tasks_of(picture, host), true).text);
    return line;
}

struct line line_of_tasks(void)
{
    struct line line;
    snprintf(line.text, sizeof line.text, task_format, "TID", "HOST", "KIND", "STATE", "CPU%",
             "MEMORY", "THREADS", "PROGRAM");
    return line;
}

struct line line_of_task(const struct task *task)
{
    struct line line;
    struct cell tid;
    snprintf(tid.text, sizeof tid.text, "t%x", (unsigned)task->tid);
    snprintf(
        line.text, sizeof line.text, task_format, tid.text, task->host->name, kind_name(task->kind),
        activity_name(task->usage.activity), cell_number(100 * task->share, 1, task->known).text,
        cell_bytes(task->usage.memory, task->known).text,
        cell_count(task->usage.threads, task->known).text, *task->program ? task->program : "-");
    return line;
}

void lines_print(const struct picture *picture)
{
    puts(line_of_hosts().text);
    for (size_t i = 0; i < picture->host_count; i++)
        puts(line_of_host(picture, &picture->hosts[i]).text);
    putchar('\n');
    puts(line_of_tasks().text);
    for (size_t i = 0; i < picture->shown; i++)
        puts(line_of_task(&picture->tasks[i]).text);
}
