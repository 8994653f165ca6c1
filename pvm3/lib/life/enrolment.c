/* enrolment.c - what makes a process a task, and what goes when it is none any more. */
#include "lib/life/enrolment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/one_copy.h"
#include "core/tid.h"
#include "lib/life/handler_run.h"
#include "lib/link/lease.h"
#include "lib/link/manager_watch.h"
#include "lib/link/pvmd_address.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/siblings.h"
#include "lib/link/spin_setting.h"
#include "lib/serve/catchout.h"
#include "lib/serve/handler.h"
#include "lib/serve/own_notice.h"
#include "lib/serve/printed.h"
#include "lib/serve/trace_settings.h"
#include "lib/task/abi.h"
#include "lib/task/buffer.h"
#include "lib/task/caller.h"
#include "lib/task/own_program.h"
#include "lib/task/variables.h"

#define SHARED_MEGABYTES_DEFAULT 64
#define SHARED_MEGABYTES_MOST    16384 /* in ARENA_FILES files */

/*
 * Creates a file of our own, by which the pvmd proves that it may write our files. Its descriptor,
 * or -1.
 */
static int enrolment_create_proof(struct task *task, char *path)
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
static bool enrolment_prove(const char *path)
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
static bool enrolment_show(struct task *task, int proof, const char *theirs)
{
    char byte;
    errno = 0;
    if (!theirs)
        task_print(task, "the pvmd refuses this task: its log says why");
    else if (read(proof, &byte, 1) == 1 && enrolment_prove(theirs))
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
static bool enrolment_authenticate(struct task *task)
{
    char path[ENVIRONMENT_PATH_SIZE];
    int proof = enrolment_create_proof(task, path);
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
    if (pvmd_link_exchange(task, request, false, &answer) == 0) {
        struct control_reader reader;
        control_read(&reader, answer);
        int version = control_get_int(&reader);
        int accepted = control_get_int(&reader);
        char *theirs = accepted ? control_get_string(&reader, ENVIRONMENT_PATH_SIZE) : NULL;
        if (version != CONTROL_TASK_PROTOCOL)
            task_print(task, "the pvmd speaks protocol %d, not %d", version, CONTROL_TASK_PROTOCOL);
        else
            shown = enrolment_show(task, proof, theirs);
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
static void enrolment_take_sinks(struct task *task, struct control_reader *reader)
{
    struct Pvmtracer sinks;
    pvmd_link_get_sinks(reader, &sinks);
    trace_settings_inherit(task, &sinks);
}

/*
 * By which number the pvmd knows what it has started. A child of fork has none, and is known by the
 * number of its process. A task beside the first of a process must not be taken for that one: its
 * number is negative, which a pvmd of 3.4.6 finds nowhere, and names its parent.
 */
static int enrolment_cookie(struct task *task)
{
    if (task->beside)
        return task->named_parent ? -task->named_parent : -1;
    return task->of_task ? 0 : (int)variables_get_number(task, "PVMEPID", 0);
}

/*
 * TM_CONN2: who we are. The new tid, or 0; *host is the network address of the host, 0 when the
 * pvmd tells none that makes sense.
 */
static int enrolment_introduce(struct task *task, uint32_t *host)
{
    struct message *request = pvmd_link_request(TM_CONN2);
    control_put_int(request, (int)getpid());
    control_put_int(request, enrolment_cookie(task));
    lock_acquire(&task->enrolment_lock);
    if (task->name)
        control_put_string(request, task->name);
    lock_release(&task->enrolment_lock);
    struct message *answer;
    if (pvmd_link_exchange(task, request, false, &answer) < 0)
        return 0;
    struct control_reader reader;
    control_read(&reader, answer);
    bool accepted = control_get_int(&reader) == 1;
    int tid = control_get_int(&reader);
    int parent = control_get_int(&reader);
    enrolment_take_sinks(task, &reader);
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
    task->may_lease = control_rest(&reader) > 0 && control_get_int(&reader) == CONTROL_LEASES;
    message_free(answer);
    return accepted && !reader.failed && tid_is_task((uint32_t)tid) ? tid : 0;
}

/* 3.4.6 refuses to run as root unless asked to, because the proof by files means nothing there. */
static void enrolment_check_user(struct task *task)
{
    if (geteuid() != 0 || variables_find(task, "PVM_ALLOW_ROOT"))
        return;
    printf("PVM does not run as root unless the environment variable PVM_ALLOW_ROOT is set.\n");
    exit(EXIT_FAILURE);
}

/* How many bytes of memory tasks of this host may read in ours; the environment says it in MB. */
static size_t enrolment_shared_memory(struct task *task)
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
static int64_t enrolment_one_copy(struct task *task)
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

/* How messages between the thread tasks of a process are passed. */
static enum passing enrolment_passing(struct task *task)
{
    static const char *const names[] = {
        [PASS_AUTO] = "auto", [PASS_SHARED] = "shared", [PASS_COPIED] = "copied"};
    const char *text = variables_get(task, "PVM_THREAD_MESSAGES", "auto");
    for (size_t passing = 0; passing < sizeof names / sizeof *names; passing++)
        if (strcmp(text, names[passing]) == 0)
            return (enum passing)passing;
    task_print(task,
               "PVM_THREAD_MESSAGES is %.100s: taking auto, as it must be auto, shared or copied",
               text);
    return PASS_AUTO;
}

/* The network by which tasks of other hosts are reached. */
static void enrolment_choose_network(struct task *task)
{
    static const char *const names[] = {
        [NETWORK_TCP] = "tcp", [NETWORK_AUTO] = "auto", [NETWORK_UCX] = "ucx"};
    const char *text = variables_get(task, "PVM_NETWORK", "tcp");
    enum network network = NETWORK_TCP;
    while (network < NETWORK_UCX && strcmp(text, names[network]) != 0)
        network++;
    if (strcmp(text, names[network]) != 0) {
        task_print(task, "PVM_NETWORK is %.100s: taking tcp, as it must be auto, tcp or ucx", text);
        network = NETWORK_TCP;
    }
    if (!engine_use_network(task->endpoint.engine, network) && network == NETWORK_UCX)
        task_print(task, "PVM_NETWORK is ucx: taking tcp, as this library was built without UCX");
}

/*
 * Becomes a task. The tid, or 0 after saying what is wrong. The caller has seen to it that no other
 * thread enrols the task.
 */
static int enrolment_join(struct task *task)
{
    enrolment_check_user(task);
    int descriptor = pvmd_address_connect(task);
    if (descriptor < 0)
        return 0;
    enrolment_stay_no_more(task);
    spin_setting_read(task);
    int error = endpoint_attach(&task->endpoint, descriptor);
    if (error < 0) {
        close(descriptor);
        task_print(task, "cannot watch the connection to the pvmd: %s", strerror(-error));
        return 0;
    }
    uint32_t host;
    bool known = enrolment_authenticate(task);
    int tid = known ? enrolment_introduce(task, &host) : 0;
    if (known && !tid)
        task_print(task, "the pvmd did not take this task");
    if (!tid) {
        endpoint_detach(&task->endpoint);
        return 0;
    }
    handler_add_system(task);
    engine_share(task->endpoint.engine, enrolment_shared_memory(task), enrolment_one_copy(task));
    engine_set_passing(task->endpoint.engine, enrolment_passing(task));
    enrolment_choose_network(task);
    endpoint_open(&task->endpoint, (uint32_t)tid, host);
    return tid;
}

/* The address of a task that stands alone: no other task can meet it. */
#define ALONE ((uint32_t)1 << TID_HOST_SHIFT | 1)

void enrolment_stay_no_more(struct task *task)
{
    if (task->alone < 0)
        return;
    endpoint_detach(&task->endpoint);
    close(task->alone);
    task->alone = -1;
}

/*
 * The kernel wants a way to everybody: one at whose far end nobody reads, as nothing goes there but
 * what the task sends to others, and it knows none.
 */
static int enrolment_attach_alone(struct task *task)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    spin_setting_read(task);
    int error = endpoint_attach(&task->endpoint, ends[0]);
    if (error < 0) {
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    task->alone = ends[1];
    endpoint_open(&task->endpoint, ALONE, 0);
    return 0;
}

/* Changes the state, once no other thread is about to. Returns the state before. */
static enum enrolment enrolment_begin_change(struct task *task, enum enrolment from)
{
    lock_acquire(&task->enrolment_lock);
    while (atomic_load(&task->enrolment) == TASK_CHANGING)
        sleepers_sleep(&task->enrolment_changed, &task->enrolment_lock, NULL);
    enum enrolment before = atomic_load(&task->enrolment);
    if (before == from) {
        atomic_store(&task->enrolment, TASK_CHANGING);
        caller_current()->changing = true;
    }
    lock_release(&task->enrolment_lock);
    return before;
}

static void enrolment_end_change(struct task *task, int tid)
{
    lock_acquire(&task->enrolment_lock);
    atomic_store(&task->tid, tid);
    lock_acquire(&task->options_lock);
    task_show(task);
    lock_release(&task->options_lock);
    atomic_store(&task->enrolment, tid > 0 ? TASK_ENROLLED : TASK_APART);
    caller_current()->changing = false;
    sleepers_wake_all(&task->enrolment_changed);
    lock_release(&task->enrolment_lock);
}

/* A task whose function has returned does not begin again, as a program does not. */
static bool enrolment_is_over(struct task *task)
{
    if (!task->beside)
        return false;
    lock_acquire(&task->buffers.lock);
    bool over = task->over;
    lock_release(&task->buffers.lock);
    return over;
}

void enrolment_stop_thread(struct task *task, int code)
{
    const struct caller *caller = caller_current();
    bool amid =
        !caller || caller->task != task || caller->handling || caller->changing || caller->ends;
    bool lost = code == PvmSysErr && atomic_load(&task->enrolment) == TASK_ENROLLED;
    if (!amid && (lost || enrolment_is_over(task)))
        pthread_exit(NULL);
}

int enrolment_stay(struct task *task)
{
    HOLD_OFF_CANCELLATION;
    if (enrolment_begin_change(task, TASK_APART) == TASK_ENROLLED)
        return 0;
    int error = task->alone < 0 ? enrolment_attach_alone(task) : 0;
    enrolment_end_change(task, -1);
    return error;
}

int enrolment_begin(struct task *task)
{
    HOLD_OFF_CANCELLATION;
    const struct caller *caller = caller_current();
    const bool own = caller->task == task; /* or one that it spawns */
    /* A handler that runs while this thread leaves calls us from within. */
    if (own && caller->changing)
        return 0;
    /* Another thread is leaving, and waits for the call that this handler runs in. */
    if (own && caller->handling)
        return PvmSysErr;
    if (enrolment_begin_change(task, TASK_APART) == TASK_ENROLLED)
        return 0;
    int tid = enrolment_is_over(task) ? 0 : enrolment_join(task); /* who ends it waits for us */
    enrolment_end_change(task, tid > 0 ? tid : -1);
    if (tid <= 0)
        return PvmSysErr;
    manager_watch_begin(task);
    if (!task->is_thread) /* which is given its sinks by the one that spawns it */
        trace_settings_find_tracer(task);
    return 0;
}

bool enrolment_join_lease(struct task *task, struct lent lent, struct task *parent)
{
    enrolment_begin_change(task, TASK_APART);
    handler_add_system(task);
    task->endpoint.unrouted =
        task->process->carriers; /* a way of its own ties a task to its host */
    bool joined = endpoint_join(&task->endpoint, (uint32_t)lent.tid, (uint32_t)lent.called,
                                &parent->endpoint);
    if (!joined)
        handler_remove_all(task);
    atomic_store(&task->leased, joined);
    atomic_store(&task->manager, joined ? atomic_load(&parent->manager) : 0);
    lock_acquire(&parent->options_lock);
    int fragment = parent->options.fragment_size;
    lock_release(&parent->options_lock);
    lock_acquire(&task->options_lock);
    task->options.fragment_size = fragment;
    lock_release(&task->options_lock);
    enrolment_end_change(task, joined ? lent.tid : -1);
    return joined;
}

/* What belongs to a tid goes with it. */
static void enrolment_end_life(struct task *task)
{
    atomic_store(&task->halting, false);
    handler_remove_all(task);
    own_notice_forget(task);
    siblings_forget(task);
    lease_tell_death(task);
    endpoint_detach(&task->endpoint);
    atomic_store(&task->manager, 0);
    trace_settings_forget(task);
    enrolment_end_change(task, -1);
}

/* Asked, so that the pvmd knows when the task goes on. 0 or PvmSysErr. */
static int enrolment_say_exit(struct task *task)
{
    struct message *answer;
    int result = pvmd_link_exchange(task, pvmd_link_request(TM_EXIT), true, &answer);
    message_free(answer);
    return result;
}

int enrolment_leave(struct task *task)
{
    if (caller_current()->handling)
        return PvmNotImpl;
    if (caller_current()->changing)
        return 0;
    if (atomic_load(&task->enrolment) == TASK_ENROLLED)
        handler_run_last(task); /* while the pvmd takes what they send */
    if (enrolment_begin_change(task, TASK_ENROLLED) != TASK_ENROLLED)
        return 0;
    handler_remove_added(task); /* the pvmd, too, tells of the end, behind its answer */
    trace_flush(task);
    int result = task->leased ? 0 : enrolment_say_exit(task);
    enrolment_end_life(task);
    return result;
}

void enrolment_drop(struct task *task)
{
    const struct caller *caller = caller_current();
    if (caller->handling || caller->changing ||
        enrolment_begin_change(task, TASK_ENROLLED) != TASK_ENROLLED)
        return;
    enrolment_end_life(task);
}

int enrolment_exit(struct caller *caller)
{
    struct task *task = caller->task;
    if (!caller->handling)
        catchout_finish(task);
    if (task->program->leave && !caller->ends && !caller->handling)
        task->program->leave();
    /* The process may be ending in another thread, and writes out its streams without their locks. */
    if (!(caller->ends && task->is_thread)) {
        fflush(stdout);
        fflush(stderr);
    }
    printed_end(task);
    if (atomic_load(&task->enrolment) == TASK_ENROLLED && !caller->handling) {
        turns_replace(&task->turns, caller, TURNS_RECEIVE);
        buffer_discard_active(task, &caller->receive); /* the send buffer stays, as in 3.4.6 */
        turns_tell(&task->turns, caller, TURNS_RECEIVE, 0);
    }
    int result = enrolment_leave(task);
    /* Nobody is there to whom it would matter that a thread which ends has been ended. */
    return caller->ends && task->is_thread ? result : task_result(task, "pvm_exit", result);
}
