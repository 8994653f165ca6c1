/*
 * protocol.h - what pvmrun and its supervisors tell each other, in a context of their own.
 *
 * Each task has a supervisor: the process that a pvmd starts in place of the program. It is a task
 * of its own beside the one that the program becomes. It starts the program when told to, and
 * passes on what goes in and out. Bytes in both directions are acknowledged: no more than a window
 * of them is underway.
 */
#ifndef RUN_PROTOCOL_H
#define RUN_PROTOCOL_H

#include "run/memory.h"

enum {
    /* From a supervisor. */
    TAG_HELLO = 1,   /* int: the process id by which its pvmd knows the task */
    TAG_OUTPUT,      /* int: 0 standard output, 1 standard error; int, and so many bytes */
    TAG_INPUT_TAKEN, /* int: so many bytes of input need no more room */
    TAG_ENDED,       /* int: the exit status, or 128 and the signal; int: the signal, or 0 */
    TAG_FAILED,      /* int: the exit status; text: why the program could not be started */
    TAG_STARTED,     /* the program of a rank that was spawned runs */
    /* To a supervisor. */
    TAG_START,        /* struct order */
    TAG_INPUT,        /* int, and so many bytes. 0: the input has ended */
    TAG_OUTPUT_TAKEN, /* int: so many bytes of output are written */
    TAG_SIGNAL,       /* int: a signal for the program */
    /* From the daemons. */
    TAG_SUPERVISOR_GONE,
    TAG_TASK_GONE,
    TAG_RUN_GONE,
    TAG_HOLDER_GONE,
    TAG_PRINTED, /* int: a task within a process; int: a count, and so many bytes */
};

/* From a task, in the default context: int, the status with which pvmrun is to end. */
#define TAG_ABORT 0x4d504941

/*
 * From a rank, in the default context: it spawns a world. int: the context in which it waits for
 * the answer; int: a count of parts; of each an int, how many ranks it has, and texts: the program,
 * its folder (empty: that of pvmrun), where the program is looked for (empty: PATH), the
 * architecture (empty: any), then words: hosts, and the program with its arguments. The answer with
 * this tag: int, 0 or an error of PVM; with 0, int: how many ranks, and of each int, its tid.
 */
#define TAG_SPAWN 0x4d504953

/* From a user-level process, in the default context: int, its exit status. */
#define TAG_STATUS 0x50565354

/* Bytes that may be underway. */
#define OUTPUT_WINDOW (256 << 10)
#define INPUT_WINDOW  (64 << 10)

/* The most bytes of one message. */
#define PIECE_SIZE (16 << 10)

/* What a supervisor has to know of the program. */
struct order {
    int rank;
    int size;       /* how many ranks there are */
    int world;      /* which world of pvmrun this is, from 1 on */
    int has_input;  /* whether the standard input is passed on */
    int is_hidden;  /* whether the task is not to know of pvmrun */
    int is_private; /* whether the virtual machine ends with pvmrun */
    int is_far;     /* whether pvmrun runs on another host */
    int number;     /* which of the tasks of its host it is */
    char *binding;  /* empty: none */
    char *folder;
    char *search; /* folders in which the program is looked for; empty: PATH */
    struct words words;
    struct words variables; /* the environment of pvmrun */
    struct words settings;  /* variables that were asked for */
};

/* What all ranks of a part have in common, and what differs. */
void order_pack_own(const struct order *order);
void order_pack_common(const struct order *order);

/* Both, in this order. False when the message makes no sense. In any case order_free follows. */
int order_unpack(struct order *order);
void order_free(struct order *order);

/* A message with an int. Returns as pvm_send does. */
int send_number(int tid, int tag, int number);

/* An int of the message that was received, `otherwise` if there is none. */
int received_number(int otherwise);

void pack_text(const char *text);

/* NULL when there is none. To be freed. */
char *unpack_text(void);

/* False when there are none; words_free in any case. */
int unpack_words(struct words *words);

#endif
