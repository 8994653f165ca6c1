/* story.c - a run from its seed. */
#include "story.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"
#include "machine.h"
#include "program.h"

#define FIRST_ADDRESS 0x0a000001u /* 10.0.0.1 */

static void story_name(uint32_t address, char name[INET_ADDRSTRLEN])
{
    struct in_addr number = {htonl(address)};
    inet_ntop(AF_INET, &number, name, INET_ADDRSTRLEN);
}

static struct program *story_console(void)
{
    return program_start(world.machines[0].process, ++world.processes_made);
}

static void story_add(struct program *program, size_t first, size_t count)
{
    struct message *request = program_request(program, TM_ADDHOST);
    control_put_int(request, (int32_t)count);
    for (size_t i = first; i < first + count; i++) {
        char name[INET_ADDRSTRLEN];
        story_name(world.machines[i].address, name);
        control_put_string(request, name);
    }
    program_ask(program, request, (int32_t)count);
}

static void story_spawn(struct program *program, int32_t count)
{
    struct message *request = program_request(program, TM_SPAWN);
    control_put_string(request, "/bin/true");
    control_put_int(request, PvmTaskDefault);
    control_put_string(request, "");
    control_put_int(request, count);
    control_put_int(request, 0);
    for (int i = 0; i < 6; i++)
        control_put_int(request, 0);
    control_put_int(request, 0);
    program_ask(program, request, count);
}

struct story_result story_play(uint64_t seed, bool shown)
{
    world_start(seed, shown);
    world.weather = (struct weather){.delay = 500};
    world.machine_count = 2;
    world.machines = world_allocate(world.machine_count * sizeof *world.machines);
    for (size_t i = 0; i < world.machine_count; i++)
        machine_start(&world.machines[i], FIRST_ADDRESS + (uint32_t)i);
    struct descriptor *const none[STANDARD_DESCRIPTORS] = {NULL};
    machine_run(&world.machines[0], "pvmd -n10.0.0.1", none);
    struct program *console = story_console();
    world_run_until(world.now + SECOND);
    story_add(console, 1, 1);
    world_run_until(world.now + 10 * (int64_t)SECOND);
    story_spawn(console, 4);
    world_run_until(world.now + 2 * (int64_t)SECOND);
    for (size_t i = 1; i < programs.count; i++)
        for (int j = 0; j < 3; j++)
            program_send(console, programs.list[i], 10000);
    world_run_until(world.now + 2 * (int64_t)SECOND);
    struct story_result result = {.failed = world.failed,
                                  .trace = world.trace,
                                  .events = world.events,
                                  .packets = world.packets,
                                  .messages = programs.messages};
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
    return result;
}
