/* children.c - the beginnings and ends of processes. */
#include "children.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "program.h"

/* A remote shell and a task take up to so long until they begin. */
#define SHELL_MOST (300 * MILLISECOND)
#define TASK_MOST  (20 * MILLISECOND)

/* A machine that cannot be reached is tried again. */
#define RETRY SECOND

/* So long a remote shell that was told of a daemon stays. */
#define SHELL_STAYS SECOND

#define COMMAND_SIZE 256

/* Places of the ends that a child of each kind has in what its parent has made. */
static const int shell_ends[STANDARD_DESCRIPTORS] = {0, 3, 5};
static const int task_ends[STANDARD_DESCRIPTORS] = {-1, 1, -1};

static struct {
    uint32_t address; /* 0: a task */
    char command[COMMAND_SIZE];
} order;

/* A child before it begins or ends. */
struct beginning {
    struct event event;
    struct process *parent;
    int pid;
    uint32_t address;
    char command[COMMAND_SIZE];
};

void children_note_order(const char *address, const char *command)
{
    order.address = address ? ntohl(inet_addr(address)) : 0;
    snprintf(order.command, sizeof order.command, "%s", command ? command : "");
}

/* NULL: it is over. */
static struct child *beginning_child(const struct beginning *beginning)
{
    struct child *child = process_child(beginning->parent, beginning->pid);
    return child && !child->ended && beginning->parent->runs ? child : NULL;
}

/* Remote shells. ------------------------------------------------------------------------------- */

static void shell_end(struct event *event)
{
    struct beginning *beginning = (struct beginning *)event;
    struct child *child = beginning_child(beginning);
    if (child)
        process_end_child(beginning->parent, child, 0);
    free(beginning);
}

static void shell_run(struct child *child, struct machine *machine, const char *command)
{
    struct descriptor *held[STANDARD_DESCRIPTORS];
    for (int i = 0; i < STANDARD_DESCRIPTORS; i++) {
        held[i] = stream_take_over(child->held[i], machine);
        descriptor_close(child->held[i]);
        child->held[i] = NULL;
    }
    machine_run(machine, command, held);
}

/* A machine has one daemon: a second one ends, as its predecessor has the file of its address. */
static void shell_begin(struct event *event)
{
    struct beginning *beginning = (struct beginning *)event;
    struct child *child = beginning_child(beginning);
    struct machine *machine = machine_find(beginning->address);
    struct machine *here = beginning->parent->machine;
    if (child && machine &&
        (!machine->on || machine->frozen || here->frozen || !machine_reaches(here, machine))) {
        world_plan(event, RETRY, shell_begin);
        return;
    }
    if (child && machine && !machine->process)
        shell_run(child, machine, beginning->command);
    world_plan(event, SHELL_STAYS, shell_end);
}

/* Tasks. --------------------------------------------------------------------------------------- */

static void program_begin(struct event *event)
{
    struct beginning *beginning = (struct beginning *)event;
    struct child *child = beginning_child(beginning);
    if (child && beginning->parent->machine->frozen) {
        world_plan(event, RETRY, program_begin);
        return;
    }
    if (child)
        program_start(beginning->parent, beginning->pid);
    free(beginning);
}

/* ---------------------------------------------------------------------------------------------- */

void children_begin(struct process *process, struct child *child)
{
    struct beginning *beginning = world_allocate(sizeof *beginning);
    const bool shell = order.address != 0;
    const int *ends = shell ? shell_ends : task_ends;
    *beginning = (struct beginning){.parent = process, .pid = child->pid, .address = order.address};
    snprintf(beginning->command, sizeof beginning->command, "%s", order.command);
    for (int i = 0; i < STANDARD_DESCRIPTORS; i++)
        if (ends[i] >= 0)
            child->held[i] = stream_take_over(process->made[ends[i]], process->machine);
    world_plan(&beginning->event, (int64_t)world_draw(shell ? SHELL_MOST : TASK_MOST),
               shell ? shell_begin : program_begin);
}

void children_signal(struct process *process, int pid, int number)
{
    struct child *child = process_child(process, pid);
    if (number != SIGTERM && number != SIGKILL)
        return;
    program_kill(process->machine, pid);
    if (child)
        process_end_child(process, child, number);
}
