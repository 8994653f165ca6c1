/* What MPI says of one-sided communication, one part at a time.
 *
 * usage: mpi_windows PART KIND    on any number of ranks, by mpiexec or without it
 * KIND is how the memory of the windows is made: create, allocate or shared.
 * Prints "ok" on each rank, or the line of the first thing that is wrong, and ends with status 1.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"

enum { CELLS = 64, ROUNDS = 50, THREADS = 3 };

#define WORLD   MPI_COMM_WORLD
#define NO_INFO MPI_INFO_NULL

static int rank, size, next, before;
static const char *kind;

/* A window of CELLS numbers of each rank, all of them 0, and the own ones. */
static MPI_Win make(long **cells)
{
    MPI_Win win;
    MPI_Aint bytes = CELLS * (MPI_Aint)sizeof **cells;
    if (strcmp(kind, "create") == 0) {
        GOOD(MPI_Alloc_mem(bytes, NO_INFO, cells));
        GOOD(MPI_Win_create(*cells, bytes, sizeof **cells, NO_INFO, WORLD, &win));
    } else if (strcmp(kind, "allocate") == 0) {
        GOOD(MPI_Win_allocate(bytes, sizeof **cells, NO_INFO, WORLD, cells, &win));
    } else {
        GOOD(MPI_Win_allocate_shared(bytes, sizeof **cells, NO_INFO, WORLD, cells, &win));
    }
    GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memset(*cells, 0, (size_t)bytes);
    GOOD(MPI_Barrier(WORLD));
    return win;
}

static void unmake(MPI_Win *win, long *cells)
{
    GOOD(MPI_Win_free(win));
    CHECK(*win == MPI_WIN_NULL);
    if (strcmp(kind, "create") == 0)
        GOOD(MPI_Free_mem(cells));
}

/* What a program is told of a window. */
static void told(void)
{
    long *cells, *query;
    MPI_Win win = make(&cells);
    MPI_Group group;
    char name[MPI_MAX_OBJECT_NAME];
    void *value;
    MPI_Aint bytes;
    int flag, length, members, unit;
    GOOD(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag && value == cells);
    GOOD(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag && *(MPI_Aint *)value == CELLS * (MPI_Aint)sizeof *cells);
    GOOD(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag && *(int *)value == sizeof *cells);
    GOOD(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag && *(int *)value == (kind[0] == 'c'   ? MPI_WIN_FLAVOR_CREATE
                                    : kind[0] == 'a' ? MPI_WIN_FLAVOR_ALLOCATE
                                                     : MPI_WIN_FLAVOR_SHARED));
    GOOD(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag && *(int *)value == MPI_WIN_UNIFIED);
    GOOD(MPI_Win_get_name(win, name, &length));
    CHECK(length == 0);
    GOOD(MPI_Win_set_name(win, "cells"));
    GOOD(MPI_Win_get_name(win, name, &length));
    CHECK(strcmp(name, "cells") == 0 && length == 5);
    GOOD(MPI_Win_get_group(win, &group));
    GOOD(MPI_Group_size(group, &members));
    CHECK(members == size);
    GOOD(MPI_Group_free(&group));
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
    GOOD(MPI_Win_shared_query(win, rank, &bytes, &unit, &query));
    CHECK(bytes == CELLS * (MPI_Aint)sizeof *cells && query == cells && unit == sizeof *cells);
    unmake(&win, cells);
}

static int copies, deletes;

static int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
    copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

