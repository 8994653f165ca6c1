/* machine.c - power, processes and their rounds. */
#include "machine.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/members/add_hosts.h"
#include "daemon/members/member_room.h"
#include "daemon/requests/lifetime.h"
#include "daemon/start.h"

void machine_start(struct machine *machine, uint32_t address)
{
    *machine = (struct machine){.address = address, .port = 1023, .on = true, .plugged = true};
    list_start(&machine->bound);
}

struct machine *machine_find(uint32_t address)
{
    size_t place = (size_t)(address - world.machines[0].address);
    return place < world.machine_count ? &world.machines[place] : NULL;
}

bool machine_has_master(const struct machine *machine)
{
    return machine->process && machine->process->rules;
}

struct machine *machine_of_master(void)
{
    struct machine *found = NULL;
    for (size_t i = 0; i < world.machine_count; i++) {
        struct machine *machine = &world.machines[i];
        if (machine_has_master(machine) &&
            (!found || machine->process->term > found->process->term))
            found = machine;
    }
    return found;
}

bool machine_reaches(const struct machine *from, const struct machine *to)
{
    return from == to || (from->plugged && to->plugged && from->side == to->side);
}

/* Processes. ----------------------------------------------------------------------------------- */

/* A round, or a deadline after which a round is due. */
struct wake {
    struct event event;
    struct process *process;
};

static struct process *process_enter(struct process *process)
{
    struct process *outer = world.running;
    world.running = process;
    return outer;
}

static void process_close_all(struct process *process, bool told)
{
    while (!list_is_empty(&process->descriptors)) {
        struct descriptor *first = LIST_OWNER(process->descriptors.next, struct descriptor, node);
        if (told)
            descriptor_close(first);
        else
            descriptor_drop(first);
    }
    memset(process->standard, 0, sizeof process->standard);
}

static void child_free(struct child *child, bool told)
{
    for (int i = 0; i < STANDARD_DESCRIPTORS; i++)
        if (child->held[i] && told)
            descriptor_close(child->held[i]);
        else if (child->held[i])
            descriptor_drop(child->held[i]);
    list_remove(&child->node);
    free(child);
}

/* What the daemon frees at its end; what it says is of no effect if it was killed. */
static void process_finish(struct process *process, bool told)
{
    struct process *outer = process_enter(process);
    process->runs = false;
    if (!told)
        process->over = true;
    daemon_finish(&process->daemon);
    process->over = true;
    process_enter(outer);
    while (!list_is_empty(&process->children))
        child_free(LIST_OWNER(process->children.next, struct child, node), told);
    process_close_all(process, told);
    free(process->text);
    process->text = NULL;
    process->machine->process = NULL;
    world_tell("%x has no daemon any more", process->machine->address);
}

static void process_ring(struct event *event);

/* The next deadline of its loop. */
static void process_plan(struct process *process)
{
    const struct loop *loop = &process->daemon.loop;
    if (list_is_empty(&loop->timers))
        return;
    int64_t due = LIST_OWNER(loop->timers.next, struct loop_timer, node)->due * MILLISECOND;
    due = due < world.now ? world.now : due;
    if (process->alarm != 0 && process->alarm <= due)
        return;
    struct wake *wake = world_allocate(sizeof *wake);
    wake->process = process;
    process->alarm = due;
    world_plan(&wake->event, due - world.now, process_ring);
}

/* A term has one master, whether the others know it or not. */
static void process_note_rule(struct process *process)
{
    if (process->rules || !hosts_is_master(&process->daemon.post->hosts))
        return;
    process->term = process->daemon.member_room->succession.term;
    for (const struct process *other = world.processes; other; other = other->next)
        if (other->rules && other->term == process->term)
            world_violate("%x is the master in term %d, as %x is or was", process->machine->address,
                          process->term, other->machine->address);
    process->rules = true;
    world_tell("%x is the master in term %d", process->machine->address, process->term);
}

static void process_round(struct process *process)
{
    struct process *outer = process_enter(process);
    process->rounds++;
    process->busy = world.now + ROUND_COST;
    if (loop_round(&process->daemon.loop) < 0)
        world_violate("a round of %x failed", process->machine->address);
    process_enter(outer);
    process_note_rule(process);
    if (process->daemon.loop.ended) {
        process_finish(process, true);
        return;
    }
    struct descriptor *set = descriptor_find(process->daemon.loop.epoll);
    if (!list_is_empty(&set->ready))
        process_wake(process);
    process_plan(process);
}

static void process_run(struct event *event)
{
    struct wake *wake = (struct wake *)event;
    struct process *process = wake->process;
    free(wake);
    process->woken = false;
    if (process->runs && !process->machine->frozen)
        process_round(process);
}

