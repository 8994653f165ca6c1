/*
 * traced.c - threads that are traced call at once, while another changes the settings of tracing.
 *
 * Each thread sends messages to itself and tells user events that hold its number and a count; the
 * tracer must see every one, in order for each thread.
 *
 * usage: traced [threads] [rounds of each thread]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>
#include <pvmtev.h>

static int rounds = 20;
static int self;
static atomic_int running;

static void expect(int result, const char *call)
{
    if (result >= 0)
        return;
    fprintf(stderr, "traced: %s gave %d\n", call, result);
    exit(EXIT_FAILURE);
}

static void exchange(int number, int count)
{
    int value;
    expect(pvm_initsend(PvmDataDefault), "pvm_initsend");
    expect(pvm_pkint(&count, 1, 1), "pvm_pkint");
    expect(pvm_send(self, number), "pvm_send");
    expect(pvm_recv(self, number), "pvm_recv");
    expect(pvm_upkint(&value, 1, 1), "pvm_upkint");
    if (value != count) {
        fprintf(stderr, "traced: thread %d received %d, not %d\n", number, value, count);
        exit(EXIT_FAILURE);
    }
}

static void *work(void *argument)
{
    int number = (int)(size_t)argument;
    for (int count = 0; count < rounds; count++) {
        exchange(number, count);
        expect(pvm_initsend(PvmDataTrace), "pvm_initsend");
        expect(pvm_pkint(&number, 1, 1), "pvm_pkint");
        expect(pvm_pkint(&count, 1, 1), "pvm_pkint");
        expect(pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE), "pvm_send");
    }
    running--;
    return NULL;
}

/* What a tracer or the program itself may change without losing an event. */
static void *change(void *argument)
{
    Pvmtmask mask;
    (void)argument;
    expect(pvm_gettmask(PvmTaskSelf, mask), "pvm_gettmask");
    for (int i = 0; running > 0; i++) {
        expect(pvm_setopt(PvmSelfTraceBuffer, i % 2 * 500), "pvm_setopt");
        expect(pvm_settmask(PvmTaskSelf, mask), "pvm_settmask");
        expect(pvm_getopt(PvmSelfTraceBuffer), "pvm_getopt");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    enum { LIMIT = 16 };
    pthread_t threads[LIMIT + 1];
    int count = argc > 1 ? atoi(argv[1]) : 4;
    if (argc > 2)
        rounds = atoi(argv[2]);
    if (count < 1 || count > LIMIT)
        return EXIT_FAILURE;
    self = pvm_mytid();
    running = count;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(size_t)i) != 0)
            return EXIT_FAILURE;
    if (pthread_create(&threads[count], NULL, change, NULL) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i <= count; i++)
        pthread_join(threads[i], NULL);
    expect(pvm_exit(), "pvm_exit");
    return EXIT_SUCCESS;
}
