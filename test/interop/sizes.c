/* Tasks send each other messages of every size, in every way, and check every byte and the order.
 *
 * usage: sizes ROUTE FRAGMENT LARGEST        prints "tid HEX"; then a line with the tids of all
 *                                            tasks, hexadecimal, is read from standard input
 * ROUTE is a value of PvmRoute, FRAGMENT one of PvmFragSize or 0, LARGEST the most bytes of a
 * message. The tasks talk one after the other, in the order of the line: each sends all sizes to
 * the others - around the ends of fragments, powers of two, from nothing to LARGEST - packed in
 * each encoding, by pvm_psend and by pvm_mcast. What is larger than 64 KB goes to one of the two
 * next in the line, by turns, or to both; of what is larger than a megabyte only the largest goes
 * by all ways. Prints "verified N", N the messages that it received; what is wrong goes to standard
 * output too, and the exit status is 1.
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { MOST_TASKS = 8, MOST_SIZES = 1024, LONG = 1 << 16, HUGE = 1 << 20 };
enum { SHIFTS = 4096, GROUP = 64, SLACK = 16, ACKNOWLEDGEMENT = 1 << 30 };
enum { OVERHEAD = 48, FRAGMENT = 4080 };

enum way { DEFAULT, RAW, IN_PLACE, PSEND, MCAST, WAYS };
static const char *const ways[] = {"default", "raw", "in place", "psend", "mcast"};

static int tids[MOST_TASKS], task_count, own; /* own: the place of this task in the line */
static int sizes[MOST_SIZES], size_count, largest;
static char *pattern, *memory;
static int verified;

/* ---- what is sent ---- */

static void add_size(int64_t size)
{
    if (size < 0 || size > largest)
        return;
    if (size_count == MOST_SIZES)
        fail("too many sizes");
    sizes[size_count++] = (int)size;
}

static void make_sizes(int payload)
{
    static const int around[] = {-33, -32, -31, -17, -16, -15, -9, -8, -7, -4, -3, -2, -1, 0,
                                 1,   2,   3,   4,   7,   8,   9,  15, 16, 17, 31, 32, 33};
    static const int fragments[] = {1, 2, 3, 5, 32, 33};
    for (int size = 0; size <= 33; size++)
        add_size(size);
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++)
        for (size_t j = 0; j < sizeof around / sizeof *around; j++)
            add_size((int64_t)fragments[i] * payload + around[j]);
    for (int64_t power = 64; power <= largest; power *= 2)
        for (int step = -1; step <= 1; step++)
            add_size(power + step);
}

/* The bytes of a message: each number has a place of its own in the pattern. */
static char *contents(int number)
{
    return pattern + (unsigned)number * 7919u % SHIFTS;
}

static void make_pattern(void)
{
    uint64_t state = 88172645463325252u;
    size_t size = (size_t)largest + SHIFTS;
    pattern = malloc(size);
    memory = malloc((size_t)largest + SLACK);
    if (!pattern || !memory)
        fail("no memory");
    for (size_t i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        pattern[i] = (char)(state >> 24);
    }
}

/* ---- who gets what ---- */

/* Of the others in the line behind `talker` those that get a message, by place; gives how many. */
static int receivers_of(int talker, int size, enum way way, int number, int *places)
{
    int count = 0;
    for (int step = 1; step < task_count; step++) {
        int by_turns = 1 + (number + talker / 2) % 2;
        if (size <= LONG || (way == MCAST && step <= 2) || step == by_turns)
            places[count++] = (talker + step) % task_count;
    }
    return count;
}

/* Huge ones are few: their bytes are what takes time. */
static int is_sent(int size, enum way way)
{
    return size <= HUGE || size == largest || (way == RAW && (size & (size - 1)) == 0);
}

static void check_sent(int result, int number, int size, enum way way)
{
    if (result < 0)
        fail("message %d, %d bytes, %s: sending gives %d", number, size, ways[way], result);
}

