/*
 * simulation.c - many runs of virtual machines on virtual time and networks, each from a seed.
 *
 * usage: simulation [--seed N] [--seeds COUNT] [--seconds S] [--trace]
 *
 * Plays COUNT seeds from N on, or as many as fit into S seconds. A violation prints the seed, which
 * plays the same again; --trace prints all that happens. The last line is "N passed, M failed".
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "calls.h"
#include "story.h"

struct orders {
    uint64_t seed;
    uint64_t seeds;
    int64_t seconds; /* 0: as many seeds as are asked for */
    bool trace;
};

static int64_t simulation_seconds(void)
{
    struct timespec now;
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static bool simulation_read(struct orders *orders, int count, char **words)
{
    static const struct option options[] = {{"seed", required_argument, NULL, 's'},
                                            {"seeds", required_argument, NULL, 'c'},
                                            {"seconds", required_argument, NULL, 't'},
                                            {"trace", no_argument, NULL, 'v'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(count, words, "", options, NULL)) != -1)
        switch (option) {
        case 's':
            orders->seed = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            orders->seeds = strtoull(optarg, NULL, 10);
            break;
        case 't':
            orders->seconds = strtol(optarg, NULL, 10);
            break;
        case 'v':
            orders->trace = true;
            break;
        default:
            return false;
        }
    return optind == count;
}

/* Everything that a daemon reads from its environment is the same for each run. */
static void simulation_set_environment(char *folder)
{
    unsetenv("PVM_VMID");
    setenv("PVM_TMP", folder, 1);
    setenv("PVM_QUEUE_LIMIT", "512", 1);
    setenv("PVM_RSH", "/bin/true", 1);
    setenv("HOME", "/", 1);
}

int main(int count, char **words)
{
    struct orders orders = {.seed = 1, .seeds = 1};
    char folder[] = "/tmp/simulation.XXXXXX";
    uint64_t passed = 0, failed = 0;
    if (!simulation_read(&orders, count, words) || !mkdtemp(folder))
        return 2;
    simulation_set_environment(folder);
    int64_t end = simulation_seconds() + orders.seconds;
    for (uint64_t i = 0; orders.seconds ? simulation_seconds() < end : i < orders.seeds; i++) {
        struct story_result result = story_play(orders.seed + i, orders.trace);
        passed += !result.failed;
        failed += result.failed;
        printf("seed %" PRIu64 ": %" PRIu64 " events, %" PRIu64 " packets, %" PRIu64
               " messages, trace %016" PRIx64 "\n",
               orders.seed + i, result.events, result.packets, result.messages, result.trace);
    }
    rmdir(folder);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed > 0;
}
