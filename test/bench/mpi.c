/*
 * mpi.c - what a call of MPI costs, for mpi.py.
 *
 * usage: mpiexec -n RANKS mpi CALL BYTES CALLS BATCHES
 *
 * CALL is pingpong, which tells the time of a message one way between the first two ranks, or posted,
 * the same with MPI_Isend, MPI_Irecv and MPI_Wait, or barrier, bcast or allreduce. Each rank stays on
 * a processor, as far as there are enough. Rank 0 prints a line
 *     @batch ns=TIME sleeps=NUMBER
 * for each batch but a first one, with the time of a call and how often it slept.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <unistd.h>

#include "batch.h"

static int rank;
static int bytes;
static char *buffer;
static char *result;

static void send_and_receive(void)
{
    int other = 1 - rank;
    if (rank == 0)
        MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
}

static void pingpong(void)
{
    if (rank < 2)
        send_and_receive();
}

static void post(int send)
{
    MPI_Request request;
    if (send)
        MPI_Isend(buffer, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(buffer, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void posted(void)
{
    if (rank < 2) {
        post(rank == 0);
        post(rank == 1);
    }
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
    MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(buffer, result, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(void);
    int messages; /* of which the time of one is told */
} calls[] = {{"pingpong", pingpong, 2},
             {"posted", posted, 2},
             {"barrier", barrier, 1},
             {"bcast", bcast, 1},
             {"allreduce", allreduce, 1}};

/* With a barrier at the end: in a broadcast the root may run ahead. */
static void run_batch(int call, int count, int told)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t begin = batch_now();
    long slept = batch_sleeps();
    for (int i = 0; i < count; i++)
        calls[call].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (told)
        batch_tell(batch_now() - begin, batch_sleeps() - slept, count * calls[call].messages);
}

int main(int argc, char **argv)
{
    int call = 0, last = (int)(sizeof calls / sizeof *calls) - 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    while (call < last && strcmp(argv[1], calls[call].name) != 0)
        call++;
    bytes = atoi(argv[2]);
    buffer = calloc(1, (size_t)bytes + 1);
    result = calloc(1, (size_t)bytes + 1);
    if (!buffer || !result)
        MPI_Abort(MPI_COMM_WORLD, 1);
    batch_pin(rank % (int)sysconf(_SC_NPROCESSORS_ONLN));
    for (int batch = 0; batch <= atoi(argv[4]); batch++)
        run_batch(call, atoi(argv[3]), rank == 0 && batch > 0);
    free(buffer);
    free(result);
    MPI_Finalize();
    return 0;
}
