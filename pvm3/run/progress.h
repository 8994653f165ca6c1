/*
 * progress.h - how many tasks are ready, for somebody who waits at a terminal.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

/* So many of so many are ready. Says nothing where few are started, or nobody looks. */
void progress_show(int ready, int size);

#endif
