/*
 * groups.c - groups made of groups.
 */
#include "mpi/communicators/groups.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The tid of the calling task, if it is in `a` or `b`; otherwise 0, which is nobody's. */
static uint32_t own_tid(const struct group *a, const struct group *b)
{
    if (a->rank >= 0)
        return a->tids[a->rank];
    return b && b->rank >= 0 ? b->tids[b->rank] : 0;
}

/* A group of `count` tids, which are the caller's. */
static int made(const uint32_t *tids, int count, uint32_t own, struct group **result)
{
    if (count == 0) {
        *result = group_keep(group_empty());
        return MPI_SUCCESS;
    }
    *result = group_new(count);
    if (!*result)
        return MPI_ERR_NO_MEM;
    memcpy((*result)->tids, tids, (size_t)count * sizeof tids[0]);
    (*result)->rank = own ? group_rank_of(*result, own) : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* The members of `a` that are in `b` or not, after the `all_of`. */
static int joined(const struct group *all_of, const struct group *a, const struct group *b,
                  bool in_b, struct group **result)
{
    size_t most = (size_t)(all_of ? all_of->size : 0) + (size_t)a->size;
    uint32_t *tids = malloc((most + 1) * sizeof *tids);
    if (!tids)
        return MPI_ERR_NO_MEM;
    int count = 0;
    for (int rank = 0; all_of && rank < all_of->size; rank++)
        tids[count++] = all_of->tids[rank];
    for (int rank = 0; rank < a->size; rank++) {
        if ((group_rank_of(b, a->tids[rank]) != MPI_UNDEFINED) == in_b)
            tids[count++] = a->tids[rank];
    }
    int code = made(tids, count, own_tid(a, b), result);
    free(tids);
    return code;
}

int groups_union(const struct group *a, const struct group *b, struct group **result)
{
    return joined(a, b, a, false, result);
}

int groups_intersection(const struct group *a, const struct group *b, struct group **result)
{
    return joined(NULL, a, b, true, result);
}

int groups_difference(const struct group *a, const struct group *b, struct group **result)
{
    return joined(NULL, a, b, false, result);
}

/* Which ranks are named: an array of a byte each, or NULL with a *code. */
static unsigned char *marked(const struct group *group, int n, const int ranks[], int *code)
{
    unsigned char *named = calloc((size_t)group->size + 1, 1);
    *code = named ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (int i = 0; i < n && *code == MPI_SUCCESS; i++) {
        if (ranks[i] < 0 || ranks[i] >= group->size || named[ranks[i]])
            *code = MPI_ERR_RANK;
        else
            named[ranks[i]] = 1;
    }
    if (*code == MPI_SUCCESS)
        return named;
    free(named);
    return NULL;
}

int groups_include(const struct group *group, int n, const int ranks[], struct group **result)
{
    if (n < 0)
        return MPI_ERR_ARG;
    int code;
    unsigned char *named = marked(group, n, ranks, &code);
    if (!named)
        return code;
    free(named);
    uint32_t *tids = malloc(((size_t)n + 1) * sizeof *tids);
    if (!tids)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++)
        tids[i] = group->tids[ranks[i]];
    code = made(tids, n, own_tid(group, NULL), result);
    free(tids);
    return code;
}

int groups_exclude(const struct group *group, int n, const int ranks[], struct group **result)
{
    if (n < 0)
        return MPI_ERR_ARG;
    int code;
    unsigned char *named = marked(group, n, ranks, &code);
    if (!named)
        return code;
    uint32_t *tids = malloc(((size_t)group->size + 1) * sizeof *tids);
    int count = 0;
    for (int rank = 0; tids && rank < group->size; rank++) {
        if (!named[rank])
            tids[count++] = group->tids[rank];
    }
    code = tids ? made(tids, count, own_tid(group, NULL), result) : MPI_ERR_NO_MEM;
    free(tids);
    free(named);
    return code;
}

/* The ranks of all ranges: how many, and an array for the caller to free; or an error class. */
static int expand(const struct group *group, int n, int ranges[][3], int **ranks, int *count)
{
    if (n < 0)
        return MPI_ERR_ARG;
    /* A rank may stand there once, so that more than these are wrong in any case. */
    *ranks = malloc(((size_t)group->size + 1) * sizeof **ranks);
    *count = 0;
    int code = *ranks ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
        long stride = ranges[i][2];
        if (stride == 0)
            code = MPI_ERR_ARG;
        for (long rank = ranges[i][0];
             code == MPI_SUCCESS && (stride > 0 ? rank <= ranges[i][1] : rank >= ranges[i][1]);
             rank += stride) {
            if (rank < 0 || rank >= group->size || *count == group->size)
                code = MPI_ERR_RANK;
            else
                (*ranks)[(*count)++] = (int)rank;
        }
    }
    if (code != MPI_SUCCESS)
        free(*ranks);
    return code;
}

/* Takes the ranks that the ranges stand for to `select`, groups_include or groups_exclude. */
static int select_ranges(const struct group *group, int n, int ranges[][3],
                         __typeof__(groups_include) *select, struct group **result)
{
    int *ranks;
    int count;
    int code = expand(group, n, ranges, &ranks, &count);
    if (code != MPI_SUCCESS)
        return code;
    code = select(group, count, ranks, result);
    free(ranks);
    return code;
}

int groups_include_ranges(const struct group *group, int n, int ranges[][3], struct group **result)
{
    return select_ranges(group, n, ranges, groups_include, result);
}

int groups_exclude_ranges(const struct group *group, int n, int ranges[][3], struct group **result)
{
    return select_ranges(group, n, ranges, groups_exclude, result);
}

int groups_compare(const struct group *a, const struct group *b)
{
    if (a->size != b->size)
        return MPI_UNEQUAL;
    if (memcmp(a->tids, b->tids, (size_t)a->size * sizeof a->tids[0]) == 0)
        return MPI_IDENT;
    for (int rank = 0; rank < a->size; rank++) {
        if (group_rank_of(b, a->tids[rank]) == MPI_UNDEFINED)
            return MPI_UNEQUAL;
    }
    return MPI_SIMILAR;
}

int groups_translate(const struct group *a, int n, const int ranks[], const struct group *b,
                     int result[])
{
    if (n < 0)
        return MPI_ERR_ARG;
    for (int i = 0; i < n; i++) {
        if (ranks[i] == MPI_PROC_NULL)
            result[i] = MPI_PROC_NULL;
        else if (ranks[i] < 0 || ranks[i] >= a->size)
            return MPI_ERR_RANK;
        else
            result[i] = group_rank_of(b, a->tids[ranks[i]]);
    }
    return MPI_SUCCESS;
}
