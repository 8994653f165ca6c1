/* crew.h - a master and the tasks that it spawns, for programs that are measured.
 *
 * usage: PROGRAM TASKS HOW [NUMBER...]
 *
 * HOW says what the tasks are:
 *     processes    each task is a process
 *     direct       each task is a process, and all ask for direct routes
 *     threads      each task is a thread of the master's process
 *     hybrid       each task is a thread. The tasks share the data, and messages only tell that
 *                  the data is ready
 *     alone        there are no tasks: the master solves the problem, in as many parts
 * With @HOST,HOST... behind it, it names the host of each task; else PVM chooses.
 * The NUMBERs are those of the program. With no TASKS the master is alone, too.
 * Prints a line
 *     @crew spawn=SECONDS start=SECONDS seconds=SECONDS
 * spawn is the time of pvm_spawn, start that until all tasks have answered the master, and seconds
 * the time of the work after that. The program fails if the result is not that of the sequential
 * program.
 *
 * A program defines the functions below that have no name with "crew_".
 */
#ifndef CREW_H
#define CREW_H

#include <pvm3.h>
#include <stddef.h>
#include <stdint.h>

/* PVM 3.4.6 and MPI have no thread tasks, and are not asked for them. */
#ifndef PvmTaskThread
#define PvmTaskThread 1024
#endif

enum { CREW_MOST_TASKS = 1000 };

struct crew {
    char **numbers; /* as words, up to NULL */
    int tasks;      /* the master is not counted */
    int me;         /* 0 to tasks - 1, or CREW_MASTER */
    int master;     /* its tid */
    int tids[CREW_MOST_TASKS];
    int threads, hybrid, direct, alone;
    const char *hosts; /* their names, with commas, or NULL */
};

enum { CREW_MASTER = -1 };

/* In the master: makes the problem, before the time begins. */
void prepare(const struct crew *crew);

/* In the master: solves the problem without tasks. */
void solve_alone(const struct crew *crew);

/* In the master: solves the problem with tasks, each of which is in assist(). */
void lead(const struct crew *crew);
void assist(const struct crew *crew);

/* In the master: is the result that of the sequential program? */
int is_right(const struct crew *crew);

/* What a task does from its beginning to its end; thread tasks are spawned by this name. */
int work(int argc, char **argv);

/* One of the program's numbers. */
int crew_number(const struct crew *crew, int place);

/* Where the part of a task begins, when all tasks share so many items. Without tasks the master has
 * all of them, as the only task. */
int crew_part(const struct crew *crew, int items, int task);

/* Ends the program, with the name of the call, if the result is an error. */
int crew_check(int result, const char *call);
#define CHECK(call) crew_check(call, #call)

/* Zeroed memory. */
void *crew_memory(size_t bytes);

double crew_now(void);

/* The next number of a sequence that is the same on each run. The state begins with any other
 * number than 0. */
uint32_t crew_random(uint64_t *state);

/* Begins a message, and waits for one. */
void crew_begin(void);
void crew_receive(int tid, int tag);

/* Packs and unpacks the data of a message. In its place, hybrid tasks send a single item, and they
 * leave what they receive where the sender has written it. */
void crew_pack_ints(const struct crew *crew, int *items, int count);
void crew_unpack_ints(const struct crew *crew, int *items, int count);
void crew_pack_doubles(const struct crew *crew, double *items, int count);
void crew_unpack_doubles(const struct crew *crew, double *items, int count);

#endif
