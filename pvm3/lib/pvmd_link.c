/* pvmd_link.c - how a process becomes a task and asks its pvmd. */
#include "lib/pvmd_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/cancel.h"
#include "core/tid.h"
#include "lib/abi.h"
#include "lib/answerer.h"
#include "lib/dialect.h"
#include "lib/handler.h"
#include "lib/own_notice.h"
#include "lib/pvmd_address.h"
#include "lib/siblings.h"
#include "lib/spin_setting.h"
#include "lib/trace_settings.h"
#include "lib/variables.h"

#define SHARED_MEGABYTES_DEFAULT 64
#define SHARED_MEGABYTES_MOST    16384 /* in ARENA_FILES files */

/* Asking. -------------------------------------------------------------------------------------- */

struct message *pvmd_link_request(int32_t tag)
{
    return control_new(tag, CONTROL_CONTEXT_TM, 0);
}

/* Makes the request one to who answers it, whose tid it returns. */
static uint32_t pvmd_link_address(const struct task *task, struct message *request)
{
    struct message_header *header = &request->header;
    struct answerer answerer = answerer_for(task, header->tag, header->context);
    header->tag = answerer.tag;
    header->context = answerer.context;
    return answerer.tid;
}

/* Asks as `source`; the task need not be enrolled yet. */
static int pvmd_link_exchange(struct task *task, struct message *request, uint32_t source,
                              struct message **answer)
{
    *answer = NULL;
    if (!control_is_whole(request)) {
        message_free(request);
        return PvmNoMem;
    }
    request->header.wait = atomic_fetch_add(&task->next_wait, 1) + 1;
    uint32_t answerer = pvmd_link_address(task, request);
    const struct pattern pattern = {
        .source = answerer,
        .tag = request->header.tag,
        .context = PATTERN_ANY,
        .wait = request->header.wait,
    };
    const struct parcel parcel = {request, answerer};
    int result = endpoint_call(&task->endpoint, &parcel, source, &pattern, answer);
    message_free(request);
    return dialect_result(result);
}

int pvmd_link_call(struct task *task, struct message *request, struct message **answer)
{
    *answer = NULL;
    int error = pvmd_link_enrol(task);
    if (error < 0) {
        message_free(request);
        return error;
    }
    struct caller *caller = caller_self();
    turns_begin_wait(caller);
    error = pvmd_link_exchange(task, request, (uint32_t)atomic_load(&task->tid), answer);
    turns_end_wait(caller);
    return error;
}

int pvmd_link_ask(struct task *task, struct message *request)
{
    struct message *answer;
    int result = pvmd_link_call(task, request, &answer);
    if (result < 0)
        return result;
    struct control_reader reader;
    control_read(&reader, answer);
    result = control_get_int(&reader);
    if (reader.failed)
        result = PvmBadMsg;
    message_free(answer);
    return result;
}

int pvmd_link_tell(struct task *task, struct message *message, uint32_t destination)
{
    int result = pvmd_link_enrol(task);
    if (result == 0 && !control_is_whole(message))
        result = PvmNoMem;
    if (result == 0) {
        const struct parcel parcel = {message, destination};
        result = dialect_result(endpoint_send(&task->endpoint, &parcel, false));
    }
    message_free(message);
    return result;
}

int pvmd_link_order(struct task *task, struct message *request)
{
    int result = pvmd_link_enrol(task);
    if (result < 0 || !control_is_whole(request)) {
        message_free(request);
        return result < 0 ? result : PvmNoMem;
    }
    return pvmd_link_tell(task, request, pvmd_link_address(task, request));
}

/* How many names there are before they come again; the very first is given out only once. */
#define TEMPORARY_NAMES 10000

bool pvmd_link_temporary_name(void *owner, char *path)
{
    struct task *task = owner;
    unsigned given = atomic_fetch_add(&task->temporary, 1);
    return variables_temporary_name(task, path, given > 0 ? (given - 1) % TEMPORARY_NAMES + 1 : 0);
}

/* Enrolling. ----------------------------------------------------------------------------------- */

/*
 * Creates a file of our own, by which the pvmd proves that it may write our files. Its descriptor,
 * or -1.
 */
