/* doorbell.c - an eventfd that stays readable. */
#include "ck/base/doorbell.h"

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ck/base/cancel.h"

int doorbell_make(void)
{
    /* As far from zero as from what a count can be. */
    const uint64_t many = UINT64_MAX / 2;
    int doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (doorbell >= 0 && write(doorbell, &many, sizeof many) == sizeof many)
        return doorbell;
    if (doorbell >= 0)
        close(doorbell);
    return -1;
}

bool doorbell_is_one(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

bool doorbell_watch(int doorbell, int set)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    /* It is readable, of which the set tells once. */
    return epoll_ctl(set, EPOLL_CTL_ADD, doorbell, &event) == 0 &&
           epoll_wait(set, &event, 1, 0) >= 0;
}

void doorbell_ring(int doorbell)
{
    const uint64_t nothing = 0;
    HOLD_OFF_CANCELLATION; /* a send within the process does not */
    /* The write fails if it is no doorbell: then its owner, a peer, is not to be woken. */
    if (write(doorbell, &nothing, sizeof nothing) < 0)
        return;
}
