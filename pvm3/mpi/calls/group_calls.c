/*
 * group_calls.c - groups.
 */
#include <stddef.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/groups.h"

/* Gives out a new group, or raises the error. */
static int give(const char *function, int code, struct group *made, MPI_Group *result)
{
    if (code != MPI_SUCCESS)
        return call_error(function, code);
    *result = group_handle(made);
    return MPI_SUCCESS;
}

MPI_CALL(int, Group_size)(MPI_Group group, int *size)
{
    struct group *of = group_of(group);
    if (!of || !size)
        return call_error("MPI_Group_size", of ? MPI_ERR_ARG : MPI_ERR_GROUP);
    *size = of->size;
    return MPI_SUCCESS;
}

MPI_CALL(int, Group_rank)(MPI_Group group, int *rank)
{
    struct group *of = group_of(group);
    if (!of || !rank)
        return call_error("MPI_Group_rank", of ? MPI_ERR_ARG : MPI_ERR_GROUP);
    *rank = of->rank;
    return MPI_SUCCESS;
}

MPI_CALL(int, Group_translate_ranks)
(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
    struct group *from = group_of(group1);
    struct group *to = group_of(group2);
    int code = !from || !to ? MPI_ERR_GROUP : MPI_SUCCESS;
    if (code == MPI_SUCCESS && n > 0 && (!ranks1 || !ranks2))
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS)
        code = groups_translate(from, n, ranks1, to, ranks2);
    return code == MPI_SUCCESS ? code : call_error("MPI_Group_translate_ranks", code);
}

MPI_CALL(int, Group_compare)(MPI_Group group1, MPI_Group group2, int *result)
{
    struct group *a = group_of(group1);
    struct group *b = group_of(group2);
    if (!a || !b || !result)
        return call_error("MPI_Group_compare", a && b ? MPI_ERR_ARG : MPI_ERR_GROUP);
    *result = groups_compare(a, b);
    return MPI_SUCCESS;
}

/* One group of two. */
static int combine(const char *function,
                   int combined(const struct group *, const struct group *, struct group **),
                   MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    struct group *a = group_of(group1);
    struct group *b = group_of(group2);
    struct group *made = NULL;
    int code = a && b ? MPI_SUCCESS : MPI_ERR_GROUP;
    if (code == MPI_SUCCESS && !newgroup)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS)
        code = combined(a, b, &made);
    return give(function, code, made, newgroup);
}

MPI_CALL(int, Group_union)(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return combine("MPI_Group_union", groups_union, group1, group2, newgroup);
}

MPI_CALL(int, Group_intersection)(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return combine("MPI_Group_intersection", groups_intersection, group1, group2, newgroup);
}

MPI_CALL(int, Group_difference)(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return combine("MPI_Group_difference", groups_difference, group1, group2, newgroup);
}

/* The group of a handle for what is made of one group and an array; NULL with a *code. */
static const struct group *check(MPI_Group group, int n, const void *array,
                                 const MPI_Group *newgroup, int *code)
{
    const struct group *of = group_of(group);
    *code = of ? MPI_SUCCESS : MPI_ERR_GROUP;
    if (of && (!newgroup || n < 0 || (n > 0 && !array)))
        *code = MPI_ERR_ARG;
    return *code == MPI_SUCCESS ? of : NULL;
}

MPI_CALL(int, Group_incl)(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    struct group *made = NULL;
    int code;
    const struct group *of = check(group, n, ranks, newgroup, &code);
    if (of)
        code = groups_include(of, n, ranks, &made);
    return give("MPI_Group_incl", code, made, newgroup);
}

MPI_CALL(int, Group_excl)(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    struct group *made = NULL;
    int code;
    const struct group *of = check(group, n, ranks, newgroup, &code);
    if (of)
        code = groups_exclude(of, n, ranks, &made);
    return give("MPI_Group_excl", code, made, newgroup);
}

MPI_CALL(int, Group_range_incl)(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    struct group *made = NULL;
    int code;
    const struct group *of = check(group, n, ranges, newgroup, &code);
    if (of)
        code = groups_include_ranges(of, n, ranges, &made);
    return give("MPI_Group_range_incl", code, made, newgroup);
}

MPI_CALL(int, Group_range_excl)(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    struct group *made = NULL;
    int code;
    const struct group *of = check(group, n, ranges, newgroup, &code);
    if (of)
        code = groups_exclude_ranges(of, n, ranges, &made);
    return give("MPI_Group_range_excl", code, made, newgroup);
}

MPI_CALL(int, Group_free)(MPI_Group *group)
{
    struct group *of = group ? group_of(*group) : NULL;
    if (!of)
        return call_error("MPI_Group_free", group ? MPI_ERR_GROUP : MPI_ERR_ARG);
    group_drop(of);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
