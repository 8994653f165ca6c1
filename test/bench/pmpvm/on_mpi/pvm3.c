#include "pvm3.h"

#include <mpi.h>
#include <string.h>

enum { MOST_BYTES = 8 << 20, NO_ROOM = -1 };

struct message {
    char bytes[MOST_BYTES];
    int length, place; /* place: how much is unpacked */
};

static struct message sent, received;

int pvm_mytid(void)
{
    int started, rank;
    MPI_Initialized(&started);
    if (!started)
        MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int pvm_parent(void)
{
    return pvm_mytid() == 0 ? PvmNoParent : 0;
}

int pvm_exit(void)
{
    return MPI_Finalize();
}

int pvm_setopt(int what, int value)
{
    (void)what, (void)value;
    return 0;
}

int pvm_spawn(const char *name, char **words, int flags, const char *where, int count, int *tids)
{
    int processes;
    (void)name, (void)words, (void)flags, (void)where;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (int i = 0; i < count; i++)
        tids[i] = i + 1;
    return processes - 1;
}

int pvm_initsend(int encoding)
{
    (void)encoding;
    sent.length = 0;
    return 0;
}

static int pack(const void *items, size_t bytes)
{
    if (bytes > (size_t)(MOST_BYTES - sent.length))
        return NO_ROOM;
    memcpy(sent.bytes + sent.length, items, bytes);
    sent.length += (int)bytes;
    return 0;
}

static int unpack(void *items, size_t bytes)
{
    if (bytes > (size_t)(received.length - received.place))
        return NO_ROOM;
    memcpy(items, received.bytes + received.place, bytes);
    received.place += (int)bytes;
    return 0;
}

int pvm_pkint(int *items, int count, int stride)
{
    (void)stride;
    return pack(items, sizeof *items * (size_t)count);
}

int pvm_pkdouble(double *items, int count, int stride)
{
    (void)stride;
    return pack(items, sizeof *items * (size_t)count);
}

int pvm_upkint(int *items, int count, int stride)
{
    (void)stride;
    return unpack(items, sizeof *items * (size_t)count);
}

int pvm_upkdouble(double *items, int count, int stride)
{
    (void)stride;
    return unpack(items, sizeof *items * (size_t)count);
}

int pvm_send(int tid, int tag)
{
    return MPI_Send(sent.bytes, sent.length, MPI_BYTE, tid, tag, MPI_COMM_WORLD);
}

int pvm_mcast(int *tids, int count, int tag)
{
    for (int i = 0; i < count; i++)
        pvm_send(tids[i], tag);
    return 0;
}

int pvm_recv(int tid, int tag)
{
    MPI_Status status;
    MPI_Recv(received.bytes, MOST_BYTES, MPI_BYTE, tid, tag, MPI_COMM_WORLD, &status);
    received.place = 0;
    return MPI_Get_count(&status, MPI_BYTE, &received.length);
}
