/* host_names.c - asks the library for the list of hosts each time. */
#include "console/host_names.h"

#include <string.h>

#include <pvm3.h>

const char *host_name_of(int tid)
{
    int count;
    struct pvmhostinfo *hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return "-";
    for (int i = 0; i < count; i++)
        if (hosts[i].hi_tid == pvm_tidtohost(tid))
            return hosts[i].hi_name;
    return "-";
}

int host_find(const struct console *console, const char *name)
{
    int count;
    struct pvmhostinfo *hosts;
    if (strcmp(name, ".") == 0)
        return pvm_tidtohost(console->tid);
    int result = pvm_config(&count, NULL, &hosts);
    for (int i = 0; result == 0 && i < count; i++)
        if (strcmp(hosts[i].hi_name, name) == 0)
            return hosts[i].hi_tid;
    return result < 0 ? result : PvmNoHost;
}
