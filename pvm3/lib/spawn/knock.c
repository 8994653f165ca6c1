/* knock.c - the order for a thread on another host, and the connection to it (own_program_knock). */
#include <pvm3.h>

#include "core/tid.h"
#include "lib/link/host_list.h"
#include "lib/link/pvmd_link.h"
#include "lib/spawn/door.h"
#include "lib/spawn/hold.h"
#include "lib/spawn/program.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

/* Milliseconds after which it is asked whether the holder of the thread has ended, each time. */
#define HOLDER_LOOK 1000

/* A connection; PvmDSysErr if there is none in time, PvmSysErr if the holder has ended. */
static int knock_answered(const struct door *door, int holder)
{
    for (int waited = 0; waited < DOOR_PATIENCE; waited += HOLDER_LOOK) {
        own_program_go_home();
        int connection = door_answered(door, HOLDER_LOOK);
        own_program_come_back();
        if (connection >= 0)
            return connection;
        if (pvmd_link_state(caller_self()->task, holder) != PvmOk)
            return PvmSysErr;
    }
    return PvmDSysErr;
}

/* Has a thread started on the host. The tid of the holder there, or an error. */
static int knock_order(const struct door *door, const struct pvmhostinfo *host,
                       const struct guest *guest)
{
    static const char *const programs[] = {"pvmulp", NULL};
    char *words[] = {(char *)door->address, (char *)door->secret, NULL};
    const struct program_order order = {.words = words};
    int result = PvmSysErr;
    struct hold hold = {
        .caller = caller_self(),
        .order = &order,
        .programs = programs,
        .function = "",
        .guest = *guest,
        .host = host,
        .count = 1,
        .results = &result,
    };
    hold_begin(&hold);
    hold_end(&hold);
    return result;
}

/* A connection, or an error. */
static int knock_at(const struct pvmhostinfo *host, const struct guest *guest, uint32_t *holder)
{
    struct door door;
    if (!door_open(&door, caller_self()->task->endpoint.host, 1))
        return PvmOutOfRes;
    int result = knock_order(&door, host, guest);
    if (result >= 0) {
        *holder = (uint32_t)result;
        result = knock_answered(&door, result);
    }
    door_close(&door);
    return result;
}

int own_program_knock(uint32_t host, unsigned place, size_t stack, uint32_t *holder)
{
    const struct guest guest = {(int)place, stack};
    struct pvmhostinfo *hosts;
    int formats, result = PvmNoHost;
    int count = host_list_ask(caller_self()->task, &hosts, &formats);
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++)
        if (tid_host_part((uint32_t)hosts[i].hi_tid) == tid_host_part(host))
            result = knock_at(&hosts[i], &guest, holder);
    host_list_free(hosts, count);
    return result;
}
