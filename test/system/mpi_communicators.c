/*
 * mpi_communicators.c - groups, communicators and topologies: what they are, and that their messages
 * keep apart.
 *
 * usage: mpi_communicators PART      on any number of ranks
 * Prints "ok" on each rank, or the line of the first thing that is wrong.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "mpi_check.h"

enum { MOST_RANKS = 16, THREADS = 4, ROUNDS = 50 };

static int rank, size;

#define WORLD MPI_COMM_WORLD

/* The sum of a number of each rank. */
static int sum_over(MPI_Comm comm, int number)
{
    int sum;
    GOOD(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm));
    return sum;
}

static int rank_in(MPI_Comm comm)
{
    int found;
    GOOD(MPI_Comm_rank(comm, &found));
    return found;
}

static int size_of(MPI_Comm comm)
{
    int found;
    GOOD(MPI_Comm_size(comm, &found));
    return found;
}

static int compared(MPI_Comm a, MPI_Comm b)
{
    int result;
    GOOD(MPI_Comm_compare(a, b, &result));
    return result;
}

static int group_compared(MPI_Group a, MPI_Group b)
{
    int result;
    GOOD(MPI_Group_compare(a, b, &result));
    return result;
}

static void groups(void)
{
    MPI_Group all, first, rest, again, other;
    int zero = 0, found;
    GOOD(MPI_Comm_group(WORLD, &all));
    GOOD(MPI_Group_size(all, &found));
    CHECK(found == size);
    GOOD(MPI_Group_rank(all, &found));
    CHECK(found == rank);
    GOOD(MPI_Group_incl(all, 1, &zero, &first));
    GOOD(MPI_Group_excl(all, 1, &zero, &rest));
    GOOD(MPI_Group_rank(rest, &found));
    CHECK(found == (rank == 0 ? MPI_UNDEFINED : rank - 1));
    GOOD(MPI_Group_union(first, rest, &again));
    CHECK(group_compared(all, again) == MPI_IDENT);
    GOOD(MPI_Group_free(&again));
    GOOD(MPI_Group_union(rest, first, &again));
    CHECK(group_compared(all, again) == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    GOOD(MPI_Group_intersection(first, rest, &other));
    CHECK(other == MPI_GROUP_EMPTY);
    GOOD(MPI_Group_free(&other));
    GOOD(MPI_Group_difference(all, rest, &other));
    CHECK(group_compared(first, other) == MPI_IDENT);
    int last = size - 1, translated[2], ranks[2] = {last, MPI_PROC_NULL};
    GOOD(MPI_Group_translate_ranks(all, 2, ranks, again, translated));
    CHECK(translated[0] == (size == 1 ? 0 : size - 2) && translated[1] == MPI_PROC_NULL);
    int down[1][3] = {{last, 0, -1}};
    MPI_Group turned;
    GOOD(MPI_Group_range_incl(all, 1, down, &turned));
    GOOD(MPI_Group_rank(turned, &found));
    CHECK(found == last - rank);
    GOOD(MPI_Group_free(&turned));
    GOOD(MPI_Group_range_excl(all, 1, down, &turned));
    CHECK(turned == MPI_GROUP_EMPTY);
    GOOD(MPI_Group_free(&turned));
    GOOD(MPI_Group_free(&all));
    GOOD(MPI_Group_free(&first));
    GOOD(MPI_Group_free(&rest));
    GOOD(MPI_Group_free(&again));
    GOOD(MPI_Group_free(&other));
    CHECK(all == MPI_GROUP_NULL);
}

/*
 * Of two with the same members: messages of the one are none of the other, and those of collectives are
 * none of the program.
 */
static void keep_apart(MPI_Comm a, MPI_Comm b)
{
    int to = (rank_in(a) + 1) % size_of(a), from = (rank_in(a) + size_of(a) - 1) % size_of(a);
    int one = 1, two = 2, got;
    MPI_Request requests[2];
    GOOD(MPI_Isend(&one, 1, MPI_INT, to, 3, a, &requests[0]));
    GOOD(MPI_Isend(&two, 1, MPI_INT, to, 3, b, &requests[1]));
    CHECK(sum_over(a, 1) == size_of(a));
    CHECK(sum_over(b, 2) == 2 * size_of(b));
    GOOD(MPI_Recv(&got, 1, MPI_INT, from, MPI_ANY_TAG, b, MPI_STATUS_IGNORE));
    CHECK(got == 2);
    GOOD(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, a, MPI_STATUS_IGNORE));
    CHECK(got == 1);
    GOOD(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void dup(void)
{
    MPI_Comm copy, copies[5];
    MPI_Request requests[5];
    GOOD(MPI_Comm_dup(WORLD, &copy));
    CHECK(compared(WORLD, copy) == MPI_CONGRUENT && compared(copy, copy) == MPI_IDENT);
    keep_apart(WORLD, copy);
    for (int i = 0; i < 5; i++)
        GOOD(MPI_Comm_idup(i % 2 ? copy : WORLD, &copies[i], &requests[i]));
    GOOD(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 4; i++)
        keep_apart(copies[i], copies[i + 1]);
    for (int i = 0; i < 5; i++)
        GOOD(MPI_Comm_free(&copies[i]));
    /* What is under way ends. */
    int sum, one = 1;
    GOOD(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy, &requests[0]));
    GOOD(MPI_Comm_free(&copy));
    CHECK(copy == MPI_COMM_NULL);
    GOOD(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(sum == size);
}

static void split(void)
{
    MPI_Comm part, copy;
    GOOD(MPI_Comm_split(WORLD, rank % 2, -rank, &part));
    CHECK(size_of(part) == (size + 1 - rank % 2) / 2);
    CHECK(rank_in(part) == size_of(part) - 1 - rank / 2);
    CHECK(sum_over(part, rank % 2) == (rank % 2) * size_of(part));
    GOOD(MPI_Comm_dup(part, &copy));
    keep_apart(part, copy);
    GOOD(MPI_Comm_free(&copy));
    GOOD(MPI_Comm_free(&part));
    GOOD(MPI_Comm_split(WORLD, rank == 0 ? MPI_UNDEFINED : 5, 0, &part));
    CHECK((part == MPI_COMM_NULL) == (rank == 0));
    if (rank > 0) {
        CHECK(rank_in(part) == rank - 1);
        GOOD(MPI_Comm_free(&part));
    }
    GOOD(MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &part));
    CHECK(compared(part, WORLD) == MPI_CONGRUENT);
    GOOD(MPI_Comm_free(&part));
    GOOD(MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_HW_UNGUIDED, rank, MPI_INFO_NULL, &part));
    CHECK(part == MPI_COMM_NULL);
}

