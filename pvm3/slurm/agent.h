/*
 * agent.h - pvmslurm on a node of Slurm: it starts the pvmd of this host, and stays with it.
 *
 * The agent is the only task of a step of Slurm, and srun connects its input and output with the
 * manager. It prints the name of the node. Then it reads two lines: the input of the pvmd, which
 * may be empty, and the command that starts the pvmd. The pvmd prints its own line. When Slurm
 * announces the end of the job, the agent prints AGENT_WARNING. The step, and with it a job that
 * has no other, ends with the agent: when the pvmd has ended, or the input.
 */
#ifndef SLURM_AGENT_H
#define SLURM_AGENT_H

/* This signal of Slurm goes to the pvmd and its tasks as well: its default action is none. */
#define AGENT_SIGNAL      SIGURG
#define AGENT_SIGNAL_NAME "URG"
#define AGENT_WARNING     "ending"

/* Returns the exit status. */
int agent_run(void);

#endif
