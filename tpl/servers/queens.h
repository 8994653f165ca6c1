/* queens.h - the irregular computation of balance.c: how many ways are there to place queens? */
#ifndef QUEENS_H
#define QUEENS_H

#define QUEENS_MOST 20

/*
 * The ways in which as many queens as the board has rows, 3 or more, can stand without a threat; of
 * all ways the part with this number, from 0, of so many.
 */
double queens_part(int queens, int part, int parts);

#endif
