/*
 * saved.c - user-level processes that are put away in a file and come back: siblings in a ring, each
 * of which sends to the two behind it, so that messages are always underway.
 *
 * usage: saved FOLDER [HOW]
 * The ring goes round until there is a file FOLDER/stop. Then each adds a line to FOLDER/TID in hexadecimal. HOW is
 *        watches    all others watch the second, which ends when there is a file FOLDER/leave; then all are done
 *        owns       the second has an entry in the mailbox, for which all look in the end
 *        joins      all are in a group, and meet at its barrier in the end
 *        opens      the second has a pipe open
 *        alone      each talks to itself, so that it does not matter which others are there, with megabytes
 *        grows      each has so many megabytes more as its place in the ring
 */
#include <fcntl.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "numbers.h"

enum { DATA = 1, OVER, MOST = 64, AHEAD = 8, LATER = 200, ITEMS = 4000, WAYS = 2 };

static int tids[MOST], count, place, last = -1;
static const char *folder;

static int there_is(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void note(const char *text, int number)
{
    char path[4096], line[64];
    snprintf(path, sizeof path, "%s/%x", folder, (unsigned)pvm_mytid());
    int length = snprintf(line, sizeof line, "%s %d\n", text, number);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length)
        fail("%s cannot be written", path);
    close(file);
}

static int items_of(int round)
{
    return round % 7 == 0 ? ITEMS : round % 50;
}

/* Each round has messages of a size and contents of their own. */
static void send_round(int round)
{
    static int items[ITEMS];
    int size = items_of(round);
    for (int i = 0; i < size; i++)
        items[i] = round * 1000 + place + i;
    for (int way = 1; way <= WAYS; way++) {
        pvm_initsend(round % 2 ? PvmDataDefault : PvmDataRaw);
        pvm_pkint(&round, 1, 1);
        pvm_pkint(&last, 1, 1);
        pvm_pkint(items, size, 1);
        expect("sent", pvm_send(tids[(place + way) % count], DATA), 0);
    }
}

static void take_round(int round, int from)
{
    static int items[ITEMS];
    int said, size = items_of(round), known;
    if (pvm_recv(tids[from], DATA) <= 0)
        fail("nothing came");
    pvm_upkint(&said, 1, 1);
    expect("round", said, round);
    pvm_upkint(&known, 1, 1);
    last = known > last ? known : last;
    pvm_upkint(items, size, 1);
    for (int i = 0; i < size; i++)
        expect("item", items[i], round * 1000 + from + i);
}

static int go_round(void)
{
    int round = 0;
    for (int ahead = 0; ahead < AHEAD; ahead++)
        send_round(ahead);
    for (; last < 0 || round <= last; round++) {
        for (int way = 1; way <= WAYS; way++)
            take_round(round, (place - way + count) % count);
        if (place == 0 && last < 0 && there_is("stop"))
            last = round + LATER;
        if (last < 0 || round + AHEAD <= last)
            send_round(round + AHEAD);
    }
    expect("left", pvm_probe(-1, -1), 0);
    return round;
}

static void watch(void)
{
    int who;
    if (place != 1) {
        pvm_notify(PvmTaskExit, OVER, 1, &tids[1]);
        pvm_recv(-1, OVER);
        pvm_upkint(&who, 1, 1);
        expect("who", who, tids[1]);
    }
    while (place == 1 && !there_is("leave"))
        usleep(10000);
    note("done", 0);
}

static char name[] = "saved";

static void own(void)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(tids, count, 1);
    expect("entry", pvm_putinfo(name, pvm_getsbuf(), PvmMboxDefault), 0);
}

static void look_up(void)
{
    int list[MOST];
    expect("found", pvm_recvinfo(name, 0, PvmMboxDefault) > 0, 1);
    pvm_upkint(list, count, 1);
    expect("the same", memcmp(list, tids, (size_t)count * sizeof *list), 0);
}

static void meet(int instance)
{
    expect("instance", pvm_getinst(name, pvm_mytid()), instance);
    expect("tid", pvm_gettid(name, instance), pvm_mytid());
    expect("barrier", pvm_barrier(name, count), 0);
    expect("left", pvm_lvgroup(name), 0);
}

static void hinder(void)
{
    int ends[2];
    if (pipe(ends) < 0)
        fail("no pipe");
}

static char *grow(void)
{
    size_t size = (size_t)(place + 1) << 20;
    char *bytes = malloc(size);
    memset(bytes, place + 1, size);
    return bytes;
}

static void check_growth(const char *bytes)
{
    for (size_t i = 0; i < (size_t)(place + 1) << 20; i++)
        expect("byte", bytes[i], place + 1);
}

/* Messages to itself go by the pvmd or not, and are in order. */
static int talk_alone(void)
{
    int round = 0;
    for (int ahead = 0; ahead < AHEAD; ahead++)
        send_number(pvm_mytid(), DATA, ahead);
    for (; !there_is("stop"); round++) {
        expect("own", receive_number(-1, DATA), round);
        send_number(pvm_mytid(), DATA, round + AHEAD);
    }
    return round > 0;
}

static void find_place(void)
{
    int *list;
    count = pvm_siblings(&list);
    expect("siblings", count > WAYS && count <= MOST, 1);
    memcpy(tids, list, (size_t)count * sizeof *tids);
    while (tids[place] != pvm_mytid())
        place++;
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    pvm_setopt(PvmAutoErr, 1);
    folder = argv[1];
    find_place();
    if (strcmp(how, "watches") == 0) {
        watch();
        return 0;
    }
    bool owns = strcmp(how, "owns") == 0, joins = strcmp(how, "joins") == 0;
    int instance = joins ? pvm_joingroup(name) : 0;
    if (owns && place == 1)
        own();
    if (strcmp(how, "opens") == 0 && place == 1)
        hinder();
    bool alone = strcmp(how, "alone") == 0;
    char *bytes = alone || strcmp(how, "grows") == 0 ? grow() : NULL;
    int rounds = alone ? talk_alone() : go_round();
    if (bytes)
        check_growth(bytes);
    if (owns)
        look_up();
    if (joins)
        meet(instance);
    printf("went round %d\n", rounds);
    note("done", rounds);
    while (owns && place == 1 && there_is("stop"))
        usleep(10000);
    return 0;
}
