/* faults.c - a swarm of faults: each run has some kinds of them, and others never. */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "program.h"

/* Half of the faults last about as long as it takes until a host is given up. */
#define SHORT_MOST (10 * (int64_t)SECOND)

/* For so long a master is struck when it is known what must come of it. */
#define LONG_LEAST (60 * (int64_t)SECOND)

enum fault {
    FAULT_KILL,
    FAULT_POWER,
    FAULT_FREEZE,
    FAULT_UNPLUG,
    FAULT_PARTITION,
    FAULT_TASK, /* those before it can strike a master */
    FAULTS
};

static struct {
    unsigned chances[FAULTS]; /* each time, in parts of 10,000 */
    bool masters;             /* are hit, too */
} swarm;

void faults_draw(bool masters)
{
    memset(&swarm, 0, sizeof swarm);
    swarm.masters = masters;
    for (int i = 0; i < FAULTS; i++)
        if (world_draw(2) == 0)
            swarm.chances[i] = (unsigned)world_draw(400);
    world.weather = (struct weather){
        .loss = world_draw(2) ? (unsigned)world_draw(1500) : 0,
        .doubling = world_draw(2) ? (unsigned)world_draw(500) : 0,
        .straggling = world_draw(2) ? (unsigned)world_draw(1000) : 0,
        .delay = 50 + (int64_t)world_draw(20 * MILLISECOND),
        .straggle = (int64_t)world_draw(300 * MILLISECOND),
    };
}

/* The end of a fault of one machine. */
struct repair {
    struct event event;
    struct machine *machine;
};

static int64_t fault_long_duration(void)
{
    return LONG_LEAST + (int64_t)world_draw(FAULT_MOST - LONG_LEAST);
}

static int64_t fault_duration(void)
{
    return 1 + (int64_t)world_draw(world_draw(2) == 0 ? SHORT_MOST : FAULT_MOST);
}

static void machine_repair(struct machine *machine)
{
    if (machine->frozen)
        machine_freeze(machine, false);
    machine->on = machine->plugged = true;
    machine->side = 0;
    machine->faulty = false;
}

static void fault_end(struct event *event)
{
    struct machine *machine = ((struct repair *)event)->machine;
    free(event);
    world_tell("%x is well again", machine->address);
    machine_repair(machine);
}

static void fault_plan_end(struct machine *machine, int64_t duration)
{
    struct repair *repair = world_allocate(sizeof *repair);
    repair->machine = machine;
    machine->faulty = true;
    world_plan(&repair->event, duration, fault_end);
}

static bool fault_may_hit(const struct machine *machine)
{
    return !machine->faulty && (swarm.masters || !machine_has_master(machine));
}

/* Some machines, but not this one, are out of reach of the others. */
static void fault_part(const struct machine *but, int64_t duration)
{
    for (size_t i = 0; i < world.machine_count; i++) {
        struct machine *machine = &world.machines[i];
        if (machine == but || world_draw(3) != 0 || !fault_may_hit(machine))
            continue;
        world_tell("%x is on the other side", machine->address);
        machine->side = 1;
        fault_plan_end(machine, duration);
    }
}

static void fault_kill_task(void)
{
    if (programs.count > 1)
        program_end(programs.list[1 + world_draw(programs.count - 1)]);
}

/* A fault of the machine, which is repaired after that time. */
static void fault_hit(enum fault fault, struct machine *machine, int64_t duration)
{
    fault_plan_end(machine, duration);
    if (fault == FAULT_POWER) {
        machine_switch_off(machine);
        programs_end_on(machine);
    } else if (fault == FAULT_FREEZE) {
        machine_freeze(machine, true);
    } else {
        world_tell("%x is unplugged", machine->address);
        machine->plugged = false;
    }
}

void faults_strike(void)
{
    for (int i = 0; i < FAULTS; i++) {
        struct machine *machine = &world.machines[world_draw(world.machine_count)];
        if (!world_chance(swarm.chances[i]))
            continue;
        if (i == FAULT_TASK)
            fault_kill_task();
        else if (i == FAULT_PARTITION)
            fault_part(NULL, fault_duration());
        else if (i == FAULT_KILL && fault_may_hit(machine))
            machine_kill(machine);
        else if (fault_may_hit(machine))
            fault_hit((enum fault)i, machine, fault_duration());
    }
}

void faults_strike_master(struct machine *master)
{
    enum fault fault = (enum fault)world_draw(FAULT_TASK);
    if (fault == FAULT_PARTITION)
        fault_part(master, fault_long_duration());
    else if (fault == FAULT_KILL)
        machine_kill(master);
    else
        fault_hit(fault, master, fault_long_duration());
}

void faults_end(void)
{
    memset(&swarm, 0, sizeof swarm);
    world_run_until(world.now + FAULT_MOST);
    world.weather = (struct weather){.delay = world.weather.delay};
    world_tell("all is well");
}
