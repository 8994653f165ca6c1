/*
 * ask.h - nodes of Slurm for programs that add them to the virtual machine by pvm_addhosts.
 *
 * The caller is a task. The Slurm manager is started, on the master's host, if none runs.
 */
#ifndef SLURM_ASK_H
#define SLURM_ASK_H

#include <stdbool.h>

struct slurm_nodes {
    char **names;
    int count;
};

/* Is this process part of a job that has nodes? */
bool slurm_has_job(void);

/*
 * The nodes of that job, or so many nodes with new jobs. The second waits until Slurm has started
 * these jobs or refused to. Each returns 0 or an error code; fewer nodes than wanted are no error.
 */
int slurm_ask_job(struct slurm_nodes *nodes);
int slurm_ask_more(struct slurm_nodes *nodes, int count);

/* Drops nodes that are hosts of the virtual machine already. */
void slurm_nodes_drop_hosts(struct slurm_nodes *nodes);

void slurm_nodes_free(struct slurm_nodes *nodes);

#endif
