/* thread_hosts.c - as the pvmd places programs: the same number on each host, or one less. */
#include "lib/spawn/thread_hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/tid.h"
#include "lib/link/host_list.h"
#include "lib/spawn/hold.h"
#include "lib/spawn/program.h"
#include "lib/spawn/thread_task.h"
#include "lib/task/process.h"
#include "lib/task/variables.h"

/* What is to be started. */
struct plan {
    struct caller *caller;
    const struct program_order *order;
    bool own;                /* a function of this program */
    const char *programs[3]; /* names of its program, one of which a host has; up to NULL */
    const char *function;
};

static int plan_start_here(const struct plan *plan, int count, int *results)
{
    struct task *task = plan->caller->task;
    struct thread_order threads = {
        .function = functions_find(task->process, plan->function),
        .name = plan->function,
        .words = plan->order->words,
        .hidden_parent = (plan->order->flags & PvmNoSpawnParent) != 0,
    };
    if (threads.function)
        return thread_task_start_on(plan->caller, &threads,
                                    variables_get(task, "PVM_THREAD_PROCESSORS", NULL), count,
                                    results);
    for (int i = 0; i < count; i++)
        results[i] = PvmNoFile;
    return PvmOk;
}

/* Hosts. --------------------------------------------------------------------------------------- */

static uint32_t host_number(const struct pvmhostinfo *host)
{
    return tid_host_part((uint32_t)host->hi_tid) >> TID_HOST_SHIFT;
}

/* Whether the order allows the host, whose name or architecture is before a colon in `where`. */
static bool plan_allows(const struct program_order *order, const struct pvmhostinfo *host, bool own)
{
    const char *where = order->where ? order->where : "";
    size_t length = strcspn(where, ":");
    const char *is = order->flags & PvmTaskHost ? host->hi_name : host->hi_arch;
    bool chosen = strlen(is) == length && strncmp(is, where, length) == 0;
    if (order->flags & PvmTaskHost)
        chosen = chosen || (own && length == 1 && *where == '.');
    else if (!(order->flags & PvmTaskArch))
        chosen = true;
    return chosen != ((order->flags & PvmHostCompl) != 0);
}

/* Moves the hosts that are allowed to the front. How many they are. */
static int plan_choose(const struct plan *plan, struct pvmhostinfo *hosts, int count, uint32_t own)
{
    int chosen = 0;
    for (int i = 0; i < count; i++)
        if (plan_allows(plan->order, &hosts[i], host_number(&hosts[i]) == own)) {
            struct pvmhostinfo other = hosts[chosen];
            hosts[chosen++] = hosts[i];
            hosts[i] = other;
        }
    return chosen;
}

/* The place of the first host with this number or a higher one; the first when there is none. */
static int hosts_from(const struct pvmhostinfo *hosts, int count, uint32_t number)
{
    for (int i = 0; i < count; i++)
        if (host_number(&hosts[i]) >= number)
            return i;
    return 0;
}

/* Spreading. ----------------------------------------------------------------------------------- */

/*
 * Starts tasks on up to as many of the hosts, which are in the order of their numbers, as there are
 * holds for. Those of other processes are asked for before any answer is waited for.
 */
static void plan_spread(const struct plan *plan, const struct pvmhostinfo *hosts, int host_count,
                        uint32_t own, struct hold *holds, int blocks, int *results)
{
    atomic_uint *next = &plan->caller->task->process->next_host;
    uint32_t from = atomic_load(next);
    int first = hosts_from(hosts, host_count, from ? from : own + 1);
    atomic_store(next, host_number(&hosts[(first + blocks) % host_count]));
    for (long i = 0, done = 0; i < blocks; i++) {
        long end = ((i + 1) * plan->order->count + blocks - 1) / blocks;
        holds[i] = (struct hold){
            .caller = plan->caller,
            .order = plan->order,
            .programs = plan->programs,
            .function = plan->function,
            .host = &hosts[(first + i) % host_count],
            .count = (int)(end - done),
            .results = results + done,
        };
        if (plan->own && host_number(holds[i].host) == own)
            holds[i].error = plan_start_here(plan, holds[i].count, holds[i].results);
        else
            hold_begin(&holds[i]);
        done = end;
    }
    for (int i = 0; i < blocks; i++)
        hold_end(&holds[i]);
}

static int plan_start_on_hosts(const struct plan *plan, int *results)
{
    struct pvmhostinfo *hosts;
    const int count = plan->order->count;
    int formats;
    int known = host_list_ask(plan->caller->task, &hosts, &formats);
    if (known < 0)
        return known;
    uint32_t tid = (uint32_t)atomic_load(&plan->caller->task->tid);
    uint32_t own = tid_host_part(tid) >> TID_HOST_SHIFT;
    int chosen = plan_choose(plan, hosts, known, own);
    int blocks = chosen < count ? chosen : count;
    struct hold *holds = calloc((size_t)blocks + 1, sizeof *holds);
    int error = holds ? PvmOk : PvmNoMem;
    for (int i = 0; blocks == 0 && i < count; i++)
        results[i] = PvmNoHost;
    if (holds && blocks > 0)
        plan_spread(plan, hosts, chosen, own, holds, blocks, results);
    free(holds);
    host_list_free(hosts, known);
    return error;
}

/* Names. --------------------------------------------------------------------------------------- */

#define PLACING (PvmTaskHost | PvmTaskArch | PvmHostCompl)

/* The program itself is the file that runs here, where another host has it, or what goes by its name. */
static int plan_start_own(struct plan *plan, int *results)
{
    char file[PATH_MAX];
    int names = 0;
    plan->own = true;
    plan->function = plan->order->file;
    if (!(plan->order->flags & PLACING) ||
        !functions_find(plan->caller->task->process, plan->function))
        return plan_start_here(plan, plan->order->count, results);
    if (functions_program(file))
        plan->programs[names++] = file;
    plan->programs[names] = program_invocation_short_name;
    return plan_start_on_hosts(plan, results);
}

/* `colon` stands behind the name of a program. */
static int plan_start_of_program(struct plan *plan, const char *colon, int *results)
{
    char *program = strndup(plan->order->file, (size_t)(colon - plan->order->file));
    if (!program)
        return PvmNoMem;
    plan->own = functions_are_of(program);
    plan->programs[0] = program;
    plan->function = colon + 1;
    int error = plan_start_on_hosts(plan, results);
    free(program);
    return error;
}

int thread_hosts_start(struct caller *caller, const struct program_order *order, int *results)
{
    HOLD_OFF_CANCELLATION;
    struct plan plan = {.caller = caller, .order = order};
    const char *colon = strchr(order->file, ':');
    if (!colon || colon == order->file || functions_find(caller->task->process, order->file))
        return plan_start_own(&plan, results);
    return plan_start_of_program(&plan, colon, results);
}
