/*
 * service.c - hosters, taskers and resource managers announce themselves.
 */
#include "lib/calls/service.h"

#include <stdlib.h>

#include "lib/link/host_list.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/results.h"
#include "lib/serve/mailbox.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

/* Puts the mailbox entry that tells who has the role. Returns its index, or an error. */
static int service_publish(struct task *task, const struct service_role *role)
{
    int tid = atomic_load(&task->tid);
    struct message *entry = control_new(0, PvmBaseContext, 0);
    control_put_int(entry, tid);
    if (role->put_settings)
        role->put_settings(entry, role->settings);
    int result = PvmNoMem;
    if (control_is_whole(entry)) {
        entry->header.source = (uint32_t)tid;
        result = mailbox_put(task, role->mailbox, MAILBOX_INDEX_IN_FLAGS, role->flags, entry);
    }
    message_free(entry);
    return result;
}

static int service_take(struct task *task, struct service *service, const struct service_role *role)
{
    struct message *request = pvmd_link_request(role->request);
    control_put_int(request, 1);
    if (role->put_settings)
        role->put_settings(request, role->settings);
    int result = pvmd_link_ask(task, request);
    if (result < 0)
        return result;
    service->tid = atomic_load(&task->tid);
    service->index = service_publish(task, role);
    return service->index < 0 ? service->index : PvmOk;
}

/* The entry may have been removed by other means; then there is nothing left to do. */
static int service_leave(struct task *task, struct service *service,
                         const struct service_role *role)
{
    struct message *request = pvmd_link_request(role->request);
    control_put_int(request, 0);
    int result = pvmd_link_ask(task, request);
    if (result < 0)
        return result;
    service->tid = 0;
    if (service->index >= 0)
        result = mailbox_remove(task, role->mailbox, service->index, PvmMboxDefault);
    return result == PvmNotFound || result >= 0 ? PvmOk : result;
}

/* A role goes with the tid that has it: leaving the virtual machine leaves the role. */
int service_change(struct task *task, struct service *service, const struct service_role *role)
{
    int result = pvmd_link_enrol(task);
    if (result < 0)
        return result;
    if (atomic_exchange(&service->changing, true))
        return PvmAlready;
    result = service->tid == atomic_load(&task->tid) ? service_leave(task, service, role)
                                                     : service_take(task, service, role);
    atomic_store(&service->changing, false);
    return result;
}

int pvm_reg_hoster(void)
{
    static const struct service_role role = {
        .request = TM_HOSTER, .mailbox = PVMHOSTERCLASS, .flags = PvmMboxMultiInstance};
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_reg_hoster", service_change(task, &task->hoster, &role));
}

int pvm_reg_tasker(void)
{
    static const struct service_role role = {
        .request = TM_TASKER, .mailbox = PVMTASKERCLASS, .flags = PvmMboxMultiInstance};
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_reg_tasker", service_change(task, &task->tasker, &role));
}

/*
 * The resource manager. The pvmd answers with who it was before, another resource manager with 0 or
 * an error; then both tell of the master host.
 */
static int service_read_manager(struct task *task, const struct message *answer)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int before = control_get_int(&reader);
    if (before < 0)
        return before;
    struct pvmhostinfo *master = calloc(1, sizeof *master);
    if (!master)
        return PvmNoMem;
    host_list_read(&reader, master);
    results_set_master(task, master);
    return reader.failed ? PvmBadMsg : before;
}

static int service_manage(struct task *task)
{
    static const struct service_role role = {.mailbox = PVMRMCLASS, .flags = PvmMboxMultiInstance};
    struct message *answer;
    int before = pvmd_link_call(task, pvmd_link_request(TM_SCHED), &answer);
    if (before == 0)
        before = service_read_manager(task, answer);
    message_free(answer);
    if (before < 0 || before == atomic_load(&task->tid))
        return before;
    int index = service_publish(task, &role);
    return index < 0 ? index : before;
}

int pvm_reg_rm(struct pvmhostinfo **hip)
{
    struct task *task = caller_self()->task;
    int before = service_manage(task);
    if (before < 0)
        return task_report(task, "pvm_reg_rm", before);
    if (hip)
        *hip = results_get_master(task);
    return before;
}
