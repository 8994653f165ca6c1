/*
 * The pingpong on MPI, as a yardstick: rank 0 is P1, rank 1 is P2. TS is the natural code with
 * MPI_THREAD_MULTIPLE, POLL uses MPI_Iprobe and calls from one thread at a time.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "exchange.h"
#include "fail.h"
#include "measure.h"
#include "serve.h"

/* How many requests P2 may have sent before it has to wait for T2 to take one. */
#define PINGPONG_MPI_REQUESTS 1000

/* P2 answers without waiting for P1 to take the answer: a T1 that sends a long message with the
 * lock held would otherwise wait for P2, P2 for T2 and T2 for the lock. */
struct pingpong_mpi {
    int peer;
    int slots;
    int next;
    MPI_Request *requests;
    size_t slot_size;
    unsigned char *copies;
};

static void pingpong_mpi_send(struct link *link, int kind, const void *bytes, size_t size)
{
    const struct pingpong_mpi *mpi = link->system;
    MPI_Send(bytes, (int)size, MPI_BYTE, mpi->peer, kind, MPI_COMM_WORLD);
}

static void pingpong_mpi_send_later(struct link *link, int kind, const void *bytes, size_t size)
{
    struct pingpong_mpi *mpi = link->system;
    MPI_Request *request = &mpi->requests[mpi->next];
    unsigned char *copy = mpi->copies + (size_t)mpi->next * mpi->slot_size;
    MPI_Wait(request, MPI_STATUS_IGNORE);
    memcpy(copy, bytes, size);
    MPI_Isend(copy, (int)size, MPI_BYTE, mpi->peer, kind, MPI_COMM_WORLD, request);
    mpi->next = (mpi->next + 1) % mpi->slots;
}

static void pingpong_mpi_receive(struct link *link, struct link_message *message)
{
    const struct pingpong_mpi *mpi = link->system;
    MPI_Status status;
    int size;
    MPI_Recv(message->bytes, (int)message->capacity, MPI_BYTE, mpi->peer, MPI_ANY_TAG,
             MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    message->kind = status.MPI_TAG;
    message->size = (size_t)size;
}

static bool pingpong_mpi_probe(struct link *link)
{
    const struct pingpong_mpi *mpi = link->system;
    int arrived;
    MPI_Iprobe(mpi->peer, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
    return arrived;
}

static bool pingpong_mpi_receive_until(struct link *link, struct link_message *message,
                                       int64_t deadline_ns)
{
    while (!pingpong_mpi_probe(link)) {
        if (measure_clock_ns() >= deadline_ns)
            return false;
        sched_yield(); /* MPI has no receive with a time limit */
    }
    pingpong_mpi_receive(link, message);
    return true;
}

static const struct version *const pingpong_mpi_versions[] = {&version_poll, &version_ts, NULL};

static const struct link pingpong_mpi_link = {
    .send = pingpong_mpi_send,
    .receive = pingpong_mpi_receive,
    .receive_until = pingpong_mpi_receive_until,
    .probe = pingpong_mpi_probe,
};

static void pingpong_mpi_run(const struct options *options, struct link *link)
{
    struct link_pair links = {link, link};
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n,")] = '\0';
    printf("MPI, %s\n", library);
    if (options->serve)
        serve_run(options, links);
    else
        exchange_run(options, links);
}

static void pingpong_mpi_answer(const struct options *options, struct link *link)
{
    struct pingpong_mpi *mpi = link->system;
    mpi->slots = (int)options->window;
    if (options->serve && mpi->slots < PINGPONG_MPI_REQUESTS)
        mpi->slots = PINGPONG_MPI_REQUESTS;
    mpi->slot_size = payload_capacity((size_t)options->size);
    mpi->copies = payload_allocate((size_t)mpi->slots * mpi->slot_size);
    mpi->requests = payload_allocate((size_t)mpi->slots * sizeof(MPI_Request));
    for (int i = 0; i < mpi->slots; i++)
        mpi->requests[i] = MPI_REQUEST_NULL;
    link->send = pingpong_mpi_send_later;

    if (options->serve)
        serve_answer(options, link);
    else
        exchange_answer(options, link);
    for (int i = 0; i < mpi->slots; i++)
        MPI_Wait(&mpi->requests[i], MPI_STATUS_IGNORE);
    free(mpi->requests);
    free(mpi->copies);
}

static void pingpong_mpi_abort(void *context, const char *text)
{
    (void)context, (void)text; /* mpirun shows the stderr of both processes */
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static int pingpong_mpi_enter(const struct options *options, int *argc, char ***argv)
{
    int wanted = options->version == &version_ts ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
    int given, processes, rank;
    MPI_Init_thread(argc, argv, wanted, &given);
    fail_listen(pingpong_mpi_abort, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (given < wanted)
        fail("this MPI was built without the thread support that %s needs",
             options->version->name);
    if (processes != 2)
        fail("%d processes; start it with 'mpirun -n 2'", processes);
    return rank;
}

int main(int argc, char **argv)
{
    struct options options;
    struct pingpong_mpi mpi = {0};
    struct link link = pingpong_mpi_link;
    link.system = &mpi;

    options_parse(&options, &(struct options_offer){pingpong_mpi_versions, false}, argc, argv);
    int rank = pingpong_mpi_enter(&options, &argc, &argv);
    mpi.peer = 1 - rank;
    if (rank == 0) {
        options_confine(&options);
        pingpong_mpi_run(&options, &link);
    } else {
        pingpong_mpi_answer(&options, &link);
    }
    MPI_Finalize();
    return 0;
}
