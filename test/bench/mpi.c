/*
 * mpi.c - what a call of MPI costs, for mpi.py.
 *
 * usage: mpiexec -n RANKS mpi CALL BYTES CALLS BATCHES
 *
 * CALL is pingpong, which tells the time of a message one way between the first two ranks, or
 * posted, the same with MPI_Isend, MPI_Irecv and MPI_Wait, or barrier, bcast or allreduce. put, get
 * and fetch are MPI_Put, MPI_Get and MPI_Fetch_and_op of rank 0 at rank 1, each with a flush, in
 * memory of MPI_Win_allocate; own_put, own_get and own_fetch are in memory of the program. Each
 * rank stays on a processor, as far as there are enough. Rank 0 prints a line
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

static MPI_Win window;

static void flush(void)
{
    MPI_Win_flush(1, window);
}

static void put(void)
{
    if (rank > 0)
        return;
    MPI_Put(buffer, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    flush();
}

static void get(void)
{
    if (rank > 0)
        return;
    MPI_Get(buffer, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    flush();
}

static void fetch(void)
{
    if (rank > 0)
        return;
    MPI_Fetch_and_op(buffer, result, MPI_LONG, 1, 0, MPI_SUM, window);
    flush();
}

static const struct {
    const char *name;
    void (*run)(void);
    int messages; /* of which the time of one is told */
} calls[] = {{"pingpong", pingpong, 2}, {"posted", posted, 2},       {"barrier", barrier, 1},
             {"bcast", bcast, 1},       {"allreduce", allreduce, 1}, {"put", put, 1},
             {"get", get, 1},           {"fetch", fetch, 1},         {"own_put", put, 1},
             {"own_get", get, 1},       {"own_fetch", fetch, 1}};

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

static void run_batches(int call, int count, int batches)
{
    for (int batch = 0; batch <= batches; batch++)
        run_batch(call, count, rank == 0 && batch > 0);
}

/* In an epoch of a window, with memory that MPI makes or that is the program's own. */
static void run_in_window(int call, int count, int batches)
{
    void *memory = calloc(1, (size_t)bytes);
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (strncmp(calls[call].name, "own_", 4) == 0)
        MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &(void *){0}, &window);
    MPI_Win_lock_all(0, window);
    run_batches(call, count, batches);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    free(memory);
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
    if (calls[call].run == put || calls[call].run == get || calls[call].run == fetch)
        run_in_window(call, atoi(argv[3]), atoi(argv[4]));
    else
        run_batches(call, atoi(argv[3]), atoi(argv[4]));
    free(buffer);
    free(result);
    MPI_Finalize();
    return 0;
}
