#include "crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_NUMBER = 3, ENLIST = 1, READY = 2 };

int crew_number(const struct crew *crew, int place)
{
    for (int i = 0; i <= place; i++)
        if (!crew->numbers[i]) {
            fprintf(stderr, "number %d is missing\n", place + 1);
            exit(2);
        }
    return atoi(crew->numbers[place]);
}

int crew_part(const struct crew *crew, int items, int task)
{
    return (int)((long)items * task / (crew->tasks > 0 ? crew->tasks : 1));
}

int crew_check(int result, const char *call)
{
    if (result < 0) {
        fprintf(stderr, "%s gives %d\n", call, result);
        exit(1);
    }
    return result;
}

void *crew_memory(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

double crew_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* G. Marsaglia, "Xorshift RNGs", 2003. */
uint32_t crew_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

void crew_begin(void)
{
    CHECK(pvm_initsend(PvmDataRaw));
}

void crew_receive(int tid, int tag)
{
    CHECK(pvm_recv(tid, tag));
}

void crew_pack_ints(const struct crew *crew, int *items, int count)
{
    CHECK(pvm_pkint(items, crew->hybrid ? 1 : count, 1));
}

void crew_unpack_ints(const struct crew *crew, int *items, int count)
{
    if (!crew->hybrid)
        CHECK(pvm_upkint(items, count, 1));
}

void crew_pack_doubles(const struct crew *crew, double *items, int count)
{
    CHECK(pvm_pkdouble(items, crew->hybrid ? 1 : count, 1));
}

void crew_unpack_doubles(const struct crew *crew, double *items, int count)
{
    if (!crew->hybrid)
        CHECK(pvm_upkdouble(items, count, 1));
}

static int is_how(const char *word, const char *how)
{
    size_t length = strcspn(word, "@");
    return length == strlen(how) && strncmp(word, how, length) == 0;
}

static void read_words(struct crew *crew, int argc, char **argv)
{
    if (argc < FIRST_NUMBER || atoi(argv[1]) < 0 || atoi(argv[1]) > CREW_MOST_TASKS) {
        fprintf(stderr,
                "usage: %s TASKS processes|direct|threads|hybrid|alone[@HOST,...] [NUMBER...]\n",
                argv[0]);
        exit(2);
    }
    crew->tasks = atoi(argv[1]);
    crew->hybrid = is_how(argv[2], "hybrid");
    crew->threads = crew->hybrid || is_how(argv[2], "threads");
    crew->direct = is_how(argv[2], "direct");
    crew->alone = is_how(argv[2], "alone") || crew->tasks == 0;
    const char *hosts = strchr(argv[2], '@');
    crew->hosts = hosts ? hosts + 1 : NULL;
    crew->numbers = argv + FIRST_NUMBER;
}

/* Gives how many tasks have come. */
static int spawn_on_hosts(struct crew *crew, char *path, char **words, int flags)
{
    char host[256];
    const char *names = crew->hosts;
    int count = 0;
    while (count < crew->tasks && sscanf(names, "%255[^,]", host) == 1) {
        names += strlen(host) + (names[strlen(host)] == ',');
        if (pvm_spawn(path, words, flags | PvmTaskHost, host, 1, &crew->tids[count]) != 1)
            return count;
        count++;
    }
    return count;
}

static void spawn(struct crew *crew, char **words)
{
    char path[4096] = "work";
    if (!crew->threads && readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        exit(1);
    int flags = crew->threads ? PvmTaskThread : PvmTaskDefault;
    int count = crew->hosts ? spawn_on_hosts(crew, path, words, flags)
                            : pvm_spawn(path, words, flags, "", crew->tasks, crew->tids);
    if (count != crew->tasks) {
        fprintf(stderr, "pvm_spawn starts %d tasks of %d\n", count, crew->tasks);
        exit(1);
    }
}

/* Tells all tasks of each other, and waits for their answers. */
static void enlist(struct crew *crew)
{
    for (int i = 0; i < crew->tasks; i++) {
        crew_begin();
        CHECK(pvm_pkint(&i, 1, 1));
        CHECK(pvm_pkint(crew->tids, crew->tasks, 1));
        CHECK(pvm_send(crew->tids[i], ENLIST));
    }
    for (int i = 0; i < crew->tasks; i++)
        crew_receive(crew->tids[i], READY);
}

static void be_enlisted(struct crew *crew)
{
    crew_receive(crew->master, ENLIST);
    CHECK(pvm_upkint(&crew->me, 1, 1));
    CHECK(pvm_upkint(crew->tids, crew->tasks, 1));
    crew_begin();
    CHECK(pvm_send(crew->master, READY));
}

static int be_master(struct crew *crew, char **argv)
{
    prepare(crew);
    double start = crew_now(), spawned = start;
    if (!crew->alone) {
        spawn(crew, argv + 1);
        spawned = crew_now();
        enlist(crew);
    }
    double ready = crew_now();
    (crew->alone ? solve_alone : lead)(crew);
    double end = crew_now();
    printf("@crew spawn=%.6f start=%.6f seconds=%.6f\n", spawned - start, ready - start,
           end - ready);
    int right = is_right(crew);
    if (!right)
        fprintf(stderr, "the result is wrong\n");
    return !right;
}

int work(int argc, char **argv)
{
    struct crew crew = {.me = CREW_MASTER};
    int status = 0;
    CHECK(pvm_mytid()); /* first, since a process that is to hold threads has no words */
    read_words(&crew, argc, argv);
    if (crew.direct)
        pvm_setopt(PvmRoute, PvmRouteDirect);
    crew.master = pvm_parent();
    if (crew.master < 0) {
        status = be_master(&crew, argv);
    } else {
        be_enlisted(&crew);
        assist(&crew);
    }
    pvm_exit();
    return status;
}

int main(int argc, char **argv)
{
    return work(argc, argv);
}