/* A window has attributes of its own, and none of its communicator. */
static void attributes(void)
{
    long *cells;
    int of_comm, of_win, flag, number = 5;
    void *value;
    GOOD(MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL));
    GOOD(MPI_Comm_set_attr(WORLD, of_comm, &number));
    MPI_Win win = make(&cells);
    GOOD(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &of_win, NULL));
    GOOD(MPI_Win_get_attr(win, of_win, &value, &flag));
    CHECK(!flag);
    GOOD(MPI_Win_set_attr(win, of_win, &number));
    GOOD(MPI_Win_get_attr(win, of_win, &value, &flag));
    CHECK(flag && value == &number);
    GOOD(MPI_Win_delete_attr(win, of_win));
    GOOD(MPI_Win_set_attr(win, of_win, &number));
    GOOD(MPI_Win_free_keyval(&of_win));
    unmake(&win, cells);
    CHECK(copies == 0 && deletes == 2);
    GOOD(MPI_Comm_delete_attr(WORLD, of_comm));
    GOOD(MPI_Comm_free_keyval(&of_comm));
}

/* Every third cell of one rank goes to every second one of another, and comes back. */
static void fences(void)
{
    long *cells, from[3 * 8], back[8];
    MPI_Datatype third, second;
    MPI_Win win = make(&cells);
    GOOD(MPI_Type_vector(8, 1, 3, MPI_LONG, &third));
    GOOD(MPI_Type_vector(8, 1, 2, MPI_LONG, &second));
    GOOD(MPI_Type_commit(&third));
    GOOD(MPI_Type_commit(&second));
    GOOD(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 24; i++)
            from[i] = 1000 * round + 100 * rank + i;
        GOOD(MPI_Put(from, 1, third, next, 1, 1, second, win));
        GOOD(MPI_Win_fence(0, win));
        for (int i = 0; i < 8; i++)
            CHECK(cells[1 + 2 * i] == 1000 * round + 100 * before + 3 * i && cells[2 * i] == 0);
        GOOD(MPI_Get(back, 8, MPI_LONG, next, 1, 1, second, win));
        GOOD(MPI_Win_fence(0, win));
        for (int i = 0; i < 8; i++)
            CHECK(back[i] == from[3 * i]);
    }
    GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(from, 1, MPI_LONG, next, 0, 1, MPI_LONG, win));
    GOOD(MPI_Type_free(&third));
    GOOD(MPI_Type_free(&second));
    unmake(&win, cells);
}

/* All ranks change the same cells of rank 0 at once, and nothing is lost. */
static void accumulates(void)
{
    long *cells, one[CELLS], was = 0, sum = 0, all;
    MPI_Win win = make(&cells);
    for (int i = 0; i < CELLS; i++)
        one[i] = 1;
    GOOD(MPI_Win_lock_all(0, win));
    for (int round = 0; round < ROUNDS; round++) {
        GOOD(MPI_Accumulate(one, CELLS - 2, MPI_LONG, 0, 0, CELLS - 2, MPI_LONG, MPI_SUM, win));
        GOOD(MPI_Fetch_and_op(one, &was, MPI_LONG, 0, CELLS - 2, MPI_SUM, win));
        GOOD(MPI_Win_flush(0, win));
        sum += was;
    }
    GOOD(MPI_Win_unlock_all(win));
    GOOD(MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, WORLD));
    long count = ROUNDS * (long)size;
    CHECK(all == count * (count - 1) / 2); /* each number was fetched once */
    for (int i = 0; rank == 0 && i < CELLS - 1; i++)
        CHECK(cells[i] == count);
    GOOD(MPI_Barrier(WORLD));
    unmake(&win, cells);
}

