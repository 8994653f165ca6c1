/*
 * program.h - tasks: each connects to the daemon of its machine as libpvm3 does, asks it for things
 * and sends numbered messages to others. It checks what comes.
 *
 * One thread.
 */
#ifndef SIMULATION_PROGRAM_H
#define SIMULATION_PROGRAM_H

#include "core/assemble.h"
#include "core/control.h"
#include "descriptor.h"

struct machine;
struct process;

enum program_state { PROGRAM_GREETING, PROGRAM_PROVING, PROGRAM_RUNS, PROGRAM_OVER };

/* A request that has no answer yet. */
struct question {
    struct list node;
    int32_t wait;
    int32_t tag;
    bool puts; /* an entry into the mailbox */
    int64_t since;
};

/* Word of an end that was asked for. */
struct wish {
    struct list node;
    int32_t tag;      /* of the word */
    uint32_t subject; /* a task, or a host */
    int told;
};

/* A number for each other program, by its index; 0 at first. */
struct numbers {
    uint32_t *list;
    size_t room;
};

struct program {
    size_t index; /* in the list of all */
    int pid;
    struct machine *machine;
    struct process *process; /* its daemon */
    enum program_state state;
    bool leaves;  /* it ends when the daemon agrees */
    uint32_t tid; /* 0 before it is known */
    struct descriptor *end;
    struct frame_reader reader;
    struct assembler assembler;
    unsigned char *unsent;
    size_t unsent_size;
    int32_t waits; /* that were given out */
    struct list questions;
    struct list wishes;
    size_t entries;           /* in the mailbox, that were acknowledged */
    struct numbers sent, got; /* of the last messages */
};

struct programs {
    struct program **list;
    size_t count, room;
    uint64_t messages; /* that have arrived */
    uint64_t words;    /* of ends */
};

extern struct programs programs;

uint32_t *number_of(struct numbers *numbers, const struct program *other);

/* NULL: nobody is there to connect to. */
struct program *program_start(struct process *process, int pid);
/* The process with that number ends, if it is a task of the machine. */
void program_kill(struct machine *machine, int pid);
/* The process ends; its daemon sees that. */
void program_end(struct program *program);
void programs_finish(void);

/* All on the machine end. */
void programs_end_on(const struct machine *machine);

/* A request: its fields are put to what this gives, and then it is asked. */
struct message *program_request(struct program *program, int32_t tag);
struct question *program_ask(struct program *program, struct message *request);
/* Says something to its daemon that has no answer, and frees it. */
void program_say(struct program *program, struct message *message);

/* The next message to each of the others, with so many bytes more; a multicast if there are many. */
void program_send(struct program *program, struct program *const *others, int32_t count,
                  size_t size);
/* Asks for word of the end of a task or host. */
void program_watch(struct program *program, int kind, uint32_t subject);

#endif
