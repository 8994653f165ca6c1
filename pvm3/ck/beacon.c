/* beacon.c - an eventfd, a doorbell and a socket in an epoll set. */
#include "ck/beacon.h"

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ck/doorbell.h"

/* What is in the set. */
#define MEMBERS 3

void beacon_start(struct beacon *beacon)
{
    *beacon = (struct beacon){.set = -1, .bell = -1};
}

static bool beacon_make(struct beacon *beacon, int socket, int doorbell)
{
    struct epoll_event event = {.events = EPOLLIN};
    beacon->set = epoll_create1(EPOLL_CLOEXEC);
    beacon->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (beacon->set >= 0 && beacon->bell >= 0 && doorbell_watch(doorbell, beacon->set) &&
        epoll_ctl(beacon->set, EPOLL_CTL_ADD, socket, &event) == 0 &&
        epoll_ctl(beacon->set, EPOLL_CTL_ADD, beacon->bell, &event) == 0)
        return true;
    beacon_finish(beacon);
    return false;
}

int beacon_light(struct beacon *beacon, int socket, int doorbell, bool waiting)
{
    beacon->user = pthread_self();
    if (beacon->set >= 0)
        return beacon->set;
    if (!beacon_make(beacon, socket, doorbell))
        return socket;
    if (waiting)
        beacon_ring(beacon);
    return beacon->set;
}

void beacon_ring(struct beacon *beacon)
{
    uint64_t one = 1;
    if (beacon->set >= 0 && !beacon->rung)
        beacon->rung = write(beacon->bell, &one, sizeof one) == sizeof one;
}

static void beacon_silence(struct beacon *beacon)
{
    uint64_t rings;
    if (beacon->rung && read(beacon->bell, &rings, sizeof rings) == sizeof rings)
        beacon->rung = false;
}

void beacon_adjust(struct beacon *beacon, bool found, bool happened, size_t left)
{
    if (beacon->set < 0)
        return;
    if (left == 0 || (!found && !happened && pthread_equal(beacon->user, pthread_self())))
        beacon_silence(beacon);
    else if (found || happened)
        beacon_ring(beacon);
}

void beacon_answer(struct beacon *beacon)
{
    struct epoll_event ready[MEMBERS];
    if (beacon->set >= 0 && epoll_wait(beacon->set, ready, MEMBERS, 0) < 0)
        return; /* it stays readable until the next time */
}

void beacon_finish(struct beacon *beacon)
{
    if (beacon->set >= 0)
        close(beacon->set);
    if (beacon->bell >= 0)
        close(beacon->bell);
    beacon_start(beacon);
}
