/* costs.c - steps, each from its first event to its last. */
#include "costs.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <pvm3.h>

#include "acts.h"
#include "calls.h"
#include "machine.h"
#include "program.h"
#include "scene.h"

#define DELAY         100 /* of a packet, microseconds */
#define MESSAGE_BYTES 1000
#define REST_SECONDS  60

struct costs {
    int64_t time;      /* virtual */
    int64_t processor; /* microseconds of the system that simulates */
    uint64_t packets, bytes, stream_bytes;
};

static struct costs costs_now(void)
{
    struct timespec used;
    __real_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (struct costs){.time = world.now,
                          .processor = used.tv_sec * SECOND + used.tv_nsec / 1000,
                          .packets = world.packets,
                          .bytes = world.bytes,
                          .stream_bytes = world.stream_bytes};
}

void costs_print_names(void)
{
    puts("hosts,step,packets,packet_bytes,stream_bytes,virtual_ms,processor_ms,memory_kb");
}

/* Kilobytes that the process has in memory. */
static long costs_memory(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void costs_print(const char *step, const struct costs *before)
{
    const struct costs now = costs_now();
    printf("%zu,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3f,%.3f,%ld\n", world.machine_count, step,
           now.packets - before->packets, now.bytes - before->bytes,
           now.stream_bytes - before->stream_bytes, (double)(now.time - before->time) / MILLISECOND,
           (double)(now.processor - before->processor) / MILLISECOND, costs_memory());
    fflush(stdout);
}

/* What is waited for. -------------------------------------------------------------------------- */

static bool costs_unanswered(void)
{
    return !list_is_empty(&programs.list[0]->questions);
}

static bool costs_not_all_run(void)
{
    const struct program *last = programs.list[programs.count - 1];
    return costs_unanswered() || programs.count <= world.machine_count ||
           last->state != PROGRAM_RUNS;
}

static bool costs_not_all_got(void)
{
    return programs.messages < world.machine_count;
}

static bool costs_not_all_told(void)
{
    return programs.words < world.machine_count;
}

static bool costs_not_all_ended(void)
{
    for (size_t i = 0; i < world.machine_count; i++)
        if (world.machines[i].process)
            return true;
    return false;
}

/* Steps. --------------------------------------------------------------------------------------- */

static void costs_ask_add(void)
{
    act_add(programs.list[0], &world.machines[1], world.machine_count - 1);
}

/* One on each host. */
static void costs_ask_spawn(void)
{
    act_spawn(programs.list[0], (int32_t)world.machine_count);
}

static void costs_multicast(void)
{
    program_send(programs.list[0], programs.list + 1, (int32_t)programs.count - 1, MESSAGE_BYTES);
}

/* The first program wants word of the ends of all others, which end. */
static void costs_end_tasks(void)
{
    for (size_t i = 1; i < programs.count; i++)
        program_watch(programs.list[0], PvmTaskExit, programs.list[i]->tid);
    world_run_until(world.now + SECOND);
    for (size_t i = 1; i < programs.count; i++)
        program_end(programs.list[i]);
}

static void costs_halt(void)
{
    act_halt(programs.list[0]);
}

static const struct {
    const char *name;
    void (*begin)(void);
    bool (*goes_on)(void);
} steps[] = {
    {"add", costs_ask_add, costs_unanswered},
    {"spawn", costs_ask_spawn, costs_not_all_run},
    {"multicast", costs_multicast, costs_not_all_got},
    {"notify", costs_end_tasks, costs_not_all_told},
    {"halt", costs_halt, costs_not_all_ended},
};

static void costs_rest(void)
{
    world_run_until(world.now + REST_SECONDS * (int64_t)SECOND);
    const struct costs before = costs_now();
    world_run_until(world.now + REST_SECONDS * (int64_t)SECOND);
    costs_print("rest", &before);
}

bool costs_measure(size_t hosts)
{
    bool good = true;
    world_start(1, false);
    world.weather = (struct weather){.delay = DELAY};
    scene_begin(hosts);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && good; i++) {
        const struct costs before = costs_now();
        steps[i].begin();
        good = world_run_while(steps[i].goes_on);
        costs_print(steps[i].name, &before);
        if (i == 0)
            costs_rest();
    }
    if (!good)
        printf("%zu hosts: a step did not end\n", hosts);
    scene_end();
    return good;
}
