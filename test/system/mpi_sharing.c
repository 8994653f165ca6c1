/* mpi_sharing.c - begins MPI, as ranks that are thread tasks (PvmTaskThread) or user-level processes
 * cannot.
 */
#include <mpi.h>

int main(int count, char **words)
{
    return MPI_Init(&count, &words);
}
