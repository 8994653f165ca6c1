/* hoster.c - an order of the master, from its hosts to the answer. */
#include "slurm/hoster.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <pvmproto.h>

#include "slurm/memory.h"

/* A step of Slurm may take a while to begin. */
#define SECONDS_TO_START 60

static char *order_text(int bytes)
{
    char *text = memory_check(calloc((size_t)bytes + 1, 1));
    pvm_upkstr(text);
    return text;
}

static void order_send_answer(struct order *order)
{
    struct pvmminfo info = {.wid = order->wait};
    pvm_initsend(PvmDataDefault);
    pvm_setminfo(pvm_getsbuf(), &info);
    pvm_pkint(&order->count, 1, 1);
    for (int i = 0; i < order->count; i++) {
        pvm_pkint(&order->hosts[i].tid, 1, 1);
        pvm_pkstr(order->hosts[i].line);
        free(order->hosts[i].line);
    }
    pvm_send(order->source, SM_STHOSTACK);
    free(order->hosts);
    *order = (struct order){.count = 0};
}

static void ordered_host_answer(struct order *order, struct ordered_host *host, const char *line)
{
    host->line = memory_check(strdup(line ? line : "PvmCantStart"));
    if (host->node && line) {
        host->node->state = NODE_RUNNING;
        host->node->host = host->tid;
    } else if (host->node) {
        node_close(host->node);
    }
    host->node = NULL;
    order->answered++;
}

void order_answer(struct order *order, struct node *node, const char *line)
{
    for (int i = 0; i < order->count; i++)
        if (order->hosts[i].node == node)
            ordered_host_answer(order, &order->hosts[i], line);
    if (order->count > 0 && order->answered == order->count)
        order_send_answer(order);
}

void order_give_up(struct order *order)
{
    for (int i = 0; i < order->count; i++)
        if (!order->hosts[i].line)
            ordered_host_answer(order, &order->hosts[i], NULL);
    order_send_answer(order);
}

void order_go_on(struct node *node)
{
    node->state = NODE_READY;
    if (!node->lines)
        return;
    node_send(node, node->lines);
    node->state = NODE_STARTING;
}

/* What the pvmd is to read: the line that names the virtual machine. */
static char *order_input(const char *machine)
{
    char *text;
    if (asprintf(&text, machine[0] ? "PVM_VMID=%s\n" : "%s\n", machine) < 0)
        text = NULL;
    return memory_check(text);
}

/* Has the pvmd started on a node of Slurm, which is not in use. */
static void order_start_node(struct node *node, const char *input, const char *command)
{
    free(node->lines);
    if (asprintf(&node->lines, "%s%s\n", input, command) < 0)
        node->lines = NULL;
    memory_check(node->lines);
    if (node->state == NODE_KNOWN)
        node_start_agent(node);
    else
        order_go_on(node);
}

static void order_start(struct ordered_host *host, struct nodes *nodes, int bytes)
{
    free(order_text(bytes)); /* the host's option so= */
    char *login = order_text(bytes), *command = order_text(bytes);
    free(order_text(bytes)); /* the command for Windows */
    char *machine = order_text(bytes), *input = order_input(machine), *at = strchr(login, '@');
    host->node = nodes_find(nodes, at ? at + 1 : login);
    if (host->node && (host->node->state == NODE_KNOWN || host->node->state == NODE_READY)) {
        order_start_node(host->node, input, command);
    } else if (host->node) {
        host->node = NULL; /* it is in use, or about to end */
    } else {
        host->node = nodes_add(nodes, NULL);
        node_start_shell(host->node, login, command, input);
    }
    free(login);
    free(command);
    free(machine);
    free(input);
}

void order_take(struct order *order, struct nodes *nodes, int buffer, double now)
{
    int bytes, count = 0;
    struct pvmminfo info;
    pvm_bufinfo(buffer, &bytes, NULL, NULL);
    pvm_getminfo(buffer, &info);
    pvm_upkint(&count, 1, 1);
    if (count <= 0 || count > bytes || order->count > 0)
        return;
    *order = (struct order){.source = info.src, .wait = info.wid, .count = count};
    order->hosts = memory_check(calloc((size_t)count, sizeof *order->hosts));
    order->deadline = now + SECONDS_TO_START;
    for (int i = 0; i < count; i++) {
        pvm_upkint(&order->hosts[i].tid, 1, 1);
        order_start(&order->hosts[i], nodes, bytes);
    }
    for (int i = 0; i < count; i++)
        if (!order->hosts[i].node)
            ordered_host_answer(order, &order->hosts[i], NULL);
    if (order->answered == count)
        order_send_answer(order);
}
