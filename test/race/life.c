/*
 * life.c - threads enrol, send, receive and leave the virtual machine while others do the same.
 *
 * Whatever the order, each call must return: a tid, a message, 0, or PvmSysErr when another thread
 * has just left.
 *
 * usage: life [rounds of each thread]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

enum { THREADS = 4, TAG = 7 };

static int rounds = 20;

static void expect(int result, const char *call)
{
    if (result >= 0 || result == PvmSysErr)
        return;
    fprintf(stderr, "life: %s gave %d\n", call, result);
    exit(EXIT_FAILURE);
}

static void *live(void *argument)
{
    int number = (int)(size_t)argument;
    for (int i = 0; i < rounds; i++) {
        struct timeval timeout = {0, 1000};
        int value = i;
        int tid = pvm_mytid();
        expect(tid, "pvm_mytid");
        expect(pvm_initsend(PvmDataDefault), "pvm_initsend");
        expect(pvm_pkint(&value, 1, 1), "pvm_pkint");
        if (tid > 0)
            expect(pvm_send(tid, TAG), "pvm_send");
        expect(pvm_probe(-1, TAG), "pvm_probe");
        int bufid = pvm_trecv(-1, TAG, &timeout);
        expect(bufid, "pvm_trecv");
        if (bufid > 0)
            expect(pvm_upkint(&value, 1, 1), "pvm_upkint");
        expect(pvm_config(NULL, NULL, NULL), "pvm_config");
        if ((i + number) % THREADS == 0)
            expect(pvm_exit(), "pvm_exit");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        rounds = atoi(argv[1]);
    pvm_setopt(PvmAutoErr, 0);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, live, (void *)(size_t)i) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    expect(pvm_exit(), "pvm_exit");
    printf("%d threads, %d rounds\n", THREADS, rounds);
    return EXIT_SUCCESS;
}
