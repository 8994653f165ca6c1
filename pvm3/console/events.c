/* events.c - one poll for the user and the virtual machine. */
#include "console/events.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "console/hosts.h"
#include "console/job.h"

/* Takes all messages that are there. False when the pvmd is lost. */
static bool events_show(struct console *console)
{
    int buffer, bytes, tag, tid;

    while ((buffer = pvm_nrecv(-1, -1)) > 0) {
        if (pvm_bufinfo(buffer, &bytes, &tag, &tid) < 0)
            continue;
        if (tag == TAG_HOSTS_ADDED)
            hosts_added(console);
        else if (tag > TAG_JOBS)
            job_record(console, tag - TAG_JOBS);
    }
    fflush(stdout);
    return buffer == 0;
}

/* Sleeps until `fd` or the virtual machine has something. Returns true when it is `fd`. */
static bool events_sleep(int fd)
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

bool events_wait_for(struct console *console, int fd)
{
    bool readable = false;
    while (!readable) {
        if (!events_show(console)) {
            fprintf(stderr, "Console: the connection to the pvmd is lost\n");
            return false;
        }
        readable = events_sleep(fd);
    }
    return true;
}
