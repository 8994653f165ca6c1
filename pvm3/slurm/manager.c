/* manager.c - requests, what children print, and time. */
#include "slurm/manager.h"

#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pvm3.h>
#include <pvmproto.h>

#include "slurm/agent.h"
#include "slurm/departure.h"
#include "slurm/hoster.h"
#include "slurm/memory.h"
#include "slurm/nodes.h"
#include "slurm/protocol.h"

enum { TAG_ASKER_GONE = 1, TAG_HOSTS_ADDED, TAG_HOST_GONE };

/* How often a host is looked at, as a part of the time after which it counts as idle. */
#define LOOKS 4

struct manager {
    struct nodes nodes;
    struct order order;
    double idle;    /* seconds, 0: for ever */
    double look_at; /* when hosts are looked at again */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Requests. ------------------------------------------------------------------------------------ */

static int received_number(void)
{
    int number = 0;
    pvm_upkint(&number, 1, 1);
    return number;
}

static void answer_begin(int count)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&count, 1, 1);
}

static void take_job(struct manager *manager, int asker, int bytes)
{
    const struct nodes *nodes = &manager->nodes;
    int count = 0;
    char *job = memory_check(calloc((size_t)bytes + 1, 1));
    char *list = memory_check(calloc((size_t)bytes + 1, 1));
    if (pvm_upkstr(job) == 0 && pvm_upkstr(list) == 0)
        nodes_add_job(&manager->nodes, job, list);
    for (int i = 0; i < nodes->count; i++)
        count += nodes->items[i]->job && strcmp(nodes->items[i]->job, job) == 0;
    answer_begin(count);
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i]->job && strcmp(nodes->items[i]->job, job) == 0)
            pvm_pkstr(nodes->items[i]->name);
    pvm_send(asker, TAG_SLURM_JOB);
    free(job);
    free(list);
}

/* Answers the task if Slurm has given it all that it wants, or refused. */
static void answer_growth(struct manager *manager, int asker)
{
    const struct nodes *nodes = &manager->nodes;
    int ready = 0;
    for (int i = 0; i < nodes->count; i++) {
        const struct node *node = nodes->items[i];
        if (node->asker == asker && node->state == NODE_WAITING)
            return;
        ready += node->asker == asker;
    }
    answer_begin(ready);
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i]->asker == asker) {
            pvm_pkstr(nodes->items[i]->name);
            nodes->items[i]->asker = 0;
        }
    pvm_send(asker, TAG_SLURM_GROW);
}

static void take_growth(struct manager *manager, int asker)
{
    int count = received_number();
    pvm_notify(PvmTaskExit, TAG_ASKER_GONE, 1, &asker);
    for (int i = 0; i < count; i++) {
        struct node *node = nodes_add(&manager->nodes, NULL);
        node->asker = asker;
        node_start_agent(node);
    }
    if (count <= 0)
        answer_growth(manager, asker);
}

/* Nobody waits for these jobs any more. */
static void forget_asker(struct manager *manager, int asker)
{
    for (int i = 0; i < manager->nodes.count; i++) {
        struct node *node = manager->nodes.items[i];
        if (node->asker != asker)
            continue;
        node_close(node);
        node->asker = 0;
    }
}

/* From now on the end of the host is the end of what the node has of Slurm. */
static void watch_host(struct manager *manager, int host)
{
    struct node *node = nodes_find_host(&manager->nodes, host);
    if (!node)
        return;
    node->idle_since = now();
    pvm_notify(PvmHostDelete, TAG_HOST_GONE, 1, &host);
}

static void forget_host(struct manager *manager, int host)
{
    struct node *node = nodes_find_host(&manager->nodes, host);
    if (!node)
        return;
    node->host = 0;
    node_close(node);
}

static void take_message(struct manager *manager, int buffer)
{
    int bytes, tag, source;
    pvm_bufinfo(buffer, &bytes, &tag, &source);
    switch (tag) {
    case SM_STHOST:
        order_take(&manager->order, &manager->nodes, buffer, now());
        break;
    case TAG_SLURM_GROW:
        take_growth(manager, source);
        break;
    case TAG_SLURM_JOB:
        take_job(manager, source, bytes);
        break;
    case TAG_ASKER_GONE:
        forget_asker(manager, received_number());
        break;
    case TAG_HOSTS_ADDED:
        for (int left = received_number(); left > 0; left--)
            watch_host(manager, received_number());
        break;
    case TAG_HOST_GONE:
        forget_host(manager, received_number());
        break;
    }
}

/* Children. ------------------------------------------------------------------------------------ */

static void take_line(struct manager *manager, struct node *node, const char *line)
{
    if (strcmp(line, AGENT_WARNING) == 0) {
        node->ending = true;
    } else if (node->state == NODE_WAITING) {
        if (!node->name)
            node->name = memory_check(strdup(line));
        node->idle_since = now();
        order_go_on(node);
        if (node->asker)
            answer_growth(manager, node->asker);
    } else if (node->state == NODE_STARTING) {
        order_answer(&manager->order, node, line);
    }
}

