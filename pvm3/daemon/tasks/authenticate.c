/* authenticate.c - the two steps of enrolment. */
#include "daemon/tasks/authenticate.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/post/proof.h"
#include "daemon/post/task_link.h"
#include "daemon/tasks/options.h"
#include "daemon/tasks/services.h"
#include "daemon/tasks/task_room.h"

/* The longest name of a t-auth file that 3.4.6 takes, its NUL included. */
#define PATH_LIMIT 128
#define NAME_LIMIT 1024

/* The kernel's word for the process at the other end. */
static bool authenticate_peer(const struct task_link *link, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    return getsockopt(link->source.fd, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}

static void authenticate_answer(struct task_link *link, const struct message *request,
                                bool accepted)
{
    struct message *answer = control_new(TM_CONNECT, request->header.context, request->header.wait);
    control_put_int(answer, CONTROL_TASK_PROTOCOL);
    control_put_int(answer, accepted);
    char path[ENVIRONMENT_PATH_SIZE] = "";
    if (accepted)
        environment_temporary_name(path, getpid(), link->proof_number);
    control_put_string(answer, path);
    if (control_is_whole(answer))
        task_link_send(link, answer, 0, TID_OWN_DAEMON);
    message_free(answer);
}

static void authenticate_refuse(struct task_link *link, const struct message *request,
                                const char *why)
{
    complain(&link->daemon->complaints, 0, "a connection was refused: %s", why);
    authenticate_answer(link, request, false);
    task_link_end(link);
}

/* NULL when the process at the other end runs as our user, else what is wrong. */
static const char *authenticate_check_peer(struct task_link *link)
{
    struct ucred peer;
    if (!authenticate_peer(link, &peer))
        return "the system does not tell who is there";
    link->process = peer.pid;
    return peer.uid == getuid() || peer.uid == geteuid() ? NULL : "it is of another user";
}

static const char *authenticate_greet(struct task_link *link, struct control_reader *body)
{
    int32_t version = control_get_int(body);
    char *path = control_get_string(body, PATH_LIMIT);
    const char *wrong = NULL;
    if (!path)
        wrong = "its TM_CONNECT makes no sense";
    else if (version != CONTROL_TASK_PROTOCOL)
        wrong = "it speaks another version of the task protocol";
    if (!wrong)
        wrong = authenticate_check_peer(link);
    if (!wrong)
        wrong = proof_give(path);
    if (!wrong)
        wrong = proof_ask(link);
    if (wrong)
        free(path);
    else
        link->claim = path;
    return wrong;
}

static void authenticate_connect(struct task_link *link, const struct message *request)
{
    struct control_reader body;
    control_read(&body, request);
    const char *wrong = authenticate_greet(link, &body);
    if (wrong) {
        authenticate_refuse(link, request, wrong);
        return;
    }
    link->state = TASK_LINK_AUTHENTICATING;
    authenticate_answer(link, request, true);
}

/* What a connection says of itself in TM_CONN2. */
struct introduction {
    pid_t pid;
    int32_t cookie;
    char *name; /* NULL: none */
};

/*
 * The cookie of a task beside the first of its process is the negative tid of its parent, or -1. A
 * parent agrees to a child in its own process, which is of one program: the system tells which
 * process made each connection. Otherwise the task has no parent.
 */
static void authenticate_place_beside(struct task *task, const struct task_link *link,
                                      int32_t cookie)
{
    const struct task *parent = tasks_find(&task->daemon->post->tasks, 0 - (uint32_t)cookie);
    task->beside = true;
    if (parent && parent->link && parent->process == link->process)
        task->parent = (int32_t)parent->tid;
}

static struct task *authenticate_new_task(const struct task_link *link,
                                          const struct introduction *said)
{
    struct task *task = task_new(&link->daemon->post->tasks, said->name ? said->name : "");
    if (task)
        services_adopt(task);
    if (task && said->cookie < 0)
        authenticate_place_beside(task, link, said->cookie);
    return task;
}

/* The record that the process claims, or a new one. */
static struct task *authenticate_find_task(const struct task_link *link,
                                           const struct introduction *said, bool *stranger)
{
    const pid_t pid = said->pid, cookie = said->cookie;
    struct task *task = tasks_find_expected(&link->daemon->post->tasks, cookie ? cookie : pid);
    *stranger = !task;
    if (*stranger)
        task = authenticate_new_task(link, said);
    else if (cookie && cookie != pid)
        task->flags &= ~(unsigned)TASK_IS_CHILD; /* something stands between it and us */
    if (task) {
        task->pid = pid;
        task->process = link->process;
    }
    return task;
}

static void authenticate_welcome(struct task_link *link, struct task *task,
                                 const struct message *request)
{
    struct message *answer = control_new(TM_CONN2, request->header.context, request->header.wait);
    control_put_int(answer, 1);
    options_put(answer, task);
    control_put_int(answer, CONTROL_LEASES);
    if (control_is_whole(answer))
        task_link_send(link, answer, task->tid, TID_OWN_DAEMON);
    message_free(answer);
}

static void authenticate_enrol_as(struct task_link *link, const struct message *request,
                                  const struct introduction *said)
{
    struct daemon *daemon = link->daemon;
    bool stranger;
    struct task *task = authenticate_find_task(link, said, &stranger);
    if (!task) {
        complain(&daemon->complaints, 0,
                 "process %ld cannot become a task: no more are allowed or memory is short",
                 (long)said->pid);
        task_link_close(link);
        return;
    }
    task->flags |= TASK_IS_CONNECTED;
    authenticate_welcome(link, task, request);
    if (task_link_attach(link, task) < 0)
        task_link_close(link);
    log_debug(LOG_TASKS, "t%x is process %ld", task->tid, (long)said->pid);
    if (stranger)
        services_tell_stranger(task);
}

static void authenticate_enrol(struct task_link *link, const struct message *request)
{
    struct control_reader body;
    control_read(&body, request);
    struct introduction said = {.pid = control_get_int(&body)};
    said.cookie = control_get_int(&body);
    if (control_rest(&body) > 0)
        said.name = control_get_string(&body, NAME_LIMIT);
    bool proved = proof_take(link);
    if (body.failed || said.pid <= 0 || !proved) {
        complain(&link->daemon->complaints, 0,
                 "a connection failed to prove that it is ours: closed");
        task_link_close(link);
    } else {
        authenticate_enrol_as(link, request, &said);
    }
    free(said.name);
}

static void authenticate_take_message(struct task_link *link, struct message *request)
{
    request->header.encoding = MESSAGE_XDR;
    if (request->header.tag == TM_CONNECT && link->state == TASK_LINK_NEW) {
        authenticate_connect(link, request);
    } else if (request->header.tag == TM_CONN2 && link->state == TASK_LINK_AUTHENTICATING) {
        authenticate_enrol(link, request);
    } else {
        complain(&link->daemon->complaints, 0,
                 "a message with tag 0x%x came from a connection that is no task: closed",
                 (unsigned)request->header.tag);
        task_link_close(link);
    }
}

void authenticate_take(struct task_link *link, const struct received_frame *received)
{
    struct message *request = NULL;
    struct received_frame frame = *received;
    frame.frame.source = TID_ANY;
    switch (assembler_add(&link->assembler, &frame, &request)) {
    case ASSEMBLER_MORE:
        return;
    case ASSEMBLER_MESSAGE:
        authenticate_take_message(link, request);
        message_free(request);
        return;
    case ASSEMBLER_STRAY:
    case ASSEMBLER_MEMORY:
    case ASSEMBLER_LONG:
        message_free(request);
        complain(&link->daemon->complaints, 0,
                 "a connection that is no task sent frames that make no message: closed");
        task_link_close(link);
        return;
    }
}