static void create(void)
{
    MPI_Group all, odd;
    MPI_Comm part;
    GOOD(MPI_Comm_group(WORLD, &all));
    int ranges[1][3] = {{rank % 2, size - 1 - (size - 1 - rank % 2) % 2, 2}};
    GOOD(MPI_Group_range_incl(all, size > rank % 2, ranges, &odd));
    /* Two groups at once. */
    GOOD(MPI_Comm_create(WORLD, odd, &part));
    CHECK(rank_in(part) == rank / 2 && sum_over(part, 1) == size_of(part));
    GOOD(MPI_Comm_free(&part));
    /* Only the members call this. */
    if (rank % 2 == 1) {
        GOOD(MPI_Comm_create_group(WORLD, odd, 17, &part));
        CHECK(rank_in(part) == rank / 2 && sum_over(part, 1) == size_of(part));
        GOOD(MPI_Comm_free(&part));
        GOOD(MPI_Comm_create_from_group(odd, "org.example.odd", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                        &part));
        CHECK(rank_in(part) == rank / 2 && sum_over(part, 1) == size_of(part));
        GOOD(MPI_Comm_free(&part));
    }
    GOOD(MPI_Comm_create(WORLD, MPI_GROUP_EMPTY, &part));
    CHECK(part == MPI_COMM_NULL);
    GOOD(MPI_Group_free(&all));
    GOOD(MPI_Group_free(&odd));
}

