/*
 * world.h - virtual time: events in the order of their moments, numbers drawn from the seed, and a
 * trace of all that happens.
 *
 * There is one world in a process, because the functions that stand in for the system (calls.c)
 * have no argument that could name another one. Everything that happens comes from the seed: the
 * same seed gives the same trace, byte for byte. One thread.
 */
#ifndef SIMULATION_WORLD_H
#define SIMULATION_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MILLISECOND 1000
#define SECOND      1000000

/* Something that is going to happen. It lies at the beginning of what it is about. */
struct event {
    int64_t time;    /* microseconds */
    uint64_t number; /* of two at the same moment, the lower one is first */
    void (*happen)(struct event *event);
};

struct machine;
struct process;

/* How often things go wrong. Chances are in parts of 10,000. */
struct weather {
    unsigned loss;
    unsigned doubling;
    unsigned straggling; /* packets that take up to `straggle` longer, and are overtaken */
    int64_t delay;       /* of each packet, microseconds */
    int64_t straggle;
};

struct world {
    int64_t now; /* microseconds */
    uint64_t seed;
    uint64_t random;
    uint64_t events; /* that were planned */
    struct event **heap;
    size_t count, room;
    uint64_t trace; /* hash of all lines so far */
    bool shown;     /* lines of the trace are printed */
    bool failed;
    struct weather weather;
    struct machine *machines;
    size_t machine_count;
    struct process *processes; /* all that there were, by `next` */
    struct process *running;   /* whose code runs; NULL: that of the simulation */
    int processes_made;        /* processes and tasks */
    uint64_t packets, bytes;   /* datagrams that daemons sent */
    uint64_t stream_bytes;     /* bytes of connections between daemons */
};

extern struct world world;

void world_start(uint64_t seed, bool shown);
void world_finish(void);

/* A number below `limit`, which is not 0. */
uint64_t world_draw(uint64_t limit);
/* True so often in 10,000 times. */
bool world_chance(unsigned parts);

/* The event happens after so many microseconds, once. Its memory is the caller's until then. */
void world_plan(struct event *event, int64_t after, void (*happen)(struct event *event));

/* Lets happen what is due until then. Stops early if an invariant was violated. */
void world_run_until(int64_t time);

/* Lets things happen as long as `goes_on` says so. False if nothing more would happen, or it failed. */
bool world_run_while(bool (*goes_on)(void));

/* A line of the trace; the text begins with who it is about. */
void world_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An invariant does not hold: tells it, and ends the run of this seed. */
void world_violate(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory of zeros; there is always enough. */
void *world_allocate(size_t size);
/* A continuing hash of the bytes. */
uint64_t world_hash(uint64_t hash, const void *bytes, size_t size);

#endif
