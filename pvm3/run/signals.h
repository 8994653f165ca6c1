/*
 * signals.h - signals that are waited for beside everything else.
 */
#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

/*
 * Blocks the signals, a list that ends with 0, and returns a descriptor that becomes readable with
 * them. Ends the program if that cannot be.
 */
int signals_open(const int *numbers);

/* The next signal that has come, 0 if none. */
int signals_take(int fd);

/* In a child, before it becomes another program: no signal is blocked or ignored. */
void signals_restore(void);

#endif
