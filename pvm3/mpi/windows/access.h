/*
 * access.h - what an access does to the memory that it is for. No messages.
 *
 * Who calls sees to it that no two of them are at work on one target's memory at a time.
 */
#ifndef MPI_WINDOWS_ACCESS_H
#define MPI_WINDOWS_ACCESS_H

#include <mpi.h>
#include <stddef.h>

struct layout;

/* How memory changes: by an operation between elements of a predefined datatype. */
struct change {
    MPI_Op operation;
    MPI_Datatype element;
};

/*
 * memory = data OP memory, for the part of it that has the layout. `data` is as long as the layout,
 * packed; with MPI_NO_OP it is not read. `before`, unless NULL, gets what was there, packed.
 * MPI_SUCCESS or MPI_ERR_NO_MEM.
 */
int access_change(char *memory, const struct layout *layout, const struct change *change,
                  const void *data, void *before);

/* One element becomes the first of the two at `data` if it is equal to the second one. */
void access_swap(char *memory, size_t size, const void *data, void *before);

#endif
