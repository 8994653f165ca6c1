/* receive_calls.c - a receive that is withdrawn, as the program moves, is made again where it lives then. */
#include "ulp/receive_calls.h"

#include <sys/time.h>

#include <pvm3.h>

#include "lib/task/own_program.h"
#include "ulp/calls.h"
#include "ulp/departure.h"

/* Makes the receive that `call` is until it is done. */
#define RECEIVE(result, call)                                                                      \
    do {                                                                                           \
        departure_point();                                                                         \
        own_program_may_move(true);                                                                \
        result = call;                                                                             \
        own_program_may_move(false);                                                               \
    } while (result == OWN_PROGRAM_MOVES)

static int own_recv(int tid, int tag)
{
    int result;
    RECEIVE(result, pvm_recv(tid, tag));
    return result;
}

static int own_nrecv(int tid, int tag)
{
    departure_point();
    return pvm_nrecv(tid, tag);
}

static int own_probe(int tid, int tag)
{
    departure_point();
    return pvm_probe(tid, tag);
}

/* What is left of `limit`, after which nothing is left, on the clock that gettimeofday reads. */
static struct timeval time_left(const struct timeval *limit)
{
    struct timeval now, left;
    gettimeofday(&now, NULL);
    timersub(limit, &now, &left);
    return left.tv_sec < 0 ? (struct timeval){0, 0} : left;
}

static int own_trecv(int tid, int tag, struct timeval *limit)
{
    if (!limit)
        return own_recv(tid, tag);
    int result;
    struct timeval now, end, left = *limit;
    gettimeofday(&now, NULL);
    timeradd(&now, limit, &end);
    for (;;) {
        departure_point();
        own_program_may_move(true);
        result = pvm_trecv(tid, tag, &left);
        own_program_may_move(false);
        if (result != OWN_PROGRAM_MOVES)
            return result;
        left = time_left(&end);
    }
}

static int own_precv(int tid, int tag, void *memory, int length, int type, int *source, int *came,
                     int *size)
{
    int result;
    RECEIVE(result, pvm_precv(tid, tag, memory, length, type, source, came, size));
    return result;
}

static const struct call calls[] = {
    {"pvm_recv", (void *)own_recv},   {"pvm_nrecv", (void *)own_nrecv},
    {"pvm_probe", (void *)own_probe}, {"pvm_trecv", (void *)own_trecv},
    {"pvm_precv", (void *)own_precv},
};

void *receive_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
