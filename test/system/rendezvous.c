/* How often is an array copied on its way to another task, and does it arrive, whatever happens?
 *
 * usage: rendezvous copies CALL WAY BYTES   sends arrays by CALL: array (pvm_psend), place (in place) or
 *                                        raw (packed); WAY says how they are received: waiting (in
 *                                        pvm_precv), late (pvm_precv, when they have come), or
 *                                        buffer (pvm_recv and unpacking). Prints for each message
 *                                            sender COPIED WRITTEN receiver COPIED
 *                                        in messages of that length: what went through memcpy, and
 *                                        what the system has written to the other process
 *        rendezvous mix MESSAGES            a task gets messages of many sizes by all calls, with one
 *                                        thread, is interrupted meanwhile, and then with two
 *        rendezvous crossing MESSAGES       two tasks send to each other first and receive then
 *        rendezvous kill ROUNDS             the sender of a stream is killed and the receiver goes on,
 *                                        then the receiver is and the sender does
 * The last three print "checked N" at the end; what is wrong is printed instead and the exit status
 * is 1. With RENDEZVOUS_REFUSED in the environment the system refuses to write to another process.
 */
#include "children.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pvm3.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROUNDS = 10, SMALL = 1000, LONGEST = 3 << 20, SMALLEST_COUNTED = 256 };
enum { WORK = 1, OTHER_WORK = 2, DONE = 3, HELLO = 4, GO = 5, GONE = 6, BYE = 7, NEXT = 8 };

static char bytes[LONGEST];

/* What the library calls. ---------------------------------------------------------------------- */

static atomic_ulong copied, written;

static void count_copy(size_t size)
{
    if (size >= SMALLEST_COUNTED)
        atomic_fetch_add(&copied, size);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    static void *(*real)(void *, const void *, size_t);
    count_copy(size);
    if (!real)
        real = (void *(*)(void *, const void *, size_t))dlsym(RTLD_NEXT, "memcpy");
    return real(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    static void *(*real)(void *, const void *, size_t);
    count_copy(size);
    if (!real)
        real = (void *(*)(void *, const void *, size_t))dlsym(RTLD_NEXT, "memmove");
    return real(to, from, size);
}

ssize_t process_vm_writev(pid_t process, const struct iovec *pieces, unsigned long count,
                          const struct iovec *there, unsigned long there_count, unsigned long flags)
{
    if (getenv("RENDEZVOUS_REFUSED")) {
        errno = EPERM;
        return -1;
    }
    long result = syscall(SYS_process_vm_writev, process, pieces, count, there, there_count, flags);
    if (result > 0)
        atomic_fetch_add(&written, (unsigned long)result);
    return result;
}

/* Copies. -------------------------------------------------------------------------------------- */

/* Returns when the process sleeps. */
static void await_sleep(int pid)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    for (;; sched_yield()) {
        int file = open(path, O_RDONLY);
        ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
        close(file);
        if (size <= 0)
            fail("there is no process %d", pid);
        text[size] = '\0';
        if (strncmp(strrchr(text, ')'), ") S", 3) == 0)
            return;
    }
}

static void send_by(const char *call, int to, int tag, int size)
{
    if (strcmp(call, "array") == 0) {
        expect("psend", pvm_psend(to, tag, bytes, size, PVM_BYTE), 0);
        return;
    }
    pvm_initsend(strcmp(call, "place") == 0 ? PvmDataInPlace : PvmDataRaw);
    pvm_pkbyte(bytes, size / 3, 1);
    pvm_pkbyte(bytes + size / 3, size - size / 3, 1);
    expect("send", pvm_send(to, tag), 0);
}

/* The array that was sent in that place, from the task that started this one. */
static void receive_by(const char *way, int size, int place)
{
    int length = size;
    if (strcmp(way, "buffer") == 0) {
        expect("receive", pvm_recv(pvm_parent(), WORK) > 0, 1);
        expect("unpack", pvm_upkbyte(bytes, size, 1), 0);
    } else {
        expect("precv", pvm_precv(pvm_parent(), WORK, bytes, size, PVM_BYTE, NULL, NULL, &length),
               0);
    }
    expect("length", length, size);
    for (int i = 0; i < size; i++)
        if (bytes[i] != (char)place)
            fail("byte %d of message %d is %d", i, place, bytes[i]);
}

/* Whether, and how long an array comes next, is asked of the sender. */
static void count_received(const char *way)
{
    int size;
    say(pvm_parent(), HELLO, (int)getpid());
    for (int place = 0; (size = hear(pvm_parent(), NEXT)) > 0; place++) {
        say(pvm_parent(), GO, place);
        if (strcmp(way, "late") == 0)
            hear(pvm_parent(), DONE);
        unsigned long before = atomic_load(&copied);
        receive_by(way, size, place);
        say(pvm_parent(), DONE, (int)(atomic_load(&copied) - before));
    }
}

struct counts {
    unsigned long sent, through, received;
};

