/* machine.c - the hosts of the virtual machine. */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "ck/base/cancel.h"
#include "lib/calls/machine.h"
#include "lib/link/host_list.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/results.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

#define HOSTS_LIMIT 4095

int pvm_config(int *nhost, int *narch, struct pvmhostinfo **hostp)
{
    struct task *task = caller_self()->task;
    struct pvmhostinfo *list;
    int formats = 0;
    int count = host_list_ask(task, &list, &formats);
    if (count < 0)
        return task_report(task, "pvm_config", count);
    results_set_hosts(task, list, count);
    if (narch)
        *narch = formats;
    results_get_hosts(task, nhost, hostp);
    return PvmOk;
}

char *machine_master_name(struct task *task)
{
    struct pvmhostinfo *list;
    int formats;
    int count = host_list_ask(task, &list, &formats);
    char *name = count > 0 ? strdup(list[0].hi_name) : NULL;
    host_list_free(list, count);
    return name;
}

/* Adding and deleting. ------------------------------------------------------------------------- */

static struct message *machine_hosts_request(int tag, char *const *hosts, int count)
{
    struct message *request = pvmd_link_request(tag);
    control_put_int(request, count);
    for (int i = 0; i < count; i++)
        control_put_string(request, hosts[i]);
    return request;
}

/*
 * The results of a request for `count` hosts: tid or error of each, with its description when it
 * was added.
 */
static int machine_read_results(const struct message *answer, int *status, int count, bool added)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int told = control_get_int(&reader);
    if (told < 0)
        return told;
    if (added)
        control_get_int(&reader); /* number of formats: not told */
    int good = 0;
    for (int i = 0; i < told && !reader.failed; i++) {
        struct pvmhostinfo host = {.hi_tid = 0};
        if (added)
            host_list_read(&reader, &host);
        else
            host.hi_tid = control_get_int(&reader);
        free(host.hi_name);
        free(host.hi_arch);
        if (status && i < count)
            status[i] = host.hi_tid;
        good += host.hi_tid >= 0 && !reader.failed;
    }
    return reader.failed ? PvmBadMsg : good;
}

static int machine_change_hosts(struct task *task, int tag, char *const *hosts, int count,
                                int *status)
{
    pvmd_link_try(task);
    if (count < 1 || count > HOSTS_LIMIT || !hosts)
        return PvmBadParam;
    for (int i = 0; i < count; i++)
        if (!hosts[i])
            return PvmBadParam;
    struct message *answer;
    int result = pvmd_link_call(task, machine_hosts_request(tag, hosts, count), &answer);
    if (result == 0)
        result = machine_read_results(answer, status, count, tag == TM_ADDHOST);
    message_free(answer);
    return result;
}

int machine_add_hosts(struct task *task, char *const *hosts, int count, int *status)
{
    return machine_change_hosts(task, TM_ADDHOST, hosts, count, status);
}

int pvm_addhosts(char *const *hosts, int count, int *status)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_addhosts", machine_add_hosts(task, hosts, count, status));
}

int pvm_delhosts(char *const *hosts, int count, int *status)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_delhosts",
                       machine_change_hosts(task, TM_DELHOST, hosts, count, status));
}

/* States. -------------------------------------------------------------------------------------- */

int pvm_mstat(const char *host)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!host || !*host)
        return task_report(task, "pvm_mstat", PvmBadParam);
    struct message *request = pvmd_link_request(TM_MSTAT);
    control_put_string(request, host);
    int result = pvmd_link_ask(task, request);
    /* These two are answers, not errors. */
    return result == PvmNoHost || result == PvmHostFail ? result
                                                        : task_result(task, "pvm_mstat", result);
}

int pvm_halt(void)
{
    struct task *task = caller_self()->task;
    struct message *answer;
    int error = pvmd_link_enrol(task);
    if (error < 0)
        return task_report(task, "pvm_halt", error);
    /*
     * The connection's end is the answer. As after a lost connection, the task stays a task until
     * it leaves.
     */
    atomic_store(&task->halting, true);
    error = pvmd_link_call(task, pvmd_link_request(TM_HALT), &answer);
    message_free(answer);
    return error == PvmSysErr ? PvmOk : task_result(task, "pvm_halt", error);
}

static struct timeval machine_subtract(struct timeval a, struct timeval b)
{
    struct timeval difference;
    timersub(&a, &b, &difference);
    return difference;
}

int pvm_hostsync(int host, struct timeval *clk, struct timeval *delta)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    struct timeval before, after, there, middle;
    struct message *request = pvmd_link_request(TM_HOSTSYNC);
    struct message *answer;
    control_put_int(request, host);
    gettimeofday(&before, NULL);
    int error = pvmd_link_call(task, request, &answer);
    gettimeofday(&after, NULL);
    if (error == 0) {
        struct control_reader reader;
        control_read(&reader, answer);
        error = control_get_int(&reader);
        there.tv_sec = error < 0 ? 0 : control_get_int(&reader);
        there.tv_usec = error < 0 ? 0 : control_get_int(&reader);
        if (reader.failed)
            error = PvmBadMsg;
    }
    message_free(answer);
    if (error < 0)
        return task_report(task, "pvm_host_sync", error);
    struct timeval took = machine_subtract(after, before);
    struct timeval half = {took.tv_sec / 2, (took.tv_sec % 2 * 1000000 + took.tv_usec) / 2};
    timeradd(&before, &half, &middle);
    if (clk)
        *clk = there;
    if (delta)
        *delta = machine_subtract(middle, there);
    return PvmOk;
}

#define TICKLE_LIMIT 10

int pvm_tickle(int narg, const int *argp, int *nresp, int *resp)
{
    struct task *task = caller_self()->task;
    int error = pvmd_link_enrol(task);
    if (error == 0 && (narg < 1 || narg > TICKLE_LIMIT || !argp))
        error = PvmBadParam;
    if (error < 0)
        return task_report(task, "pvm_tickle", error);
    struct message *request = pvmd_link_request(TM_TICKLE);
    struct message *answer;
    control_put_int(request, narg);
    for (int i = 0; i < narg; i++)
        control_put_int(request, argp[i]);
    error = pvmd_link_call(task, request, &answer);
    if (error < 0)
        return task_report(task, "pvm_tickle", error);
    struct control_reader reader;
    control_read(&reader, answer);
    int count = control_get_count(&reader, sizeof(int));
    if (nresp)
        *nresp = count;
    for (int i = 0; i < count && resp; i++)
        resp[i] = control_get_int(&reader);
    message_free(answer);
    return PvmOk;
}

int pvm_archcode(const char *arch)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!arch)
        return task_report(task, "pvm_archcode", PvmBadParam);
    struct pvmhostinfo *list;
    int formats;
    int count = host_list_ask(task, &list, &formats);
    int code = count < 0 ? count : PvmNotFound;
    for (int i = 0; i < count && code == PvmNotFound; i++)
        if (strcmp(list[i].hi_arch, arch) == 0)
            code = list[i].hi_dsig;
    host_list_free(list, count);
    return task_result(task, "pvm_archcode", code);
}

char *pvm_version(void)
{
    return PVM_VER;
}

int pvm_threadsafe(void)
{
    turns_end(caller_self()->task);
    return PVM_THREADSAFE;
}