/* The even and the odd ranks, with those of the own kind in `part`. */
static MPI_Comm two_groups(MPI_Comm *part)
{
    MPI_Comm inter;
    GOOD(MPI_Comm_split(WORLD, rank % 2, rank, part));
    GOOD(MPI_Intercomm_create(*part, 0, WORLD, 1 - rank % 2, 99, &inter));
    return inter;
}

/* Likewise, without a communicator that both have. */
static void two_groups_alone(void)
{
    MPI_Group all, own, other;
    MPI_Comm inter;
    int size = size_of(WORLD), rank = rank_in(WORLD), first = rank % 2, mine = rank, got = -1;
    int own_ranks[1][3] = {{first, size - 1, 2}}, other_ranks[1][3] = {{1 - first, size - 1, 2}};
    if (size < 2)
        return;
    GOOD(MPI_Comm_group(WORLD, &all));
    GOOD(MPI_Group_range_incl(all, 1, own_ranks, &own));
    GOOD(MPI_Group_range_incl(all, 1, other_ranks, &other));
    GOOD(MPI_Intercomm_create_from_groups(own, 0, other, 0, "org.example.both", MPI_INFO_NULL,
                                          MPI_ERRORS_RETURN, &inter));
    CHECK(rank_in(inter) == rank / 2);
    if (rank < 2) {
        GOOD(MPI_Sendrecv(&mine, 1, MPI_INT, 0, 5, &got, 1, MPI_INT, 0, 5, inter,
                          MPI_STATUS_IGNORE));
        CHECK(got == 1 - rank);
    }
    /* To the first even rank; the other even ranks need to say nothing but that. */
    if (rank % 2 == 1)
        GOOD(MPI_Reduce(&mine, NULL, 1, MPI_INT, MPI_MAX, 0, inter));
    else if (rank == 0)
        GOOD(MPI_Reduce(NULL, &got, 1, MPI_INT, MPI_MAX, MPI_ROOT, inter));
    else
        GOOD(MPI_Reduce(NULL, NULL, 0, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_PROC_NULL, inter));
    CHECK(rank > 0 || got == (size % 2 ? size - 2 : size - 1));
    GOOD(MPI_Comm_free(&inter));
    GOOD(MPI_Group_free(&own));
    GOOD(MPI_Group_free(&other));
    GOOD(MPI_Group_free(&all));
}

/* An error of a communicator that is to be made is raised at its handler. */
static int refused;

static void refuse(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_NULL);
    refused = *code;
}

/* The lower and the upper half, which know each other by groups alone. */
static void from_groups(void)
{
    if (size < 2)
        return;
    MPI_Group all, parts[2];
    MPI_Comm inter;
    MPI_Errhandler handler;
    int remote, upper = rank >= size / 2;
    int ranges[2][1][3] = {{{0, size / 2 - 1, 1}}, {{size / 2, size - 1, 1}}};
    GOOD(MPI_Comm_group(WORLD, &all));
    for (int i = 0; i < 2; i++)
        GOOD(MPI_Group_range_incl(all, 1, ranges[i], &parts[i]));
    GOOD(MPI_Comm_create_errhandler(refuse, &handler));
    int last = size - size / 2 - 1; /* the leader of the upper half */
    FAILS(MPI_ERR_GROUP,
          MPI_Intercomm_create_from_groups(parts[1 - upper], 0, parts[upper], 0,
                                           "org.example.halves", MPI_INFO_NULL, handler, &inter));
    CHECK(class_of(refused) == MPI_ERR_GROUP);
    GOOD(MPI_Intercomm_create_from_groups(
        parts[upper], upper ? last : 0,
        rank == 0 || rank == size - 1 ? parts[1 - upper] : MPI_GROUP_NULL, upper ? 0 : last,
        "org.example.halves", MPI_INFO_NULL, handler, &inter));
    GOOD(MPI_Comm_remote_size(inter, &remote));
    CHECK(size_of(inter) + remote == size && rank_in(inter) == rank - (upper ? size / 2 : 0));
    CHECK(sum_over(inter, 1) == remote);
    FAILS(MPI_ERR_ARG,
          MPI_Comm_create_from_group(all, "org.example.all", MPI_INFO_NULL, handler, NULL));
    CHECK(class_of(refused) == MPI_ERR_ARG);
    GOOD(MPI_Comm_free(&inter));
    GOOD(MPI_Errhandler_free(&handler));
    for (int i = 0; i < 2; i++)
        GOOD(MPI_Group_free(&parts[i]));
    GOOD(MPI_Group_free(&all));
}

