/* agent.h - pvmsched as an agent: it tells the scheduler about its host. */
#ifndef SCHED_AGENT_H
#define SCHED_AGENT_H

/* Answers questions until the scheduler, its parent, is over. Returns the exit status. */
int agent_run(void);

#endif