static void send_to(const int *places, int count, int number, int size, enum way way)
{
    static const int encodings[] = {PvmDataDefault, PvmDataRaw, PvmDataInPlace};
    int to[MOST_TASKS], result = 0;
    for (int i = 0; i < count; i++)
        to[i] = tids[places[i]];
    if (way != PSEND) {
        pvm_initsend(way == MCAST ? encodings[number % 3] : encodings[way]);
        result = pvm_pkbyte(contents(number), size, 1);
    }
    check_sent(result, number, size, way);
    if (way == MCAST)
        check_sent(pvm_mcast(to, count, number), number, size, way);
    for (int i = 0; way != MCAST && i < count; i++)
        check_sent(way == PSEND ? pvm_psend(to[i], number, contents(number), size, PVM_BYTE)
                                : pvm_send(to[i], number),
                   number, size, way);
}

/* ---- what is received ---- */

/* A body without padding may be taken as it lies. */
static int take(int from, int number, int size, enum way way)
{
    int bytes, tag, source, buffer;
    if ((way == PSEND || way == RAW) && number % 3 == 0) {
        int result = pvm_precv(from, number, memory, size, PVM_BYTE, &source, &tag, &bytes);
        return result < 0 || bytes != size || tag != number || source != from ? -1 : 0;
    }
    buffer = pvm_recv(from, -1);
    if (buffer < 0 || pvm_bufinfo(buffer, &bytes, &tag, &source) < 0)
        return buffer;
    if (tag != number || source != from)
        fail("message %d of %x came instead of %d", tag, (unsigned)from, number);
    if (pvm_upkbyte(memory, size, 1) < 0)
        return -2;
    return pvm_upkbyte(memory + size, 1 + SLACK / 2, 1) == PvmNoData ? 0 : -3;
}

static void receive_from(int talker, int number, int size, enum way way)
{
    memset(memory, 0, (size_t)size);
    int result = take(tids[talker], number, size, way);
    if (result < 0)
        fail("message %d of %x, %d bytes, %s: receiving gives %d", number, (unsigned)tids[talker],
             size, ways[way], result);
    if (memcmp(memory, contents(number), (size_t)size) != 0)
        fail("message %d of %x, %d bytes, %s: wrong contents", number, (unsigned)tids[talker], size,
             ways[way]);
    verified++;
}

/* ---- the conversation ---- */

static void acknowledge(int talker)
{
    if (own != talker) {
        pvm_initsend(PvmDataDefault);
        pvm_send(tids[talker], ACKNOWLEDGEMENT);
        return;
    }
    for (int place = 0; place < task_count; place++)
        if (place != own && pvm_recv(tids[place], ACKNOWLEDGEMENT) < 0)
            fail("no acknowledgement");
}

static void turn(int talker)
{
    int number = 0;
    for (int i = 0; i < size_count; i++) {
        for (enum way way = DEFAULT; way < WAYS; way++) {
            int places[MOST_TASKS];
            if (!is_sent(sizes[i], way))
                continue;
            int count = receivers_of(talker, sizes[i], way, ++number, places);
            if (own == talker)
                send_to(places, count, number, sizes[i], way);
            for (int j = 0; j < count; j++)
                if (places[j] == own)
                    receive_from(talker, number, sizes[i], way);
            if (number % GROUP == 0 || sizes[i] > LONG)
                acknowledge(talker);
        }
    }
    acknowledge(talker);
}

static void meet(void)
{
    char line[256], *text = line;
    unsigned tid;
    int used;
    printf("tid %x\n", (unsigned)pvm_mytid());
    if (!fgets(line, sizeof line, stdin))
        fail("no tids");
    for (; task_count < MOST_TASKS && sscanf(text, "%x%n", &tid, &used) == 1; text += used) {
        if ((int)tid == pvm_mytid())
            own = task_count;
        tids[task_count++] = (int)tid;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: sizes ROUTE FRAGMENT LARGEST\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (pvm_mytid() < 0)
        return 2;
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmRoute, atoi(argv[1]));
    int fragment = atoi(argv[2]);
    if (fragment > 0 && pvm_setopt(PvmFragSize, fragment) < 0)
        fail("cannot set the fragment size");
    largest = atoi(argv[3]);
    make_sizes((fragment > 0 ? fragment : FRAGMENT) - OVERHEAD);
    make_pattern();
    meet();
    for (int talker = 0; talker < task_count; talker++)
        turn(talker);
    printf("verified %d\n", verified);
    free(pattern);
    free(memory);
    pvm_exit();
    return 0;
}
