/* Threads that receive by a matcher (pvm_recvf), each what is its own, beside one that changes the
 * matcher.
 *
 * matchers ROUNDS: every receiver must get all its messages, those of one tag in the order sent.
 */
#include <pthread.h>
#include <pvm3.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECEIVERS = 3, END_TAG = 100, RANKED_TAG = 1000 };

static int me, rounds;

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
}

/* Takes a message of the tag asked for; when that is RANKED_TAG, the one with the highest number of
 * those that are there: its tag tells the number. */
static int judge(int buffer, int tid, int tag)
{
    struct pvmminfo info;

    (void)tid;
    /* Another thread may take and free the message at any moment. */
    if (pvm_getminfo(buffer, &info) < 0)
        return 0;
    if (tag == RANKED_TAG && info.tag >= RANKED_TAG)
        return 2 + info.tag - RANKED_TAG;
    return info.tag == tag;
}

static int always_by_tag(int buffer, int tid, int tag)
{
    int message_tag;

    (void)tid;
    if (pvm_bufinfo(buffer, NULL, &message_tag, NULL) < 0)
        return 0;
    return message_tag == tag || (tag == RANKED_TAG && message_tag >= RANKED_TAG);
}

static void *receive(void *argument)
{
    int tag = (int)(long)argument, number;

    for (int i = 0; i < rounds; i++) {
        struct timeval hour = {3600, 0};
        int buffer = i % 3 == 0 ? pvm_trecv(-1, tag, &hour) : pvm_recv(-1, tag);

        expect(buffer > 0, "a message comes");
        expect(pvm_upkint(&number, 1, 1) == 0, "it can be unpacked");
        expect(number == i, "messages of one tag come in order");
    }
    return NULL;
}

/* Every number once, in whatever order. */
static void *receive_ranked(void *argument)
{
    char *got = calloc((size_t)rounds, 1);
    int number;

    (void)argument;
    for (int i = 0; i < rounds; i++) {
        while (pvm_probe(-1, RANKED_TAG) == 0 && i % 2)
            sched_yield();
        if (pvm_nrecv(-1, RANKED_TAG) <= 0)
            expect(pvm_recv(-1, RANKED_TAG) > 0, "a ranked message comes");
        expect(pvm_upkint(&number, 1, 1) == 0, "it can be unpacked");
        expect(number >= 0 && number < rounds && !got[number], "each comes once");
        got[number] = 1;
    }
    free(got);
    return NULL;
}

static void *change(void *argument)
{
    (void)argument;
    while (pvm_nrecv(-1, END_TAG) == 0) {
        pvm_recvf(always_by_tag);
        pvm_recvf(judge);
        sched_yield();
    }
    return NULL;
}

static void give(int tag, int number)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    expect(pvm_send(me, tag) == 0, "a message is sent");
}

int main(int argc, char **argv)
{
    pthread_t threads[RECEIVERS], ranked, changer;

    rounds = argc > 1 ? atoi(argv[1]) : 100;
    me = pvm_mytid();
    expect(me > 0, "the task enrols");
    pvm_setopt(PvmAutoErr, 0);
    pvm_recvf(judge);
    for (long i = 0; i < RECEIVERS; i++)
        pthread_create(&threads[i], NULL, receive, (void *)(i + 1));
    pthread_create(&ranked, NULL, receive_ranked, NULL);
    pthread_create(&changer, NULL, change, NULL);
    for (int i = 0; i < rounds; i++) {
        for (int tag = 1; tag <= RECEIVERS; tag++)
            give(tag, i);
        give(RANKED_TAG + i, i);
    }
    for (int i = 0; i < RECEIVERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(ranked, NULL);
    give(END_TAG, 0);
    pthread_join(changer, NULL);
    pvm_recvf(NULL);
    expect(pvm_nrecv(-1, -1) == 0, "nothing is left");
    pvm_exit();
    return 0;
}
