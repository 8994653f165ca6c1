/* wait_descriptor.c - an eventfd, a doorbell and a socket in an epoll set. */
#include "ck/wait/wait_descriptor.h"

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ck/base/doorbell.h"

/* What is in the set. */
#define MEMBERS 3

void wait_descriptor_start(struct wait_descriptor *descriptor)
{
    *descriptor = (struct wait_descriptor){.set = -1, .bell = -1};
}

static bool wait_descriptor_make(struct wait_descriptor *descriptor, int socket, int doorbell)
{
    struct epoll_event event = {.events = EPOLLIN};
    descriptor->set = epoll_create1(EPOLL_CLOEXEC);
    descriptor->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor->set >= 0 && descriptor->bell >= 0 &&
        doorbell_watch(doorbell, descriptor->set) &&
        epoll_ctl(descriptor->set, EPOLL_CTL_ADD, socket, &event) == 0 &&
        epoll_ctl(descriptor->set, EPOLL_CTL_ADD, descriptor->bell, &event) == 0)
        return true;
    wait_descriptor_finish(descriptor);
    return false;
}

int wait_descriptor_open(struct wait_descriptor *descriptor, int socket, int doorbell, bool waiting)
{
    descriptor->user = pthread_self();
    if (descriptor->set >= 0)
        return descriptor->set;
    if (!wait_descriptor_make(descriptor, socket, doorbell))
        return socket;
    if (waiting)
        wait_descriptor_ring(descriptor);
    return descriptor->set;
}

void wait_descriptor_ring(struct wait_descriptor *descriptor)
{
    uint64_t one = 1;
    if (descriptor->set >= 0 && !descriptor->rung)
        descriptor->rung = write(descriptor->bell, &one, sizeof one) == sizeof one;
}

static void wait_descriptor_silence(struct wait_descriptor *descriptor)
{
    uint64_t rings;
    if (descriptor->rung && read(descriptor->bell, &rings, sizeof rings) == sizeof rings)
        descriptor->rung = false;
}

void wait_descriptor_adjust(struct wait_descriptor *descriptor, bool found, bool happened,
                            size_t left)
{
    if (descriptor->set < 0)
        return;
    if (left == 0 || (!found && !happened && pthread_equal(descriptor->user, pthread_self())))
        wait_descriptor_silence(descriptor);
    else if (found || happened)
        wait_descriptor_ring(descriptor);
}

void wait_descriptor_answer(struct wait_descriptor *descriptor)
{
    struct epoll_event ready[MEMBERS];
    if (descriptor->set >= 0 && epoll_wait(descriptor->set, ready, MEMBERS, 0) < 0)
        return; /* it stays readable until the next time */
}

void wait_descriptor_finish(struct wait_descriptor *descriptor)
{
    if (descriptor->set >= 0)
        close(descriptor->set);
    if (descriptor->bell >= 0)
        close(descriptor->bell);
    wait_descriptor_start(descriptor);
}
