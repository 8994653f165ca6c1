/*
 * groups.h - groups made of groups, as the MPI standard defines it. No messages.
 *
 * All return MPI_SUCCESS and a *result with one reference, or an error class. A result without
 * members is the empty group.
 */
#ifndef MPI_COMMUNICATORS_GROUPS_H
#define MPI_COMMUNICATORS_GROUPS_H

#include "mpi/objects/group.h"

/* The members of `a`, then those of `b` that are not in `a`. */
int groups_union(const struct group *a, const struct group *b, struct group **result);
/* The members of `a` that are in `b`, or that are not, in the order of `a`. */
int groups_intersection(const struct group *a, const struct group *b, struct group **result);
int groups_difference(const struct group *a, const struct group *b, struct group **result);

/* Of `n` different ranks those alone, in their order; or all others. */
int groups_include(const struct group *group, int n, const int ranks[], struct group **result);
int groups_exclude(const struct group *group, int n, const int ranks[], struct group **result);

/* Of `n` ranges of first rank, last rank and stride. */
int groups_include_ranges(const struct group *group, int n, int ranges[][3], struct group **result);
int groups_exclude_ranges(const struct group *group, int n, int ranges[][3], struct group **result);

/* MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL. */
int groups_compare(const struct group *a, const struct group *b);

/* MPI_ERR_RANK if a rank is not one of `a`; MPI_PROC_NULL stays as it is. */
int groups_translate(const struct group *a, int n, const int ranks[], const struct group *b,
                     int result[]);

#endif
