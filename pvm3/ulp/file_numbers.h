/*
 * file_numbers.h - the numbers of descriptors of regular files that user-level processes open.
 *
 * In another process the same number is to be free. So these numbers depend on the region, and begin
 * where select does not reach and a process with few files never comes.
 *
 * Threads: any thread may call any function.
 */
#ifndef ULP_FILE_NUMBERS_H
#define ULP_FILE_NUMBERS_H

/* Gives the descriptor a number for a region; if no number is free, it keeps its own. */
int file_number_for(unsigned region, int descriptor);

/* Gives the descriptor this number, which is free. -1 and errno, and the descriptor stays. */
int file_number_exactly(int number, int descriptor);

#endif
