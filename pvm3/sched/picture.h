/*
 * picture.h - what a policy sees of the virtual machine: hosts, and the user-level processes on
 * them.
 *
 * It holds values alone: nothing here asks a daemon or the system. A picture that is changed by
 * picture_move shows what is to be expected after the move.
 */
#ifndef SCHED_PICTURE_H
#define SCHED_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

struct host {
    int tid; /* as pvm_config has it */
    char name[64];
    bool known;         /* its agent has answered; nothing moves to or from other hosts */
    double speed;       /* of its processors: 1, unless the host file says otherwise */
    double processors;  /* how many there are */
    double others;      /* how many processors are wanted by processes that are not of PVM */
    double fixed;       /* how many are wanted by tasks that cannot move */
    double moving;      /* how many are wanted by the tasks that can move */
    double idle;        /* seconds since somebody used a terminal or another input device */
    const char *closed; /* the name of the policy that wants no tasks here, or NULL */
    char why[96];       /* the reason, if it is closed */
};

/* Tasks that run in one process, a pvmulp. */
struct holder {
    int host;      /* tid */
    int pid;       /* on the host */
    size_t count;  /* of tasks that can move */
    double wanted; /* processors that the process wants */
};

/* A task that can move: a user-level process. */
struct task {
    int tid;
    int host; /* tid of the host on which it is, in this picture */
    size_t holder;
    char program[64];
    double load;  /* how many processors it wants, at most 1 */
    bool resting; /* it has moved a short time ago, or is to move */
    bool refused; /* it could not be moved, or is to move: it is left alone */
};

/* A task that cannot move. */
struct fixed {
    int tid;
    int host;
};

/* What two tasks send to each other, both ways. */
struct talk {
    int one, other; /* tids */
    double rate;    /* frames a second */
};

struct picture {
    struct host *hosts;
    size_t host_count;
    struct holder *holders;
    size_t holder_count;
    struct task *tasks;
    size_t task_count;
    struct fixed *fixed;
    size_t fixed_count;
    struct talk *talks;
    size_t talk_count;
};

void picture_free(struct picture *picture);

/* The host with a tid, or NULL. */
struct host *picture_host(const struct picture *picture, int tid);

/* The tid of the host on which a task is, of any kind; 0: there is no such task. */
int picture_whereabouts(const struct picture *picture, int tid);

/* Sets moving of each host. To be called when tasks and loads are known. */
void picture_sum(struct picture *picture);

/* The task is on another host from now on, and is not asked to move again in this picture. */
void picture_move(struct picture *picture, struct task *task, struct host *to);

/* Whether tasks may be moved to the host. */
bool host_is_open(const struct host *host);

/*
 * How many processors of speed 1 the tasks that can move get on a host if they want all of them: the
 * system shares its processors evenly between them and what else wants to run.
 */
double host_capacity(const struct host *host);

/* How many processors the tasks want for each that they get, with `more` in addition. */
double host_load(const struct host *host, double more);

#endif
