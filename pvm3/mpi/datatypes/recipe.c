#include "mpi/datatypes/recipe.h"

/* Arrays have integers that are never large: their order, their dimensions, how they are
 * distributed. */
static enum recipe_kind kind_in_large(const struct recipe *recipe, MPI_Count place)
{
    MPI_Count dimensions;

    switch (recipe->combiner) {
    case MPI_COMBINER_SUBARRAY:
        return place == 0 || place == recipe->values_count - 1 ? RECIPE_INTEGER : RECIPE_COUNT;
    case MPI_COMBINER_DARRAY:
        dimensions = recipe->values[2];
        return place > 2 && place <= 2 + dimensions ? RECIPE_COUNT : RECIPE_INTEGER;
    default:
        return RECIPE_COUNT;
    }
}

static enum recipe_kind kind_in_small(const struct recipe *recipe, MPI_Count place)
{
    switch (recipe->combiner) {
    case MPI_COMBINER_RESIZED:
        return RECIPE_ADDRESS;
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return place > 1 ? RECIPE_ADDRESS : RECIPE_INTEGER;
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return place > recipe->values[0] ? RECIPE_ADDRESS : RECIPE_INTEGER;
    default:
        return RECIPE_INTEGER;
    }
}

enum recipe_kind recipe_kind(const struct recipe *recipe, MPI_Count place)
{
    return recipe->large ? kind_in_large(recipe, place) : kind_in_small(recipe, place);
}

MPI_Count recipe_count(const struct recipe *recipe, enum recipe_kind kind)
{
    MPI_Count count = 0;

    for (MPI_Count i = 0; i < recipe->values_count; i++)
        count += recipe_kind(recipe, i) == kind;
    return count;
}
