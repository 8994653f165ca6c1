/*
 * manager.c - a resource manager: decides on which host tasks start.
 *
 * usage: manager                         in a running virtual machine, before the tasks
 *        PVM_RM=/path/manager pvm        from the start
 *
 * Tasks that enrol after pvm_reg_rm ask the manager where others ask their pvmd: for tasks, hosts
 * and notices. Its own calls go to the pvmd, so it passes most questions on. What it decides itself
 * is where spawned tasks run: each goes to the host that has the fewest tasks for its speed.
 * A pvmd that runs already knows the manager of its own host alone; those that are added later
 * know it. So start it before the other hosts are added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "service.h"

/* Tags of the pvmd's notices to the manager; SECONDS is how long a pvmd may take to start tasks. */
enum { TASK_ENDED = 1, HOST_GONE = 2, HOST_NEW = 3, SECONDS = 60 };

/* ---- Notices: the manager is told by the pvmd and tells those who asked. ---- */

struct watcher {
    struct watcher *next;
    int asker;
    int what; /* PvmTaskExit, PvmHostDelete or PvmHostAdd */
    int context;
    int tag;
    int tid;  /* 0 with PvmHostAdd */
    int left; /* notices that it still gets, -1 for any number */
};

static struct watcher *watchers;

static void watcher_add(struct watcher watcher)
{
    static const int tags[] = {
        [PvmTaskExit] = TASK_ENDED, [PvmHostDelete] = HOST_GONE, [PvmHostAdd] = HOST_NEW};
    struct watcher *added = service_allocate(sizeof *added);

    *added = watcher;
    added->next = watchers;
    watchers = added;
    if (watcher.what != PvmHostAdd)
        pvm_notify(watcher.what, tags[watcher.what], 1, &watcher.tid);
}

/* The body of a notice is in the active send buffer; it has the context of who asked for it. */
static void watcher_tell(const struct watcher *watcher)
{
    int context = pvm_setcontext(watcher->context);

    pvm_send(watcher->asker, watcher->tag);
    pvm_setcontext(context);
}

/* Sends the active send buffer to all who watch a tid; forgets those not to be told again. */
static void watchers_tell(int what, int tid)
{
    struct watcher **link = &watchers;

    while (*link) {
        struct watcher *watcher = *link;
        int told = watcher->what == what && watcher->tid == tid;
        if (told)
            watcher_tell(watcher);
        if (told && watcher->left > 0 && --watcher->left == 0) {
            *link = watcher->next;
            free(watcher);
        } else {
            link = &watcher->next;
        }
    }
}

/* Who cancels a notice of an end gets it at once, as from a pvmd. */
static void watchers_cancel(const struct watcher *like)
{
    struct watcher **link = &watchers;

    while (*link) {
        struct watcher *watcher = *link;
        if (watcher->asker != like->asker || watcher->what != like->what ||
            watcher->context != like->context || watcher->tag != like->tag ||
            watcher->tid != like->tid) {
            link = &watcher->next;
            continue;
        }
        if (like->what != PvmHostAdd) {
            service_begin(0);
            service_put_int(watcher->tid);
            watcher_tell(watcher);
        }
        *link = watcher->next;
        free(watcher);
    }
}

static void serve_notify(const struct request *request)
{
    int what = service_int();
    struct watcher watcher = {.asker = request->source, .what = what & ~PvmNotifyCancel, .left = 1};

    watcher.context = service_int();
    watcher.tag = service_int();
    int count = service_int();
    if (watcher.what == PvmHostAdd) {
        watcher.left = count;
        if (what & PvmNotifyCancel || count == 0)
            watchers_cancel(&watcher);
        else
            watcher_add(watcher);
        return;
    }
    if (watcher.what != PvmTaskExit && watcher.what != PvmHostDelete)
        return;
    for (int i = 0; i < count && pvm_upkint(&watcher.tid, 1, 1) == 0; i++)
        if (what & PvmNotifyCancel)
            watchers_cancel(&watcher);
        else
            watcher_add(watcher);
}

static void pass_end(const struct request *request)
{
    int tid = service_int();

    service_begin(0);
    service_put_int(tid);
    watchers_tell(request->tag == TASK_ENDED ? PvmTaskExit : PvmHostDelete, tid);
}

static void pass_new_hosts(const struct request *request)
{
    int count = service_int();

    (void)request;
    service_begin(0);
    service_put_int(count);
    for (int i = 0; i < count; i++)
        service_put_int(service_int());
    watchers_tell(PvmHostAdd, 0);
}

/* ---- Questions that are passed on. ---- */

static void put_host(const struct pvmhostinfo *host)
{
    service_put_int(host->hi_tid);
    pvm_pkstr(host->hi_name);
    pvm_pkstr(host->hi_arch);
    service_put_int(host->hi_speed);
    service_put_int(host->hi_dsig);
}

