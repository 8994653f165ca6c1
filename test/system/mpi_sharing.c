/* mpi_sharing.c - begins MPI, as ranks that are thread tasks (PvmTaskThread) or user-level processes
 * cannot.
 */
#include <stddef.h>

#include <mpi.h>

int main(void)
{
    return MPI_Init(NULL, NULL);
}
