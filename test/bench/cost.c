/* What does a message cost its sender, and what its receiver?
 *
 * usage: cost ROUTE BATCHES [WORKS]        ROUTE is a value of PvmRoute, WORKS a number (all)
 *
 * Runs as two tasks. For every work below one sends BATCHES batches of messages; the other begins
 * to receive a batch when the system holds all of it (or, of large ones, a good part), so that it
 * does not wait for the sender. Prints a line for each batch and side,
 *     @cost work=NAME side=send|receive messages=N body=BYTES ns=TIME allocations=N copied=BYTES
 * (the bytes that memcpy and its like copied in all, body the bytes of one message), or
 * "@trouble work=NAME sent=CODE received=CODE came=FLAG" for a work that fails. The first
 * batches of each work are not measured: they fill what the library keeps. Each measured stretch
 * stands between two calls of close that fail, for strace: their argument is
 * -(1000 + 4 * work + 2 * side + end).
 */
#include <poll.h>
#include <pvm3.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counts.h"

enum { WARM_UP = 4, TAG = 7, MEGABYTE = 1 << 20, INTS = 10000, HEADERS = 48, HEADER = 16 };
enum { DESCRIPTORS = 32, FRAGMENT = 4032, MARKS = 1000, PATIENCE = 20 /* seconds */ };
enum { WHOLE = -1 };
enum side { SENDER, RECEIVER };

static const struct work {
    const char *name;
    int encoding; /* or WHOLE: pvm_psend and pvm_precv */
    int calls;    /* of pvm_pkint with `items` items, or of pvm_pkbyte when there are no calls */
    int items;
    int batch;
} works[] = {
    {"empty", PvmDataDefault, 0, 0, 24},
    {"1_int,default", PvmDataDefault, 1, 1, 24},
    {"1_int,raw", PvmDataRaw, 1, 1, 24},
    {"1_int,in_place", PvmDataInPlace, 1, 1, 24},
    {"10000_ints,1_call,default", PvmDataDefault, 1, INTS, 1},
    {"10000_ints,1_call,raw", PvmDataRaw, 1, INTS, 1},
    {"10000_ints,1_call,in_place", PvmDataInPlace, 1, INTS, 1},
    {"10000_ints,10000_calls,default", PvmDataDefault, INTS, 1, 1},
    {"10000_ints,10000_calls,raw", PvmDataRaw, INTS, 1, 1},
    {"1_MB,raw", PvmDataRaw, 0, MEGABYTE, 1},
    {"1_MB,in_place", PvmDataInPlace, 0, MEGABYTE, 1},
    {"1_MB,psend", WHOLE, 0, MEGABYTE, 1},
    {"10000_ints,10000_calls,in_place", PvmDataInPlace, INTS, 1, 1},
};
enum { WORKS = sizeof works / sizeof *works };

/* What the sender tells of a batch. */
struct outcome {
    int error;
    int64_t nanoseconds;
    long allocations;
    long copied;
};

static int data[MEGABYTE / sizeof(int)];
static int control; /* one end of a socket to the other task */

/* Bytes of a batch for which the receiver waits; 3.4.6 blocks when a socket is a quarter full. */
static int enough;

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

/* ---- one batch ---- */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void mark(const struct work *work, enum side side, int end)
{
    close(-(MARKS + 4 * (int)(work - works) + 2 * (int)side + end));
}

/* Bytes of body in a message, and the least that the system holds of it once it has come whole. */
static int body_size(const struct work *work)
{
    return work->calls ? work->calls * work->items * (int)sizeof(int) : work->items;
}

static int wire_size(const struct work *work)
{
    int fragments = (body_size(work) + FRAGMENT - 1) / FRAGMENT;
    if (work->encoding == PvmDataInPlace || work->encoding == WHOLE || fragments == 0)
        fragments = 1;
    return HEADERS + body_size(work) + (fragments - 1) * HEADER;
}

static int element(const struct work *work, int index)
{
    return (int)((unsigned)index * 1103515245u) + (int)(work - works);
}

static int send_one(const struct work *work, int to)
{
    if (work->encoding == WHOLE)
        return pvm_psend(to, TAG, data, work->items, PVM_BYTE);
    int result = pvm_initsend(work->encoding);
    for (int i = 0; i < work->calls && result >= 0; i++)
        result = pvm_pkint(data + i * work->items, work->items, 1);
    if (!work->calls && work->items > 0 && result >= 0)
        result = pvm_pkbyte((char *)data, work->items, 1);
    return result < 0 ? result : pvm_send(to, TAG);
}

static int receive_one(const struct work *work, int from)
{
    if (work->encoding == WHOLE)
        return pvm_precv(from, TAG, data, work->items, PVM_BYTE, NULL, NULL, NULL);
    int result = pvm_recv(from, TAG);
    for (int i = 0; i < work->calls && result >= 0; i++)
        result = pvm_upkint(data + i * work->items, work->items, 1);
    if (!work->calls && work->items > 0 && result >= 0)
        result = pvm_upkbyte((char *)data, work->items, 1);
    return result;
}