static int pvmd_link_create_proof(struct task *task, char *path)
{
    for (int tries = 0; tries < 10; tries++) {
        if (!pvmd_link_temporary_name(task, path)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* Writes one byte to the pvmd's file, which proves to it that we may. */
static bool pvmd_link_prove(const char *path)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return false;
    bool written = write(file, "/", 1) == 1;
    close(file);
    return written;
}

/*
 * `theirs` is the pvmd's file, NULL when it has refused. False after saying what is wrong.
 */
static bool pvmd_link_show(struct task *task, int proof, const char *theirs)
{
    char byte;
    errno = 0;
    if (!theirs)
        task_print(task, "the pvmd refuses this task: its log says why");
    else if (read(proof, &byte, 1) == 1 && pvmd_link_prove(theirs))
        return true;
    else if (!task_print_shortage(task))
        task_print(
            task,
            "the pvmd and this task cannot write each other's files in %s: not the same user?",
            variables_temporary_folder(task));
    return false;
}

/*
 * TM_CONNECT: each side shows that it may write the other's file. False after saying what is wrong.
 */
static bool pvmd_link_authenticate(struct task *task)
{
    char path[ENVIRONMENT_PATH_SIZE];
    int proof = pvmd_link_create_proof(task, path);
    if (proof < 0) {
        if (!task_print_shortage(task))
            task_print(task, "cannot create a file in %s: %s", variables_temporary_folder(task),
                       strerror(errno));
        return false;
    }
    struct message *request = pvmd_link_request(TM_CONNECT);
    control_put_int(request, CONTROL_TASK_PROTOCOL);
    control_put_string(request, path);
    struct message *answer;
    bool shown = false;
    if (pvmd_link_exchange(task, request, TID_ANY, &answer) == 0) {
        struct control_reader reader;
        control_read(&reader, answer);
        int version = control_get_int(&reader);
        int accepted = control_get_int(&reader);
        char *theirs = accepted ? control_get_string(&reader, ENVIRONMENT_PATH_SIZE) : NULL;
        if (version != CONTROL_TASK_PROTOCOL)
            task_print(task, "the pvmd speaks protocol %d, not %d", version, CONTROL_TASK_PROTOCOL);
        else
            shown = pvmd_link_show(task, proof, theirs);
        free(theirs);
        message_free(answer);
    } else {
        task_print(task, "the pvmd did not take this task");
    }
    close(proof);
    unlink(path);
    return shown;
}

/* The sinks that the pvmd names to a new task. */
static void pvmd_link_take_sinks(struct task *task, struct control_reader *reader)
{
    struct Pvmtracer sinks;
    sinks.outtid = control_get_int(reader);
    sinks.outctx = control_get_int(reader);
    sinks.outtag = control_get_int(reader);
    sinks.trctid = control_get_int(reader);
    sinks.trcctx = control_get_int(reader);
    sinks.trctag = control_get_int(reader);
    trace_settings_inherit(task, &sinks);
}

/*
 * TM_CONN2: who we are. The new tid, or 0; *host is the network address of the host, 0 when the
 * pvmd tells none that makes sense.
 */
static int pvmd_link_introduce(struct task *task, uint32_t *host)
{
    struct message *request = pvmd_link_request(TM_CONN2);
    control_put_int(request, (int)getpid());
    control_put_int(request, task->of_task ? 0 : (int)variables_get_number(task, "PVMEPID", 0));
    lock_acquire(&task->enrolment_lock);
    if (task->name)
        control_put_string(request, task->name);
    lock_release(&task->enrolment_lock);
    struct message *answer;
    if (pvmd_link_exchange(task, request, TID_ANY, &answer) < 0)
        return 0;
    struct control_reader reader;
    control_read(&reader, answer);
    bool accepted = control_get_int(&reader) == 1;
    int tid = control_get_int(&reader);
    int parent = control_get_int(&reader);
    pvmd_link_take_sinks(task, &reader);
    bool debugged = variables_find(task, "PVMTASKDEBUG") != NULL;
    int debug_mask = (int)variables_get_number(task, "PVMTASKDEBUG", 0);
    lock_acquire(&task->options_lock);
    if (debugged)
        task->options.debug_mask = debug_mask;
    int fragment = control_get_int(&reader);
    if (fragment > (int)MESSAGE_FRAGMENT_OVERHEAD)
        abi_set_number(&task->options.fragment_size, fragment);
    lock_release(&task->options_lock);
    control_get_int(&reader); /* the pvmd's data signature */
    char *address = control_get_string(&reader, 0);
    uint16_t port;
    *host = 0;
    if (address)
        environment_parse_address(address, host, &port);
    free(address);
    lock_acquire(&task->enrolment_lock);
    task->parent = parent;
    lock_release(&task->enrolment_lock);
    atomic_store(&task->manager, control_get_int(&reader));
    message_free(answer);
    return accepted && !reader.failed && tid_is_task((uint32_t)tid) ? tid : 0;
}

/* 3.4.6 refuses to run as root unless asked to, because the proof by files means nothing there. */
static void pvmd_link_check_user(struct task *task)
{
    if (geteuid() != 0 || variables_find(task, "PVM_ALLOW_ROOT"))
        return;
    printf("PVM does not run as root unless the environment variable PVM_ALLOW_ROOT is set.\n");
    exit(EXIT_FAILURE);
}

/* How many bytes of memory tasks of this host may read in ours; the environment says it in MB. */
static size_t pvmd_link_shared_memory(struct task *task)
{
    const char *text = variables_get(task, "PVM_SHARED_MEMORY", NULL);
    long megabytes =
        variables_get_number(task, "PVM_SHARED_MEMORY", text ? -1 : SHARED_MEGABYTES_DEFAULT);
    if (megabytes < 0 || megabytes > SHARED_MEGABYTES_MOST) {
        task_print(task, "PVM_SHARED_MEMORY is %.100s: taking %d, as it must be megabytes, 0 to %d",
                   text, SHARED_MEGABYTES_DEFAULT, SHARED_MEGABYTES_MOST);
        megabytes = SHARED_MEGABYTES_DEFAULT;
    }
    return (size_t)megabytes << 20;
}

/* From how many bytes on arrays are copied to tasks of this host once: see core/one_copy.h. */
static int64_t pvmd_link_one_copy(struct task *task)
{
    const char *text = variables_get(task, "PVM_ONE_COPY", "auto");
    if (strcmp(text, "auto") == 0)
        return ONE_COPY_AUTO;
    long bytes = variables_get_number(task, "PVM_ONE_COPY", -1);
    if (bytes >= 0 && bytes <= ONE_COPY_MOST)
        return bytes;
    task_print(task, "PVM_ONE_COPY is %.100s: taking auto, as it must be auto or bytes, 0 to %d",
               text, ONE_COPY_MOST);
    return ONE_COPY_AUTO;
}

/*
 * Becomes a task. The tid, or 0 after saying what is wrong. The caller has seen to it that no other
 * thread does so.
 */
static int pvmd_link_join(struct task *task)
{
    pvmd_link_check_user(task);
    int descriptor = pvmd_address_connect(task);
    if (descriptor < 0)
        return 0;
    spin_setting_read(task);
    int error = endpoint_attach(&task->endpoint, descriptor);
    if (error < 0) {
        close(descriptor);
        task_print(task, "cannot watch the connection to the pvmd: %s", strerror(-error));
        return 0;
    }
    uint32_t host;
    bool known = pvmd_link_authenticate(task);
    int tid = known ? pvmd_link_introduce(task, &host) : 0;
    if (known && !tid)
        task_print(task, "the pvmd did not take this task");
    if (!tid) {
        endpoint_detach(&task->endpoint);
        return 0;
    }
    handler_add_system(task);
    endpoint_share(&task->endpoint, pvmd_link_shared_memory(task), pvmd_link_one_copy(task));
    endpoint_open(&task->endpoint, (uint32_t)tid, host);
    return tid;
}

/* Changes the state, once no other thread is about to. Returns the state before. */
static enum enrolment pvmd_link_begin_change(struct task *task, enum enrolment from)
{
    lock_acquire(&task->enrolment_lock);
    while (atomic_load(&task->enrolment) == TASK_CHANGING)
        lock_wait(&task->enrolment_lock, &task->enrolment_changed, NULL);
    enum enrolment before = atomic_load(&task->enrolment);
    if (before == from) {
        atomic_store(&task->enrolment, TASK_CHANGING);
        caller_self()->changing = true;
    }
    lock_release(&task->enrolment_lock);
    return before;
}

static void pvmd_link_end_change(struct task *task, int tid)
{
    lock_acquire(&task->enrolment_lock);
    atomic_store(&task->tid, tid);
    __atomic_exchange_n(&pvmmytid, tid, __ATOMIC_RELAXED); /* seen by libgpvm3 of 3.4.6 */
    atomic_store(&task->enrolment, tid > 0 ? TASK_ENROLLED : TASK_APART);
    caller_self()->changing = false;
    pthread_cond_broadcast(&task->enrolment_changed);
    lock_release(&task->enrolment_lock);
}

int pvmd_link_enrol_now(struct task *task)
{
    HOLD_OFF_CANCELLATION;
    const struct caller *caller = caller_self();
    /* A handler that runs while this thread leaves calls us from within. */
    if (caller->changing)
        return 0;
    /* Another thread is leaving, and waits for the call that this handler runs in. */
    if (caller->handling)
        return PvmSysErr;
    if (pvmd_link_begin_change(task, TASK_APART) == TASK_ENROLLED)
        return 0;
    int tid = pvmd_link_join(task);
    pvmd_link_end_change(task, tid > 0 ? tid : -1);
    if (tid <= 0)
        return PvmSysErr;
    answerer_watch(task);
    trace_settings_find_tracer(task);
    return 0;
}

void pvmd_link_try_now(struct task *task)
{
    HOLD_OFF_CANCELLATION;
    char path[ENVIRONMENT_PATH_SIZE];
    if (variables_get(task, "PVMSOCK", NULL) ||
        (variables_address_file(task, path, geteuid()) && access(path, F_OK) == 0))
        pvmd_link_enrol(task);
}

/* What belongs to a tid goes with it. */
static void pvmd_link_end_life(struct task *task)
{
    atomic_store(&task->halting, false);
    handler_remove_all(task);
    own_notice_forget(task);
    siblings_forget(task);
    endpoint_detach(&task->endpoint);
    atomic_store(&task->manager, 0);
    trace_settings_forget(task);
    pvmd_link_end_change(task, -1);
}

int pvmd_link_leave(struct task *task)
{
    if (caller_self()->handling)
        return PvmNotImpl;
    if (caller_self()->changing)
        return 0;
    if (atomic_load(&task->enrolment) == TASK_ENROLLED)
        handler_run_last(task); /* while the pvmd takes what they send */
    if (pvmd_link_begin_change(task, TASK_ENROLLED) != TASK_ENROLLED)
        return 0;
    handler_remove_added(task); /* the pvmd, too, tells of the end, behind its answer */
    trace_flush(task);
    struct message *answer;
    int result = pvmd_link_exchange(task, pvmd_link_request(TM_EXIT),
                                    (uint32_t)atomic_load(&task->tid), &answer);
    message_free(answer);
    pvmd_link_end_life(task);
    return result;
}

void pvmd_link_drop(struct task *task)
{
    const struct caller *caller = caller_self();
    if (caller->handling || caller->changing ||
        pvmd_link_begin_change(task, TASK_ENROLLED) != TASK_ENROLLED)
        return;
    pvmd_link_end_life(task);
}

int pvmd_link_parent(struct task *task)
{
    lock_acquire(&task->enrolment_lock);
    int parent = task->parent;
    lock_release(&task->enrolment_lock);
    return parent;
}

void pvmd_link_lost(void *owner, const char *reason)
{
    const struct task *task = owner;
    if (atomic_load(&task->enrolment) == TASK_ENROLLED && atomic_load(&task->auto_error) != 0 &&
        !atomic_load(&task->halting))
        task_print(task, "the pvmd is gone: %s", reason);
}

void pvmd_link_dropped(void *owner, const char *reason)
{
    const struct task *task = owner;
    if (atomic_load(&task->auto_error) >= 1)
        task_print(task, "%s", reason);
}
