/*
 * Messages of every kind between tasks on all hosts, each of another length: a parent and its
 * children, by send, psend, mcast and broadcast, taken by every call that receives.
 */
#include <pvm3.h>

#include <stdio.h>
#include <stdlib.h>

#define CHILDREN 3
#define ROUNDS   10

enum { TAG_ORDER = 1, TAG_RAW, TAG_EVEN, TAG_ODD, TAG_RING, TAG_GROUP, TAG_HANDLED };

static int handled;

static void fail(const char *what, int result)
{
    printf("FAILED: %s %d\n", what, result);
    exit(1);
}

static void check(const char *what, int result)
{
    if (result < 0)
        fail(what, result);
}

/* A message whose length says which one it is. */
static void send_sized(int tid, int tag, int size)
{
    static char bytes[1000];
    check("initsend", pvm_initsend(PvmDataRaw));
    check("pack", pvm_pkbyte(bytes, size, 1));
    check("send", pvm_send(tid, tag));
}

static int on_message(int mid)
{
    (void)mid;
    return handled++;
}

static void receive_by(int round, int tid, int tag)
{
    struct timeval patience = {100, 0};
    int result = 0;
    if (round % 3 == 0)
        result = pvm_recv(tid, tag);
    else if (round % 3 == 1)
        result = pvm_trecv(tid, tag, &patience);
    else
        while (result == 0)
            result = pvm_nrecv(tid, tag);
    check("receive", result);
}

static void run_child(int parent)
{
    char bytes[500];
    int *tids, count, me = pvm_mytid();
    check("join", pvm_joingroup("flow"));
    check("barrier", pvm_barrier("flow", CHILDREN + 1));
    check("order", pvm_recv(parent, TAG_ORDER));
    count = pvm_siblings(&tids);
    int place = 0;
    while (tids[place] != me)
        place++;
    check("psend", pvm_psend(parent, TAG_RAW, bytes, 100 + place, PVM_BYTE));
    for (int round = 0; round < ROUNDS; round++)
        send_sized(parent, round % 2 ? TAG_ODD : TAG_EVEN, 20 * place + round + 1);
    for (int round = 0; round < ROUNDS; round++)
        send_sized(tids[(place + 1) % count], TAG_RING, 200 + 20 * place + round);
    for (int round = 0; round < ROUNDS; round++)
        receive_by(round, -1, TAG_RING);
    check("group", pvm_recv(-1, TAG_GROUP));
    send_sized(parent, TAG_HANDLED, 300 + place);
    check("leave", pvm_lvgroup("flow"));
}

static void run_parent(char *program)
{
    char bytes[500], *arguments[] = {NULL};
    int tids[CHILDREN];
    if (pvm_spawn(program, arguments, PvmTaskDefault, "", CHILDREN, tids) != CHILDREN)
        fail("spawn", tids[0]);
    check("handler", pvm_addmhf(-1, TAG_HANDLED, 0, on_message));
    check("join", pvm_joingroup("flow"));
    check("barrier", pvm_barrier("flow", CHILDREN + 1));
    check("initsend", pvm_initsend(PvmDataRaw));
    check("pack", pvm_pkbyte(bytes, 7, 1));
    check("mcast", pvm_mcast(tids, CHILDREN, TAG_ORDER));
    for (int i = 0; i < CHILDREN; i++)
        check("precv", pvm_precv(tids[i], TAG_RAW, bytes, 500, PVM_BYTE, NULL, NULL, NULL));
    /* Odd ones first: they overtake in the queue, not on the way. */
    for (int i = 0; i < CHILDREN * (ROUNDS / 2); i++)
        receive_by(i, -1, TAG_ODD);
    for (int i = 0; i < CHILDREN * (ROUNDS / 2); i++)
        receive_by(i, tids[i % CHILDREN], TAG_EVEN);
    check("initsend", pvm_initsend(PvmDataRaw));
    check("pack", pvm_pkbyte(bytes, 9, 1));
    check("bcast", pvm_bcast("flow", TAG_GROUP));
    while (handled < CHILDREN)
        check("probe", pvm_probe(-1, TAG_RING));
    check("leave", pvm_lvgroup("flow"));
    printf("all %d messages came\n", CHILDREN * (1 + 1 + ROUNDS + ROUNDS + 1 + 1));
}

int main(int count, char **word)
{
    int parent = pvm_parent();
    (void)count;
    if (parent > 0)
        run_child(parent);
    else
        run_parent(word[0]);
    pvm_exit();
    return 0;
}
