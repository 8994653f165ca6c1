/* probe.c - one connection attempt. */
#include "daemon/base/probe.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/system.h"

static enum probe_result probe_connect(int fd, const struct sockaddr_un *address, pid_t *pid)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0) {
        if (errno == EAGAIN) /* it listens, but has not accepted all who came before */
            return PROBE_ALIVE;
        return errno == ECONNREFUSED || errno == ENOENT ? PROBE_DEAD : PROBE_ERROR;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
        *pid = peer.pid;
    return PROBE_ALIVE;
}

enum probe_result probe_socket(const char *path, pid_t *pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *pid = 0;
    if (strlen(path) >= sizeof address.sun_path)
        return PROBE_DEAD;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return PROBE_ERROR;
    enum probe_result result = probe_connect(fd, &address, pid);
    int error = errno;
    close(fd);
    errno = error;
    return result;
}

bool probe_wait_end(pid_t pid, int milliseconds)
{
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (fd < 0)
        return pid > 0 && errno == ESRCH;
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int ended = poll(&end, 1, milliseconds);
    close(fd);
    return ended == 1;
}
