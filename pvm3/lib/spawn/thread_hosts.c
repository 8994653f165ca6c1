/* thread_hosts.c - spreads thread tasks over hosts as the pvmd spreads programs. */
#include "lib/spawn/thread_hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/tid.h"
#include "lib/link/host_list.h"
#include "lib/spawn/hold.h"
#include "lib/spawn/placement.h"
#include "lib/spawn/program.h"
#include "lib/spawn/thread_task.h"
#include "lib/task/process.h"
#include "lib/task/variables.h"

#define PLACING (PvmTaskHost | PvmTaskArch | PvmHostCompl)

/* What a spawn has to do. */
struct plan {
    struct caller *caller;
    const struct program_order *order;
    bool own;                /* the function is one of this program */
    const char *programs[3]; /* names of its program, to be tried in order; NULL at the end */
    const char *function;
    uint32_t own_host; /* the number of the caller's */
};

static void results_fill(int *results, int count, int error)
{
    for (int i = 0; i < count; i++)
        results[i] = error;
}

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
    results_fill(results, count, PvmNoFile);
    return PvmOk;
}

/* Hosts. --------------------------------------------------------------------------------------- */

static uint32_t host_number(const struct pvmhostinfo *host)
{
    return tid_host_part((uint32_t)host->hi_tid) >> TID_HOST_SHIFT;
}

/* Whether the order allows the host, whose name or architecture is before a colon in `where`. */
static bool plan_allows(const struct plan *plan, const struct pvmhostinfo *host)
{
    const struct program_order *order = plan->order;
    const char *where = order->where ? order->where : "";
    size_t length = strcspn(where, ":");
    const char *is = order->flags & PvmTaskHost ? host->hi_name : host->hi_arch;
    bool chosen = strlen(is) == length && strncmp(is, where, length) == 0;
    if (order->flags & PvmTaskHost)
        chosen = chosen || (length == 1 && *where == '.' && host_number(host) == plan->own_host);
    else if (!(order->flags & PvmTaskArch))
        chosen = true;
    return chosen != ((order->flags & PvmHostCompl) != 0);
}

/* Moves the hosts that are allowed to the front. How many they are. */
static int plan_choose(const struct plan *plan, struct pvmhostinfo *hosts, int count)
{
    int chosen = 0;
    for (int i = 0; i < count; i++)
        if (plan_allows(plan, &hosts[i])) {
            struct pvmhostinfo other = hosts[chosen];
            hosts[chosen++] = hosts[i];
            hosts[i] = other;
        }
    return chosen;
}

/*
 * Returns the place of the host that is first to get tasks, behind the hosts of the last spawn. The
 * hosts are in the order of their numbers; `blocks` of them get tasks.
 */
static int plan_take_turn(const struct plan *plan, const struct pvmhostinfo *hosts, int count,
                          int blocks)
{
    atomic_uint *next = &plan->caller->task->process->next_host;
    uint32_t number = atomic_load(next);
    int first = 0;
    if (number == 0)
        number = plan->own_host + 1;
    while (first < count && host_number(&hosts[first]) < number)
        first++;
    first %= count;
    atomic_store(next, host_number(&hosts[(first + blocks) % count]));
    return first;
}

/* Spreading. ----------------------------------------------------------------------------------- */

/* Starts the tasks of one host, or asks its holder for them. */
static void plan_begin(const struct plan *plan, struct hold *hold)
{
    hold->caller = plan->caller;
    hold->order = plan->order;
    hold->programs = plan->programs;
    hold->function = plan->function;
    hold->guest.place = -1;
    if (plan->own && host_number(hold->host) == plan->own_host)
        hold->error = plan_start_here(plan, hold->count, hold->results);
    else
        hold_begin(hold);
}

