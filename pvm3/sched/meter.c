/* meter.c - what the threads of a host want of its processors. */
#include "sched/meter.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/input.h"
#include "sched/memory.h"

/* Threads. ------------------------------------------------------------------------------------- */

static int thread_compare(const void *left, const void *right)
{
    const struct meter_thread *one = left, *other = right;
    return (one->tid > other->tid) - (one->tid < other->tid);
}

static void thread_append(struct meter *meter, const struct meter_thread *thread)
{
    meter->threads =
        memory_grow(meter->threads, meter->count, &meter->room, sizeof *meter->threads);
    meter->threads[meter->count++] = *thread;
}

/* Reads for how long a thread has run and waited so far. False if it is over. */
static bool thread_read(int folder, const char *name, struct meter_thread *thread)
{
    char path[sizeof "/schedstat" + NAME_MAX], text[128];
    snprintf(path, sizeof path, "%s/schedstat", name);
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    return sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &thread->ran, &thread->waited,
                  &thread->turns) == 3;
}

/* Processes. ----------------------------------------------------------------------------------- */

/* The network of a process; empty if it is kept from us. */
static void network_read(const char *proc, const char *process, char *text, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/ns/net", proc, process);
    ssize_t length = readlink(path, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
}

static bool is_here(const char *proc, const char *process, const char *network)
{
    char other[64];
    network_read(proc, process, other, sizeof other);
    return !*other || strcmp(other, network) == 0;
}

static void process_read(struct meter *meter, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/task", meter->proc, name);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        struct meter_thread thread = {.tid = atoi(entry->d_name), .pid = atoi(name)};
        if (thread.tid > 0 && thread_read(dirfd(folder), entry->d_name, &thread))
            thread_append(meter, &thread);
    }
    if (folder)
        closedir(folder);
}

static void processes_read(struct meter *meter)
{
    char network[64];
    DIR *folder = opendir(meter->proc);
    const struct dirent *entry;
    network_read(meter->proc, "self", network, sizeof network);
    while (folder && (entry = readdir(folder)))
        if (atoi(entry->d_name) > 0 && is_here(meter->proc, entry->d_name, network))
            process_read(meter, entry->d_name);
    if (folder)
        closedir(folder);
    if (meter->count)
        qsort(meter->threads, meter->count, sizeof *meter->threads, thread_compare);
}

/* Readings. ------------------------------------------------------------------------------------ */

void meter_start(struct meter *meter, const char *proc, const char *dev, double now)
{
    *meter = (struct meter){.proc = proc, .dev = dev, .read_at = now};
    processes_read(meter);
}

void meter_free(struct meter *meter)
{
    free(meter->threads);
    meter->threads = NULL;
}

/* Nanoseconds of a count that only grows. */
static double grown(uint64_t now, uint64_t before)
{
    return now > before ? (double)(now - before) : 0;
}

/*
 * How many processors a thread wanted in the time since the reading before, at most one. A wait is
 * counted when it ends. If one wait more, or two, would fill the time, the thread has always wanted
 * to run.
 */
static double wanted(const struct meter *before, const struct meter_thread *thread, double time)
{
    static const struct meter_thread none;
    static const double few = 4; /* fewer turns than that say nothing about the length of a wait */
    const struct meter_thread *past =
        before->count
            ? bsearch(thread, before->threads, before->count, sizeof *thread, thread_compare)
            : NULL;
    if (!past || past->pid != thread->pid)
        past = &none; /* it began since */
    double ran = grown(thread->ran, past->ran), waited = grown(thread->waited, past->waited);
    double turns = grown(thread->turns, past->turns), wait = turns >= few ? waited / turns : 0;
    return ran + waited + 2 * wait >= time ? 1 : ran / (time - waited);
}

/* Where in the facts it counts what a process wants. */
static double *place_of(const struct question *question, struct facts *facts, int pid)
{
    for (int i = 0; i < question->count; i++)
        if (question->pids[i] == pid)
            return i < question->holder_count ? &facts->wanted[i] : &facts->fixed;
    return &facts->others;
}

static double processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void meter_read(struct meter *meter, const struct question *question, double now,
                struct facts *facts)
{
    struct meter before = *meter;
    double nanoseconds = (now - before.read_at) * 1e9;
    *facts = (struct facts){.round = question->round,
                            .seconds = now - before.read_at,
                            .holder_count = question->holder_count};
    facts->wanted = memory_take((size_t)facts->holder_count, sizeof *facts->wanted);
    *meter = (struct meter){.proc = before.proc, .dev = before.dev, .read_at = now};
    processes_read(meter);
    for (size_t i = 0; i < meter->count; i++) {
        const struct meter_thread *thread = &meter->threads[i];
        double *place = place_of(question, facts, thread->pid);
        *place += wanted(&before, thread, nanoseconds);
    }
    facts->processors = meter->count ? processors() : 0;
    facts->idle = input_idle(meter->dev);
    meter_free(&before);
}