/* All collectives between the groups; the root is the second one's first rank. */
static void between(MPI_Comm inter)
{
    int remote, own = size_of(inter), place = rank_in(inter);
    int numbers[MOST_RANKS], got[MOST_RANKS], root;
    GOOD(MPI_Comm_remote_size(inter, &remote));
    CHECK(own + remote == size);
    root = rank % 2 == 0 ? 0 : place == 0 ? MPI_ROOT : MPI_PROC_NULL;
    GOOD(MPI_Barrier(inter));
    int number = rank == 1 ? 4711 : 0;
    GOOD(MPI_Bcast(&number, 1, MPI_INT, root, inter));
    CHECK(number == (rank % 2 == 0 || rank == 1 ? 4711 : 0));
    CHECK(sum_over(inter, 1 + rank % 2) == remote * (2 - rank % 2));
    number = 0;
    GOOD(MPI_Reduce(&rank, &number, 1, MPI_INT, MPI_SUM, root, inter));
    CHECK(rank != 1 || number == remote * (remote - 1));
    GOOD(MPI_Allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, inter));
    for (int i = 0; i < remote; i++)
        CHECK(got[i] == 2 * i + 1 - rank % 2);
    GOOD(MPI_Gather(&rank, 1, MPI_INT, got, 1, MPI_INT, root, inter));
    for (int i = 0; rank == 1 && i < remote; i++)
        CHECK(got[i] == 2 * i);
    for (int i = 0; i < remote; i++)
        numbers[i] = 100 * rank + i;
    number = -1;
    GOOD(MPI_Scatter(numbers, 1, MPI_INT, &number, 1, MPI_INT, root, inter));
    CHECK(number == (rank % 2 == 0 ? 100 + place : -1));
    GOOD(MPI_Alltoall(numbers, 1, MPI_INT, got, 1, MPI_INT, inter));
    for (int i = 0; i < remote; i++)
        CHECK(got[i] == 100 * (2 * i + 1 - rank % 2) + place);
    /* Both groups give a number for each member of the other one, so that there is one for each. */
    int count = own * remote, all[MOST_RANKS * MOST_RANKS];
    for (int i = 0; i < count; i++)
        all[i] = i;
    GOOD(MPI_Reduce_scatter_block(all, got, remote, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < remote; i++)
        CHECK(got[i] == remote * (place * remote + i));
    MPI_Request request;
    number = rank;
    int sum = 0;
    GOOD(MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, inter, &request));
    GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(sum == (rank % 2 == 0 ? remote * remote : remote * (remote - 1)));
}

