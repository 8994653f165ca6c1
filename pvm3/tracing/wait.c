/* wait.c - poll, on what pvm_getfds gives. */
#include "tracing/wait.h"

#include <poll.h>
#include <stdlib.h>

#include <pvm3.h>

bool wait_for(int fd)
{
    int *sockets;
    int count = pvm_getfds(&sockets);
    if (count < 0)
        return false;
    struct pollfd *wait = calloc((size_t)count + 1, sizeof *wait);
    if (!wait)
        return true;
    wait[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    for (int i = 0; i < count; i++)
        wait[i + 1] = (struct pollfd){.fd = sockets[i], .events = POLLIN};
    int ready = poll(wait, (nfds_t)count + 1, -1);
    bool readable = ready > 0 && wait[0].revents;
    free(wait);
    return readable;
}