/* Sends one array to the task; what that cost. */
static struct counts count_one(const char *call, const char *way, int tid, int pid, int size,
                               int place)
{
    struct counts before, counts;
    say(tid, NEXT, size);
    hear(tid, GO);
    if (strcmp(way, "late") != 0)
        await_sleep(pid);
    memset(bytes, place, (size_t)size);
    before.sent = atomic_load(&copied);
    before.through = atomic_load(&written);
    send_by(call, tid, WORK, size);
    counts.sent = atomic_load(&copied) - before.sent;
    counts.through = atomic_load(&written) - before.through;
    if (strcmp(way, "late") == 0)
        say(tid, DONE, place);
    counts.received = (unsigned long)hear(tid, DONE);
    return counts;
}

static void count_copies(const char *call, char *way, int size)
{
    struct counts all = {0, 0, 0};
    int tid, place = 0;
    start(way, 1, 0, &tid);
    int pid = hear(tid, HELLO);
    struct counts first;
    do /* until memory is shared: what goes through the pvmd is not copied here */
        first = count_one("array", way, tid, pid, SMALL, place++);
    while (first.sent + first.through == 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct counts counts = count_one(call, way, tid, pid, size, place++);
        all.sent += counts.sent;
        all.through += counts.through;
        all.received += counts.received;
    }
    say(tid, NEXT, 0);
    double total = (double)size * ROUNDS;
    printf("sender %.2f %.2f receiver %.2f\n", (double)all.sent / total,
           (double)all.through / total, (double)all.received / total);
}

/* Contents and order. -------------------------------------------------------------------------- */

static const int sizes[] = {8,       5000, (512 << 10) - 1, 512 << 10, (512 << 10) + 1,
                            1 << 20, 100,  2 << 20,         600000,    LONGEST};
static const char *const calls[] = {"array", "place", "array", "raw"};
static atomic_int checked, over;

static int size_of(int place)
{
    return sizes[place % (int)(sizeof sizes / sizeof *sizes)];
}

static void fill(int place)
{
    memset(bytes, place, (size_t)size_of(place));
    *(int *)(void *)bytes = place;
}

static void check(const char *got, int length, int place)
{
    int told;
    __builtin_memcpy(&told, got, sizeof told);
    expect("place", told, place);
    expect("length", length, size_of(place));
    for (int i = (int)sizeof told; i < length; i++)
        if (got[i] != (char)place)
            fail("byte %d of message %d is %d", i, place, got[i]);
    atomic_fetch_add(&checked, 1);
}

static void send_work(int to, int place, int tag)
{
    fill(place);
    if (place % 7 == 6) {
        pvm_initsend(PvmDataInPlace);
        pvm_pkbyte(bytes, size_of(place), 1);
        expect("mcast", pvm_mcast(&to, 1, tag), 0);
    } else {
        send_by(calls[place % 4], to, tag, size_of(place));
    }
    memset(bytes, 255, (size_t)size_of(place));
}

/* The next message, by one call or another. */
static void receive_work(int place)
{
    static char got[LONGEST];
    int from = place % 11 == 10 ? -1 : pvm_parent(), tag = place % 3 ? WORK : -1;
    int length, tid, seen, buffer = 0;
    if (place % 5 < 3) {
        memset(got, 0, sizeof got);
        expect("precv", pvm_precv(from, tag, got, LONGEST, PVM_BYTE, &tid, &seen, &length), 0);
        expect("tid", tid, pvm_parent());
        expect("tag", seen, WORK);
    } else {
        struct timeval moment = {0, 1000};
        while (buffer == 0)
            buffer = place % 5 == 3 ? pvm_recv(from, tag) : pvm_trecv(from, tag, &moment);
        expect("bufinfo", pvm_bufinfo(buffer, &length, &seen, &tid), 0);
        expect("unpack", pvm_upkbyte(got, length, 1), 0);
    }
    check(got, length, place);
}

static void *interrupt(void *nothing)
{
    while (!atomic_load(&over)) {
        expect("interrupt", pvm_interrupt_recv(), 0);
        expect("resume", pvm_resume_recv(), 0);
    }
    say(pvm_mytid(), BYE, 0);
    return nothing;
}

/* All messages with one tag, which have every second place. */
static void *receive_half(void *first)
{
    int place = *(int *)first, tag = place % 2 ? OTHER_WORK : WORK, length;
    char *got = malloc(LONGEST);
    for (; place >= 0 && place < atomic_load(&over); place += 2) {
        expect("precv", pvm_precv(pvm_parent(), tag, got, LONGEST, PVM_BYTE, NULL, NULL, &length),
               0);
        check(got, length, place);
    }
    free(got);
    return NULL;
}

static void mixed(int messages)
{
    pthread_t thread;
    int first[2] = {0, 1};
    for (int place = 0; place < messages; place++)
        receive_work(place);
    pthread_create(&thread, NULL, interrupt, NULL);
    say(pvm_parent(), GO, 0);
    for (int place = 0; place < messages; place++)
        receive_work(place);
    atomic_store(&over, 1);
    hear(pvm_mytid(), BYE);
    pthread_join(thread, NULL);
    atomic_store(&over, messages);
    say(pvm_parent(), GO, 0);
    pthread_create(&thread, NULL, receive_half, &first[1]);
    receive_half(&first[0]);
    pthread_join(thread, NULL);
    say(pvm_parent(), DONE, atomic_load(&checked));
}