static struct outcome run_batch(const struct work *work, enum side side, int peer)
{
    struct outcome outcome = {0, now(), allocations, copied};
    mark(work, side, 0);
    outcome.nanoseconds = now();
    for (int i = 0; i < work->batch && outcome.error >= 0; i++)
        outcome.error = side == SENDER ? send_one(work, peer) : receive_one(work, peer);
    outcome.nanoseconds = now() - outcome.nanoseconds;
    mark(work, side, 1);
    outcome.allocations = allocations - outcome.allocations;
    outcome.copied = copied - outcome.copied;
    return outcome;
}

/* ---- the two tasks ---- */

static void control_write(const void *bytes, size_t size)
{
    if (write(control, bytes, size) != (ssize_t)size)
        fail("cost: the other task is gone");
}

static void control_read(void *bytes, size_t size)
{
    if (read(control, bytes, size) != (ssize_t)size)
        fail("cost: the other task is gone");
}

static void data_fill(const struct work *work)
{
    for (int i = 0; i < (int)(sizeof data / sizeof *data); i++)
        data[i] = element(work, i);
}

static void data_check(const struct work *work)
{
    for (int i = 0; i < body_size(work) / (int)sizeof *data; i++)
        if (data[i] != element(work, i))
            fail("cost: %s: element %d is wrong", work->name, i);
    memset(data, 0, sizeof data);
}

static void sender(int to)
{
    int number;
    struct outcome outcome;
    while (control_read(&number, sizeof number), number >= 0) {
        data_fill(&works[number]);
        outcome = run_batch(&works[number], SENDER, to);
        control_write(&outcome, sizeof outcome);
    }
}

/* Bytes that have come to the library's sockets, all sockets but ours, and that it has not read. */
static int arrived(void)
{
    int sum = 0;
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        struct stat status;
        int bytes;
        if (descriptor != control && fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) &&
            ioctl(descriptor, FIONREAD, &bytes) == 0)
            sum += bytes;
    }
    return sum;
}

/* Waits until a batch has come, or enough of it. False when none comes, told or not. */
static int batch_comes(const struct work *work)
{
    struct pollfd told = {.fd = control, .events = POLLIN};
    int wanted = work->batch * wire_size(work);
    if (wanted > enough)
        wanted = enough;
    while (arrived() < wanted && poll(&told, 1, 1) == 0)
        continue;
    int64_t patience = now() + PATIENCE * INT64_C(1000000000);
    while (arrived() < wanted && now() < patience)
        sched_yield();
    return arrived() >= wanted;
}

static void print_outcome(const struct work *work, const char *side, const struct outcome *outcome)
{
    printf("@cost work=%s side=%s messages=%d body=%d ns=%lld allocations=%ld copied=%ld\n",
           work->name, side, work->batch, body_size(work), (long long)outcome->nanoseconds,
           outcome->allocations, outcome->copied);
}

static void receiver(int from, int batches, int count)
{
    for (int number = 0; number < count; number++) {
        const struct work *work = &works[number];
        for (int batch = -WARM_UP; batch < batches; batch++) {
            struct outcome sent, received = {0};
            control_write(&number, sizeof number);
            int came = batch_comes(work);
            if (came)
                received = run_batch(work, RECEIVER, from);
            control_read(&sent, sizeof sent);
            if (!came || sent.error < 0 || received.error < 0) {
                printf("@trouble work=%s sent=%d received=%d came=%d\n", work->name, sent.error,
                       received.error, came);
                break;
            }
            data_check(work);
            if (batch >= 0) {
                print_outcome(work, "send", &sent);
                print_outcome(work, "receive", &received);
            }
        }
    }
    int end = -1;
    control_write(&end, sizeof end);
}

/* Each sends the other a message: then routes are there, and each knows the other's tid. */
static int meet(int first)
{
    int other, own = pvm_mytid();
    if (own < 0)
        fail("cost: no virtual machine");
    control_write(&own, sizeof own);
    control_read(&other, sizeof other);
    for (int i = 0; i < 2; i++) {
        if ((i == 0) == first) {
            pvm_initsend(PvmDataDefault);
            pvm_send(other, TAG);
        } else {
            pvm_recv(other, TAG);
        }
    }
    return other;
}

int main(int argc, char **argv)
{
    int ends[2], status = 0;
    if (argc < 3)
        fail("usage: cost ROUTE BATCHES [WORKS]");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        fail("cost: no pair of sockets");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail("cost: cannot fork");
    control = ends[child ? 0 : 1];
    close(ends[child ? 1 : 0]);
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmRoute, atoi(argv[1]));
    enough = atoi(argv[1]) == PvmRouteDirect ? 16 * 1024 : 40 * 1024;
    int other = meet(child != 0);
    if (child)
        receiver(other, atoi(argv[2]), argc > 3 ? atoi(argv[3]) : WORKS);
    else
        sender(other);
    pvm_exit();
    if (child && (waitpid(child, &status, 0) != child || status != 0))
        fail("cost: the sender failed");
    return 0;
}
