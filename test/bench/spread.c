/*
 * spread.c - a task that sends to one on each of several hosts, for trees.py.
 *
 * usage: spread answer                    prints its tid; says of each message that it has come
 *        spread mcast BYTES TIMES TID...  prints nanoseconds until all have said so, "@ NS" each
 *        spread send BYTES TIMES TID...   does it by pvm_send to one after the other
 *        spread end TID...                those that answer end
 */
#define _GNU_SOURCE
#include <pvm3.h>

#include "batch.h"

enum { MOST = 64, BYTES_MOST = 16 << 20, DATA = 1, WORD, END };

static char data[BYTES_MOST];

static void check(int result)
{
    if (result >= 0)
        return;
    pvm_perror("spread");
    exit(1);
}

static void answer(void)
{
    printf("%x\n", pvm_mytid());
    fflush(stdout);
    for (;;) {
        int bytes, tag, source, id = pvm_recv(-1, -1);
        check(id);
        pvm_bufinfo(id, &bytes, &tag, &source);
        if (tag == END)
            return;
        check(pvm_upkbyte(data, bytes, 1));
        check(pvm_initsend(PvmDataRaw));
        check(pvm_send(source, WORD));
    }
}

static void send_to_each(int *tids, int count, int tag)
{
    for (int i = 0; i < count; i++)
        check(pvm_send(tids[i], tag));
}

static void spread(int *tids, int count, int bytes, int by_mcast)
{
    int64_t begin = batch_now();
    check(pvm_initsend(PvmDataRaw));
    check(pvm_pkbyte(data, bytes, 1));
    if (by_mcast)
        check(pvm_mcast(tids, count, DATA));
    else
        send_to_each(tids, count, DATA);
    for (int i = 0; i < count; i++)
        check(pvm_recv(-1, WORD));
    printf("@ %lld\n", (long long)(batch_now() - begin));
}

static int read_tids(char **words, int count, int *tids)
{
    if (count > MOST)
        exit(2);
    for (int i = 0; i < count; i++)
        tids[i] = (int)strtol(words[i], NULL, 16);
    return count;
}

int main(int argc, char **argv)
{
    int tids[MOST];
    if (argc < 2 || pvm_mytid() < 0)
        return 2;
    if (strcmp(argv[1], "answer") == 0) {
        answer();
    } else if (strcmp(argv[1], "end") == 0) {
        int count = read_tids(argv + 2, argc - 2, tids);
        check(pvm_initsend(PvmDataRaw));
        send_to_each(tids, count, END);
    } else if (argc > 4 && atoi(argv[2]) <= BYTES_MOST) {
        int count = read_tids(argv + 4, argc - 4, tids);
        for (int i = 0; i < atoi(argv[3]); i++)
            spread(tids, count, atoi(argv[2]), strcmp(argv[1], "mcast") == 0);
    }
    check(pvm_exit());
    return 0;
}
