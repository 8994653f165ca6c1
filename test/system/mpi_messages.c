/* What MPI says of messages between ranks, one part at a time.
 *
 * usage: mpi_messages PART       on as many ranks as the part is for, by mpiexec or without it
 * Prints "ok" on each rank, or the line of the first thing that is wrong, and ends with status 1.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <pvm3.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"

#define WORLD MPI_COMM_WORLD

enum { TAG = 7, MANY = 40, THREADS = 4, ROUNDS = 300 };

static int rank, size, other;

static int count_of(const MPI_Status *status, MPI_Datatype datatype)
{
    int count;
    CHECK(MPI_Get_count(status, datatype, &count) == MPI_SUCCESS);
    return count;
}

static void fill(unsigned char *bytes, size_t length, unsigned seed)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(i * 31 + seed);
}

static int is_filled(const unsigned char *bytes, size_t length, unsigned seed)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != (unsigned char)(i * 31 + seed))
            return 0;
    return 1;
}

/* Both ranks have come here. */
static void meet(void)
{
    int nothing = 0, came;
    MPI_Sendrecv(&nothing, 1, MPI_INT, other, 1000, &came, 1, MPI_INT, other, 1000, WORLD,
                 MPI_STATUS_IGNORE);
}

/* Parts for two ranks. ------------------------------------------------------------------------- */

static void blocking(void)
{
    static const int lengths[] = {0,    1,    8,     207,   208,    209,
                                  4032, 5000, 65535, 65536, 300000, 3000000};
    unsigned char *bytes = malloc(3000000);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int length = lengths[i];
        MPI_Status status;
        for (int turn = 0; turn < 2; turn++) {
            if (rank == turn) {
                fill(bytes, (size_t)length, (unsigned)length);
                CHECK(MPI_Send(bytes, length, MPI_BYTE, other, TAG + turn, WORLD) == MPI_SUCCESS);
            } else {
                memset(bytes, 0, (size_t)length);
                CHECK(MPI_Recv(bytes, 3000000, MPI_BYTE, turn ? MPI_ANY_SOURCE : other,
                               turn ? MPI_ANY_TAG : TAG, WORLD, &status) == MPI_SUCCESS);
                CHECK(is_filled(bytes, (size_t)length, (unsigned)length));
                CHECK(status.MPI_SOURCE == other && status.MPI_TAG == TAG + turn);
                CHECK(count_of(&status, MPI_BYTE) == length);
            }
        }
    }
    free(bytes);
}

/* By tags in any order, by any tag in the order of sending. */
static void order(void)
{
    int value;
    MPI_Status status;
    if (rank == 0) {
        for (int i = 0; i < MANY; i++)
            MPI_Send(&i, 1, MPI_INT, 1, i % 4, WORLD);
        meet();
        return;
    }
    meet();
    for (int i = 3; i < MANY; i += 4) {
        MPI_Recv(&value, 1, MPI_INT, 0, 3, WORLD, MPI_STATUS_IGNORE);
        CHECK(value == i);
    }
    for (int i = 0; i < MANY; i++)
        if (i % 4 != 3) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
            CHECK(value == i && status.MPI_TAG == i % 4);
        }
}

static void truncation(void)
{
    int values[4] = {1, 2, 3, 4}, got[2] = {0, 0};
    long large = 0;
    MPI_Status status;
    MPI_Request request;
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(values, 4, MPI_INT, 1, TAG, WORLD);
        return;
    }
    CHECK(class_of(MPI_Recv(got, 2, MPI_INT, 0, TAG, WORLD, &status)) == MPI_ERR_TRUNCATE);
    CHECK(got[0] == 1 && got[1] == 2 && status.MPI_SOURCE == 0);
    CHECK(class_of(MPI_Recv(&large, 1, MPI_LONG, 0, TAG, WORLD, NULL)) == MPI_ERR_TRUNCATE);
    MPI_Irecv(got, 1, MPI_INT, 0, TAG, WORLD, &request);
    CHECK(class_of(MPI_Waitall(1, &request, &status)) == MPI_ERR_IN_STATUS);
    CHECK(class_of(status.MPI_ERROR) == MPI_ERR_TRUNCATE);
}

