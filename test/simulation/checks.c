/* checks.c - invariants. */
#include "checks.h"

#include "core/tid.h"
#include "machine.h"
#include "program.h"

/* Of each daemon in a second at rest, and for each other host. */
#define ROUNDS_AT_REST 3

static const struct hosts *check_master(void)
{
    const struct machine *machine = machine_of_master();
    return machine ? &machine->process->daemon.post->hosts : NULL;
}

/* Whether the two tables have the host of this index with the same facts, or both have none. */
static bool check_entry(const struct hosts *one, const struct hosts *other, uint32_t index)
{
    const struct host *here = one->table[index], *there = other->table[index];
    if (!here || !there)
        return here == there;
    return here->part == there->part && here->address == there->address &&
           here->port == there->port && here->pending == there->pending;
}

static void check_table(const struct machine *machine, const struct hosts *master)
{
    const struct hosts *hosts = &machine->process->daemon.post->hosts;
    uint32_t index = hosts->own->part >> TID_HOST_SHIFT;
    if (!master->table[index] || master->table[index]->address != machine->address) {
        world_violate("%x runs, and the master does not know it", machine->address);
        return;
    }
    if (hosts_is_master(hosts) != (hosts == master))
        world_violate("%x is a second master", machine->address);
    if (hosts->serial != master->serial)
        world_violate("%x has table %d, and the master %d", machine->address, hosts->serial,
                      master->serial);
    for (uint32_t i = 1; i <= TID_HOST_MAX; i++)
        if (!check_entry(hosts, master, i))
            world_violate("%x and the master differ on host %u", machine->address, i);
}

void check_tables(void)
{
    const struct hosts *master = check_master();
    size_t running = 0, known = 0;
    for (size_t i = 0; i < world.machine_count; i++) {
        if (!world.machines[i].process)
            continue;
        running++;
        if (master)
            check_table(&world.machines[i], master);
        else
            world_violate("%x runs without a master", world.machines[i].address);
    }
    for (uint32_t i = 1; master && i <= TID_HOST_MAX; i++)
        known += master->table[i] != NULL;
    if (known != running)
        world_violate("the master knows %zu hosts, and %zu run", known, running);
}

/* The programs that live, one behind the other. */
static struct program *check_next(size_t *place)
{
    while (*place < programs.count) {
        struct program *program = programs.list[(*place)++];
        if (program->state == PROGRAM_RUNS)
            return program;
    }
    return NULL;
}

static void check_pair(struct program *from, struct program *to)
{
    uint32_t sent = *number_of(&from->sent, to), got = *number_of(&to->got, from);
    if (sent != got)
        world_violate("t%x has sent %u messages to t%x, of which %u arrived", from->tid, sent,
                      to->tid, got);
}

void check_messages(void)
{
    struct program *from, *to;
    for (size_t i = 0; (from = check_next(&i)) != NULL;)
        for (size_t j = 0; (to = check_next(&j)) != NULL;)
            check_pair(from, to);
}

void check_answers(void)
{
    const struct program *program;
    for (size_t i = 0; (program = check_next(&i)) != NULL;)
        LIST_FOR_EACH(node, &program->questions)
        {
            const struct question *question = LIST_OWNER(node, struct question, node);
            world_violate("t%x has no answer to 0x%x, %d, of %lld s ago", program->tid,
                          (unsigned)question->tag, question->wait,
                          (long long)((world.now - question->since) / SECOND));
        }
}

static size_t check_count_entries(const struct mailboxes *mailboxes, uint32_t owner)
{
    size_t count = 0;
    LIST_FOR_EACH(class_node, &mailboxes->classes)
    LIST_FOR_EACH(node, &mailbox_class_at(class_node)->entries)
    count += mailbox_entry_at(node)->owner == owner;
    return count;
}

void check_entries(void)
{
    const struct process *master = machine_of_master()->process;
    const struct program *program;
    for (size_t i = 0; (program = check_next(&i)) != NULL;) {
        size_t found = check_count_entries(&master->rooms.requests.mailboxes, program->tid);
        if (found != program->entries)
            world_violate("the mailbox has %zu entries of t%x, where %zu were acknowledged", found,
                          program->tid, program->entries);
    }
}

/* A task, or a host. */
static bool check_lives(uint32_t tid)
{
    const struct program *program;
    if (tid_host_part(tid) == tid)
        return hosts_find(check_master(), tid) != NULL;
    for (size_t i = 0; (program = check_next(&i)) != NULL;)
        if (program->tid == tid)
            return true;
    return false;
}

void check_words(void)
{
    const struct program *program;
    for (size_t i = 0; (program = check_next(&i)) != NULL;)
        LIST_FOR_EACH(node, &program->wishes)
        {
            const struct wish *wish = LIST_OWNER(node, struct wish, node);
            int due = check_lives(wish->subject) ? 0 : 1;
            if (wish->told != due)
                world_violate("t%x has word of the end of t%x %d times, where %d is right",
                              program->tid, wish->subject, wish->told, due);
        }
}

void check_rest_begin(void)
{
    for (size_t i = 0; i < world.machine_count; i++)
        if (world.machines[i].process)
            world.machines[i].process->rounds = 0;
}

void check_rest(int64_t since)
{
    uint64_t seconds = (uint64_t)((world.now - since) / SECOND);
    uint64_t most = ROUNDS_AT_REST * seconds * world.machine_count;
    for (size_t i = 0; i < world.machine_count; i++) {
        const struct process *process = world.machines[i].process;
        if (process && process->rounds > most)
            world_violate("%x has run %llu rounds in %llu s at rest", world.machines[i].address,
                          (unsigned long long)process->rounds, (unsigned long long)seconds);
    }
}

void check_end(void)
{
    for (size_t i = 0; i < world.machine_count; i++)
        if (world.machines[i].process)
            world_violate("%x runs after the end of the virtual machine",
                          world.machines[i].address);
    for (size_t i = 0; i < programs.count; i++)
        if (programs.list[i]->state != PROGRAM_OVER)
            world_violate("t%x runs after the end of its daemon", programs.list[i]->tid);
    if (descriptor_count() > 0)
        world_violate("%zu descriptors are open after the end", descriptor_count());
}
