/*
 * own_program.h - for pvmulp alone: the program of a task, if that is not the process's.
 *
 * Threads: own_program_set is called by a thread of the task, before its program begins and after
 * it has ended.
 */
#ifndef LIB_TASK_OWN_PROGRAM_H
#define LIB_TASK_OWN_PROGRAM_H

/* What such a program has in place of what the process has. It outlives its use. */
struct own_program {
    int *error;               /* its pvm_errno */
    int *tid;                 /* its pvmmytid; NULL: it has none */
    void (*exit)(int status); /* what ends it, */
    void (*abort)(void);      /* also as a failure */
};

/* The calling thread's task runs this program from now on; NULL: the process's. */
__attribute__((visibility("default"))) void own_program_set(const struct own_program *program);

/*
 * Where the program of the calling thread sees pvm_errno. libgpvm3 calls this function if its
 * libpvm3 has it: that of 3.4.6 does not.
 */
__attribute__((visibility("default"))) int *own_program_error(void);

#endif
