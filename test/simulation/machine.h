/*
 * machine.h - virtual hosts, and the daemons that run there: the code of pvmd, one struct daemon
 * for each.
 *
 * A process runs a round of its loop when one of its descriptors is ready or a deadline has come.
 * A round takes ROUND_COST of virtual time. One thread.
 */
#ifndef SIMULATION_MACHINE_H
#define SIMULATION_MACHINE_H

#include "daemon/command_line.h"
#include "daemon/rooms.h"
#include "descriptor.h"
#include "world.h"

#define ROUND_COST 20 /* microseconds */

#define STANDARD_DESCRIPTORS 3
#define COMMAND_WORDS        16

struct process;

/* A process that the daemon has started, or is about to: a task or a remote shell. */
struct child {
    struct list node;
    int pid;
    bool ended;
    int status;
    struct descriptor *held[STANDARD_DESCRIPTORS]; /* its ends of pipes, or NULL */
};

struct process {
    struct process *next;
    struct machine *machine;
    int pid;
    struct daemon daemon;
    struct rooms rooms;
    struct command_line command;
    char *text; /* of the command */
    char *words[COMMAND_WORDS];
    struct list children;
    struct list descriptors;
    struct descriptor *standard[STANDARD_DESCRIPTORS]; /* its input, output and errors, or NULL */
    struct descriptor *made[2 * STANDARD_DESCRIPTORS]; /* ends of the pipes made last */
    size_t made_count;
    bool runs;     /* its loop does */
    bool over;     /* nothing that it does has an effect any more */
    bool woken;    /* a round is planned */
    bool rules;    /* it has been the master */
    int32_t term;  /* in which */
    int64_t alarm; /* when a deadline is planned, or 0 */
    int64_t late;  /* by which its clock is ahead, since it has slept within a round */
    int64_t busy;  /* until then */
    uint64_t rounds;
};

struct machine {
    uint32_t address;
    uint16_t port;           /* the last one that was given */
    bool on;                 /* it has power */
    bool plugged;            /* it is connected to the network */
    bool frozen;             /* its processes stand still */
    bool faulty;             /* something is wrong that will end */
    bool lives;              /* its daemon is to go on though the master is lost */
    unsigned side;           /* of a partition: machines of other sides are out of reach */
    struct process *process; /* its daemon, NULL: none runs */
    struct list bound;       /* descriptors that have a port here */
};

void machine_start(struct machine *machine, uint32_t address);
/* NULL: no machine has the address. */
struct machine *machine_find(uint32_t address);
/* Whether the daemon that runs there is a master. */
bool machine_has_master(const struct machine *machine);
/* The machine of the master, of two the one of the higher term. NULL: there is none. */
struct machine *machine_of_master(void);
/* Whether what is sent now from one machine arrives at the other. */
bool machine_reaches(const struct machine *from, const struct machine *to);

/* Starts a daemon by the command, with these standard descriptors. False when it ends at once. */
bool machine_run(struct machine *machine, const char *command,
                 struct descriptor *const standard[STANDARD_DESCRIPTORS]);
/* Its daemon is killed: the system closes what it had. */
void machine_kill(struct machine *machine);
/* Power is gone: nobody is told. */
void machine_switch_off(struct machine *machine);
void machine_freeze(struct machine *machine, bool frozen);

/* The process may have something to do. */
void process_wake(struct process *process);

/* A child of the process that runs: what fork gives. */
int process_fork(struct process *process);
/* NULL: the process has no such child. */
struct child *process_child(const struct process *process, int pid);
/* The child is over, with that status of wait; its parent is told. */
void process_end_child(struct process *process, struct child *child, int status);

#endif
