/*
 * array.c - an array of numbers that all nodes share, though they share no memory.
 *
 * usage: array NODES SAMPLES     every node counts so many random numbers in a shared histogram
 *
 * Blocks of the array belong to the nodes in turn. array_do gets, puts or adds numbers in all of
 * it: the blocks of others by calls, which a node serves in one thread and computes in another;
 * the calls for several blocks are on their way at once. An addition happens as a whole, so no node
 * locks anything for several steps. At the end node 0 counts alone what all should have counted,
 * and compares. A dead node has taken its blocks with it: then the program ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <tpl.h>

#define BLOCK  256 /* numbers */
#define BLOCKS 16
#define LENGTH (BLOCK * BLOCKS)
#define ROUND  100000 /* samples that a node counts before it adds them */

enum { GET = 1, PUT, ADD, READY, GO };

/* A part of one block; for GET without the values, which are the answer. */
struct part {
    int start, count; /* in the array */
    double values[BLOCK];
};

static struct tpl *node;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double own[LENGTH]; /* where blocks of others stay empty */

static void serve(struct tpl_request *request, void *argument)
{
    const size_t head = offsetof(struct part, values);
    struct part part;
    (void)argument;
    bool good = request->size >= head && request->size <= sizeof part;
    if (good)
        memcpy(&part, request->data, request->size);
    good = good && part.start >= 0 && part.count > 0 && part.count <= BLOCK &&
           part.start <= LENGTH - part.count &&
           (request->kind == GET || request->size == head + (size_t)part.count * sizeof(double));
    pthread_mutex_lock(&lock);
    for (int i = 0; good && i < part.count; i++) {
        double *place = &own[part.start + i];
        *place = request->kind == PUT   ? part.values[i]
                 : request->kind == ADD ? *place + part.values[i]
                                        : *place;
        part.values[i] = *place;
    }
    pthread_mutex_unlock(&lock);
    if (good)
        tpl_answer(request, 0, part.values,
                   request->kind == GET ? (size_t)part.count * sizeof(double) : 0);
    else
        tpl_refuse(request);
}

static const struct tpl_service services[] = {{.kind = GET, .handler = serve},
                                              {.kind = PUT, .handler = serve},
                                              {.kind = ADD, .handler = serve},
                                              {.handler = NULL}};

/* Where the part of the array from start on ends that lies in one block. */
static int part_end(int start, int end)
{
    int block_end = (start / BLOCK + 1) * BLOCK;
    return block_end < end ? block_end : end;
}

/* Does the same to all blocks from start on: begins all calls, then waits for all answers. */
static int array_do(int kind, int start, int count, double *values)
{
    struct tpl_future *futures[BLOCKS];
    int result = TPL_OK, calls = 0;
    for (int i = start; i < start + count; i = part_end(i, start + count)) {
        struct part part = {.start = i, .count = part_end(i, start + count) - i};
        size_t size = kind == GET ? 0 : (size_t)part.count * sizeof(double);
        memcpy(part.values, values + (i - start), size);
        int asked = tpl_ask(node, tpl_address(node, i / BLOCK % tpl_count(node), TPL_POOL), kind,
                            &part, offsetof(struct part, values) + size, &futures[calls++]);
        result = asked < 0 ? asked : result;
    }
    calls = 0;
    for (int i = start; i < start + count; i = part_end(i, start + count)) {
        struct tpl_message *answer = NULL;
        struct tpl_future *future = futures[calls++];
        int awaited = future ? tpl_await(future, NULL, &answer) : TPL_OK;
        if (answer && kind == GET)
            memcpy(values + (i - start), answer->data, answer->size);
        result = awaited < 0 ? awaited : result;
        tpl_free(answer);
    }
    return result;
}

/* The computation. ----------------------------------------------------------------------------- */

/* The sum of two random numbers, so that the middle is hit more often. */
static int sample(unsigned long long *state)
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
        sum += (int)(*state >> 33) % (LENGTH / 2);
    }
    return sum;
}

static void count_samples(int number, long from, long to, unsigned long long *state, double *counts)
{
    if (from == 0)
        *state = (unsigned)number + 1;
    for (long i = from; i < to; i++)
        counts[sample(state)]++;
}

/* Nobody goes on before all have come: node 0 is told, and tells. */
static int wait_for_all(void)
{
    struct tpl_message *message;
    int result = TPL_OK, count = tpl_count(node), is_first = tpl_number(node) == 0;
    if (!is_first)
        result = tpl_send(node, tpl_address(node, 0, TPL_MAIN), READY, NULL, 0);
    for (int i = is_first ? 1 : count - 1; result == TPL_OK && i < count; i++) {
        result = tpl_receive(node, is_first ? READY : GO, NULL, &message);
        tpl_free(message);
    }
    for (int i = 1; is_first && result == TPL_OK && i < count; i++)
        result = tpl_send(node, tpl_address(node, i, TPL_MAIN), GO, NULL, 0);
    return result;
}

static int compute(long samples)
{
    double counts[LENGTH] = {0};
    unsigned long long state;
    int result = tpl_number(node) == 0 ? array_do(PUT, 0, LENGTH, counts) : TPL_OK;
    if (result == TPL_OK)
        result = wait_for_all();
    if (tpl_number(node) == 0)
        puts("counting"), fflush(stdout);
    for (long done = 0, next; result == TPL_OK && done < samples; done = next) {
        next = samples - done < ROUND ? samples : done + ROUND;
        memset(counts, 0, sizeof counts);
        count_samples(tpl_number(node), done, next, &state, counts);
        result = array_do(ADD, 0, LENGTH, counts);
    }
    return result == TPL_OK ? wait_for_all() : result;
}

/* Whether the shared array holds what one node alone would have counted. */
static bool is_right(long samples)
{
    static double alone[LENGTH], shared[LENGTH];
    unsigned long long state;
    for (int i = 0; i < tpl_count(node); i++)
        count_samples(i, 0, samples, &state, alone);
    return array_do(GET, 0, LENGTH, shared) == TPL_OK && memcmp(alone, shared, sizeof alone) == 0;
}

static void end(struct tpl *self, int number, void *argument)
{
    (void)argument;
    fprintf(stderr, "array: node %d has died, and its blocks with it\n", number);
    tpl_stop(self);
}

int main(int argc, char **argv)
{
    const long samples = argc == 3 ? atol(argv[2]) : -1;
    if (samples < 0)
        return fputs("usage: array NODES SAMPLES\n", stderr), 2;
    int result = tpl_start(&node, &(struct tpl_options){.nodes = atoi(argv[1]),
                                                        .program = "array",
                                                        .arguments = argv + 1,
                                                        .services = services,
                                                        .signals = true,
                                                        .lost = end});
    if (result < 0)
        return fprintf(stderr, "array: cannot start: %s\n", tpl_strerror(result)), 1;
    const int number = tpl_number(node), count = tpl_count(node);
    result = compute(samples);
    const bool right = result < 0 || number > 0 || is_right(samples);
    const int finished = tpl_finish(node);
    result = result < 0 ? result : finished;
    pvm_exit();
    if (result < 0 || !right)
        fprintf(stderr, "array: %s\n", right ? tpl_strerror(result) : "the histogram is wrong");
    else if (number == 0)
        printf("%ld samples of %d nodes counted right\n", samples * count, count);
    return result < 0 || !right ? EXIT_FAILURE : EXIT_SUCCESS;
}
