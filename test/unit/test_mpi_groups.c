/* test_mpi_groups.c - groups made of groups, and who is whose neighbour in a grid. */
#include <limits.h>

#include "mpi/communicators/groups.h"
#include "mpi/communicators/topology.h"
#include "unit.h"

/* A group of the tids; the caller's own one is 3. */
static struct group *group_with(int size, const uint32_t tids[])
{
    struct group *group = group_new(size);
    assert_non_null(group);
    memcpy(group->tids, tids, (size_t)size * sizeof tids[0]);
    group->rank = group_rank_of(group, 3);
    return group;
}

static void assert_members(struct group *group, int size, const uint32_t tids[])
{
    assert_int_equal(group->size, size);
    assert_memory_equal(group->tids, tids, (size_t)size * sizeof tids[0]);
    assert_int_equal(group->rank, group_rank_of(group, 3));
    group_drop(group);
}

#define TIDS(...) ((const uint32_t[]){__VA_ARGS__})

UNIT_TEST(sets_keep_the_order)
{
    struct group *a = group_with(4, TIDS(5, 3, 9, 1));
    struct group *b = group_with(3, TIDS(1, 7, 5));
    struct group *made;
    assert_int_equal(groups_union(a, b, &made), MPI_SUCCESS);
    assert_members(made, 5, TIDS(5, 3, 9, 1, 7));
    assert_int_equal(groups_union(b, a, &made), MPI_SUCCESS);
    assert_members(made, 5, TIDS(1, 7, 5, 3, 9));
    assert_int_equal(groups_intersection(a, b, &made), MPI_SUCCESS);
    assert_members(made, 2, TIDS(5, 1));
    assert_int_equal(groups_difference(a, b, &made), MPI_SUCCESS);
    assert_members(made, 2, TIDS(3, 9));
    assert_int_equal(groups_difference(a, a, &made), MPI_SUCCESS);
    assert_ptr_equal(made, group_empty());
    group_drop(a);
    group_drop(b);
}

UNIT_TEST(ranks_are_chosen_and_left_out)
{
    struct group *group = group_with(5, TIDS(10, 11, 3, 13, 14));
    struct group *made;
    const int ranks[] = {4, 2};
    assert_int_equal(groups_include(group, 2, ranks, &made), MPI_SUCCESS);
    assert_members(made, 2, TIDS(14, 3));
    assert_int_equal(groups_exclude(group, 2, ranks, &made), MPI_SUCCESS);
    assert_members(made, 3, TIDS(10, 11, 13));
    int ranges[2][3] = {{4, 2, -2}, {0, 1, 1}};
    assert_int_equal(groups_include_ranges(group, 2, ranges, &made), MPI_SUCCESS);
    assert_members(made, 4, TIDS(14, 3, 10, 11));
    assert_int_equal(groups_exclude_ranges(group, 2, ranges, &made), MPI_SUCCESS);
    assert_members(made, 1, TIDS(13));
    int none[1][3] = {{3, 2, 1}};
    assert_int_equal(groups_include_ranges(group, 1, none, &made), MPI_SUCCESS);
    assert_ptr_equal(made, group_empty());
    group_drop(group);
}

UNIT_TEST(wrong_ranks)
{
    struct group *group = group_with(3, TIDS(1, 2, 3));
    struct group *made;
    const int twice[] = {1, 1};
    const int beyond[] = {3};
    assert_int_equal(groups_include(group, 2, twice, &made), MPI_ERR_RANK);
    assert_int_equal(groups_exclude(group, 1, beyond, &made), MPI_ERR_RANK);
    int still[1][3] = {{0, 2, 0}};
    int far[1][3] = {{0, INT_MAX, 1}};
    int again[2][3] = {{0, 2, 1}, {1, 1, 1}};
    assert_int_equal(groups_include_ranges(group, 1, still, &made), MPI_ERR_ARG);
    assert_int_equal(groups_include_ranges(group, 1, far, &made), MPI_ERR_RANK);
    assert_int_equal(groups_include_ranges(group, 2, again, &made), MPI_ERR_RANK);
    group_drop(group);
}

UNIT_TEST(groups_compare_and_translate)
{
    struct group *a = group_with(3, TIDS(1, 2, 3));
    struct group *b = group_with(3, TIDS(3, 1, 2));
    struct group *c = group_with(3, TIDS(1, 2, 4));
    assert_int_equal(groups_compare(a, a), MPI_IDENT);
    assert_int_equal(groups_compare(a, b), MPI_SIMILAR);
    assert_int_equal(groups_compare(a, c), MPI_UNEQUAL);
    const int ranks[] = {2, MPI_PROC_NULL, 0};
    int found[3];
    assert_int_equal(groups_translate(a, 3, ranks, c, found), MPI_SUCCESS);
    assert_int_equal(found[0], MPI_UNDEFINED);
    assert_int_equal(found[1], MPI_PROC_NULL);
    assert_int_equal(found[2], 0);
    const int beyond = 3;
    assert_int_equal(groups_translate(a, 1, &beyond, c, found), MPI_ERR_RANK);
    group_drop(a);
    group_drop(b);
    group_drop(c);
}

UNIT_TEST(neighbours_in_a_grid)
{
    struct topology *topology = topology_new_grid(2);
    assert_non_null(topology);
    struct grid grid = topology_grid(topology);
    memcpy(grid.sizes, (int[]){3, 4}, 2 * sizeof(int));
    memcpy(grid.periods, (int[]){1, 0}, 2 * sizeof(int));
    grid_coordinates(&grid, 7, grid.coordinates);
    assert_int_equal(grid.coordinates[0], 1);
    assert_int_equal(grid.coordinates[1], 3);
    assert_int_equal(grid_neighbor(&grid, 0, 2), 3);
    assert_int_equal(grid_neighbor(&grid, 0, -2), 11);
    assert_int_equal(grid_neighbor(&grid, 1, 1), MPI_PROC_NULL);
    assert_int_equal(grid_neighbor(&grid, 1, -1), 6);
    assert_int_equal(grid_rank(&grid, (int[]){-1, 2}), 10);
    assert_int_equal(grid_rank(&grid, (int[]){0, 4}), MPI_PROC_NULL);
    struct topology *copy = topology_copy(topology);
    assert_non_null(copy);
    assert_memory_equal(topology_grid(copy).sizes, grid.sizes, 2 * sizeof(int));
    free(copy);
    free(topology);
}

/* The sizes never rise, their product is right, and no other factors have a smaller first one. */
UNIT_TEST(grids_are_balanced)
{
    for (int nodes = 1; nodes <= 200; nodes++) {
        int sizes[2] = {0, 0};
        assert_int_equal(grid_balance(nodes, 2, sizes), MPI_SUCCESS);
        assert_int_equal(sizes[0] * sizes[1], nodes);
        assert_true(sizes[0] >= sizes[1]);
        for (int first = sizes[1] + 1; first < sizes[0]; first++)
            assert_true(nodes % first != 0);
    }
    int fixed[3] = {0, 5, 0};
    assert_int_equal(grid_balance(12, 3, fixed), MPI_ERR_DIMS);
    assert_int_equal(grid_balance(60, 3, fixed), MPI_SUCCESS);
    assert_int_equal(fixed[0], 4);
    assert_int_equal(fixed[2], 3);
}
