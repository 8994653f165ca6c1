/* story.c - a run from its seed: troubled times, rest, perhaps the loss of the master, and the end. */
#include "story.h"

#include <stdlib.h>

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

/* In one of so many runs, no other host can become the master. */
#define WITHOUT_FAILOVER 4

/* In one of so many runs, trouble hits masters, too, and all may end. */
#define DOOMED 4

/* What a task can do, with and without changing which hosts there are. */
#define ACTS          16
#define ACTS_OF_TASKS 14

/* So long tasks go on without a master, and a virtual machine takes to be in order again. */
#define LOSS       (20 * (int64_t)SECOND)
#define AFTER_LOSS (120 * (int64_t)SECOND)

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

static struct machine *story_machine(void)
{
    return &world.machines[world_draw(world.machine_count)];
}

/* One of so many acts. */
static void story_act(struct program *program, unsigned acts)
{
    switch (world_draw(acts)) {
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
    case ACTS_OF_TASKS:
        act_add(program, story_machine(), 1);
        break;
    case ACTS_OF_TASKS + 1:
        if (world_draw(8) == 0)
            act_delete(program, story_machine());
        break;
    default:
        story_send(program);
    }
}

/* Tasks act until then, and trouble comes if there is any. */
static void story_live_until(int64_t end, unsigned acts)
{
    while (world.now < end && !world.failed) {
        world_run_until(world.now + (int64_t)world_draw(PAUSE_MOST));
        struct program *program = story_choose();
        if (program)
            story_act(program, acts);
        faults_strike();
    }
}

/* The first program is the user's, on the first master's machine. */
static void story_trouble(bool doomed)
{
    faults_draw(doomed);
    act_add(programs.list[0], &world.machines[1], world.machine_count - 1);
    story_live_until(world.now + (int64_t)world_draw(TROUBLE_MOST), ACTS);
    faults_end();
}

static void story_check(void)
{
    check_tables();
    check_messages();
    check_answers();
    check_entries();
    check_words();
}

/* All is in order, or there is no virtual machine any more. */
static void story_rest(bool doomed)
{
    world_run_until(world.now + CALM);
    if (!machine_of_master() && !doomed)
        world_violate("no master is left, though none was struck");
    if (!machine_of_master()) {
        check_end();
        return;
    }
    int64_t since = world.now;
    check_rest_begin();
    world_run_until(world.now + REST);
    check_rest(since);
    story_check();
}

/* Losing the master. --------------------------------------------------------------------------- */

/* Whether the two can hear each other: they are one part of the virtual machine. */
static bool story_is_beside(const struct machine *machine, const struct machine *master)
{
    return machine == master ||
           (master->process && !master->frozen && machine_reaches(machine, master));
}

/* The hosts beside the lost master, or those away from it. */
static int story_count(const struct machine *master, bool beside)
{
    int count = 0;
    for (size_t i = 0; i < world.machine_count; i++)
        count += world.machines[i].process && story_is_beside(&world.machines[i], master) == beside;
    return count;
}

/* Marks the machines whose daemons are to be left: of at most one part. */
static void story_expect(const struct machine *master, int hosts, bool failover)
{
    bool succeeded = failover && 2 * story_count(master, false) > hosts;
    for (size_t i = 0; i < world.machine_count; i++) {
        struct machine *machine = &world.machines[i];
        bool beside = story_is_beside(machine, master);
        machine->lives = machine->process && (succeeded ? !beside : beside && master->process);
    }
}

static void story_check_expected(void)
{
    for (size_t i = 0; i < world.machine_count; i++) {
        const struct machine *machine = &world.machines[i];
        if (machine->lives && !machine->process)
            world_violate("%x has ended, and its part was to go on", machine->address);
        if (!machine->lives && machine->process)
            world_violate("%x runs, and its part was to end", machine->address);
    }
}

/* One part of the virtual machine goes on, or none. */
static void story_lose_master(bool failover)
{
    struct machine *master = machine_of_master();
    int hosts = 0, lost = master->process->rooms.members.deputies.lost;
    for (size_t i = 0; i < world.machine_count; i++)
        hosts += world.machines[i].process != NULL;
    faults_strike_master(master);
    story_expect(master, hosts, failover && hosts >= DEPUTIES_HOSTS_LEAST && hosts > lost);
    story_live_until(world.now + LOSS, ACTS_OF_TASKS);
    world_run_until(world.now + FAULT_MOST + AFTER_LOSS);
    story_check_expected();
    if (machine_of_master())
        story_check();
    else
        check_end();
}

/* ---------------------------------------------------------------------------------------------- */

/* A task halts the virtual machine, or all daemons are killed if there is no task. */
static void story_end(void)
{
    struct program *program = NULL;
    for (size_t i = 0; i < programs.count && !program; i++)
        if (programs.list[i]->state == PROGRAM_RUNS)
            program = programs.list[i];
    if (program)
        act_halt(program);
    for (size_t i = 0; i < world.machine_count && !program; i++)
        machine_kill(&world.machines[i]);
    world_run_until(world.now + FAREWELL);
    check_end();
}

struct story_result story_play(uint64_t seed, bool shown)
{
    world_start(seed, shown);
    bool failover = world_draw(WITHOUT_FAILOVER) != 0, doomed = world_draw(DOOMED) == 0;
    setenv("PVM_FAILOVER", failover ? "on" : "off", 1);
    scene_begin(MACHINES_LEAST + world_draw(MACHINES_MOST - MACHINES_LEAST + 1));
    story_trouble(doomed);
    story_rest(doomed);
    if (!world.failed && machine_of_master() && world_draw(2) == 0)
        story_lose_master(failover);
    if (!world.failed && machine_of_master())
        story_end();
    struct story_result result = {.failed = world.failed,
                                  .trace = world.trace,
                                  .events = world.events,
                                  .packets = world.packets,
                                  .messages = programs.messages};
    scene_end();
    return result;
}