/* Operations, one of each sort, on the datatypes for which they differ. */
static void operations(void)
{
    struct pair {
        double value;
        int index;
    } * pairs, mine = {.value = rank, .index = 7 + rank}, old = {0};
    long *cells, fetched[2][4] = {0}, more[4] = {1, 2, 3, 4};
    MPI_Datatype sparse, spread;
    MPI_Win win = make(&cells);
    pairs = (struct pair *)(void *)(cells + 8);
    pairs[1].value = -1;
    GOOD(MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &sparse));
    GOOD(MPI_Type_vector(4, 1, 3, MPI_LONG, &spread));
    GOOD(MPI_Type_commit(&sparse));
    GOOD(MPI_Type_commit(&spread));
    GOOD(MPI_Win_fence(0, win));
    GOOD(MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, next, 10, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    GOOD(MPI_Win_fence(0, win));
    CHECK(pairs[1].value == before && pairs[1].index == 7 + before);
    GOOD(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &old, 1, MPI_DOUBLE_INT, next, 10, 1,
                            MPI_DOUBLE_INT, MPI_NO_OP, win));
    GOOD(MPI_Win_fence(0, win));
    CHECK(old.value == rank && old.index == 7 + rank);
    struct pair two[3] = {{5, 1}, {0, 0}, {6, 2}};
    GOOD(MPI_Accumulate(two, 1, sparse, next, 16, 1, sparse, MPI_MINLOC, win));
    GOOD(MPI_Accumulate(two, 1, sparse, next, 24, 1, sparse, MPI_MAXLOC, win));
    GOOD(MPI_Win_fence(0, win));
    CHECK(pairs[4].value == 0 && pairs[8].value == 5 && pairs[8].index == 1);
    CHECK(pairs[10].value == 6 && pairs[10].index == 2);
    for (int i = 0; i < 2; i++)
        GOOD(MPI_Get_accumulate(more, 4, MPI_LONG, fetched[i], 4, MPI_LONG, next, 40, 1, spread,
                                MPI_SUM, win));
    GOOD(MPI_Win_fence(0, win));
    for (int i = 0; i < 4; i++)
        CHECK(fetched[0][i] == 0 && fetched[1][i] == i + 1 && cells[40 + 3 * i] == 2 * (i + 1) &&
              cells[41 + 3 * i] == 0);
    GOOD(MPI_Type_free(&sparse));
    GOOD(MPI_Type_free(&spread));
    unmake(&win, cells);
}

/* Accumulates of one origin to one target are done in their order: the last number stays. */
static void order(void)
{
    long *cells;
    MPI_Win win = make(&cells);
    GOOD(MPI_Win_fence(0, win));
    for (long i = 1; i <= ROUNDS; i++)
        GOOD(MPI_Accumulate(&i, 1, MPI_LONG, next, rank % CELLS, 1, MPI_LONG, MPI_REPLACE, win));
    GOOD(MPI_Win_fence(0, win));
    CHECK(cells[before % CELLS] == ROUNDS);
    unmake(&win, cells);
}

