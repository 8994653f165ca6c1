/* story.c - a run from its seed: troubled times, then rest, then the end. */
#include "story.h"

#include <pvm3.h>

#include "acts.h"
#include "checks.h"
#include "faults.h"
#include "machine.h"
#include "program.h"
#include "scene.h"

#define MACHINES_LEAST 2
#define MACHINES_MOST  7

#define TROUBLE_MOST (90 * (int64_t)SECOND)
#define PAUSE_MOST   (400 * MILLISECOND)

/*
 * So long nothing goes wrong before all must be in order: a daemon that no master has taken into its
 * table runs so long (SLAVE_SECONDS).
 */
#define CALM (SLAVE_SECONDS * (int64_t)SECOND + 100 * (int64_t)SECOND)
#define REST (100 * (int64_t)SECOND)

/* Longer than the patience of a daemon with its master. */
#define FAREWELL (120 * (int64_t)SECOND)

/* No more tasks are spawned than that. */
#define PROGRAMS_WISHED 200

/* One of so many runs loses its master amid the trouble. */
#define DOOMED 8

#define SUBJECTS_MOST 16
#define MESSAGE_MOST  20000

/* A program that can act, drawn; NULL: there is none, or not this time. */
static struct program *story_choose(void)
{
    struct program *program = programs.list[world_draw(programs.count)];
    bool acts = program->state == PROGRAM_RUNS && !program->leaves && !program->machine->frozen;
    return acts ? program : NULL;
}

/*
 * Whether the program can have heard of the other one: its daemon has the other's host in the table.
 * A daemon that was out of reach learns later than others of new hosts.
 */
static bool story_knows(const struct program *program, const struct program *other)
{
    const struct host *host =
        other->tid == 0 ? NULL : hosts_find(&program->process->daemon.post->hosts, other->tid);
    return other->tid != 0 && (other->state == PROGRAM_OVER || (host && !host->pending));
}

static void story_send(struct program *program)
{
    struct program *others[SUBJECTS_MOST];
    int32_t count = 0, wished = world_draw(4) == 0 ? SUBJECTS_MOST : 1;
    for (int32_t i = 0; i < wished; i++) {
        struct program *other = programs.list[world_draw(programs.count)];
        bool fits = other != program && story_knows(program, other);
        for (int32_t j = 0; j < count; j++)
            fits = fits && others[j] != other;
        if (fits)
            others[count++] = other;
    }
    if (count > 0)
        program_send(program, others, count, world_draw(3) == 0 ? world_draw(MESSAGE_MOST) : 0);
}

static void story_watch_host(struct program *program)
{
    const struct hosts *hosts = &program->process->daemon.post->hosts;
    const struct host *host = hosts_next(hosts, NULL);
    for (uint64_t left = world_draw(world.machine_count); left > 0 && host; left--)
        host = hosts_next(hosts, host);
    if (host)
        program_watch(program, PvmHostDelete, host->part);
}

static void story_watch(struct program *program)
{
    const struct program *other = programs.list[world_draw(programs.count)];
    if (story_knows(program, other))
        program_watch(program, PvmTaskExit, other->tid);
}

/* One of the machines but the first. */
static struct machine *story_machine(void)
{
    return &world.machines[1 + world_draw(world.machine_count - 1)];
}

static void story_act(struct program *program)
{
    switch (world_draw(16)) {
    case 0:
        act_add(program, story_machine(), 1);
        break;
    case 1:
        if (programs.count < PROGRAMS_WISHED)
            act_spawn(program, 1 + (int32_t)world_draw(8));
        break;
    case 2:
        story_watch(program);
        break;
    case 3:
        act_put(program);
        break;
    case 4:
        act_get(program);
        break;
    case 5:
        act_list_hosts(program);
        break;
    case 6:
        act_list_tasks(program);
        break;
    case 7:
        if (program->index > 0 && world_draw(3) == 0)
            act_leave(program);
        break;
    case 8:
        story_watch_host(program);
        break;
    case 9:
        if (world_draw(8) == 0)
            act_delete(program, story_machine());
        break;
    default:
        story_send(program);
    }
}

/* Also a machine without a master is a whole run: all must end. */
static void story_end_master(void)
{
    if (!world.machines[0].process)
        return;
    if (world_draw(2) == 0) {
        machine_kill(&world.machines[0]);
        return;
    }
    machine_switch_off(&world.machines[0]);
    programs_end_on(&world.machines[0]);
}

/* The first program is the user's, on the master's machine. */
static void story_trouble(bool overlap)
{
    int64_t end = world.now + (int64_t)world_draw(TROUBLE_MOST);
    int64_t doom =
        world_draw(DOOMED) == 0 ? world.now + (int64_t)world_draw(TROUBLE_MOST) : INT64_MAX;
    faults_draw(overlap);
    act_add(programs.list[0], &world.machines[1], world.machine_count - 1);
    while (world.now < end && !world.failed) {
        world_run_until(world.now + (int64_t)world_draw(PAUSE_MOST));
        struct program *program = story_choose();
        if (program)
            story_act(program);
        faults_strike();
        if (world.now >= doom)
            story_end_master();
    }
    faults_end();
}

static void story_rest(void)
{
    world_run_until(world.now + CALM);
    if (!world.machines[0].process) {
        check_end();
        return;
    }
    int64_t since = world.now;
    check_rest_begin();
    world_run_until(world.now + REST);
    check_rest(since);
    check_tables();
    check_messages();
    check_answers();
    check_words();
}

/* The machine is halted, or its master is killed. */
static void story_end(void)
{
    if (world.failed || !world.machines[0].process)
        return;
    if (world_draw(2) == 0 && programs.list[0]->state == PROGRAM_RUNS)
        act_halt(programs.list[0]);
    else
        machine_kill(&world.machines[0]);
    world_run_until(world.now + FAREWELL);
    check_end();
}

struct story_result story_play(uint64_t seed, bool shown, bool overlap)
{
    world_start(seed, shown);
    scene_begin(MACHINES_LEAST + world_draw(MACHINES_MOST - MACHINES_LEAST + 1));
    story_trouble(overlap);
    story_rest();
    story_end();
    struct story_result result = {.failed = world.failed,
                                  .trace = world.trace,
                                  .events = world.events,
                                  .packets = world.packets,
                                  .messages = programs.messages};
    scene_end();
    return result;
}
