/* reply.c - groups as words of a message, and as text. */
#include "groups/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

static int pack_word(int word)
{
    return pvm_pkint(&word, 1, 1);
}

static int pack_name(const struct group *group)
{
    int result = pack_word((int)strlen(group->name));
    return result < 0 ? result : pvm_pkstr((char *)group->name);
}

int groups_pack_hosts(const struct group *group)
{
    struct group_host *hosts;
    int count = group_hosts(group, &hosts);
    if (count < 0)
        return count;
    int result = pack_word(count);
    if (result == 0)
        result = pvm_pkint(&hosts->members, count, sizeof *hosts / sizeof(int));
    if (result == 0)
        result = pvm_pkint(&hosts->coordinator, count, sizeof *hosts / sizeof(int));
    free(hosts);
    return result;
}

int groups_pack_host(const struct group *group, int host)
{
    struct group_host *hosts;
    int count = group_hosts(group, &hosts);
    if (count < 0)
        return count;
    struct group_host found = {.host = host, .members = 0, .coordinator = GROUPS_NOBODY};
    for (int i = 0; i < count; i++)
        if (hosts[i].host == host)
            found = hosts[i];
    free(hosts);
    int words[] = {count, found.members, found.coordinator};
    return pvm_pkint(words, 3, 1);
}

int groups_pack_state(const struct group *group)
{
    enum groups_state state = group ? group->state : GROUPS_DEAD;
    int result = pack_word((int)state);
    if (result < 0 || state != GROUPS_STATIC)
        return result;
    int words[] = {group->count, group->capacity};
    result = pack_name(group);
    if (result == 0)
        result = pvm_pkint(words, 2, 1);
    if (result == 0)
        result = pvm_pkint(group->tids, group->capacity, 1);
    return result < 0 ? result : groups_pack_hosts(group);
}

int groups_pack_members(const struct group *group)
{
    int result = pack_word(group->count);
    for (int i = 0; result == 0 && i < group->capacity; i++)
        if (group->tids[i] != GROUPS_NOBODY)
            result = pack_word(group->tids[i]);
    return result;
}

static int pack_group(const struct group *group)
{
    int words[] = {group->count, group->capacity, group->barrier.wanted, group->barrier.count};
    int result = pack_name(group);
    if (result == 0)
        result = pvm_pkint(words, 4, 1);
    if (result == 0)
        result = pvm_pkint(group->tids, group->capacity, 1);
    for (int i = 0; result == 0 && i < group->barrier.count; i++)
        result = pack_word(group->barrier.waiters[i].tid);
    return result;
}

int groups_pack_table(const struct groups_table *table)
{
    int result = pack_word(groups_table_count(table));
    for (const struct group *group = table->first; result == 0 && group; group = group->next)
        result = pack_group(group);
    return result;
}

static void print_waiters(const char *title, const struct group_meeting *meeting)
{
    if (meeting->count == 0)
        return;
    fprintf(stderr, "%s:\n", title);
    for (int i = 0; i < meeting->count; i++)
        fprintf(stderr, "0x%x  ", (unsigned)meeting->waiters[i].tid);
    fprintf(stderr, "\n");
}

static void print_group(const struct group *group)
{
    fprintf(stderr, "group: %s  size: %d barrier_count: %d barrier_reached %d\n", group->name,
            group->count, group->barrier.wanted, group->barrier.reached);
    fprintf(stderr, " sgroup_count: %d sgroup_reached %d\n", group->freeze.wanted,
            group->freeze.reached);
    fprintf(stderr, "  Tids: \n");
    for (int i = 0; i < group->capacity; i++)
        if (group->tids[i] != GROUPS_NOBODY)
            fprintf(stderr, "(%d,  0x%x) ", i, (unsigned)group->tids[i]);
    fprintf(stderr, "\n");
    print_waiters("tids waiting on barrier", &group->barrier);
    print_waiters("tids waiting on static formation", &group->freeze);
    fprintf(stderr, "Host characterization:\n");
    struct group_host *hosts;
    int count = group_hosts(group, &hosts);
    for (int i = 0; i < count; i++)
        fprintf(stderr, "host %x - %d procs, %x coord \n", (unsigned)hosts[i].host,
                hosts[i].members, (unsigned)hosts[i].coordinator);
    if (count >= 0)
        free(hosts);
}

void groups_print_table(const struct groups_table *table, int server_tid)
{
    fprintf(stderr, "DUMP 0x%x, %d groups:\n", (unsigned)server_tid, groups_table_count(table));
    for (const struct group *group = table->first; group; group = group->next)
        print_group(group);
    fflush(stderr);
}