static void serve_config(const struct request *request)
{
    struct pvmhostinfo *hosts;
    int count = 0, formats = 0;

    pvm_config(&count, &formats, &hosts);
    service_begin(request->wait);
    service_put_int(count);
    service_put_int(formats);
    for (int i = 0; i < count; i++)
        put_host(&hosts[i]);
    pvm_send(request->source, SM_CONFIG);
}

static void serve_tasks(const struct request *request)
{
    struct pvmtaskinfo *tasks;
    int count = 0, result = pvm_tasks(service_int(), &count, &tasks);

    service_begin(request->wait);
    service_put_int(result);
    for (int i = 0; result == 0 && i < count; i++) {
        service_put_int(tasks[i].ti_tid);
        service_put_int(tasks[i].ti_ptid);
        service_put_int(tasks[i].ti_host);
        service_put_int(tasks[i].ti_flag);
        pvm_pkstr(tasks[i].ti_a_out);
        service_put_int(tasks[i].ti_pid);
    }
    pvm_send(request->source, SM_TASK);
}

static void serve_addition(const struct request *request)
{
    struct pvmhostinfo *hosts, unknown = {.hi_name = "", .hi_arch = ""};
    int known = 0, count = service_int();
    char **names = service_strings(request, count);
    int *status = service_allocate((size_t)count * sizeof *status);

    int result = pvm_addhosts(names, count, status);
    pvm_config(&known, NULL, &hosts);
    service_begin(request->wait);
    service_put_int(result < 0 ? result : count);
    service_put_int(0);
    for (int i = 0; result >= 0 && i < count; i++) {
        struct pvmhostinfo host = unknown;
        for (int k = 0; k < known; k++)
            if (hosts[k].hi_tid == status[i])
                host = hosts[k];
        host.hi_tid = status[i];
        put_host(&host);
    }
    pvm_send(request->source, SM_ADDHOST);
    service_free_strings(names);
    free(status);
}

static void serve_deletion(const struct request *request)
{
    int count = service_int();
    char **names = service_strings(request, count);
    int *status = service_allocate((size_t)count * sizeof *status);

    int result = pvm_delhosts(names, count, status);
    service_begin(request->wait);
    service_put_int(result < 0 ? result : count);
    if (result >= 0)
        pvm_pkint(status, count, 1);
    pvm_send(request->source, SM_DELHOST);
    service_free_strings(names);
    free(status);
}

/* ---- Spawning: what a manager is for. ---- */

enum { SINKS = 6 }; /* where output and trace events of the tasks go: tids, contexts and tags */

struct order {
    char *file;
    int flags;
    char *where; /* a host or an architecture, as the flags say; a colon and a folder may follow */
    int count;
    int arguments_count;
    char **arguments;
    int sinks[SINKS];
    int environment_count;
    char **environment;
};

static void order_read(struct order *order, const struct request *request)
{
    order->file = service_string(request);
    order->flags = service_int();
    order->where = service_string(request);
    order->count = service_int();
    order->arguments_count = service_int();
    order->arguments = service_strings(request, order->arguments_count);
    pvm_upkint(order->sinks, SINKS, 1);
    order->environment_count = service_int();
    order->environment = service_strings(request, order->environment_count);
}

static void order_free(struct order *order)
{
    free(order->file);
    free(order->where);
    service_free_strings(order->arguments);
    service_free_strings(order->environment);
}

/* May tasks of the order run on the host? `here` is the host of who asked. */
static int order_allows(const struct order *order, const struct pvmhostinfo *host, int here)
{
    size_t length = strcspn(order->where, ":");
    char wanted[256];
    int chosen = 1;

    snprintf(wanted, sizeof wanted, "%.*s", (int)length, order->where);
    if (order->flags & PvmTaskHost)
        chosen = strcmp(wanted, host->hi_name) == 0 ||
                 (strcmp(wanted, ".") == 0 && host->hi_tid == here);
    else if (order->flags & PvmTaskArch)
        chosen = strcmp(wanted, host->hi_arch) == 0;
    return chosen != ((order->flags & PvmHostCompl) != 0);
}

/* Has the pvmd of a host start some of the tasks; returns the wait id of its answer. */
static int order_send(const struct order *order, const struct request *request, int host, int first,
                      int count)
{
    static int wait;
    const char *folder = strchr(order->where, ':');
    char variable[4096];

    service_begin(++wait);
    service_put_int(order->flags & PvmNoSpawnParent ? PvmParentNotSet : request->source);
    pvm_pkstr(order->file);
    service_put_int(order->flags);
    service_put_int(count);
    service_put_int(order->arguments_count);
    for (int i = 0; i < order->arguments_count; i++)
        pvm_pkstr(order->arguments[i]);
    pvm_pkint((int *)order->sinks, SINKS, 1);
    service_put_int(order->environment_count + (folder ? 1 : 0));
    for (int i = 0; i < order->environment_count; i++)
        pvm_pkstr(order->environment[i]);
    if (folder) {
        snprintf(variable, sizeof variable, "PVMSPAWNWD=%s", folder + 1);
        pvm_pkstr(variable);
    }
    service_put_int(first);
    service_put_int(order->count);
    pvm_send(OWN_PVMD | host, SM_EXEC);
    return wait;
}

