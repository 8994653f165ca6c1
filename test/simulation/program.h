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

#define PROGRAMS_MOST 1024

enum program_state { PROGRAM_GREETING, PROGRAM_PROVING, PROGRAM_RUNS, PROGRAM_OVER };

/* A request that has no answer yet. */
struct question {
    struct list node;
    int32_t wait;
    int32_t tag;
    int32_t count; /* of what was asked for */
    int64_t since;
};

/* Word of an end that was asked for. */
struct wish {
    struct list node;
    int32_t tag;      /* of the word */
    uint32_t subject; /* a task, or a host */
    int told;
};

struct program {
    size_t index; /* in the list of all */
    int pid;
    struct machine *machine;
    struct process *process; /* its daemon */
    enum program_state state;
    uint32_t tid; /* 0 before it is known */
    struct descriptor *end;
    struct frame_reader reader;
    struct assembler assembler;
    unsigned char *unsent;
    size_t unsent_size;
    int32_t waits; /* that were given out */
    struct list questions;
    struct list wishes;
    uint32_t sent[PROGRAMS_MOST]; /* numbers of the last messages, by the other program's index */
    uint32_t got[PROGRAMS_MOST];
    /* An answer has come; its body is behind what `question` says. */
    void (*answered)(struct program *program, const struct question *question,
                     struct control_reader *body);
};

struct programs {
    struct program *list[PROGRAMS_MOST];
    size_t count;
    uint64_t messages; /* that have arrived */
};

extern struct programs programs;

/* NULL: there are too many, or no daemon. */
struct program *program_start(struct process *process, int pid);
/* The process with that number ends, if it is a task of the machine. */
void program_kill(struct machine *machine, int pid);
/* The process ends; its daemon sees that. */
void program_end(struct program *program);
void programs_finish(void);

/* The program that is the task; NULL: none is. */
struct program *programs_find(uint32_t tid);

/* A request: its fields are put to what this gives, and then it is asked. */
struct message *program_request(struct program *program, int32_t tag);
void program_ask(struct program *program, struct message *request, int32_t count);

/* The next message to the other one, with so many bytes more. */
void program_send(struct program *program, const struct program *other, size_t size);
/* Asks for word of the end of a task or host. */
void program_watch(struct program *program, int kind, uint32_t subject);

#endif