static void inter(void)
{
    MPI_Comm part, both, copy, merged;
    MPI_Group group;
    MPI_Request request;
    int flag, number;
    if (size < 2)
        return;
    both = two_groups(&part);
    GOOD(MPI_Comm_test_inter(both, &flag));
    CHECK(flag);
    between(both);
    GOOD(MPI_Comm_dup(both, &copy));
    CHECK(compared(both, copy) == MPI_CONGRUENT && compared(both, part) == MPI_UNEQUAL);
    between(copy);
    GOOD(MPI_Comm_free(&copy));
    GOOD(MPI_Comm_idup(both, &copy, &request));
    GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
    between(copy);
    GOOD(MPI_Comm_remote_group(both, &group));
    GOOD(MPI_Group_size(group, &number));
    CHECK(number == size - size_of(both));
    GOOD(MPI_Group_free(&group));
    /* The even ranks first, or those that are not high. */
    GOOD(MPI_Intercomm_merge(both, rank % 2, &merged));
    CHECK(rank_in(merged) == (rank % 2 ? (size + 1) / 2 : 0) + rank / 2);
    CHECK(sum_over(merged, 1) == size);
    GOOD(MPI_Comm_free(&merged));
    GOOD(MPI_Intercomm_merge(both, 1, &merged));
    CHECK(sum_over(merged, 1) == size);
    GOOD(MPI_Comm_free(&merged));
    /* The first members of both groups, and the others. */
    GOOD(MPI_Comm_split(both, rank < 2, 0, &merged));
    if (rank < 2) {
        CHECK(size_of(merged) == 1);
        GOOD(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 5, &number, 1, MPI_INT, 0, 5, merged,
                          MPI_STATUS_IGNORE));
        CHECK(number == 1 - rank);
    }
    if (merged != MPI_COMM_NULL)
        GOOD(MPI_Comm_free(&merged));
    GOOD(MPI_Comm_free(&copy));
    GOOD(MPI_Comm_free(&both));
    GOOD(MPI_Comm_free(&part));
}

/* A thread makes and uses communicators of its own, while others do so, too. */
static void *make_many(void *argument)
{
    MPI_Comm *own = argument;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm copy, part;
        GOOD(MPI_Comm_dup(*own, &copy));
        GOOD(MPI_Comm_split(copy, rank % 2, rank, &part));
        CHECK(sum_over(copy, i) == i * size);
        CHECK(sum_over(part, 1) == (size + 1 - rank % 2) / 2);
        GOOD(MPI_Barrier(*own));
        GOOD(MPI_Comm_free(&part));
        GOOD(MPI_Comm_free(&copy));
    }
    return NULL;
}

