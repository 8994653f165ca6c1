/*
 * layout.h - what a program may point to outside its region is at the same addresses in every
 * pvmulp: pvmulp itself, and the libraries. So a program that has moved still finds them.
 *
 * Addresses are chosen by the system, in the order in which things are mapped, and are equal if the
 * system does not randomize them. The C library hides addresses that it keeps (in a jmp_buf, for
 * one) and guards stacks by values that are random for each process; these are fixed here, too.
 *
 * Whether two processes agree is found out before a program moves (traits.h).
 *
 * Threads: one thread, before there are others.
 */
#ifndef ULP_LAYOUT_H
#define ULP_LAYOUT_H

/*
 * Runs pvmulp anew, once, with these words and without random addresses. If the system does not
 * allow that, programs run all the same, and cannot move.
 */
void layout_begin(char **words);

/* Opens the libraries that programs mostly need, always in the same order, as far as they are there. */
void layout_open_libraries(void);

/*
 * Opens the group library beside libpvm3, and what bears its name is known from then on. The library
 * of 3.4.6, which might be found first, knows one server, and who asks, for all of a process.
 */
void layout_open_groups(void);

#endif