static void mix(int messages)
{
    int tid;
    start("mixed", 1, messages, &tid);
    for (int turn = 0; turn < 3; turn++) {
        for (int place = 0; place < messages; place++)
            send_work(tid, place, turn == 2 && place % 2 ? OTHER_WORK : WORK);
        if (turn < 2)
            hear(tid, GO);
    }
    checked = hear(tid, DONE);
}

static void cross(int other, int messages)
{
    static char got[LONGEST];
    int length;
    for (int place = 0; place < messages; place++) {
        send_work(other, place, WORK);
        expect("precv", pvm_precv(other, WORK, got, LONGEST, PVM_BYTE, NULL, NULL, &length), 0);
        check(got, length, place);
    }
}

/* Ends. ---------------------------------------------------------------------------------------- */

static atomic_int next;

static void stream(int to)
{
    say(to, HELLO, (int)getpid());
    hear(to, GO);
    for (int place = 0;; place++)
        send_work(to, place, WORK);
}

/* Receives until the task has left. */
static void *receive_stream(void *from)
{
    char *got = malloc(LONGEST);
    int length, tag;
    while (pvm_precv(*(int *)from, WORK, got, LONGEST, PVM_BYTE, NULL, &tag, &length) == 0)
        check(got, length, atomic_fetch_add(&next, 1));
    free(got);
    return NULL;
}

/*
 * A thread receives what a task sends without end, and that is killed amid it. Nothing will come any
 * more: the thread ends when the task leaves, which comes back under another tid.
 */
static void lose_sender(int number)
{
    pthread_t thread;
    int tid, parent = pvm_parent();
    atomic_store(&next, 0);
    start("stream", 1, 0, &tid);
    int pid = hear(tid, HELLO);
    expect("notify", pvm_notify(PvmTaskExit, GONE, 1, &tid), 0);
    pthread_create(&thread, NULL, receive_stream, &tid);
    say(tid, GO, 0);
    while (atomic_load(&next) < 20 + number % 10)
        sched_yield();
    kill(pid, SIGKILL);
    expect("the end", pvm_recv(-1, GONE) > 0, 1);
    expect("interrupt", pvm_interrupt_recv(), 0); /* it has all, and waits */
    pvm_exit();
    pthread_join(thread, NULL);
    say(parent, DONE, atomic_load(&next));
}

static void receive_forever(void)
{
    static char got[LONGEST];
    int length;
    say(pvm_parent(), HELLO, (int)getpid());
    for (int place = 0;; place++) {
        pvm_precv(pvm_parent(), WORK, got, LONGEST, PVM_BYTE, NULL, NULL, &length);
        check(got, length, place);
    }
}

static void lose_receiver(int number)
{
    int tid;
    start("endless", 1, 0, &tid);
    int pid = hear(tid, HELLO);
    expect("notify", pvm_notify(PvmTaskExit, GONE, 1, &tid), 0);
    for (int place = 0; pvm_nrecv(-1, GONE) == 0; place++) {
        send_work(tid, place, WORK);
        atomic_fetch_add(&checked, 1);
        if (place == 20 + number % 10)
            kill(pid, SIGKILL);
    }
}

static void kill_tasks(int rounds)
{
    int tid, before = 0, most = 0;
    for (int round = 0; round < rounds; round++) {
        start("loser", 1, round, &tid);
        atomic_fetch_add(&checked, hear(-1, DONE));
        lose_receiver(round);
        int now = descriptors();
        if (round == rounds / 2)
            before = now;
        most = now > most ? now : most;
    }
    if (most > before + 8)
        fail("there were %d descriptors, and are %d", before, most);
}

static void run_child(char *role, int number)
{
    if (strcmp(role, "mixed") == 0)
        mixed(number);
    else if (strcmp(role, "crosser") == 0)
        cross(pvm_parent(), number);
    else if (strcmp(role, "stream") == 0)
        stream(pvm_parent());
    else if (strcmp(role, "endless") == 0)
        receive_forever();
    else if (strcmp(role, "loser") == 0)
        lose_sender(number);
    else
        count_received(role);
}

int main(int argc, char **argv)
{
    int tid, number = argc > 2 ? atoi(argv[2]) : 0;
    if (argc < 3)
        fail("there is nothing to do");
    if (pvm_parent() > 0) {
        run_child(argv[1], number);
    } else if (strcmp(argv[1], "copies") == 0 && argc > 4) {
        count_copies(argv[2], argv[3], atoi(argv[4]));
    } else {
        if (strcmp(argv[1], "mix") == 0)
            mix(number);
        else if (strcmp(argv[1], "kill") == 0)
            kill_tasks(number);
        else if (strcmp(argv[1], "crossing") == 0) {
            start("crosser", 1, number, &tid);
            cross(tid, number);
        }
        printf("checked %d\n", atomic_load(&checked));
    }
    pvm_exit();
    return 0;
}
