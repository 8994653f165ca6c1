/* What does a message cost between two tasks of a host?
 *
 * usage: together WORK BYTES MESSAGES BATCHES [HOW...]
 *
 * WORK is "ask": one task sends, the other answers with as many bytes; "stream": one task sends,
 * and is at most so many messages ahead; "wake": one task waits before each message, and the other
 * one takes the time, by the clock that both have, at which it has it; or "ahead": one task sends
 * the whole batch while the other one is stopped, and the time is that of the calls. Each HOW is
 *     direct          both ask for direct routes
 *     in_place        bytes are packed as PvmDataInPlace, not PvmDataRaw
 *     psend           pvm_psend and pvm_precv
 *     window=N        stream: so many messages, at least 2 (64)
 *     pause=N         wake: so many microseconds (1000)
 *     cores=FIRST,SECOND    the processors of the two, which they have as soon as they are tasks
 * Prints a line
 *     @batch ns=TIME sleeps=NUMBER
 * for each batch but a first one, with the time of a message one way, and how often its sender
 * slept, or its receiver with "wake".
 */
#define _GNU_SOURCE
#include <pvm3.h>
#include <signal.h>
#include <unistd.h>

#include "batch.h"

enum { MOST_BYTES = 1 << 24, DATA = 1, WORD = 2 };
enum work { ASK, STREAM, WAKE, AHEAD };

static const char *const works[] = {"ask", "stream", "wake", "ahead"};

static char data[MOST_BYTES];
static int work, bytes, messages, batches, whole;
static int encoding = PvmDataRaw, route = PvmAllowDirect, window = 64, pause_us = 1000;
static int cores[2] = {-1, -1};

static void check(int result)
{
    if (result < 0)
        exit(1);
}

static void send_data(int to)
{
    if (whole) {
        check(pvm_psend(to, DATA, data, bytes, PVM_BYTE));
        return;
    }
    pvm_initsend(encoding);
    pvm_pkbyte(data, bytes, 1);
    check(pvm_send(to, DATA));
}

static void receive_data(int from)
{
    if (whole) {
        check(pvm_precv(from, DATA, data, bytes, PVM_BYTE, NULL, NULL, NULL));
        return;
    }
    check(pvm_recv(from, DATA));
    check(pvm_upkbyte(data, bytes, 1));
}

/* A word of two numbers. */
static void say(int to, int64_t first, int64_t second)
{
    int64_t numbers[] = {first, second};
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte((char *)numbers, sizeof numbers, 1);
    check(pvm_send(to, WORD));
}

static void hear(int from, int64_t *first, int64_t *second)
{
    int64_t numbers[2];
    check(pvm_recv(from, WORD));
    check(pvm_upkbyte((char *)numbers, sizeof numbers, 1));
    *first = numbers[0];
    *second = numbers[1];
}

/* Of a stream the receiver tells when each half of a window has come, and the end. */
static int is_told(int message)
{
    return message % (window / 2) == 0 || message == messages;
}

struct outcome {
    int64_t nanoseconds, sleeps;
};

static struct outcome ask_batch(int child)
{
    int64_t begin = batch_now(), slept = batch_sleeps();
    for (int i = 0; i < messages; i++) {
        send_data(child);
        receive_data(child);
    }
    return (struct outcome){(batch_now() - begin) / 2, batch_sleeps() - slept};
}

static struct outcome stream_batch(int child)
{
    int64_t begin = batch_now(), slept = batch_sleeps(), ignored;
    int untold = 0; /* halves on the way */
    for (int i = 1; i <= messages; i++) {
        send_data(child);
        untold += is_told(i);
        if (untold == 2 || i == messages)
            for (; untold > (i < messages); untold--)
                hear(child, &ignored, &ignored);
    }
    return (struct outcome){batch_now() - begin, batch_sleeps() - slept};
}

static struct outcome wake_batch(int child)
{
    int64_t nanoseconds = 0, sleeps = 0;
    for (int i = 0; i < messages; i++) {
        int64_t moment, its_sleeps;
        usleep((useconds_t)pause_us);
        int64_t sent = batch_now();
        send_data(child);
        hear(child, &moment, &its_sleeps);
        nanoseconds += moment - sent;
        sleeps += its_sleeps;
    }
    return (struct outcome){nanoseconds, sleeps};
}

static struct outcome ahead_batch(int child)
{
    int64_t process, ignored;
    hear(child, &process, &ignored);
    kill((pid_t)process, SIGSTOP);
    int64_t begin = batch_now(), slept = batch_sleeps();
    for (int i = 0; i < messages; i++)
        send_data(child);
    struct outcome outcome = {batch_now() - begin, batch_sleeps() - slept};
    kill((pid_t)process, SIGCONT);
    hear(child, &ignored, &ignored);
    return outcome;
}

static struct outcome (*const sides[])(int child) = {ask_batch, stream_batch, wake_batch,
                                                     ahead_batch};

static void answer_batch(int parent)
{
    if (work == AHEAD)
        say(parent, getpid(), 0);
    for (int i = 1; i <= messages; i++) {
        /* A system call, for which the other works are not to pay. */
        long slept = work == WAKE ? batch_sleeps() : 0;
        receive_data(parent);
        if (work == ASK)
            send_data(parent);
        else if (work == WAKE)
            say(parent, batch_now(), batch_sleeps() - slept);
        else if (work == STREAM ? is_told(i) : i == messages)
            say(parent, 0, 0);
    }
}

/* What one HOW says; false when it says nothing. */
static int understand(const char *how)
{
    if (strcmp(how, "direct") == 0)
        route = PvmRouteDirect;
    else if (strcmp(how, "in_place") == 0)
        encoding = PvmDataInPlace;
    else if (strcmp(how, "psend") == 0)
        whole = 1;
    else
        return sscanf(how, "window=%d", &window) == 1 || sscanf(how, "pause=%d", &pause_us) == 1 ||
               sscanf(how, "cores=%d,%d", &cores[0], &cores[1]) == 2;
    return 1;
}

static int understand_all(int argc, char **argv)
{
    if (argc < 5)
        return 0;
    for (work = ASK; work <= AHEAD && strcmp(argv[1], works[work]) != 0; work++)
        continue;
    bytes = atoi(argv[2]);
    messages = atoi(argv[3]);
    batches = atoi(argv[4]);
    for (int i = 5; i < argc; i++)
        if (!understand(argv[i]))
            return 0;
    return work <= AHEAD && bytes >= 0 && bytes <= MOST_BYTES && window > 1;
}

int main(int argc, char **argv)
{
    static char path[4096];
    int child;
    if (!understand_all(argc, argv) || pvm_mytid() < 0)
        return 2;
    pvm_setopt(PvmRoute, route);
    int parent = pvm_parent();
    if (parent < 0 && (readlink("/proc/self/exe", path, sizeof path - 1) < 0 ||
                       pvm_spawn(path, argv + 1, PvmTaskDefault, "", 1, &child) != 1))
        return 1;
    batch_pin(cores[parent > 0]);
    memset(data, 1, (size_t)bytes);
    for (int batch = 0; batch <= batches; batch++) {
        if (parent > 0) {
            answer_batch(parent);
            continue;
        }
        struct outcome outcome = sides[work](child);
        if (batch > 0)
            batch_tell(outcome.nanoseconds, (long)outcome.sleeps, messages);
    }
    pvm_exit();
    return 0;
}
