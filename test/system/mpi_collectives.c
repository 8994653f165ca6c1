/*
 * mpi_collectives.c - compares collective operations in all their forms with what they should do.
 *
 * usage: mpi_collectives PART      on any number of ranks
 * Prints "ok" on each rank, or the line of the first thing that is wrong.
 */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "mpi_check.h"

enum { MOST = 50000, MOST_RANKS = 16 };

static const int counts[] = {0, 1, 7, 3000, MOST};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static MPI_Comm comm = MPI_COMM_WORLD;
static int rank, size;
static int *sent, *got, *expected;
static size_t room; /* numbers in each of the three */

static void run_request(MPI_Request *request)
{
    GOOD(MPI_Start(request));
    GOOD(MPI_Wait(request, MPI_STATUS_IGNORE));
}

/*
 * Calls the operation in all its forms. `begin` fills the buffers before each call, and `check` looks at
 * them after it.
 */
#define WITH(begin, check, call)                                                                   \
    do {                                                                                           \
        begin;                                                                                     \
        GOOD(call);                                                                                \
        check;                                                                                     \
    } while (0)
#define FORMS(begin, check, Name, Iname, ...)                                                      \
    do {                                                                                           \
        MPI_Request posted;                                                                        \
        WITH(begin, check, MPI_##Name(__VA_ARGS__));                                               \
        begin;                                                                                     \
        GOOD(MPI_##Iname(__VA_ARGS__, &posted));                                                   \
        GOOD(MPI_Wait(&posted, MPI_STATUS_IGNORE));                                                \
        CHECK(posted == MPI_REQUEST_NULL);                                                         \
        check;                                                                                     \
        GOOD(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &posted));                              \
        for (int turn = 0; turn < 3; turn++)                                                       \
            WITH(begin, check, (run_request(&posted), MPI_SUCCESS));                               \
        GOOD(MPI_Request_free(&posted));                                                           \
    } while (0)
/* For operations without arrays: the large-count forms, too. */
#define ALL_FORMS(begin, check, Name, Iname, ...)                                                  \
    do {                                                                                           \
        MPI_Request large;                                                                         \
        FORMS(begin, check, Name, Iname, __VA_ARGS__);                                             \
        WITH(begin, check, MPI_##Name##_c(__VA_ARGS__));                                           \
        begin;                                                                                     \
        GOOD(MPI_##Iname##_c(__VA_ARGS__, &large));                                                \
        GOOD(MPI_Wait(&large, MPI_STATUS_IGNORE));                                                 \
        check;                                                                                     \
        GOOD(MPI_##Name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &large));                             \
        WITH(begin, check, (run_request(&large), MPI_SUCCESS));                                    \
        GOOD(MPI_Request_free(&large));                                                            \
    } while (0)

/* The number at `index` of what `from` sends to `to`. */
static int number(int from, int to, int index)
{
    return from * 1000003 + to * 1009 + index % 997;
}

static void clear(int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = -1;
}

/* The buffers as they are before a call in which each sends the same to all. */
static void same_for_all(int count)
{
    for (int i = 0; i < count; i++)
        sent[i] = number(rank, 0, i);
    clear(got, (size_t)count * (size_t)size + 2);
}

/* Whether so many numbers are as they should be; `line` is where that is asked. */
static void equal_at(int line, const int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != expected[i]) {
            fprintf(stderr, "rank %d of %d, line %d: number %zu of %zu is %d and not %d\n", rank,
                    size, line, i, count, numbers[i], expected[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}
#define equal(numbers, count) equal_at(__LINE__, numbers, count)

static void barrier(void)
{
    FORMS(, , Barrier, Ibarrier, comm);
}

/* A broadcast. */
static void fill_root(int count, int root)
{
    for (int i = 0; i < count; i++) {
        expected[i] = number(root, 1, i);
        got[i] = rank == root ? expected[i] : -1;
    }
    got[count] = expected[count] = -7;
}

static void bcast(void)
{
    for (int root = 0; root < size; root++)
        for (int i = 0; i < COUNTS; i++)
            ALL_FORMS(fill_root(counts[i], root), equal(got, (size_t)counts[i] + 1), Bcast, Ibcast,
                      got, counts[i], MPI_INT, root, comm);
}

/* What all ranks have sent, one behind the other. */
static void expect_all(int count)
{
    for (int from = 0; from < size; from++)
        for (int i = 0; i < count; i++)
            expected[from * count + i] = number(from, 0, i);
}

static void gather_at(int root, int count)
{
    expect_all(count);
    ALL_FORMS(same_for_all(count), if (rank == root) equal(got, (size_t)(count * size)), Gather,
              Igather, sent, count, MPI_INT, got, count, MPI_INT, root, comm);
}

static void gather(void)
{
    for (int root = 0; root < size; root++)
        for (int i = 0; i < COUNTS; i++)
            gather_at(root, counts[i]);
}

static void fill_for_scatter(int count, int root)
{
    for (int to = 0; to < size; to++)
        for (int i = 0; i < count; i++)
            sent[to * count + i] = number(root, to, i);
    for (int i = 0; i < count; i++)
        expected[i] = number(root, rank, i);
    clear(got, (size_t)count);
}

static void scatter(void)
{
    for (int root = 0; root < size; root++)
        for (int i = 0; i < COUNTS; i++)
            ALL_FORMS(fill_for_scatter(counts[i], root), equal(got, (size_t)counts[i]), Scatter,
                      Iscatter, sent, counts[i], MPI_INT, got, counts[i], MPI_INT, root, comm);
}

static void allgather(void)
{
    for (int i = 0; i < COUNTS; i++) {
        expect_all(counts[i]);
        ALL_FORMS(same_for_all(counts[i]), equal(got, (size_t)(counts[i] * size)), Allgather,
                  Iallgather, sent, counts[i], MPI_INT, got, counts[i], MPI_INT, comm);
    }
}

static void fill_for_alltoall(int count)
{
    for (int to = 0; to < size; to++)
        for (int i = 0; i < count; i++) {
            sent[to * count + i] = number(rank, to, i);
            expected[to * count + i] = number(to, rank, i);
        }
    clear(got, (size_t)(count * size));
}

static void alltoall(void)
{
    for (int i = 0; i < COUNTS; i++)
        ALL_FORMS(fill_for_alltoall(counts[i]), equal(got, (size_t)(counts[i] * size)), Alltoall,
                  Ialltoall, sent, counts[i], MPI_INT, got, counts[i], MPI_INT, comm);
}

/* Operations with counts: rank r has r + 1 numbers, with a gap of 2 behind. */
static int some[MOST_RANKS], places[MOST_RANKS];

static void spread(void)
{
    int place = 0;
    for (int i = 0; i < size; i++) {
        some[i] = i + 1;
        places[i] = place;
        place += some[i] + 2;
    }
    for (int from = 0; from < size; from++) {
        for (int i = 0; i < some[from]; i++)
            expected[places[from] + i] = number(from, 0, i);
        expected[places[from] + some[from]] = expected[places[from] + some[from] + 1] = -1;
    }
}

static void gatherv(void)
{
    spread();
    for (int root = 0; root < size; root++)
        FORMS((same_for_all(rank + 1), clear(got, room)),
              if (rank == root) equal(got, (size_t)(places[size - 1] + size + 2)), Gatherv,
              Igatherv, sent, rank + 1, MPI_INT, got, some, places, MPI_INT, root, comm);
    FORMS((same_for_all(rank + 1), clear(got, room)),
          equal(got, (size_t)(places[size - 1] + size + 2)), Allgatherv, Iallgatherv, sent,
          rank + 1, MPI_INT, got, some, places, MPI_INT, comm);
}

static void fill_for_scatterv(int root)
{
    clear(got, room);
    for (int to = 0; to < size; to++)
        for (int i = 0; i < some[to]; i++)
            sent[places[to] + i] = number(root, to, i);
    for (int i = 0; i <= rank; i++)
        expected[i] = number(root, rank, i);
}

static void scatterv(void)
{
    spread();
    for (int root = 0; root < size; root++)
        FORMS(fill_for_scatterv(root), equal(got, (size_t)rank + 1), Scatterv, Iscatterv, sent,
              some, places, MPI_INT, got, rank + 1, MPI_INT, root, comm);
}

/* Rank r sends r + s numbers to s. */
static void fill_for_alltoallv(int *out, int *out_places, int *in_places)
{
    int place = 0;
    for (int other = 0; other < size; other++) {
        out[other] = rank + other;
        out_places[other] = in_places[other] = place;
        for (int i = 0; i < rank + other; i++) {
            sent[place + i] = number(rank, other, i);
            expected[place + i] = number(other, rank, i);
        }
        place += rank + other;
    }
    clear(got, room);
}

static void alltoallv(void)
{
    int out[MOST_RANKS], to[MOST_RANKS], from[MOST_RANKS], bytes[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
    fill_for_alltoallv(out, to, from);
    int all = to[size - 1] + out[size - 1];
    for (int i = 0; i < size; i++) {
        bytes[i] = to[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    FORMS(fill_for_alltoallv(out, to, from), equal(got, (size_t)all), Alltoallv, Ialltoallv, sent,
          out, to, MPI_INT, got, out, from, MPI_INT, comm);
    FORMS(fill_for_alltoallv(out, to, from), equal(got, (size_t)all), Alltoallw, Ialltoallw, sent,
          out, bytes, types, got, out, bytes, types, comm);
}

/* Buffers of which no byte moves may be one, or none. */
static void alltoallv_of_nothing(void)
{
    int none[MOST_RANKS] = {0}, one[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
    for (int i = 0; i < size; i++) {
        one[i] = 1;
        types[i] = MPI_INT;
    }
    GOOD(MPI_Alltoallv(got, none, none, MPI_INT, got, none, none, MPI_INT, comm));
    GOOD(MPI_Alltoallv(NULL, none, none, MPI_INT, NULL, none, none, MPI_INT, comm));
    GOOD(MPI_Alltoallw(got, none, none, types, got, none, none, types, comm));
    GOOD(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_BUFFER, MPI_Alltoallv(got, one, none, MPI_INT, got, one, none, MPI_INT, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Alltoallw(got, one, none, types, got, one, none, types, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Alltoallv(NULL, one, none, MPI_INT, got, one, none, MPI_INT, comm));
}

/* Reductions: the sum over the ranks before `end`. */
static void expect_sum(int count, int end)
{
    for (int i = 0; i < count; i++) {
        expected[i] = 0;
        for (int from = 0; from < end; from++)
            expected[i] += number(from, 0, i);
    }
}

static void reduce(void)
{
    for (int i = 0; i < COUNTS; i++) {
        expect_sum(counts[i], size);
        for (int root = 0; root < size; root++)
            ALL_FORMS(same_for_all(counts[i]), if (rank == root) equal(got, (size_t)counts[i]),
                      Reduce, Ireduce, sent, got, counts[i], MPI_INT, MPI_SUM, root, comm);
        ALL_FORMS(same_for_all(counts[i]), equal(got, (size_t)counts[i]), Allreduce, Iallreduce,
                  sent, got, counts[i], MPI_INT, MPI_SUM, comm);
    }
}

static void scan(void)
{
    for (int i = 0; i < COUNTS; i++) {
        expect_sum(counts[i], rank + 1);
        ALL_FORMS(same_for_all(counts[i]), equal(got, (size_t)counts[i]), Scan, Iscan, sent, got,
                  counts[i], MPI_INT, MPI_SUM, comm);
        expect_sum(counts[i], rank);
        ALL_FORMS(same_for_all(counts[i]), if (rank > 0) equal(got, (size_t)counts[i]), Exscan,
                  Iexscan, sent, got, counts[i], MPI_INT, MPI_SUM, comm);
    }
}

/* The sum of what all send to this rank. */
static void expect_part(int start, int count)
{
    for (int i = 0; i < count; i++) {
        expected[i] = 0;
        for (int from = 0; from < size; from++)
            expected[i] += number(from, 0, start + i);
    }
}

static void reduce_scatter(void)
{
    for (int i = 0; i < COUNTS - 1; i++) {
        expect_part(rank * counts[i], counts[i]);
        ALL_FORMS(same_for_all(counts[i] * size), equal(got, (size_t)counts[i]),
                  Reduce_scatter_block, Ireduce_scatter_block, sent, got, counts[i], MPI_INT,
                  MPI_SUM, comm);
    }
    spread();
    int start = rank * (rank + 1) / 2;
    expect_part(start, rank + 1);
    FORMS(same_for_all(size * (size + 1) / 2), equal(got, (size_t)rank + 1), Reduce_scatter,
          Ireduce_scatter, sent, got, some, MPI_INT, MPI_SUM, comm);
}

/* The result is where the own values were. */
static void own_in_place(int count, int block)
{
    clear(got, room);
    for (int i = 0; i < count; i++)
        got[block * count + i] = number(rank, 0, i);
}

static void in_place(void)
{
    for (int i = 0; i < COUNTS; i++) {
        int count = counts[i];
        expect_all(count);
        ALL_FORMS(own_in_place(count, rank), equal(got, (size_t)(count * size)), Allgather,
                  Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, count, MPI_INT, comm);
        ALL_FORMS(own_in_place(count, rank), if (rank == 0) equal(got, (size_t)(count * size)),
                  Gather, Igather, rank == 0 ? MPI_IN_PLACE : got + rank * count, count, MPI_INT,
                  got, count, MPI_INT, 0, comm);
        ALL_FORMS(
            (fill_for_alltoall(count), memcpy(got, sent, (size_t)(count * size) * sizeof(int))),
            equal(got, (size_t)(count * size)), Alltoall, Ialltoall, MPI_IN_PLACE, 0,
            MPI_DATATYPE_NULL, got, count, MPI_INT, comm);
        expect_sum(count, size);
        ALL_FORMS(own_in_place(count, 0), equal(got, (size_t)count), Allreduce, Iallreduce,
                  MPI_IN_PLACE, got, count, MPI_INT, MPI_SUM, comm);
        int root = size - 1;
        ALL_FORMS(own_in_place(count, 0), if (rank == root) equal(got, (size_t)count), Reduce,
                  Ireduce, rank == root ? MPI_IN_PLACE : got, rank == root ? got : NULL, count,
                  MPI_INT, MPI_SUM, root, comm);
        expect_sum(count, rank + 1);
        ALL_FORMS(own_in_place(count, 0), equal(got, (size_t)count), Scan, Iscan, MPI_IN_PLACE, got,
                  count, MPI_INT, MPI_SUM, comm);
        expect_sum(count, rank);
        ALL_FORMS(own_in_place(count, 0), if (rank > 0) equal(got, (size_t)count), Exscan, Iexscan,
                  MPI_IN_PLACE, got, count, MPI_INT, MPI_SUM, comm);
    }
    expect_part(rank * 7, 7);
    ALL_FORMS(own_in_place(7 * size, 0), equal(got, 7), Reduce_scatter_block, Ireduce_scatter_block,
              MPI_IN_PLACE, got, 7, MPI_INT, MPI_SUM, comm);
}

/* Matrices of 2 by 2 do not commute. Numbers stay small, since they are taken modulo a prime. */
static void multiply(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    int(*a)[4] = in;
    int(*b)[4] = inout;
    for (int i = 0; i < *length; i++) {
        int c[4];
        for (int k = 0; k < 4; k++)
            c[k] = (a[i][k / 2 * 2] * b[i][k % 2] + a[i][k / 2 * 2 + 1] * b[i][k % 2 + 2]) % 997;
        memcpy(b[i], c, sizeof c);
    }
}

static void matrix_of(int from, int index, int matrix[4])
{
    for (int k = 0; k < 4; k++)
        matrix[k] = (from * 31 + index * 7 + k * k + 1) % 997;
}

static void fill_matrices(int count)
{
    for (int i = 0; i < count; i++)
        matrix_of(rank, i, sent + 4 * i);
    clear(got, (size_t)count * 4);
}

/* The product of the matrices from `start` on of the ranks before `end`. */
static void expect_product(int start, int count, int end)
{
    for (int i = 0; i < count; i++) {
        int product[4] = {1, 0, 0, 1};
        for (int from = 0; from < end; from++) {
            int one = 1, next[4];
            matrix_of(from, start + i, next);
            multiply(product, next, &one, NULL);
            memcpy(product, next, sizeof product);
        }
        memcpy(expected + 4 * i, product, sizeof product);
    }
}

static void ordered(void)
{
    MPI_Datatype matrix;
    MPI_Op product;
    GOOD(MPI_Type_contiguous(4, MPI_INT, &matrix));
    GOOD(MPI_Type_commit(&matrix));
    GOOD(MPI_Op_create(multiply, 0, &product));
    static const int lengths[] = {1, 5, 9000};
    for (int i = 0; i < 3; i++) {
        int count = lengths[i];
        size_t numbers = (size_t)count * 4;
        expect_product(0, count, size);
        ALL_FORMS(fill_matrices(count), equal(got, numbers), Allreduce, Iallreduce, sent, got,
                  count, matrix, product, comm);
        for (int root = 0; root < size; root++)
            ALL_FORMS(fill_matrices(count), if (rank == root) equal(got, numbers), Reduce, Ireduce,
                      sent, got, count, matrix, product, root, comm);
        expect_product(0, count, rank + 1);
        ALL_FORMS(fill_matrices(count), equal(got, numbers), Scan, Iscan, sent, got, count, matrix,
                  product, comm);
        expect_product(0, count, rank);
        ALL_FORMS(fill_matrices(count), if (rank > 0) equal(got, numbers), Exscan, Iexscan, sent,
                  got, count, matrix, product, comm);
    }
    expect_product(rank * 5, 5, size);
    ALL_FORMS(fill_matrices(5 * size), equal(got, 20), Reduce_scatter_block, Ireduce_scatter_block,
              sent, got, 5, matrix, product, comm);
    /* What is in use may be freed. */
    MPI_Request request;
    expect_product(0, 9000, size);
    fill_matrices(9000);
    GOOD(MPI_Iallreduce(sent, got, 9000, matrix, product, comm, &request));
    GOOD(MPI_Op_free(&product));
    GOOD(MPI_Type_free(&matrix));
    GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
    equal(got, 36000);
}

/* Every third number, so that nothing lies in one run. */
static void derived(void)
{
    MPI_Datatype third;
    for (int i = 0; i < COUNTS; i++) {
        int count = counts[i] / 3;
        GOOD(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &third));
        GOOD(MPI_Type_commit(&third));
        clear(expected, room);
        for (int k = 0; k < count; k++)
            expected[3 * k] = number(0, 0, k);
        ALL_FORMS((clear(got, room), rank == 0 ? memcpy(got, expected, (size_t)count * 12) : got),
                  equal(got, (size_t)(3 * count)), Bcast, Ibcast, got, count, third, 0, comm);
        clear(expected, room);
        for (int from = 0; from < size; from++)
            for (int k = 0; k < count; k++)
                expected[3 * (from * count + k)] = number(from, 0, k);
        if (count * size * 3 < (int)room) {
            ALL_FORMS(same_for_all(count), equal(got, (size_t)(3 * count * size)), Allgather,
                      Iallgather, sent, count, MPI_INT, got, count, third, comm);
            ALL_FORMS(same_for_all(count), if (rank == 0) equal(got, (size_t)(3 * count * size)),
                      Gather, Igather, sent, count, MPI_INT, got, count, third, 0, comm);
        }
        GOOD(MPI_Type_free(&third));
    }
}

/* Many operations at once, waited for in an order of their own. */
static void mixed(void)
{
    enum { OPERATIONS = 30 };
    static int in[OPERATIONS], out[OPERATIONS];
    MPI_Request requests[OPERATIONS];
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < OPERATIONS; i++) {
            in[i] = rank + i;
            if (i % 3 == 0)
                GOOD(MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]));
            else if (i % 3 == 1)
                GOOD(MPI_Iscan(&in[i], &out[i], 1, MPI_INT, MPI_MAX, comm, &requests[i]));
            else
                GOOD(MPI_Ibcast(&in[i], 1, MPI_INT, i % size, comm, &requests[i]));
        }
        if (rank % 2 == 0) {
            for (int left = OPERATIONS; left > 0; left--) {
                int index;
                GOOD(MPI_Waitany(OPERATIONS, requests, &index, MPI_STATUS_IGNORE));
                CHECK(index >= 0 && index < OPERATIONS);
            }
        } else {
            for (int i = OPERATIONS - 1; i >= 0; i--)
                GOOD(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        }
        for (int i = 0; i < OPERATIONS; i++) {
            if (i % 3 == 0)
                CHECK(out[i] == size * (size - 1) / 2 + i * size);
            else if (i % 3 == 1)
                CHECK(out[i] == rank + i);
            else
                CHECK(in[i] == i % size + i);
        }
    }
}

/* Sums of numbers that differ in size are the same on all ranks, and in each run. */
static void exact(void)
{
    double value = rank % 2 ? 1e-9 * (rank + 1) : 1e9 / (rank + 3), sum, first = 0;
    for (int turn = 0; turn < 50; turn++) {
        GOOD(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm));
        if (turn == 0)
            first = sum;
        CHECK(memcmp(&sum, &first, sizeof sum) == 0);
    }
    GOOD(MPI_Bcast(&first, 1, MPI_DOUBLE, 0, comm));
    CHECK(memcmp(&sum, &first, sizeof sum) == 0);
}

static void mistakes(void)
{
    MPI_Request request;
    int one = 1, two = 0;
    GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    GOOD(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&one, 1, MPI_INT, size, comm));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&one, 1, MPI_INT, -1, comm));
    FAILS(MPI_ERR_ROOT, MPI_Reduce(&one, &two, 1, MPI_INT, MPI_SUM, MPI_ROOT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Bcast(&one, -1, MPI_INT, 0, comm));
    FAILS(MPI_ERR_TYPE, MPI_Bcast(&one, 1, MPI_DATATYPE_NULL, 0, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Bcast(NULL, 1, MPI_INT, 0, comm));
    FAILS(MPI_ERR_OP, MPI_Allreduce(&one, &two, 1, MPI_INT, MPI_OP_NULL, comm));
    FAILS(MPI_ERR_OP, MPI_Allreduce(&one, &two, 1, MPI_DOUBLE, MPI_BAND, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(&one, &one, 1, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(&one, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Allgather(&one, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Allgather(&got[rank], 1, MPI_INT, got, 1, MPI_INT, comm));
    if (rank == size - 1) {
        FAILS(MPI_ERR_BUFFER, MPI_Gather(&got[rank], 1, MPI_INT, got, 1, MPI_INT, rank, comm));
        FAILS(MPI_ERR_BUFFER, MPI_Scatter(got, 1, MPI_INT, &got[rank], 1, MPI_INT, rank, comm));
    }
    FAILS(MPI_ERR_ARG, MPI_Ibarrier(comm, NULL));
    FAILS(MPI_ERR_ARG, MPI_Reduce_scatter(&one, &two, NULL, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Neighbor_allgather(&one, 1, MPI_INT, &two, 1, MPI_INT, comm));
    FAILS(MPI_ERR_COMM, MPI_Ibarrier(MPI_COMM_NULL, &request));
    GOOD(MPI_Barrier(comm));
}

/* The result of a request that is waited for. */
static int waited(int begun, MPI_Request *request)
{
    return begun == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : begun;
}

/* Who gets less than it asks for, or more, is told so, and the next operation works. */
static void uneven(void)
{
    MPI_Request request;
    int least = rank == 0 ? 1 : 2;
    int wrong_at_root = rank == 0 && size > 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    int wrong_elsewhere = rank > 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    GOOD(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(wrong_at_root, MPI_Gather(sent, least, MPI_INT, got, 1, MPI_INT, 0, comm));
    FAILS(wrong_at_root, MPI_Gather(sent, 3 - least, MPI_INT, got, 2, MPI_INT, 0, comm));
    FAILS(wrong_elsewhere, MPI_Scatter(sent, 1, MPI_INT, got, least, MPI_INT, 0, comm));
    FAILS(wrong_elsewhere,
          waited(MPI_Iscatter(sent, 2, MPI_INT, got, 3 - least, MPI_INT, 0, comm, &request),
                 &request));
    GOOD(MPI_Barrier(comm));
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"barrier", barrier},
    {"bcast", bcast},
    {"gather", gather},
    {"scatter", scatter},
    {"allgather", allgather},
    {"alltoall", alltoall},
    {"gatherv", gatherv},
    {"scatterv", scatterv},
    {"alltoallv", alltoallv},
    {"nothing", alltoallv_of_nothing},
    {"reduce", reduce},
    {"scan", scan},
    {"reduce_scatter", reduce_scatter},
    {"in_place", in_place},
    {"ordered", ordered},
    {"derived", derived},
    {"mixed", mixed},
    {"exact", exact},
    {"mistakes", mistakes},
    {"uneven", uneven},
};

int main(int count, char **words)
{
    GOOD(MPI_Init(&count, &words));
    CHECK(count == 2);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(size <= MOST_RANKS);
    room = (size_t)MOST * (size_t)size + 1000;
    sent = malloc(room * sizeof *sent);
    got = malloc(room * sizeof *got);
    expected = malloc(room * sizeof *expected);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(words[1], parts[i].name) == 0 || strcmp(words[1], "all") == 0)
            parts[i].run();
    GOOD(MPI_Finalize());
    puts("ok");
    return 0;
}
