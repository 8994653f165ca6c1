/*
 * thread_hosts.h - on which hosts thread tasks are started, and by which process.
 *
 * Threads: any thread of an enrolled task may call it, also in a message handler.
 */
#ifndef LIB_SPAWN_THREAD_HOSTS_H
#define LIB_SPAWN_THREAD_HOSTS_H

struct caller;
struct program_order;

/*
 * Starts thread tasks for pvm_spawn. The file of the order is "name", a function of this program,
 * or "program:name". Hosts and results are as in program_start, except that "name" is started in
 * this process unless the flags choose hosts.
 */
int thread_hosts_start(struct caller *caller, const struct program_order *order, int *results);

#endif
