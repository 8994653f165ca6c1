/* What do malloc and free cost a program?
 *
 * usage: allocation ROUNDS
 *
 * For each size it takes and frees one block CALLS times, and CALLS times one of LIVE blocks of sizes
 * up to a half more, ROUNDS times after one that is not measured. Prints a line for each round,
 *     @allocation size=BYTES calls=CALLS alone=NS among=NS
 * with the time for all calls.
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 200000, LIVE = 1000, STEP = 7919 };

static const size_t sizes[] = {16, 64, 256, 1024, 4096};
static void *volatile live[LIVE];

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t take_alone(size_t size)
{
    int64_t begin = now();
    for (int i = 0; i < CALLS; i++) {
        live[0] = malloc(size);
        free(live[0]);
    }
    live[0] = NULL;
    return now() - begin;
}

static int64_t take_among(size_t size)
{
    for (int i = 0; i < LIVE; i++)
        live[i] = malloc(size);
    int64_t begin = now();
    for (int i = 0; i < CALLS; i++) {
        int at = i * (long)STEP % LIVE;
        free(live[at]);
        live[at] = malloc(size + size / 32 * (size_t)(i % 16));
    }
    int64_t time = now() - begin;
    for (int i = 0; i < LIVE; i++) {
        free(live[i]);
        live[i] = NULL;
    }
    return time;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    pvm_mytid();
    for (int round = -1; round < rounds; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int64_t alone = take_alone(sizes[i]), among = take_among(sizes[i]);
            if (round >= 0)
                printf("@allocation size=%zu calls=%d alone=%lld among=%lld\n", sizes[i], CALLS,
                       (long long)alone, (long long)among);
        }
    fflush(stdout);
    pvm_exit();
    return 0;
}
