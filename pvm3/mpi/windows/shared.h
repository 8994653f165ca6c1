/*
 * shared.h - the memory of a window whose members are all on one host: one file in memory, which
 * all of them map.
 *
 * The file has no name: it goes with the last process that has it open or mapped, however that
 * ends. A lock for each member makes accumulates atomic. It is held for moments. If a process dies
 * then, the next gets the lock, and the elements are as that process left them.
 */
#ifndef MPI_WINDOWS_SHARED_H
#define MPI_WINDOWS_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lock_asker;
struct lock_queue;
struct shared;

/* A file for the locks of so many members and `size` bytes; -1 without memory. */
int shared_file(int members, size_t size);

/* The file that another process of this host has under a descriptor; -1 if it cannot be opened. */
int shared_open(pid_t process, int descriptor);

/* Maps it, after all is zero at first. NULL without memory. The descriptor may be closed then. */
struct shared *shared_map(int descriptor, int members, size_t size);
void shared_unmap(struct shared *shared);

/* The bytes, from a page on. */
char *shared_memory(const struct shared *shared);

/*
 * Between these nobody else changes the memory of the member, nor the queue for its lock, which
 * shared_lock gives.
 */
struct lock_queue *shared_lock(struct shared *shared, int member);
void shared_unlock(struct shared *shared, int member);

/* The places of all members at that queue. */
struct lock_asker *shared_places(struct shared *shared, int member);

#endif
