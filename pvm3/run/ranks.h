/*
 * ranks.h - a run of a program: its tasks, and how far each of them is.
 *
 * A rank may have the run start further ones, which are a world of their own (worlds.h).
 */
#ifndef RUN_RANKS_H
#define RUN_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/hosts.h"
#include "run/job.h"
#include "run/machine.h"
#include "run/outlet.h"

enum rank_state {
    RANK_PLACED,  /* it is not spawned */
    RANK_SPAWNED, /* its supervisor has not said a word */
    RANK_READY,   /* the program may start */
    RANK_RUNS,
    RANK_OVER
};

/* The part of a line that has come of an output of a task. */
struct line {
    char *text;
    size_t length, room;
};

struct rank {
    enum rank_state state;
    int world; /* to which it belongs */
    int part;
    const struct host *host;
    int tid;
    int pid; /* by which its supervisor names it */
    int supervisor;
    int status;        /* with which it has ended */
    bool tells_status; /* it will say so before it ends, or else was killed */
    struct line lines[2];
    size_t owed;     /* bytes of output that it has not been told of as written */
    size_t underway; /* bytes of input that it has not taken */
};

/* Ranks that find each other in MPI_COMM_WORLD: those of the command line, or spawned by a rank. */
struct world {
    int first, size;    /* its ranks */
    int first_part;     /* its parts of the job */
    int ready;          /* how many supervisors have come */
    int asker, context; /* the task that waits for an answer, and where it does; 0: none */
    int answered;       /* ranks whose program runs or could not be started */
    bool failed;        /* some could not: the others are ended, and nobody minds how */
};

struct run {
    struct job job;
    struct words variables; /* the environment of pvmrun as it was */
    struct machine machine;
    struct hosts hosts;
    struct rank *ranks;
    int size;
    int over;             /* how many ranks have ended */
    struct world *worlds; /* that of the command line first */
    int world_count;
    int context;
    int status; /* with which it is to end */
    bool has_status;
    struct outlet outlets[2];
    int *holders; /* processes that hold tasks which are none */
    int holder_count;
    bool lacks_holder; /* one had gone before it was looked for */
};

/* What a rank is called: its number, behind that of a world that was spawned. Returns `name`. */
enum { RANK_NAME_SIZE = 24 };
const char *rank_name(const struct run *run, int number, char name[RANK_NAME_SIZE]);

#endif
