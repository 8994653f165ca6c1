/*
 * One array is shared with tasks of this process and of others.
 *
 * shares ENCODING WAY    WAY is `send` or `mcast`
 *
 * Half of the tasks are threads, and half are processes; of each half, one does not know
 * pvm_shared. All send the array on as they got it, as a ring, until it is back. Prints "ok".
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

enum { TASKS = 4, LENGTH = 100003, ARRAY = 1, SEEN, RING };
enum { BEFORE = 7, BEHIND = 9 };

static unsigned char *array;
static int releases;

static void release(void *memory)
{
    expect("what is released", memory == array, 1);
    releases++;
    memset(memory, 0, LENGTH);
    free(memory);
}

static unsigned char value_of(int place)
{
    return (unsigned char)(place * 7 + place / 256);
}

static void check(const unsigned char *bytes, size_t size)
{
    expect("a size", size == LENGTH, 1);
    for (int i = 0; i < LENGTH; i++)
        expect("a byte", bytes[i], value_of(i));
}

static void expect_int(int expected)
{
    int value;
    expect("pvm_upkint", pvm_upkint(&value, 1, 1), 0);
    expect("an int", value, expected);
}

/* Where the array lies, as far as it is known. */
static uintptr_t unpack(int knows)
{
    const void *found = NULL;
    size_t size;
    expect_int(BEFORE);
    if (knows) {
        expect("pvm_shared", pvm_shared(&found, &size), 0);
        check(found, size);
    } else {
        unsigned char *copy = malloc(LENGTH);
        expect_int(LENGTH);
        expect("pvm_upkbyte", pvm_upkbyte((char *)copy, LENGTH, 1), 0);
        check(copy, LENGTH);
        free(copy);
    }
    expect_int(BEHIND);
    return (uintptr_t)found;
}

/* Sends on what came, and tells the first task where the array was. */
int look(int count, char **words)
{
    int next, parent = pvm_parent(), knows = count > 1 && strcmp(words[1], "knows") == 0;
    pvm_recv(parent, RING);
    pvm_upkint(&next, 1, 1);
    pvm_recv(parent, ARRAY);
    unsigned long where = unpack(knows);
    pvm_initsend(PvmDataRaw);
    pvm_pkulong(&where, 1, 1);
    pvm_send(parent, SEEN);
    pvm_recv(-1, RING);
    unpack(knows);
    int before = pvm_setsbuf(pvm_getrbuf());
    expect("pvm_send", pvm_send(next, RING), 0);
    pvm_setsbuf(before);
    return 0;
}

static void pack(int encoding)
{
    static int before = BEFORE, behind = BEHIND;
    pvm_initsend(encoding);
    pvm_pkint(&before, 1, 1);
    expect("pvm_share", pvm_share(array, LENGTH, release), 0);
    pvm_pkint(&behind, 1, 1);
}

static void spawn(int *tids)
{
    for (int i = 0; i < TASKS; i++) {
        char *words[] = {i % 2 ? "knows" : "knows not", NULL};
        int threads = i < TASKS / 2;
        expect("a task",
               pvm_spawn(threads ? "look" : "shares", words, threads ? PvmTaskThread : 0, NULL, 1,
                         &tids[i]),
               1);
    }
    for (int i = 0; i < TASKS; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&tids[(i + 1) % TASKS], 1, 1);
        if (i == TASKS - 1) {
            int me = pvm_mytid();
            pvm_initsend(PvmDataDefault);
            pvm_pkint(&me, 1, 1);
        }
        pvm_send(tids[i], RING);
    }
}

static void share(int encoding, int all_at_once)
{
    int tids[TASKS];
    spawn(tids);
    array = malloc(LENGTH);
    for (int i = 0; i < LENGTH; i++)
        array[i] = value_of(i);
    pack(encoding);
    if (all_at_once)
        expect("pvm_mcast", pvm_mcast(tids, TASKS, ARRAY), 0);
    for (int i = 0; i < TASKS && !all_at_once; i++)
        expect("pvm_send", pvm_send(tids[i], ARRAY), 0);
    expect("a ring", pvm_send(tids[0], RING), 0);
    for (int i = 0; i < TASKS; i++) {
        unsigned long where;
        pvm_recv(tids[i], SEEN);
        pvm_upkulong(&where, 1, 1);
        if (i == 1)
            expect("the array itself", where == (uintptr_t)array, 1);
    }
    expect("releases", releases, 0);
    pvm_recv(tids[TASKS - 1], RING);
    unpack(1);
    pvm_initsend(PvmDataDefault);
    pvm_freebuf(pvm_getrbuf());
}

int main(int argc, char **argv)
{
    if (pvm_parent() > 0) {
        look(argc, argv);
        return pvm_exit();
    }
    if (argc != 3)
        return 2;
    share(atoi(argv[1]), strcmp(argv[2], "mcast") == 0);
    while (pvm_exit(), releases == 0) /* until the last thread has ended */
        usleep(1000);
    expect("releases", releases, 1);
    puts("ok");
    return 0;
}