/* A turn in a critical section by compare and swap alone. */
static void swaps(void)
{
    long *cells, free_now = 0, mine = rank + 1, was;
    MPI_Win win = make(&cells);
    GOOD(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int round = 0; round < 5; round++) {
        do {
            GOOD(MPI_Compare_and_swap(&mine, &free_now, &was, MPI_LONG, 0, 0, win));
            GOOD(MPI_Win_flush(0, win));
        } while (was != 0);
        long count;
        GOOD(MPI_Get(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
        GOOD(MPI_Win_flush(0, win));
        count++;
        GOOD(MPI_Put(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
        GOOD(MPI_Win_flush(0, win));
        GOOD(MPI_Compare_and_swap(&free_now, &mine, &was, MPI_LONG, 0, 0, win));
        GOOD(MPI_Win_flush(0, win));
        CHECK(was == mine);
    }
    GOOD(MPI_Win_unlock_all(win));
    GOOD(MPI_Barrier(WORLD));
    CHECK(rank > 0 || cells[1] == 5 * size);
    GOOD(MPI_Barrier(WORLD));
    unmake(&win, cells);
}

/* Even ranks write to odd ones; who tests does so until all have completed. */
static void posts(void)
{
    long *cells;
    int flag = 0;
    MPI_Group all, others;
    MPI_Win win = make(&cells);
    int ends = size / 2 * 2, partner = rank ^ 1;
    GOOD(MPI_Win_get_group(win, &all));
    GOOD(MPI_Group_incl(all, rank < ends ? 1 : 0, &partner, &others));
    for (long round = 1; round <= ROUNDS && rank < ends; round++) {
        if (rank % 2 == 0) {
            GOOD(MPI_Win_start(others, 0, win));
            GOOD(MPI_Put(&round, 1, MPI_LONG, partner, 3, 1, MPI_LONG, win));
            FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(others, 0, win));
            GOOD(MPI_Win_complete(win));
        } else {
            GOOD(MPI_Win_post(others, 0, win));
            for (flag = round % 2 == 0; !flag;)
                GOOD(MPI_Win_test(win, &flag));
            if (round % 2 == 0)
                GOOD(MPI_Win_wait(win));
            CHECK(cells[3] == round);
        }
    }
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
    GOOD(MPI_Group_free(&all));
    GOOD(MPI_Group_free(&others));
    unmake(&win, cells);
}

/* Only who has the exclusive lock reads and writes; readers never see half of it. */
static void locks(void)
{
    long *cells, seen[2];
    MPI_Win win = make(&cells);
    for (int round = 0; round < ROUNDS; round++) {
        GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        GOOD(MPI_Get(seen, 2, MPI_LONG, 0, 0, 2, MPI_LONG, win));
        GOOD(MPI_Win_flush(0, win));
        CHECK(seen[0] == seen[1]);
        for (int i = 0; i < 2; i++) {
            seen[i]++;
            GOOD(MPI_Put(&seen[i], 1, MPI_LONG, 0, i, 1, MPI_LONG, win));
        }
        GOOD(MPI_Win_unlock(0, win));
        GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        GOOD(MPI_Get(seen, 2, MPI_LONG, 0, 0, 2, MPI_LONG, win));
        GOOD(MPI_Win_unlock(0, win));
        CHECK(seen[0] == seen[1] && seen[0] > round);
    }
    GOOD(MPI_Barrier(WORLD));
    CHECK(rank > 0 || cells[0] == ROUNDS * size);
    GOOD(MPI_Barrier(WORLD));
    unmake(&win, cells);
}

/* By the file of the pipe that another process has. */
static void tell(int process, int pipe)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, pipe);
    int file = open(path, O_WRONLY);
    CHECK(file >= 0 && write(file, "", 1) == 1);
    close(file);
}

/* The target calls nothing of MPI until the others say that what they put is there. */
static void passive(void)
{
    long *cells, value = 1;
    int ends[2] = {-1, -1}, self[2];
    MPI_Win win = make(&cells);
    CHECK(rank > 0 || pipe(ends) == 0);
    self[0] = (int)getpid();
    self[1] = ends[1];
    GOOD(MPI_Bcast(self, 2, MPI_INT, 0, WORLD));
    if (rank > 0) {
        GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        GOOD(MPI_Put(&value, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win));
        GOOD(MPI_Win_unlock(0, win));
        tell(self[0], self[1]);
    }
    for (int i = 1; rank == 0 && i < size; i++)
        CHECK(read(ends[0], &(char){0}, 1) == 1);
    GOOD(MPI_Barrier(WORLD));
    for (int i = 1; rank == 0 && i < size; i++)
        CHECK(cells[i] == 1);
    unmake(&win, cells);
    close(ends[0]);
    close(ends[1]);
}

static void requests(void)
{
    long *cells, values[4] = {1, 2, 3, 4}, got[4] = {0}, old[4] = {0};
    MPI_Request request[4];
    MPI_Status status;
    MPI_Win win = make(&cells);
    GOOD(MPI_Win_lock_all(0, win));
    GOOD(MPI_Rput(values, 4, MPI_LONG, next, 0, 4, MPI_LONG, win, &request[0]));
    GOOD(MPI_Wait(&request[0], &status));
    GOOD(MPI_Raccumulate(values, 4, MPI_LONG, next, 0, 4, MPI_LONG, MPI_PROD, win, &request[0]));
    GOOD(MPI_Rget_accumulate(values, 4, MPI_LONG, old, 4, MPI_LONG, next, 0, 4, MPI_LONG, MPI_SUM,
                             win, &request[1]));
    GOOD(MPI_Rget(got, 4, MPI_LONG, next, 0, 4, MPI_LONG, win, &request[2]));
    GOOD(MPI_Rget(got, 4, MPI_LONG, MPI_PROC_NULL, 0, 4, MPI_LONG, win, &request[3]));
    GOOD(MPI_Waitall(4, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 4; i++)
        CHECK(old[i] == (i + 1) * (i + 1) && got[i] == old[i] + i + 1);
    GOOD(MPI_Rget(got, 4, MPI_LONG, next, 4, 4, MPI_LONG, win, &request[0]));
    GOOD(MPI_Request_free(&request[0]));
    GOOD(MPI_Win_flush_local(next, win));
    CHECK(got[0] == 0);
    GOOD(MPI_Win_unlock_all(win));
    unmake(&win, cells);
}

static MPI_Win of_all;

/* Each thread has a cell of its own in each rank. */
static void *of_thread(void *argument)
{
    int cell = (int)(long)argument;
    long one = 1, got;
    for (int round = 1; round <= ROUNDS; round++) {
        GOOD(MPI_Accumulate(&one, 1, MPI_LONG, next, cell, 1, MPI_LONG, MPI_SUM, of_all));
        GOOD(MPI_Get_accumulate(NULL, 0, MPI_LONG, &got, 1, MPI_LONG, next, cell, 1, MPI_LONG,
                                MPI_NO_OP, of_all));
        GOOD(MPI_Win_flush(next, of_all));
        CHECK(got == round);
    }
    return NULL;
}

static void threads(void)
{
    long *cells;
    pthread_t others[THREADS];
    of_all = make(&cells);
    GOOD(MPI_Win_lock_all(0, of_all));
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&others[i], NULL, of_thread, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(others[i], NULL) == 0);
    GOOD(MPI_Win_unlock_all(of_all));
    unmake(&of_all, cells);
}

/* A megabyte to each rank from each, with holes. */
static void large(void)
{
    enum { COUNT = 1 << 17 };
    MPI_Win win;
    MPI_Datatype holes;
    char *memory, *mine = malloc(2 * COUNT);
    GOOD(MPI_Win_create(memset(malloc(2 * COUNT), 0, 2 * COUNT), 2 * COUNT, 1, NO_INFO, WORLD,
                        &win));
    int flag;
    GOOD(MPI_Win_get_attr(win, MPI_WIN_BASE, &memory, &flag));
    for (int i = 0; i < 2 * COUNT; i++)
        mine[i] = (char)(i * 7 + rank);
    GOOD(MPI_Type_vector(COUNT, 1, 2, MPI_BYTE, &holes));
    GOOD(MPI_Type_commit(&holes));
    GOOD(MPI_Win_fence(0, win));
    GOOD(MPI_Put(mine, 1, holes, next, 0, 1, holes, win));
    GOOD(MPI_Win_fence(0, win));
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK(memory[i] == (i % 2 ? 0 : (char)(i * 7 + before)));
    memset(mine, 0, 2 * COUNT);
    GOOD(MPI_Get(mine, COUNT, MPI_BYTE, rank, 0, 1, holes, win));
    GOOD(MPI_Win_fence(0, win));
    for (int i = 0; i < COUNT; i++)
        CHECK(mine[i] == memory[2 * i]);
    GOOD(MPI_Type_free(&holes));
    GOOD(MPI_Win_free(&win));
    free(memory);
    free(mine);
}

static void dynamic(void)
{
    long cells[4] = {0}, value = 40 + rank, got;
    MPI_Aint *address = malloc((size_t)size * sizeof *address);
    MPI_Win win;
    GOOD(MPI_Win_create_dynamic(NO_INFO, WORLD, &win));
    GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    GOOD(MPI_Win_attach(win, cells, sizeof cells));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, cells + 1, 8));
    GOOD(MPI_Get_address(cells, &address[rank]));
    GOOD(MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, address, 1, MPI_AINT, WORLD));
    GOOD(MPI_Win_lock_all(0, win));
    GOOD(MPI_Put(&value, 1, MPI_LONG, next, MPI_Aint_add(address[next], 8), 1, MPI_LONG, win));
    GOOD(MPI_Win_flush(next, win));
    GOOD(MPI_Get(&got, 1, MPI_LONG, next, address[next] + 8, 1, MPI_LONG, win));
    GOOD(MPI_Win_flush(next, win));
    CHECK(got == value);
    GOOD(MPI_Put(&value, 1, MPI_LONG, next, address[next] + (MPI_Aint)sizeof cells, 1, MPI_LONG,
                 win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(next, win));
    GOOD(MPI_Get(&got, 1, MPI_LONG, next, address[next] - 8, 1, MPI_LONG, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(next, win));
    GOOD(MPI_Win_flush(next, win));
    GOOD(MPI_Win_unlock_all(win));
    GOOD(MPI_Barrier(WORLD));
    CHECK(cells[1] == 40 + before);
    GOOD(MPI_Win_detach(win, cells));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, cells));
    GOOD(MPI_Win_free(&win));
    free(address);
}

