/* ask.c - finding the manager, and asking it. */
#include "slurm/ask.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "slurm/protocol.h"

void slurm_nodes_free(struct slurm_nodes *nodes)
{
    for (int i = 0; i < nodes->count; i++)
        free(nodes->names[i]);
    free(nodes->names);
    *nodes = (struct slurm_nodes){0};
}

/* Hosts may have their names with a domain. */
static bool is_host(const char *name, const struct pvmhostinfo *host)
{
    size_t length = strlen(name);
    return strncmp(host->hi_name, name, length) == 0 &&
           (host->hi_name[length] == '\0' || host->hi_name[length] == '.');
}

void slurm_nodes_drop_hosts(struct slurm_nodes *nodes)
{
    const char *own = getenv("SLURMD_NODENAME");
    struct pvmhostinfo *hosts;
    int host_count, kept = 0;
    if (pvm_config(&host_count, NULL, &hosts) < 0)
        host_count = 0;
    for (int i = 0; i < nodes->count; i++) {
        bool known = own && strcmp(nodes->names[i], own) == 0;
        for (int j = 0; j < host_count; j++)
            known = known || is_host(nodes->names[i], &hosts[j]);
        if (known)
            free(nodes->names[i]);
        else
            nodes->names[kept++] = nodes->names[i];
    }
    nodes->count = kept;
}

bool slurm_has_job(void)
{
    return getenv("SLURM_JOB_ID") && getenv("SLURM_JOB_NODELIST");
}

/* 0: no manager runs. */
static int manager_find(void)
{
    int manager = 0, prints = pvm_setopt(PvmAutoErr, 0);
    int buffer = pvm_recvinfo(SLURM_ENTRY, 0, PvmMboxDefault);
    pvm_setopt(PvmAutoErr, prints);
    if (buffer < 0)
        return 0;
    int former = pvm_setrbuf(buffer);
    pvm_upkint(&manager, 1, 1);
    pvm_setrbuf(former);
    pvm_freebuf(buffer);
    return manager;
}

/* On the host of the master, which is the first of all. Returns a tid or an error. */
static int manager_start(void)
{
    struct pvmhostinfo *hosts;
    int manager, result = pvm_config(NULL, NULL, &hosts);
    char *idle = getenv("PVM_SLURM_IDLE"), *arguments[] = {idle, NULL};
    if (result < 0)
        return result;
    result = pvm_spawn("pvmslurm", arguments, PvmTaskHost, hosts[0].hi_name, 1, &manager);
    return result < 0 ? result : manager;
}

/* Unpacks the names. The manager may have died, or have said less than it promised. */
static int nodes_unpack(struct slurm_nodes *nodes, int bytes)
{
    int count, result = pvm_upkint(&count, 1, 1);
    if (result < 0 || count < 0 || count > bytes)
        return PvmSysErr;
    nodes->names = calloc((size_t)count + 1, sizeof *nodes->names);
    for (int i = 0; nodes->names && i < count; i++) {
        char *name = calloc((size_t)bytes + 1, 1);
        if (!name || pvm_upkstr(name) < 0) {
            free(name);
            return PvmSysErr;
        }
        nodes->names[nodes->count++] = name;
    }
    return nodes->names ? PvmOk : PvmNoMem;
}

/* Receives the answer, or word of the end of the manager, which has the same tag. */
static int answer_take(struct slurm_nodes *nodes, int manager, int tag)
{
    int bytes, source, buffer = pvm_recv(-1, tag);
    if (buffer < 0)
        return buffer;
    pvm_bufinfo(buffer, &bytes, NULL, &source);
    if (source != manager)
        return PvmNoTask;
    int result = nodes_unpack(nodes, bytes);
    pvm_notify(PvmTaskExit | PvmNotifyCancel, tag, 1, &manager);
    pvm_recv(-1, tag);
    return result;
}

/* Sends what is packed in the active buffer. */
static int manager_ask(struct slurm_nodes *nodes, int tag)
{
    int manager = manager_find();
    *nodes = (struct slurm_nodes){0};
    if (manager == 0)
        manager = manager_start();
    int result = manager < 0 ? manager : pvm_send(manager, tag);
    if (result < 0)
        return result;
    int former = pvm_setrbuf(0);
    pvm_notify(PvmTaskExit, tag, 1, &manager);
    result = answer_take(nodes, manager, tag);
    pvm_freebuf(pvm_setrbuf(former));
    if (result < 0)
        slurm_nodes_free(nodes);
    return result;
}

int slurm_ask_job(struct slurm_nodes *nodes)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkstr(getenv("SLURM_JOB_ID"));
    pvm_pkstr(getenv("SLURM_JOB_NODELIST"));
    return manager_ask(nodes, TAG_SLURM_JOB);
}

int slurm_ask_more(struct slurm_nodes *nodes, int count)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&count, 1, 1);
    return manager_ask(nodes, TAG_SLURM_GROW);
}
