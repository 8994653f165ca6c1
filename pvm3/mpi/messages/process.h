/*
 * process.h - this process as one of MPI: its beginning and end, and the world.
 *
 * mpiexec starts the ranks, and tells them in a mailbox entry who they are. A process that was
 * started otherwise is a world by itself, which needs no virtual machine.
 *
 * Threads: any thread may call anything; MPI says when which call is right.
 */
#ifndef MPI_MESSAGES_PROCESS_H
#define MPI_MESSAGES_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

struct communicator;

/*
 * Makes the process part of the virtual machine, and the predefined communicators. A session does
 * so, too, and may have done so before. MPI_SUCCESS, or MPI_ERR_OTHER after a line on stderr.
 */
int process_begin(void);

/* Each process_begin has one. The last waits until what was sent is out. */
void process_end(void);

/* MPI_Init has been called, and MPI_Finalize has begun. */
bool process_is_initialized(void);
bool process_is_finalized(void);

/* The task that has spawned this world, or 0. */
uint32_t process_spawner(void);

/* The communicator with its world, of which a reference is taken over; NULL: there is none. */
void process_set_parent(struct communicator *parent);
struct communicator *process_parent(void);

/* The communicator is freed by the program: it is the parent no more. */
void process_forget_parent(const struct communicator *communicator);

/* What MPI_Init and MPI_Finalize do. MPI_ERR_OTHER when it is not their turn. */
int process_init(int wanted, int *provided);
int process_finalize(void);

/* Whether the calling thread is the one that has called MPI_Init; and what it was provided. */
bool process_is_main_thread(void);
int process_thread_level(void);

/* Ends all processes of the world. */
_Noreturn void process_abort(int code);

#endif
