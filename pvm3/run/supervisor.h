/*
 * supervisor.h - the process that a daemon starts for each task: it runs the program.
 */
#ifndef RUN_SUPERVISOR_H
#define RUN_SUPERVISOR_H

/*
 * Runs until the program has ended, and returns an exit status. run: the tid of pvmrun; context:
 * in which the two speak.
 */
int supervisor_run(int run, int context);

#endif
