/* What does the machine give to two processes of a host that use no library?
 *
 * usage: bare flag|read|epoll FIRST SECOND MESSAGES BATCHES PAUSE
 *        bare ask|stream|fetch FIRST SECOND MESSAGES BATCHES BYTES CHUNK SLOTS
 *
 * FIRST and SECOND are the processors that the two run on, perhaps one and the same.
 *
 * flag     each waits, awake, until the other has changed a word of 8 bytes in shared memory
 * read     each sleeps in read until the other has written to its eventfd
 * epoll    each sleeps in epoll_wait on its eventfd alone, and reads that then
 *          With a PAUSE, in microseconds, the first one waits so long before each message, and the
 *          second one takes the time by the clock that both have. Else it is half of both ways.
 * ask      a message is copied from the memory of one to SLOTS places for CHUNK bytes each, which
 *          both share, and from there to the memory of the other, which begins as soon as a
 *          place is filled and answers likewise
 * stream   the same without answers
 * fetch    the second one copies each message at once from the memory of the first one, which waits
 *
 * Prints a line for each batch, with the time of a message one way and how often one side slept:
 *     @batch ns=TIME sleeps=NUMBER
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"
#include "pipes.h"

enum { LINE = 64, WARM_UP = 2 };

/* What both see, each word alone in its line; of each pair one is for each direction. */
static struct common {
    struct {
        _Alignas(LINE) _Atomic int64_t value;
    } flag[2], filled[2], emptied[2], moment;
} * common;

static int first, second, messages, batches;

static void *mapped(size_t size, int flags)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory");
    return memset(memory, 0, size);
}

