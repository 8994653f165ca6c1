/*
 * wait.h - one sleep for a program that serves the virtual machine and something else.
 */
#ifndef TRACING_WAIT_H
#define TRACING_WAIT_H

#include <stdbool.h>

/*
 * Sleeps until `fd` (-1: none) or the virtual machine has something, or a signal comes. True when
 * it is `fd`.
 */
bool wait_for(int fd);

#endif
