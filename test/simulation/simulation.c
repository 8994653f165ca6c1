/*
 * simulation.c - many runs of virtual machines on virtual time and networks, each from a seed.
 *
 * usage: simulation [--seed N] [--seeds COUNT] [--seconds S] [--trace]
 *        simulation --costs HOSTS
 *
 * Plays COUNT seeds from N on, or as many as fit into S seconds. A violation prints the seed, which
 * plays the same again; --trace prints all that happens. The last line is "N passed, M failed".
 *
 * Without words, as in make check, it plays some seeds twice: both runs must be the same.
 *
 * --costs measures what a machine of so many hosts costs (test/bench/simulated.py).
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "costs.h"
#include "story.h"

#define SEEDS_OF_CHECK 25

struct orders {
    uint64_t seed;
    uint64_t seeds;
    int64_t seconds; /* 0: as many seeds as are asked for */
    size_t costs;    /* hosts, or 0 */
    bool trace;
    bool twice;
};

static int64_t simulation_seconds(void)
{
    struct timespec now;
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static bool simulation_read(struct orders *orders, int count, char **words)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},    {"seeds", required_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 't'}, {"costs", required_argument, NULL, 'c'},
        {"trace", no_argument, NULL, 'v'},         {NULL, 0, NULL, 0},
    };
    int option;
    *orders = (struct orders){.seed = 1, .seeds = 1};
    while ((option = getopt_long(count, words, "", options, NULL)) != -1)
        switch (option) {
        case 's':
            orders->seed = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            orders->seeds = strtoull(optarg, NULL, 10);
            break;
        case 't':
            orders->seconds = strtol(optarg, NULL, 10);
            break;
        case 'c':
            orders->costs = strtoul(optarg, NULL, 10);
            break;
        case 'v':
            orders->trace = true;
            break;
        default:
            return false;
        }
    if (count == 1)
        *orders = (struct orders){.seed = 1, .seeds = SEEDS_OF_CHECK, .twice = true};
    return optind == count;
}

/* What a daemon reads from its environment is the same for each run, but for story.c's PVM_FAILOVER. */
static void simulation_set_environment(char *folder)
{
    unsetenv("PVM_VMID");
    unsetenv("PVMHOSTFILE");
    setenv("PVM_TMP", folder, 1);
    setenv("PVM_QUEUE_LIMIT", "512", 1);
    setenv("PVM_RSH", "/bin/true", 1);
    setenv("HOME", "/", 1);
}

static bool simulation_play(const struct orders *orders, uint64_t seed)
{
    struct story_result result = story_play(seed, orders->trace);
    if (orders->seeds == 1 && !orders->seconds)
        printf("seed %" PRIu64 ": %" PRIu64 " events, %" PRIu64 " packets, %" PRIu64
               " messages, trace %016" PRIx64 "\n",
               seed, result.events, result.packets, result.messages, result.trace);
    if (!orders->twice || result.failed)
        return !result.failed;
    if (story_play(seed, false).trace == result.trace)
        return true;
    printf("seed %" PRIu64 " does not play the same again\n", seed);
    return false;
}

static int simulation_play_all(const struct orders *orders)
{
    uint64_t passed = 0, failed = 0;
    int64_t end = simulation_seconds() + orders->seconds;
    for (uint64_t i = 0; orders->seconds ? simulation_seconds() < end : i < orders->seeds; i++) {
        bool good = simulation_play(orders, orders->seed + i);
        passed += good;
        failed += !good;
    }
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed > 0;
}

static int simulation_measure(size_t hosts)
{
    costs_print_names();
    return !costs_measure(hosts);
}

int main(int count, char **words)
{
    struct orders orders;
    /* Tasks show by files who they are. In memory, that costs little. */
    char folder[] = "/dev/shm/simulation.XXXXXX";
    if (!simulation_read(&orders, count, words) || !mkdtemp(folder))
        return 2;
    simulation_set_environment(folder);
    int status = orders.costs ? simulation_measure(orders.costs) : simulation_play_all(&orders);
    rmdir(folder);
    return status;
}