static void store(_Atomic int64_t *word, int64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

static int64_t load(_Atomic int64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

/* ---- the word of one side changes ---- */

static int bells[2], epolls[2], pause_us;

static void set_flag(int side, int64_t value)
{
    store(&common->flag[side].value, value);
}

static void await_flag(int side, int64_t value)
{
    while (load(&common->flag[side].value) != value)
        continue;
}

static void ring(int side, int64_t value)
{
    const uint64_t one = 1;
    (void)value;
    if (write(bells[side], &one, sizeof one) != sizeof one)
        fail("cannot write");
}

static void sleep_in_read(int side, int64_t value)
{
    uint64_t rings;
    (void)value;
    if (read(bells[side], &rings, sizeof rings) != sizeof rings)
        fail("cannot read");
}

static void sleep_in_epoll(int side, int64_t value)
{
    struct epoll_event event;
    if (epoll_wait(epolls[side], &event, 1, -1) != 1)
        fail("cannot wait");
    sleep_in_read(side, value);
}

static const struct way {
    const char *name;
    void (*give)(int side, int64_t value);
    void (*take)(int side, int64_t value);
} ways[] = {
    {"flag", set_flag, await_flag}, {"read", ring, sleep_in_read}, {"epoll", ring, sleep_in_epoll}};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct way *way;

static void make_bells(void)
{
    for (int side = 0; side < 2; side++) {
        struct epoll_event event = {.events = EPOLLIN};
        bells[side] = eventfd(0, EFD_CLOEXEC);
        epolls[side] = epoll_create1(EPOLL_CLOEXEC);
        if (bells[side] < 0 || epolls[side] < 0 ||
            epoll_ctl(epolls[side], EPOLL_CTL_ADD, bells[side], &event) < 0)
            fail("no eventfd");
    }
}

static void answer_words(void)
{
    for (int64_t i = 1; i <= (int64_t)(WARM_UP + batches) * messages; i++) {
        way->take(1, i);
        if (pause_us)
            store(&common->moment.value, batch_now() - load(&common->moment.value));
        way->give(0, i);
    }
}

/* The nanoseconds of a batch, one way. */
static int64_t ask_words(int batch)
{
    const int64_t before = (int64_t)batch * messages, begin = batch_now();
    for (int64_t i = before + 1; i <= before + messages; i++) {
        way->give(1, i);
        way->take(0, i);
    }
    return (batch_now() - begin) / 2;
}

static int64_t ask_rarely(int batch)
{
    int64_t total = 0;
    const int64_t before = (int64_t)batch * messages;
    for (int64_t i = before + 1; i <= before + messages; i++) {
        usleep((useconds_t)pause_us);
        store(&common->moment.value, batch_now());
        way->give(1, i);
        way->take(0, i);
        total += load(&common->moment.value);
    }
    return total;
}

/* ---- bytes are copied ---- */

static int64_t bytes, chunk, slots, filled[2], emptied[2]; /* these for the own process */
static char *own, *places[2];
static int answered;

static void make_places(void)
{
    for (int way_there = 0; way_there < 2; way_there++)
        places[way_there] = mapped((size_t)(slots * chunk), MAP_SHARED);
    own = mapped((size_t)bytes, MAP_PRIVATE);
}

static size_t part(int64_t at)
{
    return (size_t)(bytes - at < chunk ? bytes - at : chunk);
}

static void give_bytes(int direction)
{
    int64_t *number = &filled[direction];
    for (int64_t at = 0; at < bytes; at += chunk) {
        while (*number - load(&common->emptied[direction].value) >= slots)
            continue;
        memcpy(places[direction] + *number % slots * chunk, own + at, part(at));
        store(&common->filled[direction].value, ++*number);
    }
}

static void take_bytes(int direction)
{
    int64_t *number = &emptied[direction];
    for (int64_t at = 0; at < bytes; at += chunk) {
        while (load(&common->filled[direction].value) == *number)
            continue;
        memcpy(own + at, places[direction] + *number % slots * chunk, part(at));
        store(&common->emptied[direction].value, ++*number);
    }
}

static void answer_bytes(void)
{
    for (int i = 0; i < (WARM_UP + batches) * messages; i++) {
        take_bytes(0);
        if (answered)
            give_bytes(1);
    }
}

static int64_t send_bytes(int batch)
{
    (void)batch;
    const int64_t begin = batch_now();
    for (int i = 0; i < messages; i++) {
        give_bytes(0);
        if (answered)
            take_bytes(1);
    }
    while (load(&common->emptied[0].value) != filled[0])
        continue;
    return (batch_now() - begin) / (answered ? 2 : 1);
}

static void fetch_bytes(void)
{
    const pid_t source = getppid();
    const struct iovec memory = {own, (size_t)bytes};
    for (int64_t i = 1; i <= (int64_t)(WARM_UP + batches) * messages; i++) {
        await_flag(1, i);
        if (process_vm_readv(source, &memory, 1, &memory, 1, 0) != bytes)
            fail("cannot read the memory of the other");
        set_flag(0, i);
    }
}

static int64_t let_fetch(int batch)
{
    return 2 * ask_words(batch);
}

/* ---- two processes ---- */

static void run(int64_t (*send)(int batch), void (*answer)(void))
{
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    batch_pin(child ? first : second);
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        answer();
        return;
    }
    for (int batch = 0; batch < WARM_UP + batches; batch++) {
        long slept = batch_sleeps();
        int64_t taken = send(batch);
        if (batch >= WARM_UP)
            batch_tell(taken, batch_sleeps() - slept, messages);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("the second process failed");
}

int main(int argc, char **argv)
{
    if (argc != 7 && argc != 9)
        fail("it is said in its source how it is called");
    first = atoi(argv[2]);
    second = atoi(argv[3]);
    messages = atoi(argv[4]);
    batches = atoi(argv[5]);
    common = mapped(sizeof *common, MAP_SHARED);
    if (argc == 9) {
        answered = strcmp(argv[1], "ask") == 0;
        bytes = atoll(argv[6]);
        chunk = atoll(argv[7]);
        slots = atoll(argv[8]);
        make_places();
        way = &ways[0];
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* some systems refuse a child without */
        if (strcmp(argv[1], "fetch") == 0)
            run(let_fetch, fetch_bytes);
        else
            run(send_bytes, answer_bytes);
        return 0;
    }
    for (int i = 0; i < WAYS; i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            way = &ways[i];
    if (!way)
        fail("no such way");
    pause_us = atoi(argv[6]);
    make_bells();
    run(pause_us ? ask_rarely : ask_words, answer_words);
    return 0;
}