/* Spreads the tasks evenly. Returns the host that is to have the first of them. */
static int plan_share_evenly(const struct plan *plan, const struct pvmhostinfo *hosts,
                             int host_count, struct hold *holds)
{
    int count = plan->order->count, done = 0;
    int blocks = host_count < count ? host_count : count;
    int first = plan_take_turn(plan, hosts, host_count, blocks);
    for (int i = 0; i < blocks; i++) {
        int end = (int)(((i + 1L) * count + blocks - 1) / blocks);
        holds[(first + i) % host_count].count = end - done;
        done = end;
    }
    return first;
}

static int host_find(const struct pvmhostinfo *hosts, int count, uint32_t tid)
{
    int i = 0;
    while (i < count && (uint32_t)hosts[i].hi_tid != tid)
        i++;
    return i;
}

/* Spreads tasks that may run anywhere as a global scheduler wants it. False: none wants that. */
static bool plan_share_as_wanted(const struct plan *plan, const struct pvmhostinfo *hosts,
                                 int host_count, struct hold *holds)
{
    uint32_t wanted[PLACEMENT_MOST], turn;
    if (plan->order->flags & PLACING)
        return false;
    int known = placement_ask(plan->caller->task, plan->order->count, wanted, &turn);
    for (int i = 0; i < known; i++)
        if (host_find(hosts, host_count, wanted[i]) == host_count)
            return false;
    for (int i = 0; known > 0 && i < plan->order->count; i++, turn++)
        holds[host_find(hosts, host_count, wanted[turn % (uint32_t)known])].count++;
    return known > 0;
}

/* Sends all orders before it waits for an answer. 0 or PvmNoMem. */
static int plan_spread(const struct plan *plan, const struct pvmhostinfo *hosts, int host_count,
                       int *results)
{
    struct hold *holds = calloc((size_t)host_count, sizeof *holds);
    int first = 0;
    if (!holds)
        return PvmNoMem;
    if (!plan_share_as_wanted(plan, hosts, host_count, holds))
        first = plan_share_evenly(plan, hosts, host_count, holds);
    for (int i = 0; i < host_count; i++) {
        int place = (first + i) % host_count;
        holds[place].host = &hosts[place];
        holds[place].results = results;
        results += holds[place].count;
        if (holds[place].count > 0)
            plan_begin(plan, &holds[place]);
    }
    for (int i = 0; i < host_count; i++)
        if (holds[i].count > 0)
            hold_end(&holds[i]);
    free(holds);
    return PvmOk;
}

static int plan_start_on_hosts(struct plan *plan, int *results)
{
    struct pvmhostinfo *hosts;
    int formats, error = PvmOk;
    int known = host_list_ask(plan->caller->task, &hosts, &formats);
    if (known < 0)
        return known;
    uint32_t tid = (uint32_t)atomic_load(&plan->caller->task->tid);
    plan->own_host = tid_host_part(tid) >> TID_HOST_SHIFT;
    int chosen = plan_choose(plan, hosts, known);
    if (chosen > 0)
        error = plan_spread(plan, hosts, chosen, results);
    else
        results_fill(results, plan->order->count, PvmNoHost);
    host_list_free(hosts, known);
    return error;
}

/* Names. --------------------------------------------------------------------------------------- */

/* The program has the same path on another host, or else the same name. */
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

/* `colon` separates the name of a program and that of a function. */
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

/* pvmulp runs any program; the function is the program's name. */
static int plan_start_ulps(struct plan *plan, int *results)
{
    plan->own = functions_are_of("pvmulp");
    plan->programs[0] = "pvmulp";
    plan->function = plan->order->file;
    return plan_start_on_hosts(plan, results);
}

int thread_hosts_start(struct caller *caller, const struct program_order *order, int *results)
{
    HOLD_OFF_CANCELLATION;
    struct plan plan = {.caller = caller, .order = order};
    if (order->flags & PvmTaskUlp)
        return plan_start_ulps(&plan, results);
    const char *colon = strchr(order->file, ':');
    if (!colon || colon == order->file || functions_find(caller->task->process, order->file))
        return plan_start_own(&plan, results);
    return plan_start_of_program(&plan, colon, results);
}
