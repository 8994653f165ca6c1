/* route_sockets.c - notes and removes the sockets, in a list for each task. */
#include "daemon/tasks/route_sockets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/assemble.h"
#include "core/control.h"
#include "core/environment.h"
#include "daemon/post/tasks.h"

/* Messages about routes are shorter. */
#define LENGTH_MOST (FRAME_MESSAGE_HEADER_SIZE + 16 + ENVIRONMENT_PATH_SIZE)

/* How many sockets are looked after with each new one, so that the list stays short. */
#define LOOKED_AFTER 2

struct route_socket {
    struct list node;
    struct stat status; /* of the name when it was noted */
    char path[];
};

/* False when the name is that of something else, or of nothing. */
static bool route_socket_is_there(const struct route_socket *socket)
{
    struct stat now;
    const struct stat *then = &socket->status;
    return lstat(socket->path, &now) == 0 && now.st_dev == then->st_dev &&
           now.st_ino == then->st_ino && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

static void route_socket_free(struct route_socket *socket)
{
    list_remove(&socket->node);
    free(socket);
}

/* Drops the oldest ones whose names are gone; others count as new. */
static void route_sockets_look_after(struct task *task)
{
    for (int i = 0; i < LOOKED_AFTER && !list_is_empty(&task->sockets); i++) {
        struct route_socket *oldest =
            LIST_OWNER(task->sockets.next, struct route_socket, node);
        list_remove(&oldest->node);
        if (route_socket_is_there(oldest))
            list_append(&task->sockets, &oldest->node);
        else
            route_socket_free(oldest);
    }
}

/* Without memory a socket is not noted. */
static void route_sockets_add(struct task *task, const char *path)
{
    struct stat status;
    if (lstat(path, &status) < 0 || !S_ISSOCK(status.st_mode) || status.st_uid != geteuid())
        return;
    struct route_socket *socket = malloc(sizeof *socket + strlen(path) + 1);
    if (!socket)
        return;
    socket->status = status;
    strcpy(socket->path, path);
    list_append(&task->sockets, &socket->node);
}

/* A temporary name, by which the sockets of tasks go. */
static bool route_sockets_may_be(const char *path)
{
    const char *folder = environment_temporary_folder();
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && strncmp(path + length, "/pvmtmp", 7) == 0 &&
           !strchr(path + length + 1, '/');
}

static void route_sockets_read(struct task *task, const struct message *message)
{
    struct control_reader body;
    control_read(&body, message);
    control_get_int(&body); /* the version of the protocol */
    if (message->header.tag == TC_CONACK)
        control_get_int(&body); /* whether the route is granted */
    char *path = control_get_string(&body, ENVIRONMENT_PATH_SIZE);
    if (path && route_sockets_may_be(path)) {
        route_sockets_look_after(task);
        route_sockets_add(task, path);
    }
    free(path);
}

static bool route_sockets_is_told(const struct task *task, const struct received_frame *received)
{
    const struct frame *frame = &received->frame;
    struct message_header header;
    if (frame->flags != (FRAME_FIRST | FRAME_LAST) || frame->length < FRAME_MESSAGE_HEADER_SIZE ||
        frame->length > LENGTH_MOST)
        return false;
    frame_decode_message(&header, task->tid, received->body);
    return header.context == CONTROL_CONTEXT_TC &&
           (header.tag == TC_CONREQ || header.tag == TC_CONACK);
}

void route_sockets_note(struct task *task, const struct received_frame *received)
{
    struct assembler assembler;
    struct message *message;
    if (!route_sockets_is_told(task, received))
        return;
    assembler_start(&assembler);
    if (assembler_add(&assembler, received, &message) == ASSEMBLER_MESSAGE) {
        route_sockets_read(task, message);
        message_free(message);
    }
    assembler_finish(&assembler);
}

void route_sockets_task_end(struct task *task)
{
    LIST_FOR_EACH(node, &task->sockets)
    {
        struct route_socket *socket = LIST_OWNER(node, struct route_socket, node);
        if (route_socket_is_there(socket))
            unlink(socket->path);
        route_socket_free(socket);
    }
}
