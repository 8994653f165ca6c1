/* recipe.h - how a datatype was made, for MPI_Type_get_envelope and MPI_Type_get_contents.
 *
 * The arguments of a constructor are a row of values, in the order in which the standard gives
 * them back. In the form for large counts the same row is divided in another way into integers,
 * addresses and counts.
 */
#ifndef MPI_DATATYPES_RECIPE_H
#define MPI_DATATYPES_RECIPE_H

#include <stdbool.h>

#include <mpi.h>

struct datatype;

struct recipe {
    int combiner;
    bool large; /* made by a function for large counts */
    MPI_Count values_count, types_count;
    MPI_Count *values;
    struct datatype **types; /* each has a reference */
};

enum recipe_kind { RECIPE_INTEGER, RECIPE_ADDRESS, RECIPE_COUNT };

/* NULL: no memory. Keeps the types, and copies the rest. */
struct recipe *recipe_make(int combiner, bool large, const MPI_Count *values,
                           MPI_Count values_count, struct datatype *const *types,
                           MPI_Count types_count);
void recipe_free(struct recipe *recipe);

/* What the value at a place is. */
enum recipe_kind recipe_kind(const struct recipe *recipe, MPI_Count place);
/* How many of them are. */
MPI_Count recipe_count(const struct recipe *recipe, enum recipe_kind kind);

#endif
