#include "mpi/datatypes/element.h"

#include "mpi/datatypes/layout.h"
#include "mpi/datatypes/recipe.h"

const struct datatype *datatype_element(const struct datatype *datatype)
{
    const struct recipe *recipe = datatype->recipe;
    if (datatype->object.predefined)
        return datatype;
    /* A pair is in its recipe alone: in the layout it is two elements. */
    if (!recipe || recipe->types_count == 0)
        return datatype->layout->basic ? datatype_of(datatype->layout->basic->handle) : NULL;
    const struct datatype *element = datatype_element(recipe->types[0]);
    for (MPI_Count i = 1; i < recipe->types_count; i++)
        if (datatype_element(recipe->types[i]) != element)
            return NULL;
    return element;
}
