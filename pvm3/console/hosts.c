/* hosts.c - add, conf, delete, halt, mstat. */
#include "console/hosts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/output.h"

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

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

void command_conf(struct console *console, int count, char **word)
{
    int hosts, formats;
    struct pvmhostinfo *host;

    (void)console, (void)count, (void)word;
    if (pvm_config(&hosts, &formats, &host) < 0)
        return;
    printf("%d host%s, %d data format%s\n", hosts, plural(hosts), formats, plural(formats));
    printf("%24s %8s %8s%8s %10s\n", "HOST", "DTID", "ARCH", "SPEED", "DSIG");
    for (int i = 0; i < hosts; i++)
        printf("%24s %8x %8s%8d 0x%08x\n", host[i].hi_name, (unsigned)host[i].hi_tid,
               host[i].hi_arch, host[i].hi_speed, (unsigned)host[i].hi_dsig);
}

/*
 * The notice of a host that we add ourselves is not shown; it may come before or after the answer.
 */
static void own_host_remember(struct console *console, int dtid)
{
    size_t size = ((size_t)console->own_host_count + 1) * sizeof *console->own_hosts;
    int *hosts = realloc(console->own_hosts, size);
    if (!hosts)
        return;
    hosts[console->own_host_count++] = dtid;
    console->own_hosts = hosts;
}

static bool own_host_forget(struct console *console, int dtid)
{
    for (int i = 0; i < console->own_host_count; i++)
        if (console->own_hosts[i] == dtid) {
            console->own_hosts[i] = console->own_hosts[--console->own_host_count];
            return true;
        }
    return false;
}

void command_add(struct console *console, int count, char **word)
{
    int status[WORDS_MOST];

    int added = pvm_addhosts(word + 1, count - 1, status);
    if (added < 0)
        return;
    printf("%d successful\n", added);
    printf("%24s %8s\n", "HOST", "DTID");
    for (int i = 1; i < count; i++) {
        int dtid = status[i - 1];
        if (dtid < 0) {
            printf("%24s %8s\n", word[i], error_text(dtid));
        } else {
            printf("%24s %8x\n", word[i], (unsigned)dtid);
            own_host_remember(console, dtid);
        }
    }
}

void command_delete(struct console *console, int count, char **word)
{
    int status[WORDS_MOST];

    (void)console;
    int deleted = pvm_delhosts(word + 1, count - 1, status);
    if (deleted < 0)
        return;
    printf("%d successful\n", deleted);
    printf("%24s  STATUS\n", "HOST");
    for (int i = 1; i < count; i++)
        printf("%24s  %s\n", word[i], status[i - 1] < 0 ? error_text(status[i - 1]) : "deleted");
}

void command_mstat(struct console *console, int count, char **word)
{
    (void)console;
    for (int i = 1; i < count; i++) {
        int status = pvm_mstat(word[i]);
        printf("%24s  %s\n", word[i], status < 0 ? error_text(status) : "ok");
    }
}

void command_halt(struct console *console, int count, char **word)
{
    (void)count, (void)word;
    /* The virtual machine ends all its tasks, and we are one; that is no error to report. */
    signal(SIGTERM, SIG_IGN);
    pvm_setopt(PvmAutoErr, 0);
    fflush(stdout);
    console->status = pvm_halt() < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    console->finished = true;
}

static void hosts_print_new(const int *dtids, int count)
{
    int hosts;
    struct pvmhostinfo *host;

    printf("\nConsole: %d new host%s added\n", count, plural(count));
    printf("%24s %8s %8s %7s\n", "HOST", "DTID", "ARCH", "SPEED");
    if (pvm_config(&hosts, NULL, &host) < 0)
        return;
    for (int i = 0; i < hosts; i++)
        for (int k = 0; k < count; k++)
            if (host[i].hi_tid == dtids[k])
                printf("%24s %8x %8s %7d\n", host[i].hi_name, (unsigned)host[i].hi_tid,
                       host[i].hi_arch, host[i].hi_speed);
}

void hosts_added(struct console *console)
{
    int announced, others = 0;

    if (pvm_upkint(&announced, 1, 1) < 0 || announced < 1)
        return;
    int *dtids = malloc((size_t)announced * sizeof *dtids);
    if (dtids && pvm_upkint(dtids, announced, 1) == 0) {
        for (int i = 0; i < announced; i++)
            if (!own_host_forget(console, dtids[i]))
                dtids[others++] = dtids[i];
        if (others > 0)
            hosts_print_new(dtids, others);
    }
    free(dtids);
}
