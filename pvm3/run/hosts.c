/* hosts.c - names, slots and turns. */
#include "run/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

void hosts_free(struct hosts *hosts)
{
    for (int i = 0; i < hosts->count; i++) {
        free(hosts->items[i].name);
        free(hosts->items[i].arch);
    }
    free(hosts->items);
    *hosts = (struct hosts){0};
}

static void hosts_take(struct host *host, const struct pvmhostinfo *info)
{
    host->tid = info->hi_tid;
    host->name = memory_text("%s", info->hi_name);
    host->arch = memory_text("%s", info->hi_arch);
}

bool hosts_read(struct hosts *hosts, int own)
{
    struct pvmhostinfo *infos;
    int count;
    if (pvm_config(&count, NULL, &infos) < 0)
        return false;
    hosts_free(hosts);
    hosts->items = memory_resize(NULL, (size_t)count, sizeof *hosts->items);
    for (int i = 0; i < count; i++)
        if (infos[i].hi_tid == pvm_tidtohost(own))
            hosts_take(&hosts->items[hosts->count++], &infos[i]);
    for (int i = 0; i < count; i++)
        if (infos[i].hi_tid != pvm_tidtohost(own))
            hosts_take(&hosts->items[hosts->count++], &infos[i]);
    return true;
}

/* Does a host have a name that somebody gives, which may lack the domain? */
static bool hosts_is_called(const struct host *host, const char *name)
{
    size_t length = strlen(name);
    return strncmp(host->name, name, length) == 0 &&
           (host->name[length] == '\0' || host->name[length] == '.');
}

/* Any name of this host that the system or a person uses. */
static bool hosts_is_here(const char *name)
{
    char own[256] = "";
    gethostname(own, sizeof own - 1);
    return strcmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 ||
           strcmp(name, ".") == 0 || strcmp(name, own) == 0;
}

const struct host *hosts_find(const struct hosts *hosts, const char *name)
{
    for (int i = 0; i < hosts->count; i++)
        if (hosts_is_called(&hosts->items[i], name))
            return &hosts->items[i];
    return hosts_is_here(name) && hosts->count > 0 ? &hosts->items[0] : NULL;
}

/* The name in HOST[:SLOTS][ OPTION...], to be freed. */
static char *hosts_name(const char *word)
{
    return memory_text("%.*s", (int)strcspn(word, ": "), word);
}

/* What pvm_addhosts is given for it, to be freed. */
static char *hosts_line(const char *word)
{
    char *name = hosts_name(word);
    char *line = memory_text("%s%s", name, word + strcspn(word, " "));
    free(name);
    return line;
}

/* 0: not given. */
static int hosts_slots(const char *word)
{
    size_t length = strcspn(word, ": ");
    return word[length] == ':' ? atoi(word + length + 1) : 0;
}

/* Names each once. */
static void hosts_list_absent(const struct hosts *hosts, const struct job *job,
                              struct words *absent)
{
    for (int i = 0; i < job->part_count; i++) {
        const struct words *wanted = &job->parts[i].hosts;
        for (int j = 0; j < wanted->count; j++) {
            char *name = hosts_name(wanted->items[j]), *line = hosts_line(wanted->items[j]);
            bool known = hosts_find(hosts, name) != NULL;
            for (int k = 0; k < absent->count; k++)
                known = known || strcmp(absent->items[k], line) == 0;
            if (!known)
                words_add(absent, line);
            free(name);
            free(line);
        }
    }
}

static const char *hosts_error(int code)
{
    switch (code) {
    case PvmNoHost:
        return "no host has this name";
    case PvmCantStart:
        return "no daemon could be started there";
    case PvmDupHost:
        return "it belongs to another virtual machine of yours, or to this one by another name";
    case PvmBadVersion:
        return "its daemon has another version";
    case PvmHostFail:
        return "it does not answer";
    default:
        return "it could not be added";
    }
}

bool hosts_add(struct hosts *hosts, const struct job *job, int own)
{
    struct words absent = {0};
    bool added = true;
    hosts_list_absent(hosts, job, &absent);
    if (absent.count > 0) {
        int *statuses = memory_resize(NULL, (size_t)absent.count, sizeof *statuses);
        int result = pvm_addhosts(absent.items, absent.count, statuses);
        for (int i = 0; i < absent.count; i++) {
            int status = result < 0 ? result : statuses[i];
            if (status >= 0)
                continue;
            int length = (int)strcspn(absent.items[i], " ");
            fprintf(stderr, "pvmrun: %.*s: %s: `pvm --check %.*s` finds out why\n", length,
                    absent.items[i], hosts_error(status), length, absent.items[i]);
            added = false;
        }
        free(statuses);
        added = added && hosts_read(hosts, own);
    }
    words_free(&absent);
    return added;
}

int hosts_count_tasks(const struct part *part)
{
    int slots = 0;
    for (int i = 0; i < part->hosts.count; i++) {
        int own = part->each > 0 ? part->each : hosts_slots(part->hosts.items[i]);
        slots += own > 0 ? own : 1;
    }
    if (part->count > 0)
        return part->count;
    return slots > 0 ? slots : 1;
}

/* A host of a part, and how many tasks it gets before the next one has its turn. */
struct turn {
    const struct host *host;
    int slots;
};

static int hosts_make_turns(const struct hosts *hosts, const struct part *part, struct turn *turns)
{
    int count = 0;
    for (int i = 0; i < part->hosts.count; i++) {
        char *name = hosts_name(part->hosts.items[i]);
        turns[count++] = (struct turn){hosts_find(hosts, name), hosts_slots(part->hosts.items[i])};
        free(name);
    }
    for (int i = 0; part->hosts.count == 0 && i < hosts->count; i++)
        turns[count++] = (struct turn){&hosts->items[i], 0};
    return count;
}

/* Without slots each host gets as many as the others or one less, side by side. */
static void hosts_share(struct turn *turns, int turn_count, int count)
{
    for (int i = 0; i < turn_count; i++)
        turns[i].slots = count / turn_count + (i < count % turn_count);
}

void hosts_place(const struct hosts *hosts, const struct part *part, const struct host **places,
                 int count)
{
    int most = part->hosts.count > hosts->count ? part->hosts.count : hosts->count, slots = 0;
    struct turn *turns = memory_resize(NULL, (size_t)most, sizeof *turns);
    int turn_count = hosts_make_turns(hosts, part, turns);
    for (int i = 0; i < turn_count; i++)
        slots += turns[i].slots = part->each > 0 ? part->each : turns[i].slots;
    if (slots == 0)
        hosts_share(turns, turn_count, count);
    for (int done = 0; done < count;)
        for (int i = 0; i < turn_count; i++)
            for (int j = 0;
                 done < count && j < (turns[i].slots > 0 || slots == 0 ? turns[i].slots : 1); j++)
                places[done++] = turns[i].host;
    free(turns);
}
