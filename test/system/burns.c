/*
 * burns.c - user-level processes that compute.
 *
 * usage: burns COUNT     so many; prints ready, and ends with them after a line of input
 * It is the child, too.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"

enum { END = 1, MOST = 100 };

static int compute(int parent)
{
    while (pvm_nrecv(parent, END) == 0)
        continue;
    return pvm_exit();
}

int main(int argc, char **argv)
{
    int tids[MOST], count = argc > 1 ? atoi(argv[1]) : 0;
    if (pvm_parent() > 0)
        return compute(pvm_parent());
    expect("pvm_spawn", pvm_spawn("burns", NULL, PvmTaskUlp, NULL, count, tids), count);
    printf("ready\n");
    fflush(stdout);
    getchar();
    pvm_initsend(PvmDataDefault);
    expect("pvm_mcast", pvm_mcast(tids, count, END), 0);
    return pvm_exit();
}
