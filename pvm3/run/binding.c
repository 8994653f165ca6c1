/* binding.c - what the system says of processors. */
#include "run/binding.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/memory.h"

/* Adds the processors of a list, such as 0,2-3. False when it is no list. */
static bool binding_read_list(const char *text, cpu_set_t *set)
{
    do {
        char *end;
        long first = strtol(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-') {
            text = end + 1;
            last = strtol(text, &end, 10);
            if (end == text)
                return false;
        }
        if (first < 0 || last < first || last >= CPU_SETSIZE)
            return false;
        for (long i = first; i <= last; i++)
            CPU_SET((size_t)i, set);
        text = end;
    } while (*text++ == ',');
    return text[-1] == '\0' || text[-1] == '\n';
}

/* The file that lists the processors beside one, of each kind. */
static const struct kind {
    const char *name;
    const char *file;
} kinds[] = {
    {"core", "/sys/devices/system/cpu/cpu%d/topology/core_cpus_list"},
    {"package", "/sys/devices/system/cpu/cpu%d/topology/package_cpus_list"},
    {"numa", "/sys/devices/system/node/node%d/cpulist"},
};

static const struct kind *binding_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

bool binding_is_known(const char *binding)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return binding_kind(binding) || strcmp(binding, "thread") == 0 ||
           strcmp(binding, "none") == 0 || binding_read_list(binding, &set);
}

static bool binding_read_file(const char *format, int number, cpu_set_t *set)
{
    char path[128], line[4096];
    CPU_ZERO(set);
    snprintf(path, sizeof path, format, number);
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, sizeof line, file) && binding_read_list(line, set);
    if (file)
        fclose(file);
    return read;
}

/* Sets of processors that this process may use, each once. */
struct sets {
    cpu_set_t *items;
    int count;
};

static void binding_add(struct sets *sets, const cpu_set_t *set, const cpu_set_t *allowed)
{
    cpu_set_t usable;
    CPU_AND(&usable, set, allowed);
    if (CPU_COUNT(&usable) == 0)
        return;
    for (int i = 0; i < sets->count; i++)
        if (CPU_EQUAL(&sets->items[i], &usable))
            return;
    sets->items = memory_resize(sets->items, (size_t)sets->count + 1, sizeof *sets->items);
    sets->items[sets->count++] = usable;
}

static void binding_list(struct sets *sets, const char *binding, const cpu_set_t *allowed)
{
    const struct kind *kind = binding_kind(binding);
    cpu_set_t set, listed = *allowed;
    if (!kind && strcmp(binding, "thread") != 0) {
        CPU_ZERO(&listed);
        binding_read_list(binding, &listed);
    }
    for (int i = 0; i < CPU_SETSIZE; i++) {
        CPU_ZERO(&set);
        if (!kind && CPU_ISSET((size_t)i, &listed))
            CPU_SET((size_t)i, &set);
        if (!kind || binding_read_file(kind->file, i, &set))
            binding_add(sets, &set, allowed);
    }
}

char *binding_apply(const char *binding, int number)
{
    cpu_set_t allowed;
    struct sets sets = {0};
    char *why = NULL;
    if (*binding == '\0' || strcmp(binding, "none") == 0)
        return NULL;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        binding_list(&sets, binding, &allowed);
    if (sets.count == 0)
        why = memory_text("--bind %s: this host has none, or tasks here may not use any", binding);
    else if (sched_setaffinity(0, sizeof allowed, &sets.items[number % sets.count]) < 0)
        why = memory_text("--bind %s: %s", binding, strerror(errno));
    free(sets.items);
    return why;
}
