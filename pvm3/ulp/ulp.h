/*
 * ulp.h - a user-level process: a program that runs as one task beside others in this process, with
 * global variables of its own.
 *
 * The model is that of UPVM: R. B. Konuru, S. W. Otto and J. Walpole, "A Migratable User-Level
 * Process Package for PVM", Journal of Parallel and Distributed Computing 40, 1997. There programs
 * were compiled and linked anew; here they run as they are.
 *
 * What a program has of its own: its variables, also thread-local ones; its file; its environment;
 * what it does at its end (atexit); the state of rand, random, drand48, strtok and getopt; pvm_errno;
 * errno, as each thread. What it shares with the others: the libraries with their variables, open
 * files, signal handlers, the process id.
 *
 * Threads: one thread runs it, and may start others.
 */
#ifndef ULP_ULP_H
#define ULP_ULP_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/task/own_program.h"
#include "ulp/files.h"
#include "ulp/image.h"
#include "ulp/pre_copy.h"
#include "ulp/program.h"
#include "ulp/region.h"

/* Something to do at the end. */
struct ulp_exit {
    void (*function)(void *argument);
    void *argument;
    struct ulp_exit *next;
};

typedef int ulp_main(int count, char **words, char **environment);

struct ulp {
    struct ulp *next;       /* in the list that debuggers read (pvmulp-gdb.py) */
    struct program *source; /* NULL: none could be read */
    struct region *region;  /* with its image, heap and stack, or NULL */
    struct heap *heap;      /* of the region, once the libraries are open, or NULL */
    struct image image;
    void *frames;              /* that are registered, or NULL */
    struct pre_copy *pre_copy; /* its memory goes ahead to another host; or NULL */
    pthread_t thread;
    const void *fiber; /* its record, for debuggers */
    pid_t pid;
    bool alone;           /* it has the process to itself */
    bool own_folder;      /* its thread has a working folder of its own */
    pthread_mutex_t lock; /* guards `exits` and the environment */
    struct ulp_exit *exits;
    atomic_int others; /* threads that it has started and that have not ended */
    /* What the first thread needs to begin and to end. */
    jmp_buf place;
    ulp_main *main;
    void (*begin)(int count, char **words, char **environment); /* of older programs, or NULL */
    int count;                                                  /* of words */
    char **words;
    int status;
    /* What libraries have one of. */
    struct own_program program; /* pvm_errno and pvmmytid are in it, */
    int error, tid;             /* or here */
    struct environment *environment;
    struct options *options;
    struct files files;
    struct random_data random;
    char random_state[128];
    struct drand48_data drand48;
    char *strtok;
    char text[256]; /* why it cannot run */
};

/*
 * Runs the program at `path` in the calling thread, with these words, the first of which is its
 * name, until it ends. Its exit status; EXIT_CANNOT_RUN after a line on stderr that says why. A
 * program that cannot run as one among others is refused before it begins.
 */
#define EXIT_CANNOT_RUN 126
int ulp_run(const char *path, int count, char **words);

/*
 * Likewise for one that comes from another process (arrival.h): calls `arrive` with a record for it,
 * which is freed whichever way the thread ends, and with `connection`. False without memory. ulp_expect maps the program at `path`, where it lies
 * in the other process; NULL, or why it cannot come. When all its memory has come, the record is as
 * it was there: ulp_take_over makes it this process's again. `here` is a copy of the record before.
 */
bool ulp_receive(void (*arrive)(struct ulp *ulp, int connection), int connection);
const char *ulp_expect(struct ulp *ulp, const char *path);
void ulp_take_over(struct ulp *ulp, const struct ulp *here);

/* Whether the calling thread's program may be suspended at this instruction: it is its own. */
bool ulp_may_suspend(uintptr_t instruction);

/*
 * Whether the process is this program's alone, or this is a child that it has forked. NULL: of the
 * process's own program.
 */
bool ulp_has_process(const struct ulp *ulp);

/* Ends the calling thread's process, as exit does, or at once. */
__attribute__((noreturn)) void ulp_exit(int status);
__attribute__((noreturn)) void ulp_exit_now(int status);
__attribute__((noreturn)) void ulp_abort(void);

/* The last thing that is to be done at its end, from now on. 0, or -1 without memory. */
int ulp_at_exit(struct ulp *ulp, void (*function)(void *argument), void *argument);

/* Does what is to be done at the end, last things first; or forgets it. */
void ulp_run_exits(struct ulp *ulp);
void ulp_forget_exits(struct ulp *ulp);

#endif
