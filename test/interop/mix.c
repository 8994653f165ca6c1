/* Tasks send each other numbered messages in every way, change routes all the time, and check the
 * order.
 *
 * usage: mix SEED MESSAGES        prints "tid HEX"; then a line with the tids of all tasks,
 *                                 hexadecimal, is read from standard input; those behind a "!" do
 *                                 not promise the order
 * Each task sends MESSAGES messages: by pvm_send, pvm_psend or pvm_mcast to some or all of the
 * others, in any encoding, of any size, and sets its option PvmRoute to another value now and then.
 * In between it takes what has come. A message is a run of one number, the next of its sender. At
 * the end each tells each how many messages it has sent to it. Prints "received N"; what is wrong
 * goes to standard output too, and the exit status is 1.
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { MOST_TASKS = 8, MOST_ITEMS = 60000, DATA = 1, TOTAL = 2 };

/* What is known of another task. */
static struct peer {
    int tid;
    int keeps_order;
    int sent;     /* messages to it */
    int received; /* messages from it */
    int last;     /* number of the last one */
    int total;    /* how many there will have been, -1 until it tells */
} peers[MOST_TASKS];

static int peer_count;
static int items[MOST_ITEMS];
static uint64_t state;

static int chosen(int count)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 16) % (uint64_t)count);
}

static void check(int result, const char *what)
{
    if (result < 0)
        fail("%s gives %d", what, result);
}

/* ---- receiving ---- */

static struct peer *peer_with(int tid)
{
    for (int i = 0; i < peer_count; i++)
        if (peers[i].tid == tid)
            return &peers[i];
    fail("a message of %x, who is none of us", (unsigned)tid);
    return NULL;
}

/* All items are the number, which is larger than the last one of its sender. */
static void take_data(struct peer *peer, int bytes)
{
    int count = bytes / (int)sizeof(int);
    check(pvm_upkint(items, count, 1), "unpacking");
    for (int i = 1; i < count; i++)
        if (items[i] != items[0])
            fail("message %d of %x has a wrong item %d", items[0], (unsigned)peer->tid, i);
    if (peer->keeps_order && items[0] <= peer->last)
        fail("message %d of %x came behind %d", items[0], (unsigned)peer->tid, peer->last);
    peer->last = items[0];
    peer->received++;
}

static void take(int buffer)
{
    int bytes, tag, tid;
    check(pvm_bufinfo(buffer, &bytes, &tag, &tid), "pvm_bufinfo");
    struct peer *peer = peer_with(tid);
    if (tag == TOTAL) {
        check(pvm_upkint(&peer->total, 1, 1), "unpacking");
        if (peer->keeps_order && peer->received != peer->total)
            fail("%d of %d messages of %x came", peer->received, peer->total, (unsigned)tid);
    } else {
        take_data(peer, bytes);
    }
}

static void receive_there(void)
{
    int buffer;
    while ((buffer = pvm_nrecv(-1, -1)) > 0)
        take(buffer);
    check(buffer, "pvm_nrecv");
}

static int all_came(void)
{
    for (int i = 0; i < peer_count; i++)
        if (peers[i].received != peers[i].total)
            return 0;
    return 1;
}

static void receive_all(void)
{
    while (!all_came()) {
        int buffer = pvm_recv(-1, -1);
        check(buffer, "pvm_recv");
        take(buffer);
    }
}

/* ---- sending ---- */

static int size_chosen(void)
{
    static const int limits[] = {2, 20, 1100, 3000, MOST_ITEMS};
    return 1 + chosen(limits[chosen(chosen(4) == 0 ? 5 : 4)] - 1);
}

static void fill(int number, int count)
{
    for (int i = 0; i < count; i++)
        items[i] = number;
}

static void multicast(void)
{
    int to[MOST_TASKS], count = 0;
    for (int i = 0; i < peer_count; i++) {
        if (count == 0 || chosen(2)) {
            peers[i].sent++;
            to[count++] = peers[i].tid;
        }
    }
    check(pvm_mcast(to, count, DATA), "pvm_mcast");
}

static void send_one(int number)
{
    static const int encodings[] = {PvmDataDefault, PvmDataRaw, PvmDataInPlace};
    int count = size_chosen(), way = chosen(4);
    struct peer *peer = &peers[chosen(peer_count)];
    fill(number, count);
    if (way == 0) {
        check(pvm_psend(peer->tid, DATA, items, count, PVM_INT), "pvm_psend");
        peer->sent++;
        return;
    }
    pvm_initsend(encodings[chosen(3)]);
    check(pvm_pkint(items, count, 1), "packing");
    if (way == 1) {
        multicast();
    } else {
        check(pvm_send(peer->tid, DATA), "pvm_send");
        peer->sent++;
    }
}

static void send_totals(void)
{
    for (int i = 0; i < peer_count; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&peers[i].sent, 1, 1);
        check(pvm_send(peers[i].tid, TOTAL), "pvm_send");
    }
}

static void change_route(void)
{
    static const int routes[] = {PvmDontRoute, PvmAllowDirect, PvmRouteDirect};
    check(pvm_setopt(PvmRoute, routes[chosen(3)]), "pvm_setopt");
}

static void meet(void)
{
    char line[256], *text = line;
    unsigned tid;
    int used;
    printf("tid %x\n", (unsigned)pvm_mytid());
    if (!fgets(line, sizeof line, stdin))
        fail("no tids");
    for (; peer_count < MOST_TASKS; text += used) {
        int unsure = text[strspn(text, " ")] == '!';
        if (sscanf(text, unsure ? " !%x%n" : "%x%n", &tid, &used) != 1)
            break;
        if ((int)tid != pvm_mytid())
            peers[peer_count++] = (struct peer){(int)tid, !unsure, 0, 0, -1, -1};
    }
}

int main(int argc, char **argv)
{
    int received = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: mix SEED MESSAGES\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (pvm_mytid() < 0)
        return 2;
    pvm_setopt(PvmAutoErr, 0);
    state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    meet();
    for (int number = 0; number < atoi(argv[2]); number++) {
        if (chosen(8) == 0)
            change_route();
        send_one(number);
        if (chosen(4) == 0)
            receive_there();
    }
    send_totals();
    receive_all();
    for (int i = 0; i < peer_count; i++)
        received += peers[i].received;
    printf("received %d\n", received);
    pvm_exit();
    return 0;
}