static int raised;

static void count_error(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
    raised++;
}

static void mistakes(void)
{
    long *cells, value = 1, two[2] = {5, 6};
    void *nowhere;
    MPI_Win win = make(&cells), none;
    MPI_Errhandler counter;
    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, win));
    GOOD(MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(next, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(next, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(1, next, 0, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_fence(MPI_MODE_NOCHECK, win));
    FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, &value, 8));
    GOOD(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    FAILS(MPI_ERR_RANK, MPI_Put(&value, 1, MPI_LONG, size, 0, 1, MPI_LONG, win));
    FAILS(MPI_ERR_DISP, MPI_Put(&value, 1, MPI_LONG, next, -1, 1, MPI_LONG, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_LONG, next, CELLS, 1, MPI_LONG, win));
    FAILS(MPI_ERR_TRUNCATE, MPI_Put(&two, 2, MPI_LONG, next, 0, 1, MPI_LONG, win));
    FAILS(MPI_ERR_TRUNCATE, MPI_Get(&value, 1, MPI_LONG, next, 0, 2, MPI_LONG, win));
    GOOD(MPI_Put(&value, 1, MPI_LONG, next, 0, 2, MPI_LONG, win));
    GOOD(MPI_Get(&two, 2, MPI_LONG, next, 0, 1, MPI_LONG, win));
    GOOD(MPI_Win_flush(next, win));
    CHECK(two[0] == 1 && two[1] == 6);
    FAILS(MPI_ERR_TYPE, MPI_Put(&value, 1, MPI_DATATYPE_NULL, next, 0, 1, MPI_LONG, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, MPI_OP_NULL, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, MPI_BAND, win));
    FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&value, &value, &value, MPI_DOUBLE, next, 0, win));
    GOOD(MPI_Win_create_errhandler(count_error, &counter));
    GOOD(MPI_Win_set_errhandler(win, counter));
    GOOD(MPI_Errhandler_free(&counter));
    MPI_Win_lock_all(0, win);
    CHECK(raised == 1);
    GOOD(MPI_Win_unlock(next, win));
    unmake(&win, cells);
    FAILS(MPI_ERR_WIN, MPI_Win_fence(0, MPI_WIN_NULL));
    FAILS(MPI_ERR_SIZE, MPI_Win_allocate(-1, 1, NO_INFO, WORLD, &nowhere, &none));
    FAILS(MPI_ERR_DISP, MPI_Win_allocate(8, 0, NO_INFO, WORLD, &nowhere, &none));
    FAILS(MPI_ERR_COMM, MPI_Win_allocate(8, 1, NO_INFO, MPI_COMM_NULL, &nowhere, &none));
}

