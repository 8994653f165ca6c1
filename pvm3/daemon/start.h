/*
 * start.h - what a daemon owns before its loop runs: its settings, its key, its place in the table
 * of hosts, its datagram socket and the table of tasks. One thread.
 */
#ifndef DAEMON_START_H
#define DAEMON_START_H

struct command_line;
struct daemon;

/*
 * The daemon is prepared (rooms.h), its loop has been started, and its listener too. 0, or -1 after
 * a line on the log.
 */
int start_parts(struct daemon *daemon, struct command_line *command);

#endif
