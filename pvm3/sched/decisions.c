/* decisions.c - the log of the scheduler. */
#include "sched/decisions.h"

#include <time.h>

bool decisions_open(struct decisions *decisions, const char *path, bool dry_run)
{
    decisions->dry_run = dry_run;
    decisions->file = path ? fopen(path, "a") : stdout;
    if (decisions->file)
        setvbuf(decisions->file, NULL, _IOLBF, BUFSIZ);
    return decisions->file;
}

static void time_print(FILE *file)
{
    char text[32];
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &parts));
    fprintf(file, "%s ", text);
}

static void host_print(FILE *file, const struct host *host)
{
    time_print(file);
    if (!host->known) {
        fprintf(file, "host %s does not answer\n", host->name);
        return;
    }
    fprintf(file,
            "host %s: %.0f processors; wanted: %.2f by others, %.2f by tasks that stay, %.2f by"
            " tasks that can move; load %.2f\n",
            host->name, host->processors, host->others, host->fixed, host->moving,
            host_load(host, 0));
}

void decisions_hosts(const struct decisions *decisions, const struct picture *picture)
{
    for (size_t i = 0; i < picture->host_count; i++)
        host_print(decisions->file, &picture->hosts[i]);
}

static const char *program_of(const struct picture *picture, int tid)
{
    for (size_t i = 0; i < picture->task_count; i++)
        if (picture->tasks[i].tid == tid)
            return picture->tasks[i].program;
    return "-";
}

static void move_print(const struct decisions *decisions, const struct picture *picture,
                       const char *verb, const struct move *move)
{
    time_print(decisions->file);
    fprintf(decisions->file, "%s t%x %s from %s to %s: ", verb, (unsigned)move->tid,
            program_of(picture, move->tid), picture_host(picture, move->from)->name,
            picture_host(picture, move->to)->name);
}

void decisions_move(const struct decisions *decisions, const struct picture *picture,
                    const struct move *move)
{
    move_print(decisions, picture, decisions->dry_run ? "would move" : "move", move);
    fprintf(decisions->file, "%s: %s\n", move->policy, move->reason);
}

void decisions_refusal(const struct decisions *decisions, const struct picture *picture,
                       const struct move *move, int code, const char *why)
{
    move_print(decisions, picture, "cannot move", move);
    fprintf(decisions->file, "error %d, %s\n", code, why);
}
