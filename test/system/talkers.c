/*
 * talkers.c - user-level processes that talk in pairs.
 *
 * usage: talkers PAIRS HOST HOST [busy]     so many, one of each pair on each of the hosts
 * They exchange messages all the time; "busy" ones never sleep. Prints ready, and ends with them after
 * a line of input. It is the child, too.
 */
#include <pvm3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum { PEER = 1, BALL, END, MOST = 100 };

/* Plays ball with its peer. */
static void play(bool busy)
{
    int peer = receive_number(pvm_parent(), PEER), tag = BALL;
    do {
        if (tag == BALL)
            send_number(peer, BALL, 0);
        while (busy && pvm_probe(-1, -1) == 0)
            continue;
        pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, NULL);
    } while (tag != END);
}

static int start_on(char *host, char **words)
{
    int tid;
    expect("pvm_spawn", pvm_spawn("talkers", words, PvmTaskUlp | PvmTaskHost, host, 1, &tid), 1);
    return tid;
}

int main(int argc, char **argv)
{
    int tids[MOST], pairs = argc > 3 ? atoi(argv[1]) : 0;
    if (pvm_parent() > 0) {
        play(argc > 1);
        return pvm_exit();
    }
    for (int i = 0; i < pairs; i++) {
        tids[2 * i] = start_on(argv[2], argv + 4);
        tids[2 * i + 1] = start_on(argv[3], argv + 4);
        send_number(tids[2 * i], PEER, tids[2 * i + 1]);
        send_number(tids[2 * i + 1], PEER, tids[2 * i]);
    }
    printf("ready\n");
    fflush(stdout);
    getchar();
    pvm_initsend(PvmDataDefault);
    expect("pvm_mcast", pvm_mcast(tids, 2 * pairs, END), 0);
    return pvm_exit();
}