static void threads(void)
{
    pthread_t ids[THREADS];
    MPI_Comm own[THREADS];
    for (int i = 0; i < THREADS; i++)
        GOOD(MPI_Comm_dup(WORLD, &own[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&ids[i], NULL, make_many, &own[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(ids[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        GOOD(MPI_Comm_free(&own[i]));
}

static void cart(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], found[2], kind, other;
    MPI_Comm grid, row;
    GOOD(MPI_Dims_create(size, 2, dims));
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
    GOOD(MPI_Cart_create(WORLD, 2, dims, periods, 1, &grid));
    GOOD(MPI_Topo_test(grid, &kind));
    CHECK(kind == MPI_CART);
    GOOD(MPI_Cart_get(grid, 2, dims, found, coords));
    CHECK(found[0] == 1 && found[1] == 0);
    CHECK(coords[0] == rank / dims[1] && coords[1] == rank % dims[1]);
    GOOD(MPI_Cart_rank(grid, coords, &other));
    CHECK(other == rank);
    coords[0] += dims[0];
    GOOD(MPI_Cart_rank(grid, coords, &other));
    CHECK(other == rank);
    GOOD(MPI_Cart_coords(grid, size - 1, 2, coords));
    CHECK(coords[0] == dims[0] - 1 && coords[1] == dims[1] - 1);
    int before, behind;
    GOOD(MPI_Cart_shift(grid, 0, 1, &before, &behind));
    CHECK(behind == (rank + dims[1]) % size && before == (rank + size - dims[1]) % size);
    GOOD(MPI_Cart_shift(grid, 1, 1, &before, &behind));
    CHECK(behind == (rank % dims[1] == dims[1] - 1 ? MPI_PROC_NULL : rank + 1));
    CHECK(before == (rank % dims[1] == 0 ? MPI_PROC_NULL : rank - 1));
    /* Each neighbour gets what is sent in its direction. */
    int out[4], in[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; i++)
        out[i] = 10 * rank + i;
    GOOD(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid));
    CHECK(in[0] == 10 * ((rank + size - dims[1]) % size) + 1);
    CHECK(in[1] == 10 * ((rank + dims[1]) % size));
    CHECK(in[2] == (before == MPI_PROC_NULL ? -1 : 10 * before + 3));
    CHECK(in[3] == (behind == MPI_PROC_NULL ? -1 : 10 * behind + 2));
    GOOD(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, grid));
    CHECK(in[0] == (rank + size - dims[1]) % size && in[1] == (rank + dims[1]) % size);
    int keep[2] = {0, 1};
    GOOD(MPI_Cart_sub(grid, keep, &row));
    CHECK(size_of(row) == dims[1] && rank_in(row) == rank % dims[1]);
    GOOD(MPI_Cartdim_get(row, &other));
    CHECK(other == 1);
    GOOD(MPI_Comm_free(&row));
    GOOD(MPI_Comm_dup(grid, &row));
    GOOD(MPI_Cartdim_get(row, &other));
    CHECK(other == 2);
    GOOD(MPI_Comm_free(&row));
    GOOD(MPI_Comm_free(&grid));
    int one = 1;
    GOOD(MPI_Cart_create(WORLD, 1, &one, periods, 0, &grid));
    CHECK((grid == MPI_COMM_NULL) == (rank > 0));
    if (grid != MPI_COMM_NULL)
        GOOD(MPI_Comm_free(&grid));
}

/* A ring: who is before, and who is behind. */
static void graph(void)
{
    int ends[MOST_RANKS], edges[2 * MOST_RANKS], found, nodes, pair[2];
    MPI_Comm ring;
    for (int i = 0; i < size; i++) {
        ends[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    GOOD(MPI_Graph_create(WORLD, size, ends, edges, 0, &ring));
    GOOD(MPI_Graphdims_get(ring, &nodes, &found));
    CHECK(nodes == size && found == 2 * size);
    GOOD(MPI_Graph_neighbors_count(ring, rank, &found));
    CHECK(found == 2);
    GOOD(MPI_Graph_neighbors(ring, rank, 2, pair));
    CHECK(pair[0] == (rank + size - 1) % size && pair[1] == (rank + 1) % size);
    GOOD(MPI_Neighbor_allgather(&rank, 1, MPI_INT, pair, 1, MPI_INT, ring));
    CHECK(pair[0] == (rank + size - 1) % size && pair[1] == (rank + 1) % size);
    GOOD(MPI_Comm_free(&ring));
}

/* Each rank sends to those behind it: rank 0 names all edges, or each rank its own. */
static void dist_graph(void)
{
    int sources[MOST_RANKS], degrees[MOST_RANKS], to[MOST_RANKS * MOST_RANKS],
        weights[MOST_RANKS * MOST_RANKS];
    int count = 0, in, out, weighted;
    for (int from = 0; from < size; from++) {
        sources[from] = from;
        degrees[from] = size - 1 - from;
        for (int i = from + 1; i < size; i++, count++) {
            to[count] = i;
            weights[count] = from + i;
        }
    }
    MPI_Comm graphs[2];
    GOOD(MPI_Dist_graph_create(WORLD, rank == 0 ? size : 0, sources, degrees, to, weights,
                               MPI_INFO_NULL, 0, &graphs[0]));
    int from[MOST_RANKS], own[MOST_RANKS], from_weights[MOST_RANKS], own_weights[MOST_RANKS];
    for (int i = 0; i < rank; i++) {
        from[i] = i;
        from_weights[i] = i + rank;
    }
    for (int i = rank + 1; i < size; i++) {
        own[i - rank - 1] = i;
        own_weights[i - rank - 1] = i + rank;
    }
    GOOD(MPI_Dist_graph_create_adjacent(WORLD, rank, from, from_weights, size - 1 - rank, own,
                                        own_weights, MPI_INFO_NULL, 0, &graphs[1]));
    for (int i = 0; i < 2; i++) {
        GOOD(MPI_Dist_graph_neighbors_count(graphs[i], &in, &out, &weighted));
        CHECK(in == rank && out == size - 1 - rank && weighted);
        GOOD(MPI_Dist_graph_neighbors(graphs[i], in, from, from_weights, out, own, own_weights));
        for (int k = 0; k < in; k++)
            CHECK(from[k] == k && from_weights[k] == k + rank);
        for (int k = 0; k < out; k++)
            CHECK(own[k] == rank + 1 + k && own_weights[k] == 2 * rank + 1 + k);
        int got[MOST_RANKS];
        GOOD(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graphs[i]));
        for (int k = 0; k < in; k++)
            CHECK(got[k] == k);
        GOOD(MPI_Comm_free(&graphs[i]));
    }
    GOOD(MPI_Dist_graph_create_adjacent(WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, 0, &graphs[0]));
    GOOD(MPI_Dist_graph_neighbors_count(graphs[0], &in, &out, &weighted));
    CHECK(in == 0 && out == 0 && !weighted);
    GOOD(MPI_Comm_free(&graphs[0]));
}

static void dims(void)
{
    static const int cases[][5] = {{12, 2, 4, 3, 0}, {24, 3, 4, 3, 2}, {7, 2, 7, 1, 0},
                                   {36, 2, 6, 6, 0}, {1, 3, 1, 1, 1},  {30, 3, 5, 3, 2},
                                   {8, 3, 2, 2, 2},  {6, 1, 6, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int found[3] = {0};
        GOOD(MPI_Dims_create(cases[i][0], cases[i][1], found));
        CHECK(memcmp(found, cases[i] + 2, (size_t)cases[i][1] * sizeof(int)) == 0);
    }
    int fixed[3] = {0, 2, 0};
    GOOD(MPI_Dims_create(12, 3, fixed));
    CHECK(fixed[0] == 3 && fixed[1] == 2 && fixed[2] == 2);
}

static void mistakes(void)
{
    MPI_Comm comm;
    MPI_Group all, group;
    int number, wrong[2] = {0, 0}, three = size + 1, one = 1;
    GOOD(MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN));
    GOOD(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    GOOD(MPI_Comm_group(WORLD, &all));
    FAILS(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &number));
    FAILS(MPI_ERR_ARG, MPI_Comm_size(WORLD, NULL));
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(WORLD, &number));
    FAILS(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &comm));
    FAILS(MPI_ERR_ARG, MPI_Comm_dup(WORLD, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_split(WORLD, -5, 0, &comm));
    FAILS(MPI_ERR_GROUP, MPI_Comm_create(WORLD, MPI_GROUP_NULL, &comm));
    FAILS(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &number));
    FAILS(MPI_ERR_RANK, MPI_Group_incl(all, 2, wrong, &group));
    FAILS(MPI_ERR_RANK, MPI_Group_incl(all, 1, &three, &group));
    int ranges[1][3] = {{0, 0, 0}};
    FAILS(MPI_ERR_ARG, MPI_Group_range_incl(all, 1, ranges, &group));
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&(MPI_Comm){MPI_COMM_WORLD}));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(WORLD, &number));
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(WORLD, 1, &three, &one, 0, &comm));
    FAILS(MPI_ERR_DIMS, MPI_Dims_create(7, 1, &(int){2}));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(WORLD, 0, &comm));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(WORLD, size, WORLD, 0, 1, &comm));
    GOOD(MPI_Group_free(&all));
    GOOD(MPI_Barrier(WORLD));
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"groups", groups},
    {"dup", dup},
    {"split", split},
    {"create", create},
    {"alone", two_groups_alone},
    {"inter", inter},
    {"threads", threads},
    {"cart", cart},
    {"graph", graph},
    {"dist_graph", dist_graph},
    {"dims", dims},
    {"mistakes", mistakes},
    {"from_groups", from_groups},
};

int main(int count, char **words)
{
    int level;
    GOOD(MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level));
    CHECK(count == 2);
    rank = rank_in(WORLD);
    size = size_of(WORLD);
    CHECK(size <= MOST_RANKS);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(words[1], parts[i].name) == 0 || strcmp(words[1], "all") == 0)
            parts[i].run();
    GOOD(MPI_Finalize());
    puts("ok");
    return 0;
}
