/* agent.h - pvmtop as an agent: it tells what its host and the tasks there use. */
#ifndef TOP_AGENT_H
#define TOP_AGENT_H

/* Answers questions until its parent, who looks, is over. Returns the exit status. */
int agent_run(void);

#endif
