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

static void print_waiters(FILE *text, const char *title, const struct group_meeting *meeting)
{
    if (meeting->count == 0)
        return;
    fprintf(text, "%s:\n", title);
    for (int i = 0; i < meeting->count; i++)
        fprintf(text, "0x%x  ", (unsigned)meeting->waiters[i].tid);
    fprintf(text, "\n");
}

static void print_hosts(FILE *text, const struct group *group)
{
    struct group_host *hosts;
    int count = group_hosts(group, &hosts);
    if (count < 0)
        return;
    fprintf(text, "Host characterization:\n");
    for (int i = 0; i < count; i++)
        fprintf(text, "host %x - %d procs, %x coord \n", (unsigned)hosts[i].host, hosts[i].members,
                (unsigned)hosts[i].coordinator);
    free(hosts);
}

static void print_group(FILE *text, const struct group *group)
{
    fprintf(text, "group: %s  size: %d barrier_count: %d barrier_reached %d\n", group->name,
            group->count, group->barrier.wanted, group->barrier.reached);
    fprintf(text, " sgroup_count: %d sgroup_reached %d\n", group->freeze.wanted,
            group->freeze.reached);
    fprintf(text, "  Tids: \n");
    for (int i = 0; i < group->capacity; i++)
        if (group->tids[i] != GROUPS_NOBODY)
            fprintf(text, "(%d,  0x%x) ", i, (unsigned)group->tids[i]);
    fprintf(text, "\n");
    print_waiters(text, "tids waiting on barrier", &group->barrier);
    print_waiters(text, "tids waiting on static formation", &group->freeze);
    print_hosts(text, group);
}

void groups_print_table(const struct groups_table *table, int server_tid)
{
    char *written = NULL;
    size_t length;
    /* The log of the pvmd has a line for each piece that it reads: all of it goes out at once. */
    FILE *text = open_memstream(&written, &length);
    if (!text)
        return;
    fprintf(text, "DUMP 0x%x, %d groups:\n", (unsigned)server_tid, groups_table_count(table));
    for (const struct group *group = table->first; group; group = group->next)
        print_group(text, group);
    if (fclose(text) == 0)
        fwrite(written, 1, length, stderr);
    free(written);
}