/* Windows of two hosts have no memory in common. */
static void apart(void)
{
    long *cells, got = 0, value = 9 + rank;
    MPI_Win win;
    FAILS(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(8, 1, NO_INFO, WORLD, &cells, &win));
    GOOD(MPI_Win_allocate(8, 8, NO_INFO, WORLD, &cells, &win));
    GOOD(MPI_Win_fence(0, win));
    GOOD(MPI_Put(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, win));
    GOOD(MPI_Win_fence(0, win));
    CHECK(cells[0] == 9 + before);
    GOOD(MPI_Get(&got, 1, MPI_LONG, next, 0, 1, MPI_LONG, win));
    GOOD(MPI_Win_fence(0, win));
    CHECK(got == value);
    GOOD(MPI_Win_free(&win));
}

/* Rank 1 waits for a lock that rank 0 has until it may go on. */
static void wait_for_lock(void)
{
    long *cells;
    MPI_Win win = make(&cells);
    if (rank == 0)
        GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    GOOD(MPI_Barrier(WORLD));
    printf("pid %d\n", (int)getpid());
    fflush(stdout);
    if (rank == 0) {
        CHECK(read(0, &(char){0}, 1) == 1);
        GOOD(MPI_Win_unlock(1, win));
    } else {
        GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        GOOD(MPI_Win_unlock(1, win));
    }
    unmake(&win, cells);
}

