/* A datatype keeps those that it was made of: so both lives are in one file. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/layout.h"
#include "mpi/datatypes/recipe.h"

void datatype_keep(struct datatype *datatype)
{
    object_keep(&datatype->object);
}

void datatype_drop(struct datatype *datatype)
{
    if (!object_drop(&datatype->object))
        return;
    layout_drop(datatype->layout);
    recipe_free(datatype->recipe);
    free(datatype);
}

void datatype_enter(struct datatype *datatype)
{
    if (datatype->named)
        return;
    datatype_keep(datatype);
    atomic_fetch_add(&datatype->handles, 1);
}

int datatype_leave(struct datatype *datatype)
{
    int error = MPI_SUCCESS;

    if (atomic_fetch_sub(&datatype->handles, 1) == 1)
        error = attributes_clear(&datatype->attributes, OBJECT_DATATYPE, datatype_handle(datatype));
    if (error)
        atomic_fetch_add(&datatype->handles, 1);
    else
        datatype_drop(datatype);
    return error;
}

struct recipe *recipe_make(int combiner, bool large, const MPI_Count *values,
                           MPI_Count values_count, struct datatype *const *types,
                           MPI_Count types_count)
{
    struct recipe *recipe = calloc(1, sizeof *recipe);

    if (!recipe)
        return NULL;
    recipe->combiner = combiner;
    recipe->large = large;
    recipe->values = malloc((size_t)(values_count + 1) * sizeof *values);
    recipe->types = malloc((size_t)(types_count + 1) * sizeof(struct datatype *));
    if (!recipe->values || !recipe->types) {
        recipe_free(recipe);
        return NULL;
    }
    recipe->values_count = values_count;
    recipe->types_count = types_count;
    if (values_count > 0)
        memcpy(recipe->values, values, (size_t)values_count * sizeof *values);
    for (MPI_Count i = 0; i < types_count; i++) {
        recipe->types[i] = types[i];
        datatype_keep(types[i]);
    }
    return recipe;
}

void recipe_free(struct recipe *recipe)
{
    if (!recipe)
        return;
    for (MPI_Count i = 0; i < recipe->types_count; i++)
        datatype_drop(recipe->types[i]);
    free(recipe->types);
    free(recipe->values);
    free(recipe);
}
