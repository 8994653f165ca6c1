/* over.c - finds out that all nodes are idle and no message is on its way (tpl_finish). */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

/* What a report says of each node. */
enum { REPORT_DEAD, REPORT_SENT, REPORT_RECEIVED, REPORT_FIELDS };

static struct peer *over_judge(const struct tpl *node)
{
    int number = 0;
    while (node->nodes[number]->dead)
        number++;
    return node->nodes[number];
}

static size_t report_size(const struct tpl *node)
{
    return (size_t)node->count * REPORT_FIELDS * sizeof(uint32_t);
}

static int report_field(const struct report *report, int number, int field)
{
    return report->counts[number * REPORT_FIELDS + field];
}

/* All that i has sent to j has been received, and both know the same nodes to be dead. */
static bool over_is_balanced(const struct tpl *node, int i, int j)
{
    const struct report *sender = &node->reports[i], *receiver = &node->reports[j];
    return report_field(sender, j, REPORT_SENT) == report_field(receiver, i, REPORT_RECEIVED);
}

static bool over_knows_the_dead(const struct tpl *node, int i)
{
    for (int j = 0; j < node->count; j++)
        if (report_field(&node->reports[i], j, REPORT_DEAD) != node->nodes[j]->dead)
            return false;
    return true;
}

static bool over_is_over(const struct tpl *node)
{
    for (int i = 0; i < node->count; i++)
        if (!node->nodes[i]->dead && (!node->reports[i].known || !over_knows_the_dead(node, i)))
            return false;
    for (int i = 0; i < node->count; i++)
        for (int j = 0; j < node->count; j++)
            if (!node->nodes[i]->dead && !node->nodes[j]->dead && !over_is_balanced(node, i, j))
                return false;
    return true;
}

static void over_tell_others(struct tpl *node, enum letter_type type)
{
    for (int i = 0; i < node->count; i++)
        if (i != node->number && !node->nodes[i]->dead)
            node_post(node, &(struct letter){
                                .type = type, .peer = node->nodes[i]->tid, .id = node->judge});
}

/* Nobody leaves before all know that it is over: they would take it for a death. */
static void over_leave_if_confirmed(struct tpl *node)
{
    for (int i = 0; i < node->count; i++)
        if (i != node->number && !node->nodes[i]->dead && !node->reports[i].confirmed)
            return;
    if (node->leaving)
        return;
    over_tell_others(node, LETTER_LEAVE);
    node->leaving = true;
    pthread_cond_broadcast(&node->changed);
}

static void over_decide(struct tpl *node)
{
    if (node->ended || !over_is_over(node))
        return;
    node->judge = node->number;
    over_tell_others(node, LETTER_OVER);
    node_end(node, TPL_OVER);
    over_leave_if_confirmed(node);
}

static void report_keep(struct tpl *node, int number, int serial, const uint32_t *fields)
{
    struct report *report = &node->reports[number];
    if (report->known && (int)((unsigned)serial - (unsigned)report->serial) <= 0)
        return;
    report->known = true;
    report->serial = serial;
    for (int i = 0; i < node->count * REPORT_FIELDS; i++)
        report->counts[i] = (int)ntohl(fields[i]);
    over_decide(node);
}

bool over_report_if_idle(struct tpl *node)
{
    if (node->busy > 0 || node->count == 0 || node->ended || node->reported)
        return false;
    uint32_t *fields = malloc(report_size(node));
    if (!fields) {
        node_end(node, TPL_NO_MEMORY);
        return true;
    }
    for (int i = 0; i < node->count; i++) {
        const struct peer *peer = node->nodes[i];
        uint32_t *of_node = fields + i * REPORT_FIELDS;
        of_node[REPORT_DEAD] = htonl(peer->dead);
        of_node[REPORT_SENT] = htonl((uint32_t)peer->sent);
        of_node[REPORT_RECEIVED] = htonl((uint32_t)peer->received);
    }
    node->reported = true;
    node->serial++;
    if (over_judge(node)->number == node->number) {
        report_keep(node, node->number, node->serial, fields);
        free(fields);
        return true;
    }
    node_post(node, &(struct letter){.type = LETTER_REPORT,
                                     .peer = over_judge(node)->tid,
                                     .id = node->serial,
                                     .size = report_size(node),
                                     .data = fields});
    return true;
}

void over_take_report(struct tpl *node, const struct letter *letter)
{
    const struct peer *peer = peer_find(node, letter->peer);
    if (node->count > 0 && peer && peer->number >= 0 && letter->size == report_size(node))
        report_keep(node, peer->number, letter->id, letter->data);
}

/*
 * The judge has died before it said that all know. So others may not know. Each node that knows
 * tells them before it leaves: its word arrives before the notice of its end, so that nobody takes
 * the end for a death. Nobody confirms this word, since each node that hears it passes it on in the
 * same way.
 */
static void over_leave_without_judge(struct tpl *node)
{
    if (node->leaving || node->judge < 0 || !node->nodes[node->judge]->dead)
        return;
    over_tell_others(node, LETTER_OVER);
    node->leaving = true;
}

void over_take_end(struct tpl *node, const struct letter *letter)
{
    const struct peer *peer = peer_find(node, letter->peer);
    if (peer->number < 0 || letter->id < 0 || letter->id >= node->count)
        return;
    if (letter->type == LETTER_LEAVE)
        node->leaving = true;
    else if (letter->id == peer->number)
        node_post(node, &(struct letter){.type = LETTER_CONFIRM, .peer = letter->peer});
    node->judge = letter->id;
    node_end(node, TPL_OVER);
    over_leave_without_judge(node);
    pthread_cond_broadcast(&node->changed);
}

void over_take_confirmation(struct tpl *node, const struct letter *letter)
{
    const struct peer *peer = peer_find(node, letter->peer);
    if (peer->number < 0 || node->judge != node->number)
        return;
    node->reports[peer->number].confirmed = true;
    over_leave_if_confirmed(node);
}

/* A node has died: the others report to the next one, if it was the first. */
void over_forget_node(struct tpl *node)
{
    node->reported = false;
    if (node->judge == node->number)
        over_leave_if_confirmed(node);
    else
        over_leave_without_judge(node);
    pthread_cond_broadcast(&node->changed);
}

void over_free(struct tpl *node)
{
    for (int i = 0; node->reports && i < node->count; i++)
        free(node->reports[i].counts);
    free(node->reports);
}