/* How often the thread that stands by at windows has begun to sleep. */
static long sleeps_of_service(void)
{
    char path[300], name[20] = "", line[100];
    long sleeps = -1;
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *thread;
    CHECK(threads);
    while (sleeps < 0 && (thread = readdir(threads))) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", thread->d_name);
        FILE *status = fopen(path, "r");
        if (!status)
            continue;
        bool is_service =
            fscanf(status, "Name: %19s", name) == 1 && strcmp(name, "mpi-windows") == 0;
        while (is_service && sleeps < 0 && fgets(line, sizeof line, status))
            sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
        fclose(status);
    }
    closedir(threads);
    CHECK(sleeps >= 0);
    return sleeps;
}

/* A message each way. */
static void trip(void)
{
    int number = 0;
    if (rank == 0)
        GOOD(MPI_Send(&number, 1, MPI_INT, 1, 0, WORLD));
    GOOD(MPI_Recv(&number, 1, MPI_INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE));
    if (rank == 1)
        GOOD(MPI_Send(&number, 1, MPI_INT, 0, 0, WORLD));
}

/* Rank 1 waits in a receive while rank 0 changes its memory. */
static void change(MPI_Win win, int times)
{
    for (long i = 0; rank == 0 && i < times; i++) {
        GOOD(MPI_Put(&i, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win));
        GOOD(MPI_Win_flush(1, win));
    }
    trip();
}

/*
 * Messages beside a window, and orders for a rank that waits, do not wake the thread that stands by,
 * but for one that comes before its rank waits.
 */
static void beside(void)
{
    const int times = 1000, few = 20;
    long *cells;
    MPI_Win win = make(&cells);
    GOOD(MPI_Win_lock_all(0, win));
    change(win, 10);
    long slept = sleeps_of_service();
    for (int i = 0; i < times; i++)
        trip();
    change(win, times);
    CHECK(sleeps_of_service() - slept < few);
    CHECK(rank == 0 || cells[0] == times - 1);
    GOOD(MPI_Win_unlock_all(win));
    unmake(&win, cells);
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"told", told},
    {"attributes", attributes},
    {"fences", fences},
    {"accumulates", accumulates},
    {"operations", operations},
    {"order", order},
    {"swaps", swaps},
    {"posts", posts},
    {"locks", locks},
    {"passive", passive},
    {"requests", requests},
    {"threads", threads},
    {"large", large},
    {"dynamic", dynamic},
    {"mistakes", mistakes},
    {"apart", apart},
    {"wait_for_lock", wait_for_lock},
    {"beside", beside},
};

int main(int count, char **words)
{
    int provided;
    GOOD(MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided));
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    CHECK(count == 3);
    kind = words[2];
    next = (rank + 1) % size;
    before = (rank - 1 + size) % size;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(words[1], parts[i].name) == 0)
            parts[i].run();
    MPI_Finalize();
    puts("ok");
    return 0;
}