/* A child has ended, and with it what it had of Slurm: so the host is lost. */
static void end_node(struct manager *manager, struct node *node)
{
    int asker = node->asker;
    order_answer(&manager->order, node, NULL);
    if (node->host != 0 && !node->by_shell)
        departure_delete(node);
    nodes_end(&manager->nodes, node);
    if (asker)
        answer_growth(manager, asker);
}

static void take_output(struct manager *manager, struct node *node)
{
    bool lives = node_read(node);
    char *line;
    while ((line = node_line(node)) != NULL) {
        take_line(manager, node, line);
        free(line);
    }
    if (!lives)
        end_node(manager, node);
}

/* A node whose end was announced, and that is none of the hosts yet, is not to become one. */
static bool is_any_ending(const struct manager *manager)
{
    bool any = false;
    for (int i = 0; i < manager->nodes.count; i++) {
        struct node *node = manager->nodes.items[i];
        if (node->ending && node->host == 0)
            node_close(node);
        any |= node->ending && node->host != 0;
    }
    return any;
}

/* Time. ---------------------------------------------------------------------------------------- */

static bool is_busy(const struct node *node)
{
    struct pvmtaskinfo *tasks;
    int count;
    return node->host != 0 && pvm_tasks(node->host, &count, &tasks) == 0 && count > 0;
}

/* May the node be given back one day? */
static bool may_idle(const struct node *node)
{
    return !node->job && !node->by_shell && node->input >= 0 && !node->asker &&
           (node->state == NODE_READY || node->state == NODE_RUNNING);
}

static void look_at_nodes(struct manager *manager)
{
    for (int i = 0; i < manager->nodes.count; i++) {
        struct node *node = manager->nodes.items[i];
        if (!may_idle(node))
            continue;
        if (is_busy(node))
            node->idle_since = now();
        if (now() - node->idle_since < manager->idle)
            continue;
        if (node->host != 0)
            departure_delete(node);
        else
            node_close(node);
    }
    manager->look_at = now() + manager->idle / LOOKS;
}

/* Milliseconds until there is something to do, -1 for ever. */
static int patience(const struct manager *manager)
{
    double until = INFINITY;
    if (manager->order.count > 0)
        until = manager->order.deadline;
    for (int i = 0; manager->idle > 0 && i < manager->nodes.count; i++)
        if (may_idle(manager->nodes.items[i]))
            until = fmin(until, manager->look_at);
    if (isinf(until))
        return -1;
    return (int)fmin(INT_MAX, fmax(0, ceil((until - now()) * 1000)));
}

static void take_time(struct manager *manager)
{
    if (manager->order.count > 0 && now() >= manager->order.deadline)
        order_give_up(&manager->order);
    if (manager->idle > 0 && now() >= manager->look_at)
        look_at_nodes(manager);
}

/* ---------------------------------------------------------------------------------------------- */

/* Waits for whatever comes first. What nodes print is taken in. */
static void wait_for_anything(struct manager *manager)
{
    int *messages, message_count = pvm_getfds(&messages), count = 0;
    size_t most = (size_t)(manager->nodes.count + message_count);
    struct pollfd *fds = memory_check(calloc(most, sizeof *fds));
    struct node **readers = memory_check(calloc(most, sizeof(struct node *)));
    for (int i = 0; i < message_count; i++)
        fds[count++] = (struct pollfd){.fd = messages[i], .events = POLLIN};
    for (int i = 0; i < manager->nodes.count; i++) {
        struct node *node = manager->nodes.items[i];
        readers[count] = node;
        fds[count++] = (struct pollfd){.fd = node->output, .events = POLLIN};
    }
    if (poll(fds, (nfds_t)count, patience(manager)) > 0)
        for (int i = message_count; i < count; i++)
            if (fds[i].revents)
                take_output(manager, readers[i]);
    if (is_any_ending(manager))
        departure_evacuate(&manager->nodes);
    take_time(manager);
    free(fds);
    free(readers);
}

/* Tells who asks where the manager is. */
static void manager_announce(void)
{
    int own = pvm_mytid();
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&own, 1, 1);
    pvm_putinfo(SLURM_ENTRY, pvm_getsbuf(), PvmMboxDefault);
}

int manager_run(double idle)
{
    struct manager manager = {.idle = idle};
    int buffer, result = pvm_reg_hoster();
    if (result < 0) {
        fprintf(stderr, "pvmslurm: %s\n",
                result == PvmAlready ? "the virtual machine has a hoster" : pvm_strerror());
        return EXIT_FAILURE;
    }
    signal(SIGPIPE, SIG_IGN);
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmNoReset, 1);
    pvm_setopt(PvmResvTids, 1); /* the tags of the master are negative */
    pvm_notify(PvmHostAdd, TAG_HOSTS_ADDED, -1, NULL);
    manager_announce();
    for (;;) {
        while ((buffer = pvm_nrecv(-1, -1)) > 0)
            take_message(&manager, buffer);
        if (buffer < 0)
            return EXIT_SUCCESS;
        wait_for_anything(&manager);
    }
}
