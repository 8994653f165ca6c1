/* arguments.h - the command line of the programs here: they take no words but two. */
#ifndef GROUPS_ARGUMENTS_H
#define GROUPS_ARGUMENTS_H

/*
 * Answers --help, with `purpose`, and --version, and refuses other words; the program ends then.
 * `name` is the program's.
 */
void arguments_answer(int count, char **words, const char *name, const char *purpose);

#endif
