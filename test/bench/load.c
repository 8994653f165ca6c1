/* load.c - see load.h. */
#define _GNU_SOURCE
#include "load.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEYS 100 /* of each client */

enum operation { PUT, GET, OPERATIONS };

/* Shared by all processes. */
struct load {
    int clients, requests, rounds;
    pthread_barrier_t barrier;
    int64_t begins[1000], ends[1000]; /* of a round, by client */
    int64_t times[];                  /* of each request of a round */
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void load_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    kill(getppid(), SIGTERM);
    _exit(EXIT_FAILURE);
}

static void request(const struct load_client *client, void *connection, enum operation operation,
                    int number, int index)
{
    struct kv_item item = {0};
    char value[sizeof item.value];
    snprintf(item.key, sizeof item.key, "key%d.%d", number, index % KEYS);
    snprintf(value, sizeof value, "the value of %d.%d", number, index % KEYS);
    if (operation == PUT) {
        strcpy(item.value, value);
        client->put(connection, &item);
        return;
    }
    client->get(connection, &item);
    if (strcmp(item.value, value) != 0)
        load_fail("another value than was put", item.value);
}

/* All rounds of one client. */
static void run_client(const struct load_client *client, struct load *load, int number,
                       const char *server)
{
    void *connection = client->open(server);
    int64_t *times = load->times + (ptrdiff_t)number * load->requests;
    for (int i = 0; i < KEYS; i++)
        request(client, connection, PUT, number, i);
    for (int round = 0; round < load->rounds * OPERATIONS; round++) {
        pthread_barrier_wait(&load->barrier);
        load->begins[number] = now();
        for (int i = 0; i < load->requests; i++) {
            int64_t begin = now();
            request(client, connection, round % OPERATIONS, number, i);
            times[i] = now() - begin;
        }
        load->ends[number] = now();
        pthread_barrier_wait(&load->barrier);
    }
    client->close(connection);
}

static int compare(const void *first, const void *second)
{
    const int64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

static void print_round(struct load *load, enum operation operation)
{
    const int count = load->clients * load->requests;
    int64_t begin = load->begins[0], end = load->ends[0];
    for (int i = 1; i < load->clients; i++) {
        begin = load->begins[i] < begin ? load->begins[i] : begin;
        end = load->ends[i] > end ? load->ends[i] : end;
    }
    qsort(load->times, (size_t)count, sizeof *load->times, compare);
    printf("@load operation=%s requests=%d ns=%lld p50=%lld p99=%lld\n",
           operation == PUT ? "put" : "get", count, (long long)(end - begin),
           (long long)load->times[count / 2], (long long)load->times[(long)count * 99 / 100]);
    fflush(stdout);
}

static struct load *load_new(char **words)
{
    const int clients = atoi(words[1]), requests = atoi(words[2]);
    const size_t size = sizeof(struct load) + (size_t)clients * (size_t)requests * sizeof(int64_t);
    struct load *load = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;
    if (load == MAP_FAILED || clients < 1 || clients > 1000 || requests < 1)
        return NULL;
    load->clients = clients;
    load->requests = requests;
    load->rounds = atoi(words[3]);
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&load->barrier, &shared, (unsigned)clients + 1);
    return load;
}

int load_run(const struct load_client *client, char **words)
{
    struct load *load = load_new(words);
    int status, failed = 0;
    if (!load)
        return EXIT_FAILURE;
    for (int i = 0; i < load->clients; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return perror("fork"), EXIT_FAILURE;
        if (pid > 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_client(client, load, i, words[0]);
        _exit(EXIT_SUCCESS);
    }
    for (int round = 0; round < load->rounds * OPERATIONS; round++) {
        pthread_barrier_wait(&load->barrier);
        pthread_barrier_wait(&load->barrier);
        print_round(load, round % OPERATIONS);
    }
    while (wait(&status) > 0)
        failed += status != 0;
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
