/* binding.c - sets of processors, and their turns. hwloc knows which ones make up a core. */
#include "run/binding.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#endif

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

/* Parts of a host whose processors are told by hwloc. */
static bool binding_is_part(const char *binding)
{
    return strcmp(binding, "core") == 0 || strcmp(binding, "package") == 0 ||
           strcmp(binding, "numa") == 0;
}

bool binding_is_known(const char *binding)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return binding_is_part(binding) || strcmp(binding, "thread") == 0 ||
           strcmp(binding, "none") == 0 || binding_read_list(binding, &set);
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

/* Each processor of a set by itself. */
static void binding_list_threads(struct sets *sets, const cpu_set_t *listed,
                                 const cpu_set_t *allowed)
{
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(i, &set);
        if (CPU_ISSET(i, listed))
            binding_add(sets, &set, allowed);
    }
}

#ifdef HAVE_HWLOC
static hwloc_obj_type_t binding_type(const char *part)
{
    if (strcmp(part, "core") == 0)
        return HWLOC_OBJ_CORE;
    return strcmp(part, "package") == 0 ? HWLOC_OBJ_PACKAGE : HWLOC_OBJ_NUMANODE;
}

static void binding_list_parts(struct sets *sets, const char *part, const cpu_set_t *allowed)
{
    hwloc_topology_t topology;
    hwloc_obj_t object = NULL;
    cpu_set_t set;
    if (hwloc_topology_init(&topology) < 0)
        return;
    if (hwloc_topology_load(topology) == 0)
        while ((object = hwloc_get_next_obj_by_type(topology, binding_type(part), object)) != NULL)
            if (hwloc_cpuset_to_glibc_sched_affinity(topology, object->cpuset, &set, sizeof set) ==
                0)
                binding_add(sets, &set, allowed);
    hwloc_topology_destroy(topology);
}
#else
static void binding_list_parts(struct sets *sets, const char *part, const cpu_set_t *allowed)
{
    (void)sets;
    (void)part;
    (void)allowed;
    fputs("pvmrun was built without hwloc, which knows the parts of a host\n", stderr);
}
#endif

static void binding_list(struct sets *sets, const char *binding, const cpu_set_t *allowed)
{
    cpu_set_t listed = *allowed;
    if (binding_is_part(binding)) {
        binding_list_parts(sets, binding, allowed);
        return;
    }
    if (strcmp(binding, "thread") != 0) {
        CPU_ZERO(&listed);
        binding_read_list(binding, &listed);
    }
    binding_list_threads(sets, &listed, allowed);
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