/* Has a host start `count` tasks and fills in what became of them. */
static void order_carry_out(const struct order *order, const struct request *request, int host,
                            int *tids, int first, int count)
{
    struct timeval patience = {.tv_sec = SECONDS};

    int wait = order_send(order, request, host, first, count);
    for (int i = first; i < first + count; i++)
        tids[i] = PvmHostFail; /* if it does not answer */
    for (;;) {
        int buffer = pvm_trecv(-1, SM_EXECACK, &patience);
        if (buffer <= 0)
            return;
        /* Others tell of tasks that came by themselves, or answer what was given up. */
        if (service_request(buffer).wait != wait)
            continue;
        if (service_int() == count)
            pvm_upkint(tids + first, count, 1);
        return;
    }
}

/* How many tasks each host is to start: each task goes where the fewest are for the speed. */
static void order_place(const struct order *order, int here, const struct pvmhostinfo *hosts,
                        int host_count, int *shares)
{
    struct pvmtaskinfo *tasks;
    int task_count = 0;
    double *loads = service_allocate((size_t)host_count * sizeof *loads);

    pvm_tasks(0, &task_count, &tasks);
    for (int i = 0; i < host_count; i++)
        for (int k = 0; k < task_count; k++)
            if (tasks[k].ti_host == hosts[i].hi_tid)
                loads[i] += 1.0 / hosts[i].hi_speed;
    for (int task = 0; task < order->count; task++) {
        int best = -1;
        for (int i = 0; i < host_count; i++)
            if (order_allows(order, &hosts[i], here) && (best < 0 || loads[i] < loads[best]))
                best = i;
        if (best < 0)
            break;
        shares[best]++;
        loads[best] += 1.0 / hosts[best].hi_speed;
    }
    free(loads);
}

static void serve_spawn(const struct request *request)
{
    struct order order;
    struct pvmhostinfo *hosts;
    int host_count = 0, first = 0;

    order_read(&order, request);
    if (order.count < 0 || order.count > 100000)
        order.count = 0;
    pvm_config(&host_count, NULL, &hosts);
    int *shares = service_allocate((size_t)host_count * sizeof *shares);
    int *tids = service_allocate((size_t)order.count * sizeof *tids);
    order_place(&order, pvm_tidtohost(request->source), hosts, host_count, shares);
    for (int i = 0; i < host_count; i++) {
        if (shares[i] == 0)
            continue;
        order_carry_out(&order, request, hosts[i].hi_tid, tids, first, shares[i]);
        printf("%d of %s on %s for t%x\n", shares[i], order.file, hosts[i].hi_name,
               (unsigned)request->source);
        first += shares[i];
    }
    for (int i = first; i < order.count; i++)
        tids[i] = PvmNoHost;
    service_begin(request->wait);
    service_put_int(order.count);
    pvm_pkint(tids, order.count, 1);
    pvm_send(request->source, SM_SPAWN);
    order_free(&order);
    free(shares);
    free(tids);
}

/* ---- */

/* This manager lets nobody take over. */
static void serve_takeover(const struct request *request)
{
    service_begin(request->wait);
    service_put_int(PvmAlready);
    pvm_send(request->source, SM_SCHED);
}

/* The pvmds also tell of each task that came or ended, SM_EXECACK and SM_TASKX: left out here. */
static void serve(const struct request *request)
{
    static const struct {
        int tag;
        void (*serve)(const struct request *request);
    } services[] = {{SM_SPAWN, serve_spawn},      {SM_CONFIG, serve_config},
                    {SM_TASK, serve_tasks},       {SM_ADDHOST, serve_addition},
                    {SM_DELHOST, serve_deletion}, {SM_NOTIFY, serve_notify},
                    {SM_SCHED, serve_takeover},   {TASK_ENDED, pass_end},
                    {HOST_GONE, pass_end},        {HOST_NEW, pass_new_hosts}};

    if (request->tag > 0 && request->source != OWN_PVMD)
        return; /* only pvmds know of ends and hosts */
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (services[i].tag == request->tag)
            services[i].serve(request);
}

int main(void)
{
    int buffer, before = pvm_reg_rm(NULL);

    if (before < 0) {
        fprintf(stderr, "manager: %s\n",
                before == PvmAlready ? "there is one already" : pvm_strerror());
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("manager t%x is ready\n", (unsigned)pvm_mytid());
    pvm_setopt(PvmResvTids, 1); /* the tags of requests are negative */
    pvm_notify(PvmHostAdd, HOST_NEW, -1, NULL);
    while ((buffer = pvm_recv(-1, -1)) > 0) {
        struct request request = service_request(buffer);
        serve(&request);
    }
    return EXIT_SUCCESS;
}
