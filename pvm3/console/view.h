/* view.h - pvmview beside the console. */
#ifndef CONSOLE_VIEW_H
#define CONSOLE_VIEW_H

#include <stdbool.h>

/*
 * Starts pvmview, which prints the address of its page and ends with the virtual machine. A key that
 * interrupts the console does not reach it. False, and a line on stderr says why, if it cannot be
 * started.
 */
bool view_start(void);

#endif
