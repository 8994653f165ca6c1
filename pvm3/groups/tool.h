/* tool.h - what pvm_gstat and pvmgroups have in common: they ask the group server one question. */
#ifndef GROUPS_TOOL_H
#define GROUPS_TOOL_H

/*
 * Answers --help and --version, refuses other words, and finds the group server, which is started
 * if there is none. Ends the program with a message on stderr where it cannot go on. Returns the
 * tid of the server; the caller is then in the context of groups.
 */
int tool_begin(int count, char **words, const char *name, const char *purpose);

/* Sends a question without words. */
void tool_ask(int server, int question);

/* Ends the program with status 255, as pvm_gstat of 3.4.6 does without a server. */
_Noreturn void tool_fail(const char *why);

#endif
