/*
 * protocol.h - what tasks and the Slurm manager say to each other: pvm_slurm(7) tells it to users.
 *
 * A request and its answer have the same tag. Both are packed in the default encoding.
 */
#ifndef SLURM_PROTOCOL_H
#define SLURM_PROTOCOL_H

/* The mailbox entry that holds the tid of the manager. */
#define SLURM_ENTRY "pvm_slurm"

enum {
    /* int: how many nodes are wanted. Each comes with a job of its own. */
    TAG_SLURM_GROW = 0x736c01,
    /* string: id of a job; string: its node list, as SLURM_JOB_NODELIST has it. */
    TAG_SLURM_JOB,
    /* The answer to both: int: number of nodes; then a string for each, its name. */
};

#endif
