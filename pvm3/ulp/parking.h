/*
 * parking.h - a user-level process is put away in a file, with all others of its program, and runs
 * on (lib/calls/checkpoint.h).
 *
 * It sends what it would send if it moved (departure.h), from the same safe points. What hinders a
 * move hinders this, too.
 *
 * Threads: the thread of a user-level process.
 */
#ifndef ULP_PARKING_H
#define ULP_PARKING_H

/* The program has been interrupted, with this context, and is to be put away. */
void parking_heed(void *context);

#endif
