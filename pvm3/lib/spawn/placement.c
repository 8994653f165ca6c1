/* placement.c - takes turns in the list of the global scheduler. */
#include "lib/spawn/placement.h"

#include "core/control.h"
#include "lib/serve/mailbox.h"
#include "lib/task/process.h"

/* A new list begins with its first host. */
static uint32_t turn_take(struct task *task, uint32_t list, uint32_t count)
{
    _Atomic uint64_t *places = &task->process->places;
    uint64_t before = atomic_load(places), next;
    uint32_t turn;
    do {
        turn = (uint32_t)(before >> 32) == list ? (uint32_t)before : 0;
        next = (uint64_t)list << 32 | (turn + count);
    } while (!atomic_compare_exchange_weak(places, &before, next));
    return turn;
}

int placement_ask(struct task *task, int count, uint32_t hosts[PLACEMENT_MOST], uint32_t *turn)
{
    struct message *entry;
    if (mailbox_get(task, "pvm_placement", 0, PvmMboxDefault, &entry) < 0)
        return 0;
    struct control_reader reader;
    control_read(&reader, entry);
    uint32_t list = (uint32_t)control_get_int(&reader);
    int known = control_get_int(&reader);
    if (known > PLACEMENT_MOST)
        known = 0;
    for (int i = 0; i < known; i++)
        hosts[i] = control_get_tid(&reader);
    message_free(entry);
    if (reader.failed || known <= 0)
        return 0;
    *turn = turn_take(task, list, (uint32_t)count);
    return known;
}
