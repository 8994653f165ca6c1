#include "serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "measure.h"
#include "payload.h"

#define SERVE_INTERVAL_NS       1000000
#define SERVE_STATISTICS_FORMAT "%ld %" SCNd64 " %" SCNd64

/* What P2 measured. */
struct serve_latency {
    long requests;
    int64_t p50_ns;
    int64_t p99_ns;
};

/* P1 in one repetition. */
struct serve {
    const struct options *options;
    struct payload payload;
    struct version_state state;
    struct link_message message; /* T2's buffer */
    long served;
    struct serve_latency latency;
    struct measure alone;  /* the work without T2 */
    struct measure beside; /* the same work while T2 serves */
};

/* The work: `steps` steps of a generator, whose last state tells that all of them were made. */
static uint64_t serve_compute(long steps)
{
    uint64_t state = 88172645463325252u;
    for (long i = 0; i < steps; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state;
}

static uint64_t serve_compute_measured(long steps, struct measure *cost)
{
    struct measure start = measure_now();
    uint64_t checksum = serve_compute(steps);
    *cost = measure_since(&start);
    return checksum;
}

static void serve_read_latency(const struct link_message *message, struct serve_latency *latency)
{
    if (sscanf((const char *)message->bytes, SERVE_STATISTICS_FORMAT, &latency->requests,
               &latency->p50_ns, &latency->p99_ns) != 3)
        fail("P2 sent statistics that cannot be read");
}

static void serve_check(void *context, const struct link_message *message)
{
    struct serve *serve = context;
    if (message->kind != LINK_DATA)
        fail("P2 sent a message of kind %d instead of a request", message->kind);
    payload_check(&serve->payload, serve->served++, message->bytes, message->size);
}

static bool serve_handle(void *context, const struct link_message *message)
{
    struct serve *serve = context;
    struct link *link = serve->state.links.t2;
    if (message->kind == LINK_STATISTICS) {
        serve_read_latency(message, &serve->latency);
        return false;
    }
    serve_check(serve, message);
    link->send(link, LINK_DATA, message->bytes, message->size);
    return true;
}

static void *serve_t2(void *context)
{
    struct serve *serve = context;
    serve->options->version->receive(&serve->state, &serve->message, serve_handle, serve);
    return NULL;
}

static void serve_repeat(struct serve *serve)
{
    const struct options *options = serve->options;
    const bool by_library = serve->state.links.t2->serve;
    pthread_t t2;
    serve->served = 0;
    serve->state.sleeps = 0;
    uint64_t expected = serve_compute_measured(options->steps, &serve->alone);

    if (!by_library && pthread_create(&t2, NULL, serve_t2, serve) != 0)
        fail("cannot start thread T2: the system has no room for another thread");
    options->version->send(&serve->state, LINK_START, "", 1);
    uint64_t checksum = serve_compute_measured(options->steps, &serve->beside);
    options->version->send(&serve->state, LINK_STOP, "", 1);
    if (by_library)
        serve_t2(serve); /* the statistics are all that is left to receive */
    else
        pthread_join(t2, NULL);

    if (checksum != expected)
        fail("the work gave %" PRIx64 " beside the service, but %" PRIx64 " alone", checksum,
             expected);
    if (serve->served != serve->latency.requests)
        fail("P2 sent %ld requests, T2 served %ld", serve->latency.requests, serve->served);
}

static void serve_print(const struct serve *serve, long repetition)
{
    const struct options *options = serve->options;
    const struct measure *beside = &serve->beside;
    double alone = measure_seconds(serve->alone.time_ns);
    double busy = measure_seconds(beside->time_ns);
    double p50 = (double)serve->latency.p50_ns / 1e3, p99 = (double)serve->latency.p99_ns / 1e3;
    double burnt = measure_seconds(beside->cpu_ns - beside->thread_cpu_ns);
    printf("%4ld: work %.4f s alone, %.4f s beside the service (%+.1f %%); %ld requests, latency "
           "p50 %.1f us, p99 %.1f us; %.4f s CPU beside the work, %ld sleeps\n",
           repetition, alone, busy, (busy / alone - 1) * 100, serve->served, p50, p99, burnt,
           serve->state.sleeps);
    printf("@serve version=%s period_us=%ld route=%s steps=%ld size=%ld repetition=%ld "
           "alone_seconds=%.9f seconds=%.9f requests=%ld p50_us=%.3f p99_us=%.3f sleeps=%ld "
           "cpu_beside_seconds=%.6f voluntary_switches=%ld\n",
           options->version->name, options->period_us, options->direct ? "direct" : "default",
           options->steps, options->size, repetition, alone, busy, serve->served, p50, p99,
           serve->state.sleeps, burnt, beside->voluntary_switches);
}

void serve_run(const struct options *options, struct link_pair links)
{
    struct serve serve = {.options = options};
    int64_t *times = calloc((size_t)options->repetitions, sizeof *times);
    if (!times)
        fail("no memory for the times of %ld repetitions", options->repetitions);
    payload_create(&serve.payload, (size_t)options->size);
    serve.message = link_message_create(serve.payload.size);
    version_state_create(&serve.state, options->version, links, options->period_us * 1000);
    if (links.t2->serve)
        links.t2->serve(links.t2, serve_check, &serve);

    for (long i = 0; i < options->repetitions; i++) {
        serve_repeat(&serve);
        serve_print(&serve, i + 1);
        times[i] = serve.beside.time_ns;
    }
    measure_print_summary("work beside the service", times, (size_t)options->repetitions);

    version_state_destroy(&serve.state);
    free(serve.message.bytes);
    payload_destroy(&serve.payload);
    free(times);
}

/* P2 in one repetition. `moments` holds for each request the time when it was sent and, as soon
 * as the answer is there, how long it took. */
struct serve_client {
    struct link *link;
    struct payload payload;
    struct link_message message;
    int64_t *moments;
    size_t room;
    size_t requests;
    size_t answers;
    bool stopped;
};

static void serve_request(struct serve_client *client)
{
    if (client->requests == client->room) {
        client->room = client->room ? client->room * 2 : 1024;
        client->moments = realloc(client->moments, client->room * sizeof *client->moments);
        if (!client->moments)
            fail("no memory for the times of %zu requests", client->room);
    }
    client->moments[client->requests] = measure_clock_ns();
    client->link->send(client->link, LINK_DATA,
                       payload_bytes(&client->payload, (long)client->requests),
                       client->payload.size);
    client->requests++;
}

static void serve_take(struct serve_client *client)
{
    const struct link_message *message = &client->message;
    if (message->kind == LINK_STOP) {
        client->stopped = true;
        return;
    }
    int64_t now = measure_clock_ns();
    payload_check(&client->payload, (long)client->answers, message->bytes, message->size);
    client->moments[client->answers] = now - client->moments[client->answers];
    client->answers++;
}

/* Until the next request is due: take what comes. With no answer outstanding only the stop can
 * come, and that may wait for a millisecond. */
static void serve_client_wait(struct serve_client *client, int64_t due_ns)
{
    struct link *link = client->link;
    while (client->answers < client->requests &&
           link->receive_until(link, &client->message, due_ns))
        serve_take(client);
    measure_sleep_until(due_ns);
    while (link->receive_until(link, &client->message, 0))
        serve_take(client);
}

/* P1 computes alone until it sends the start; a library that spins in its receive would disturb it
 * there, so P2 looks now and then. */
static void serve_client_await_start(struct serve_client *client)
{
    struct link *link = client->link;
    while (!link->receive_until(link, &client->message, 0))
        measure_sleep_until(measure_clock_ns() + SERVE_INTERVAL_NS);
    if (client->message.kind != LINK_START)
        fail("P1 sent a message of kind %d instead of the start", client->message.kind);
}

static void serve_client_repeat(struct serve_client *client)
{
    struct link *link = client->link;
    client->requests = client->answers = 0;
    client->stopped = false;
    serve_client_await_start(client);
    for (int64_t due_ns = measure_clock_ns(); !client->stopped;) {
        serve_request(client);
        serve_client_wait(client, due_ns += SERVE_INTERVAL_NS);
    }
    while (client->answers < client->requests) {
        link->receive(link, &client->message);
        serve_take(client);
    }
}

static void serve_client_report(struct serve_client *client)
{
    char text[128];
    measure_sort(client->moments, client->answers);
    int length = snprintf(text, sizeof text, "%zu %" PRId64 " %" PRId64, client->answers,
                          measure_percentile(client->moments, client->answers, 50),
                          measure_percentile(client->moments, client->answers, 99));
    client->link->send(client->link, LINK_STATISTICS, text, (size_t)length + 1);
}

void serve_answer(const struct options *options, struct link *link)
{
    struct serve_client client = {.link = link};
    payload_create(&client.payload, (size_t)options->size);
    client.message = link_message_create(client.payload.size);
    for (long i = 0; i < options->repetitions; i++) {
        serve_client_repeat(&client);
        serve_client_report(&client);
    }
    free(client.moments);
    free(client.message.bytes);
    payload_destroy(&client.payload);
}
