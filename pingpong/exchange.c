#include "exchange.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "measure.h"
#include "payload.h"

/* P1 in one repetition. */
struct exchange {
    const struct options *options;
    struct payload payload;
    struct version_state state;
    struct link_message message; /* T2's buffer */
    sem_t window;                /* how many messages T1 may send now */
    long received;
    struct measure cost; /* of T2's receive loop */
};

static void *exchange_t1(void *context)
{
    struct exchange *exchange = context;
    const struct options *options = exchange->options;
    for (long sequence = 0; sequence < options->count; sequence++) {
        sem_wait(&exchange->window);
        options->version->send(&exchange->state, LINK_DATA,
                               payload_bytes(&exchange->payload, sequence), exchange->payload.size);
    }
    return NULL;
}

static bool exchange_handle(void *context, const struct link_message *message)
{
    struct exchange *exchange = context;
    if (message->kind != LINK_DATA)
        fail("P2 sent a message of kind %d instead of an answer", message->kind);
    payload_check(&exchange->payload, exchange->received, message->bytes, message->size);
    sem_post(&exchange->window);
    return ++exchange->received < exchange->options->count;
}

static void exchange_t2(struct exchange *exchange)
{
    struct measure start = measure_now();
    for (long i = 0; i < exchange->options->window; i++)
        sem_post(&exchange->window); /* T1 starts now, so the measure has all of it */
    exchange->options->version->receive(&exchange->state, &exchange->message, exchange_handle,
                                        exchange);
    exchange->cost = measure_since(&start);
}

/* T2 is the main thread, to which TPL gives an address that P2 knows from the start. */
static void exchange_repeat(struct exchange *exchange)
{
    pthread_t t1;
    exchange->received = 0;
    exchange->state.sleeps = 0;
    sem_init(&exchange->window, 0, 0);
    if (pthread_create(&t1, NULL, exchange_t1, exchange) != 0)
        fail("cannot start thread T1: the system has no room for another thread");
    exchange_t2(exchange);
    pthread_join(t1, NULL);
    sem_destroy(&exchange->window);
}

static void exchange_print(const struct exchange *exchange, long repetition)
{
    const struct options *options = exchange->options;
    const struct measure *cost = &exchange->cost;
    double seconds = measure_seconds(cost->time_ns);
    printf("%4ld: %.6f s, %.2f us a message, %ld sleeps, %.3f s CPU, %ld voluntary switches\n",
           repetition, seconds, seconds * 1e6 / (double)options->count, exchange->state.sleeps,
           measure_seconds(cost->cpu_ns), cost->voluntary_switches);
    printf("@pingpong version=%s period_us=%ld route=%s count=%ld size=%ld window=%ld "
           "repetition=%ld seconds=%.9f sleeps=%ld cpu_seconds=%.6f voluntary_switches=%ld\n",
           options->version->name, options->period_us, options->direct ? "direct" : "default",
           options->count, options->size, options->window, repetition, seconds,
           exchange->state.sleeps, measure_seconds(cost->cpu_ns), cost->voluntary_switches);
}

void exchange_run(const struct options *options, struct link_pair links)
{
    struct exchange exchange = {.options = options};
    int64_t *times = calloc((size_t)options->repetitions, sizeof *times);
    if (!times)
        fail("no memory for the times of %ld repetitions", options->repetitions);
    payload_create(&exchange.payload, (size_t)options->size);
    exchange.message = link_message_create(exchange.payload.size);
    version_state_create(&exchange.state, options->version, links, options->period_us * 1000);

    for (long i = 0; i < options->repetitions; i++) {
        exchange_repeat(&exchange);
        exchange_print(&exchange, i + 1);
        times[i] = exchange.cost.time_ns;
    }
    measure_print_summary("time", times, (size_t)options->repetitions);

    version_state_destroy(&exchange.state);
    free(exchange.message.bytes);
    payload_destroy(&exchange.payload);
    free(times);
}

void exchange_answer(const struct options *options, struct link *link)
{
    struct payload payload;
    payload_create(&payload, (size_t)options->size);
    struct link_message message = link_message_create(payload.size);

    for (long i = 0; i < options->repetitions; i++) {
        for (long sequence = 0; sequence < options->count; sequence++) {
            link->receive(link, &message);
            payload_check(&payload, sequence, message.bytes, message.size);
            link->send(link, LINK_DATA, message.bytes, message.size);
        }
    }
    free(message.bytes);
    payload_destroy(&payload);
}
