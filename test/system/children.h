/* children.h - how does a test program start copies of itself, and talk with them? */
#ifndef SYSTEM_CHILDREN_H
#define SYSTEM_CHILDREN_H

#include "fail.h"

/* Starts `count` copies with the words `role` and `number`. */
void start(char *role, int count, int number, int *tids);

/* One number, sent and awaited. */
void say(int to, int tag, int value);
int hear(int from, int tag);

/* How many descriptors are open. */
int descriptors(void);

#endif
