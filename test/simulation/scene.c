/* scene.c - what all runs begin and end with. */
#include "scene.h"

#include <stdlib.h>

#include "machine.h"
#include "program.h"

#define FIRST_ADDRESS 0x0a000001u /* 10.0.0.1 */
#define MASTER        "pvmd -n10.0.0.1"

void scene_begin(size_t machines)
{
    struct descriptor *const none[STANDARD_DESCRIPTORS] = {NULL};
    world.machine_count = machines;
    world.machines = world_allocate(machines * sizeof *world.machines);
    for (size_t i = 0; i < machines; i++)
        machine_start(&world.machines[i], FIRST_ADDRESS + (uint32_t)i);
    machine_run(&world.machines[0], MASTER, none);
    program_start(world.machines[0].process, ++world.processes_made);
    world_run_until(world.now + SECOND);
}

void scene_end(void)
{
    world.shown = false;
    programs_finish();
    for (size_t i = 0; i < world.machine_count; i++)
        if (world.machines[i].process)
            machine_switch_off(&world.machines[i]);
    descriptors_finish();
    while (world.processes) {
        struct process *first = world.processes;
        world.processes = first->next;
        free(first);
    }
    world_finish();
    free(world.machines);
}
