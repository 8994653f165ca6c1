/* listener.c - accepting connections. */
#include "daemon/post/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/error.h"
#include "daemon/base/log.h"
#include "daemon/base/probe.h"
#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"

#define ACCEPTED_AT_ONCE 16

/* Names of the socket that are tried. */
#define NAMES_TRIED 100

static int listener_open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/*
 * A connection that cannot be served is taken and closed, so that its process is told and the loop
 * does not spin.
 */
static void listener_turn_away(struct listener *listener)
{
    close(listener->reserve);
    int fd = accept4(listener->source.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    listener->reserve = listener_open_reserve();
    complain(&listener->daemon->complaints, 0,
             "a connection was turned away: the daemon has no more descriptors (raise 'ulimit "
             "-n')");
}

static void listener_handle(struct loop_source *source, uint32_t events)
{
    struct listener *listener = LIST_OWNER(source, struct listener, source);
    (void)events;
    for (int i = 0; i < ACCEPTED_AT_ONCE && !strangers_are_many(&listener->strangers); i++) {
        int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            task_link_open(listener->daemon, fd);
        } else if (errno == EMFILE || errno == ENFILE) {
            listener_turn_away(listener);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            log_write("cannot accept a connection: %s", strerror(errno));
            return;
        }
    }
}

/*
 * The name carries our process id. A socket of this name that nobody listens to was left by an
 * earlier process with the same id; it can be removed if it is ours.
 */
static int listener_bind_private(int fd, const struct sockaddr_un *address)
{
    pid_t pid;
    mode_t before = umask(0177);
    int bound = bind(fd, (const struct sockaddr *)address, sizeof *address);
    if (bound < 0 && errno == EADDRINUSE) {
        if (probe_socket(address->sun_path, &pid) == PROBE_DEAD)
            unlink(address->sun_path);
        bound = bind(fd, (const struct sockaddr *)address, sizeof *address);
    }
    umask(before);
    return bound;
}

/* A descriptor, or -1 with errno. */
static int listener_bind(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && listener_bind_private(fd, &address) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

/* Listens at the first name that is free: other users may have taken some names, on purpose. */
static int listener_open(struct listener *listener)
{
    unsigned *names = &listener->daemon->temporary_names;
    for (int tries = 0; tries < NAMES_TRIED; tries++, ++*names) {
        if (!environment_temporary_name(listener->path, getpid(), *names)) {
            errno = ENAMETOOLONG;
            break;
        }
        int fd = listener_bind(listener->path);
        if (fd >= 0 || errno != EADDRINUSE)
            return fd;
    }
    return -1;
}

int listener_start(struct listener *listener, struct daemon *daemon)
{
    listener->daemon = daemon;
    list_start(&listener->links);
    loop_source_start(&listener->source, listener_handle);
    strangers_start(&listener->strangers, daemon, &listener->source);
    int fd = listener_open(listener);
    if (fd < 0 && errno == ENAMETOOLONG)
        log_error("the name of the folder for sockets, %s, is too long: set PVM_TMP to a shorter "
                  "one",
                  environment_temporary_folder());
    else if (fd < 0)
        log_error("cannot make the socket %s: %s%s", listener->path, strerror(errno),
                  error_remedy(errno));
    if (fd < 0)
        return -1;
    listener->reserve = listener_open_reserve();
    return loop_watch(&daemon->loop, &listener->source, fd, EPOLLIN);
}

void listener_finish(struct listener *listener)
{
    if (listener->source.fd < 0)
        return;
    /* First: whoever sees his connection end finds nothing left of the daemon. */
    unlink(listener->path);
    LIST_FOR_EACH(node, &listener->links)
    task_link_close(LIST_OWNER(node, struct task_link, node));
    loop_close(&listener->daemon->loop, &listener->source);
    close(listener->reserve);
}