static void modes(void)
{
    int value = 5, flag, size_back;
    char *buffer = malloc(2 * (sizeof value + MPI_BSEND_OVERHEAD)), *back;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        CHECK(class_of(MPI_Bsend(&value, 1, MPI_INT, 1, TAG, WORLD)) == MPI_ERR_BUFFER);
        CHECK(MPI_Buffer_attach(buffer, 2 * (sizeof value + MPI_BSEND_OVERHEAD)) == MPI_SUCCESS);
        for (int i = 0; i < MANY; i++)
            CHECK(MPI_Bsend(&i, 1, MPI_INT, 1, TAG, WORLD) == MPI_SUCCESS);
        CHECK(class_of(MPI_Bsend(buffer, 1 << 20, MPI_BYTE, 1, TAG, WORLD)) == MPI_ERR_BUFFER);
        MPI_Ibsend(&value, 1, MPI_INT, 1, TAG, WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(MPI_Buffer_flush() == MPI_SUCCESS);
        CHECK(MPI_Buffer_detach(&back, &size_back) == MPI_SUCCESS);
        CHECK(back == buffer && size_back == 2 * ((int)sizeof value + MPI_BSEND_OVERHEAD));
        CHECK(MPI_Comm_attach_buffer(WORLD, MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
        MPI_Bsend(&value, 1, MPI_INT, 1, TAG, WORLD);
        CHECK(MPI_Comm_detach_buffer(WORLD, &back, &size_back) == MPI_SUCCESS);
        CHECK(back == MPI_BUFFER_AUTOMATIC);
        MPI_Issend(&value, 1, MPI_INT, 1, 1, WORLD, &request);
        meet();
        for (int i = 0; i < 100; i++) {
            MPI_Test(&request, &flag, &status);
            CHECK(!flag); /* nobody receives it yet */
        }
        meet();
        MPI_Wait(&request, &status);
        MPI_Ssend(&value, 1, MPI_INT, 1, 2, WORLD);
        meet();
        MPI_Rsend(&value, 1, MPI_INT, 1, 3, WORLD);
        MPI_Irsend(&value, 1, MPI_INT, 1, 3, WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        /* Both are synchronous towards each other, with whatever numbers. */
        MPI_Issend(&value, 1, MPI_INT, 1, 4, WORLD, &request);
        MPI_Recv(&flag, 1, MPI_INT, 1, 4, WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < MANY + 2; i++) {
            MPI_Recv(&value, 1, MPI_INT, 0, TAG, WORLD, MPI_STATUS_IGNORE);
            CHECK(value == (i < MANY ? i : 5));
        }
        meet();
        meet();
        MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE);
        MPI_Request requests[2];
        MPI_Irecv(&value, 1, MPI_INT, 0, 3, WORLD, &requests[0]);
        MPI_Irecv(&flag, 1, MPI_INT, 0, 3, WORLD, &requests[1]);
        meet();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Issend(&value, 1, MPI_INT, 0, 4, WORLD, &request);
        MPI_Recv(&flag, 1, MPI_INT, 0, 4, WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(buffer);
}

/* What was posted first gets what was sent first; completion in all forms. */
static void posted(void)
{
    int values[MANY], indices[MANY], done = 0, count, index, flag;
    MPI_Request requests[MANY];
    MPI_Status statuses[MANY], status;
    for (int i = 0; i < MANY; i++)
        if (rank == 0)
            MPI_Irecv(&values[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : 1, TAG, WORLD, &requests[i]);
    meet();
    if (rank == 1) {
        for (int i = 0; i < MANY; i++) {
            values[i] = i;
            MPI_Isend(&values[i], 1, MPI_INT, 0, TAG, WORLD, &requests[i]);
        }
        MPI_Waitall(MANY, requests, statuses);
        for (int i = 0; i < MANY; i++)
            CHECK(requests[i] == MPI_REQUEST_NULL);
        meet();
        return;
    }
    MPI_Waitany(MANY / 2, requests, &index, &status);
    CHECK(index >= 0 && values[index] == index && requests[index] == MPI_REQUEST_NULL);
    CHECK(status.MPI_SOURCE == 1 && status.MPI_TAG == TAG);
    for (done = 1; done < MANY / 2; done += count) {
        MPI_Waitsome(MANY / 2, requests, &count, indices, statuses);
        CHECK(count > 0);
        for (int i = 0; i < count; i++)
            CHECK(values[indices[i]] == indices[i] && statuses[i].MPI_SOURCE == 1);
    }
    MPI_Waitsome(MANY / 2, requests, &count, indices, statuses);
    CHECK(count == MPI_UNDEFINED);
    meet();
    do
        MPI_Testsome(2, &requests[MANY / 2], &count, indices, statuses);
    while (count == 0);
    do
        MPI_Testall(MANY, requests, &flag, statuses);
    while (!flag);
    for (int i = 0; i < MANY; i++)
        CHECK(values[i] == i);
    MPI_Testany(MANY, requests, &index, &flag, &status);
    CHECK(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Test(&requests[0], &flag, &status);
    CHECK(flag && status.MPI_TAG == MPI_ANY_TAG && count_of(&status, MPI_INT) == 0);
    CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Waitall(0, NULL, NULL) == MPI_SUCCESS);
}

static void persistent(void)
{
    int out[2], in[2], flag;
    MPI_Request requests[4];
    MPI_Status status;
    MPI_Recv_init(&in[0], 1, MPI_INT, other, 1, WORLD, &requests[0]);
    MPI_Send_init(&out[0], 1, MPI_INT, other, 1, WORLD, &requests[1]);
    MPI_Recv_init(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &requests[2]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, other, 2, WORLD, &requests[3]);
    CHECK(MPI_Wait(&requests[0], &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE);
    for (int round = 0; round < MANY; round++) {
        out[0] = 10 * round + rank;
        out[1] = -out[0];
        CHECK(MPI_Startall(4, requests) == MPI_SUCCESS);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        CHECK(in[0] == 10 * round + other && in[1] == -in[0]);
        CHECK(requests[0] != MPI_REQUEST_NULL);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Start(&requests[0]);
    CHECK(class_of(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&requests[i]);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    CHECK(class_of(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
}

static void probes(void)
{
    int values[3] = {1, 2, 3}, got[3] = {0, 0, 0}, flag;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    if (rank == 0) {
        meet();
        for (int i = 0; i < 5; i++)
            MPI_Send(values, 3, MPI_INT, 1, TAG + i, WORLD);
        MPI_Issend(values, 3, MPI_INT, 1, 100, WORLD, &request);
        meet();
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag); /* it was matched, and is not received */
        meet();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Iprobe(0, TAG, WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Improbe(0, TAG, WORLD, &flag, &message, &status);
    CHECK(!flag);
    meet();
    MPI_Probe(0, TAG + 1, WORLD, &status);
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == TAG + 1 && count_of(&status, MPI_INT) == 3);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
    CHECK(status.MPI_TAG == TAG);
    do
        MPI_Iprobe(MPI_ANY_SOURCE, TAG + 2, WORLD, &flag, &status);
    while (!flag);
    CHECK(count_of(&status, MPI_INT) == 3);
    MPI_Mprobe(0, TAG + 2, WORLD, &message, &status);
    CHECK(count_of(&status, MPI_INT) == 3 && message != MPI_MESSAGE_NULL);
    MPI_Iprobe(0, TAG + 2, WORLD, &flag, &status);
    CHECK(!flag); /* it is taken out */
    MPI_Mrecv(got, 3, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && got[2] == 3 && status.MPI_TAG == TAG + 2);
    do
        MPI_Improbe(0, TAG + 3, WORLD, &flag, &message, MPI_STATUS_IGNORE);
    while (!flag);
    got[2] = 0;
    MPI_Imrecv(got, 3, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    CHECK(got[2] == 3 && status.MPI_TAG == TAG + 3 && count_of(&status, MPI_INT) == 3);
    MPI_Recv(got, 3, MPI_INT, 0, TAG, WORLD, &status);
    MPI_Recv(got, 3, MPI_INT, 0, TAG + 1, WORLD, &status);
    MPI_Recv(got, 3, MPI_INT, 0, MPI_ANY_TAG, WORLD, &status);
    CHECK(status.MPI_TAG == TAG + 4);
    MPI_Mprobe(0, 100, WORLD, &message, &status);
    meet();
    meet();
    MPI_Mrecv(got, 3, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void derived(void)
{
    enum { ROWS = 500, COLUMNS = 60 };
    static int matrix[ROWS][COLUMNS], column[ROWS], copy[ROWS][COLUMNS];
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = 1000 * i + j;
    MPI_Irecv(column, ROWS, MPI_INT, other, 1, WORLD, &request);
    MPI_Send(&matrix[0][3 + rank], 1, type, other, 1, WORLD);
    MPI_Wait(&request, &status);
    for (int i = 0; i < ROWS; i++)
        CHECK(column[i] == 1000 * i + 3 + other);
    MPI_Irecv(&copy[0][7], 1, type, other, 2, WORLD, &request);
    MPI_Ssend(column, ROWS, MPI_INT, other, 2, WORLD);
    MPI_Type_free(&type); /* while it is in use */
    MPI_Wait(&request, &status);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            CHECK(copy[i][j] == (j == 7 ? 1000 * i + 3 + rank : 0));
    CHECK(count_of(&status, MPI_INT) == ROWS);
}

static void together(void)
{
    int out[3] = {rank, rank + 10, rank + 20}, in[3] = {-1, -1, -1};
    MPI_Status status;
    MPI_Request request;
    MPI_Sendrecv(out, 3, MPI_INT, other, rank, in, 3, MPI_INT, other, other, WORLD, &status);
    CHECK(in[2] == other + 20 && status.MPI_TAG == other);
    MPI_Sendrecv_replace(out, 3, MPI_INT, other, 5, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
    CHECK(out[1] == other + 10 && status.MPI_SOURCE == other && status.MPI_TAG == 5);
    MPI_Isendrecv_replace(out, 3, MPI_INT, other, 6, other, 6, WORLD, &request);
    MPI_Wait(&request, &status);
    CHECK(out[0] == rank && status.MPI_TAG == 6 && count_of(&status, MPI_INT) == 3);
    MPI_Isendrecv(out, 3, MPI_INT, other, 7, in, 3, MPI_INT, other, 7, WORLD, &request);
    meet(); /* goes on meanwhile */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0] == other);
}

static void *cancel_later(void *request)
{
    usleep(20000);
    MPI_Cancel(request);
    return NULL;
}

static void cancels(void)
{
    int value = 0, flag;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, other, 99, WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && request == MPI_REQUEST_NULL);
    pthread_t thread;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, WORLD, &request);
    MPI_Request copy = request;
    pthread_create(&thread, NULL, cancel_later, &copy);
    MPI_Wait(&request, &status); /* ends by the other thread */
    pthread_join(thread, NULL);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Irecv(&value, 1, MPI_INT, other, TAG, WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, other, TAG, WORLD);
    meet();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(value == other);
}

/* Requests that the program gives up go on. */
static void freed(void)
{
    static char large[400000];
    int value = -1;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(large, sizeof large, MPI_BYTE, 1, 1, WORLD, &request);
        MPI_Request_free(&request);
        MPI_Irecv(&value, 1, MPI_INT, 1, 2, WORLD, &request);
        MPI_Request_free(&request);
        meet();
        MPI_Recv(NULL, 0, MPI_INT, 1, 3, WORLD, MPI_STATUS_IGNORE);
        meet();
        CHECK(value == 1);
    } else {
        meet();
        MPI_Send(&rank, 1, MPI_INT, 0, 2, WORLD);
        MPI_Send(NULL, 0, MPI_INT, 0, 3, WORLD);
        MPI_Recv(large, sizeof large, MPI_BYTE, 0, 1, WORLD, MPI_STATUS_IGNORE);
        meet();
    }
}

static void nobody(void)
{
    int value = 3, flag;
    MPI_Status status;
    MPI_Message message;
    MPI_Request requests[2];
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, TAG, WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, TAG, WORLD, &status);
    CHECK(value == 3 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    CHECK(count_of(&status, MPI_INT) == 0);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, TAG, WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, TAG, WORLD, &requests[1]);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
    MPI_Probe(MPI_PROC_NULL, TAG, WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mprobe(MPI_PROC_NULL, TAG, WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, TAG, WORLD, &status);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD,
                 &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void mistakes(void)
{
    int value = 0, flag;
    MPI_Request request = MPI_REQUEST_NULL, bad = (MPI_Request)&value;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, size, 0, WORLD)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Recv(&value, 1, MPI_INT, -7, 0, WORLD, &status)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, other, -1, WORLD)) == MPI_ERR_TAG);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, other, MPI_ANY_TAG, WORLD)) == MPI_ERR_TAG);
    CHECK(class_of(MPI_Irecv(&value, 1, MPI_INT, other, -9, WORLD, &request)) == MPI_ERR_TAG);
    CHECK(class_of(MPI_Send(&value, -1, MPI_INT, other, 0, WORLD)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Send(NULL, 1, MPI_INT, other, 0, WORLD)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Send(&value, 1, MPI_DATATYPE_NULL, other, 0, WORLD)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_NULL)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, other, 0, (MPI_Comm)&value)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Isend(&value, 1, MPI_INT, other, 0, WORLD, NULL)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Iprobe(other, 0, WORLD, NULL, &status)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Wait(NULL, &status)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Wait(&bad, &status)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Test(&request, NULL, &status)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Waitall(-1, NULL, NULL)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Waitall(1, NULL, NULL)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Mrecv(&value, 1, MPI_INT, &message, &status)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Grequest_complete(request)) == MPI_ERR_REQUEST);
    CHECK(class_of(MPI_Buffer_detach(&value, NULL)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Test_cancelled(NULL, &flag)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Init(NULL, NULL)) == MPI_ERR_OTHER);
}

/* Threads. ------------------------------------------------------------------------------------- */

static void *talk(void *number)
{
    int tag = (int)(intptr_t)number, value;
    MPI_Status status;
    MPI_Request requests[2];
    for (int i = 0; i < ROUNDS; i++) {
        int out = i * THREADS + tag;
        if (i % 2) {
            MPI_Irecv(&value, 1, MPI_INT, other, tag, WORLD, &requests[0]);
            MPI_Isend(&out, 1, MPI_INT, other, tag, WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Sendrecv(&out, 1, MPI_INT, other, tag, &value, 1, MPI_INT, other, tag, WORLD,
                         &status);
        }
        CHECK(value == out);
    }
    return NULL;
}

/* One request after the other, in steps, while other threads do likewise. */
static void *talk_in_steps(void *number)
{
    int tag = (int)(intptr_t)number, value;
    MPI_Request request;
    for (int i = 0; i < ROUNDS; i++) {
        int out = i * THREADS + tag, flag = 0;
        MPI_Isendrecv(&out, 1, MPI_INT, other, tag, &value, 1, MPI_INT, other, tag, WORLD,
                      &request);
        if (i % 3 == 0)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(value == out);
    }
    return NULL;
}

static void in_threads(void *(*function)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, function, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void threads(void)
{
    int provided, is_main;
    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&is_main);
    CHECK(provided == MPI_THREAD_MULTIPLE && is_main);
    in_threads(talk);
}

static void steps(void)
{
    in_threads(talk_in_steps);
}

/* Generalized requests. ------------------------------------------------------------------------ */

static int queried, gone;

static int query(void *state, MPI_Status *status)
{
    queried++;
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 4;
    return MPI_SUCCESS;
}

static int go(void *state)
{
    (void)state;
    gone++;
    return MPI_SUCCESS;
}

static int stop(void *state, int complete)
{
    *(int *)state = complete ? 100 : 50;
    return MPI_SUCCESS;
}

static void *complete_later(void *request)
{
    usleep(20000);
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

static void generalized(void)
{
    int state = 3, value, flag, index;
    pthread_t thread;
    MPI_Request requests[2], copy;
    MPI_Status status;
    MPI_Grequest_start(query, go, stop, &state, &requests[1]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 98, MPI_COMM_SELF, &requests[0]);
    MPI_Test(&requests[1], &flag, &status);
    CHECK(!flag && queried == 0);
    copy = requests[1];
    pthread_create(&thread, NULL, complete_later, &copy);
    MPI_Waitany(2, requests, &index, &status);
    CHECK(index == 1 && queried == 1 && gone == 1 && requests[1] == MPI_REQUEST_NULL);
    CHECK(status.MPI_SOURCE == 4 && count_of(&status, MPI_INT) == 3);
    pthread_join(thread, NULL);
    MPI_Send(&state, 1, MPI_INT, 0, 98, MPI_COMM_SELF);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Grequest_start(query, go, stop, &state, &requests[0]);
    MPI_Cancel(&requests[0]);
    CHECK(state == 50);
    copy = requests[0];
    MPI_Request_free(&requests[0]);
    CHECK(gone == 1);
    MPI_Grequest_complete(copy);
    CHECK(gone == 2 && queried == 1);
}

static int fail(void *state)
{
    (void)state;
    return MPI_ERR_BUFFER;
}

static int fail_query(void *state, MPI_Status *status)
{
    (void)status;
    return fail(state);
}

static int fail_cancel(void *state, int complete)
{
    (void)complete;
    return fail(state);
}

static int well(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

/* The errors of the program's functions come back, and the request is gone all the same. */
static void generalized_fails(void)
{
    int state = 3;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Grequest_start(fail_query, well, stop, &state, &request);
    MPI_Grequest_complete(request);
    CHECK(class_of(MPI_Wait(&request, &status)) == MPI_ERR_BUFFER);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Grequest_start(query, fail, fail_cancel, &state, &request);
    CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_BUFFER);
    MPI_Grequest_complete(request);
    CHECK(class_of(MPI_Waitall(1, &request, &status)) == MPI_ERR_IN_STATUS);
    CHECK(class_of(status.MPI_ERROR) == MPI_ERR_BUFFER && request == MPI_REQUEST_NULL);
}

/* Parts for one rank. -------------------------------------------------------------------------- */

static void to_oneself(void)
{
    static unsigned char bytes[100000], back[100000];
    MPI_Request request;
    MPI_Status status;
    int flag;
    fill(bytes, sizeof bytes, 1);
    MPI_Send(bytes, sizeof bytes, MPI_BYTE, rank, TAG, WORLD);
    MPI_Recv(back, sizeof back, MPI_BYTE, MPI_ANY_SOURCE, TAG, WORLD, &status);
    CHECK(is_filled(back, sizeof back, 1) && status.MPI_SOURCE == rank);
    MPI_Issend(bytes, 10, MPI_BYTE, 0, TAG, MPI_COMM_SELF, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Recv(back, 10, MPI_BYTE, 0, TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void clock_goes(void)
{
    double begin = MPI_Wtime();
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
    while (MPI_Wtime() == begin)
        ;
    CHECK(MPI_Wtime() > begin);
    CHECK(MPI_Pcontrol(3, "anything") == MPI_SUCCESS);
}

/* Beside PVM. ---------------------------------------------------------------------------------- */

static void beside_pvm(void)
{
    int mine = pvm_mytid(), theirs, value = 0;
    CHECK(mine > 0);
    MPI_Sendrecv(&mine, 1, MPI_INT, other, 1, &theirs, 1, MPI_INT, other, 1, WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < MANY; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&i, 1, 1);
        pvm_send(theirs, TAG);
        MPI_Send(&i, 1, MPI_INT, other, TAG, WORLD);
    }
    for (int i = 0; i < MANY; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
        CHECK(value == i);
        CHECK(pvm_recv(-1, -1) > 0); /* no message of MPI comes there */
        pvm_upkint(&value, 1, 1);
        CHECK(value == i);
    }
    CHECK(pvm_nrecv(-1, -1) == 0);
}

/* Waits that others watch. --------------------------------------------------------------------- */

static void wait_in_receive(void)
{
    int value;
    printf("pid %d\n", (int)getpid());
    fflush(stdout);
    if (rank == 0)
        scanf("%d", &value); /* until the watch is over */
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, TAG, WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, TAG, WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_any(void)
{
    int value, index;
    MPI_Request requests[3];
    printf("pid %d\n", (int)getpid());
    fflush(stdout);
    if (rank == 0) {
        scanf("%d", &value);
        MPI_Send(&value, 1, MPI_INT, 1, TAG, WORLD);
        MPI_Sendrecv(&value, 1, MPI_INT, 1, 1, &value, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Irecv(&value, 1, MPI_INT, 0, TAG, WORLD, &requests[0]);
    MPI_Isendrecv(&rank, 1, MPI_INT, 0, 1, &index, 1, MPI_INT, 0, 1, WORLD, &requests[1]);
    MPI_Grequest_start(query, go, stop, &value, &requests[2]);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* Ways in which a thread waits for a message of rank 2. */
enum { BY_RECEIVE, BY_REQUEST, BY_PROBE, WAYS };

static atomic_int waiter;

static void *wait_for_message(void *way)
{
    int value;
    MPI_Request request;
    atomic_store(&waiter, gettid());
    if ((intptr_t)way == BY_PROBE)
        MPI_Probe(2, TAG, WORLD, MPI_STATUS_IGNORE);
    if ((intptr_t)way == BY_REQUEST) {
        MPI_Irecv(&value, 1, MPI_INT, 2, TAG, WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 2, TAG, WORLD, MPI_STATUS_IGNORE);
    }
    CHECK(value == 5);
    return NULL;
}

/* Returns when that thread sleeps. */
static void await_sleep(void)
{
    char path[64], state = 'R';
    while (atomic_load(&waiter) == 0)
        sched_yield();
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&waiter));
    while (state != 'S') {
        FILE *file = fopen(path, "r");
        CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
        fclose(file);
        sched_yield();
    }
}

/*
 * Rank 0 has a thread that waits, and then begins a barrier with another thread, which makes no
 * call before the first one has its message. That comes only if the barrier goes on meanwhile.
 */
static void begun_while_another_waits(void)
{
    int value = 5;
    MPI_Request barrier;
    for (intptr_t way = 0; way < WAYS; way++) {
        pthread_t thread;
        atomic_store(&waiter, 0);
        if (rank == 0) {
            pthread_create(&thread, NULL, wait_for_message, (void *)way);
            await_sleep();
        } else if (rank == 3) {
            MPI_Recv(&value, 1, MPI_INT, 0, TAG, WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Ibarrier(WORLD, &barrier);
        if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 3, TAG, WORLD);
            pthread_join(thread, NULL);
        }
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        if (rank == 2)
            MPI_Send(&value, 1, MPI_INT, 0, TAG, WORLD);
    }
}

static void abort_all(void)
{
    int value;
    if (rank == 0)
        MPI_Abort(WORLD, 42);
    MPI_Recv(&value, 1, MPI_INT, 0, TAG, WORLD, MPI_STATUS_IGNORE);
}

static void fatal(void)
{
    int value = 0;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 77, TAG, WORLD);
    MPI_Recv(&value, 1, MPI_INT, 0, TAG, WORLD, MPI_STATUS_IGNORE);
}

static const struct part {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"blocking", blocking},
    {"order", order},
    {"truncation", truncation},
    {"modes", modes},
    {"posted", posted},
    {"persistent", persistent},
    {"probes", probes},
    {"derived", derived},
    {"together", together},
    {"cancels", cancels},
    {"freed", freed},
    {"nobody", nobody},
    {"mistakes", mistakes},
    {"threads", threads},
    {"steps", steps},
    {"generalized", generalized},
    {"generalized_fails", generalized_fails},
    {"to_oneself", to_oneself},
    {"clock", clock_goes},
    {"beside_pvm", beside_pvm},
    {"wait_in_receive", wait_in_receive},
    {"wait_for_any", wait_for_any},
    {"begun_while_another_waits", begun_while_another_waits},
    {"abort", abort_all},
    {"fatal", fatal},
};

int main(int count, char **words)
{
    int flag, provided;
    MPI_Initialized(&flag);
    CHECK(count == 2 && !flag);
    CHECK(MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    other = size - 1 - rank;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(words[1], parts[i].name) == 0)
            parts[i].run();
    MPI_Finalize();
    MPI_Finalized(&flag);
    CHECK(flag);
    puts("ok");
    return 0;
}