static void process_ring(struct event *event)
{
    struct wake *wake = (struct wake *)event;
    struct process *process = wake->process;
    if (event->time == process->alarm)
        process->alarm = 0;
    free(wake);
    process_wake(process);
}

void process_wake(struct process *process)
{
    if (process->woken || !process->runs)
        return;
    struct wake *wake = world_allocate(sizeof *wake);
    wake->process = process;
    process->woken = true;
    int64_t wait = process->busy - world.now;
    world_plan(&wake->event, wait > 1 ? wait : 1, process_run);
}

/* Children. ------------------------------------------------------------------------------------ */

int process_fork(struct process *process)
{
    struct child *child = world_allocate(sizeof *child);
    child->pid = ++world.processes_made;
    list_append(&process->children, &child->node);
    return child->pid;
}

struct child *process_child(const struct process *process, int pid)
{
    LIST_FOR_EACH(node, &process->children)
    {
        struct child *child = LIST_OWNER(node, struct child, node);
        if (child->pid == pid)
            return child;
    }
    return NULL;
}

/* As the signal does that comes through signalfd. */
static void process_reap(struct event *event)
{
    struct wake *wake = (struct wake *)event;
    struct process *process = wake->process;
    if (process->runs && process->machine->frozen) {
        world_plan(event, SECOND, process_reap);
        return;
    }
    free(wake);
    if (!process->runs)
        return;
    struct process *outer = process_enter(process);
    lifetime_reap(&process->daemon);
    process_enter(outer);
    process_wake(process);
}

void process_end_child(struct process *process, struct child *child, int status)
{
    if (child->ended)
        return;
    child->ended = true;
    child->status = status;
    for (int i = 0; i < STANDARD_DESCRIPTORS; i++) {
        if (child->held[i])
            descriptor_close(child->held[i]);
        child->held[i] = NULL;
    }
    struct wake *wake = world_allocate(sizeof *wake);
    wake->process = process;
    world_plan(&wake->event, ROUND_COST, process_reap);
}

/* ---------------------------------------------------------------------------------------------- */

static void process_read_command(struct process *process, const char *command)
{
    char *rest = process->text = strdup(command), *word;
    for (int count = 0; count < COMMAND_WORDS - 1 && (word = strtok_r(rest, " ", &rest)); count++)
        process->words[count] = word;
    command_line_read(&process->command, process->words + 1);
}

/* As main does, but for what is of a process and not of its daemon. */
static bool process_start(struct process *process)
{
    struct daemon *daemon = &process->daemon;
    struct command_line *command = &process->command;
    rooms_open(&process->rooms, daemon);
    if (command->is_slave)
        slave_read_machine(&command->slave);
    daemon_prepare(daemon);
    if (loop_start(&daemon->loop) < 0 || listener_start(&daemon->post->listener, daemon) < 0 ||
        start_parts(daemon, command) < 0)
        return false;
    if (command->is_slave)
        slave_announce(&command->slave, daemon, -1);
    add_hosts_of_file(daemon);
    return true;
}

bool machine_run(struct machine *machine, const char *command,
                 struct descriptor *const standard[STANDARD_DESCRIPTORS])
{
    struct process *process = world_allocate(sizeof *process);
    process->next = world.processes;
    world.processes = process;
    process->machine = machine;
    process->pid = ++world.processes_made;
    list_start(&process->children);
    list_start(&process->descriptors);
    for (int i = 0; i < STANDARD_DESCRIPTORS; i++) {
        process->standard[i] = standard[i];
        if (!standard[i])
            continue;
        standard[i]->process = process;
        list_append(&process->descriptors, &standard[i]->node);
    }
    machine->process = process;
    process->runs = true;
    process_read_command(process, command);
    process->command.slave.foreground = true;
    world_tell("%x runs: %s", machine->address, command);
    struct process *outer = process_enter(process);
    bool started = process_start(process);
    process_enter(outer);
    if (!started)
        process_finish(process, true);
    else
        process_wake(process);
    return started;
}

void machine_kill(struct machine *machine)
{
    struct process *process = machine->process;
    world_tell("%x: its daemon is killed", machine->address);
    if (!process)
        return;
    process_close_all(process, true);
    process_finish(process, false);
}

void machine_switch_off(struct machine *machine)
{
    world_tell("%x loses power", machine->address);
    machine->on = machine->frozen = false;
    if (!machine->process)
        return;
    process_close_all(machine->process, false);
    process_finish(machine->process, false);
}

void machine_freeze(struct machine *machine, bool frozen)
{
    world_tell("%x %s", machine->address, frozen ? "stands still" : "goes on");
    machine->frozen = frozen;
    if (!frozen && machine->process)
        process_wake(machine->process);
}
