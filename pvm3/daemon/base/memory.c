/* memory.c - the least of several limits. */
#include "daemon/base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What is believed when the system tells nothing. */
#define MEMORY_DEFAULT ((size_t)1 << 30)

#define GROUP_SIZE 4096

static size_t memory_of_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : MEMORY_DEFAULT;
}

static size_t memory_of_process(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return limit.rlim_cur;
}

/* The number in the file `name` of a group; SIZE_MAX when there is none, or the word "max". */
static size_t memory_of_group(const char *group, const char *name)
{
    char path[GROUP_SIZE + 64];
    unsigned long long bytes;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return SIZE_MAX;
    if (fscanf(file, "%llu", &bytes) != 1 || bytes > SIZE_MAX)
        bytes = SIZE_MAX;
    fclose(file);
    return (size_t)bytes;
}

/* The path of the group of this process in version 2 of cgroups(7), empty when it has none. */
static void memory_find_group(char group[GROUP_SIZE])
{
    static const char start[] = "0::";
    char line[GROUP_SIZE];
    FILE *file = fopen("/proc/self/cgroup", "re");
    *group = '\0';
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, start, strlen(start)) == 0)
            snprintf(group, GROUP_SIZE, "%.*s", (int)strcspn(line, "\n") - (int)strlen(start),
                     line + strlen(start));
    if (file)
        fclose(file);
}

/*
 * The least that this group and the groups around it allow. Of version 1 only the root is asked,
 * which in a container is the container's group.
 */
static size_t memory_of_groups(void)
{
    char group[GROUP_SIZE];
    size_t least = memory_of_group("/memory", "memory.limit_in_bytes");
    memory_find_group(group);
    for (;;) {
        size_t bytes = memory_of_group(group, "memory.max");
        least = bytes < least ? bytes : least;
        char *end = strrchr(group, '/');
        if (!end)
            return least;
        *end = '\0';
    }
}

size_t memory_available(void)
{
    size_t least = memory_of_machine();
    size_t others[] = {memory_of_process(), memory_of_groups()};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        least = others[i] < least ? others[i] : least;
    return least;
}
