/*
 * thread_hosts.h - on which hosts thread tasks are started, and by which process.
 *
 * Threads: any thread of an enrolled task may call it, in a message handler, too.
 */
#ifndef LIB_SPAWN_THREAD_HOSTS_H
#define LIB_SPAWN_THREAD_HOSTS_H

struct caller;
struct program_order;

/*
 * Starts thread tasks as pvm_spawn has it: the order's file is the name of a function of this
 * program, or "program:name". As program_start, whose hosts they get, but that a function without
 * a program is started in this process if the flags name no host.
 */
int thread_hosts_start(struct caller *caller, const struct program_order *order, int *results);

#endif
