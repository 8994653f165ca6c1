/* type_contents_calls.c - how datatypes were made. */
#include <stddef.h>

#include "mpi/calls/calls.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/recipe.h"

/* How many values of each kind a datatype was made of. */
struct envelope {
    int combiner;
    bool large;
    MPI_Count integers, addresses, counts, types;
};

static struct envelope envelope_of(const struct datatype *type)
{
    const struct recipe *recipe = type->recipe;
    bool of_fortran = recipe && type->named; /* its number is not given back */

    if (!recipe)
        return (struct envelope){.combiner = MPI_COMBINER_NAMED};
    return (struct envelope){.combiner = recipe->combiner,
                             .large = recipe->large,
                             .integers = recipe_count(recipe, RECIPE_INTEGER),
                             .addresses = recipe_count(recipe, RECIPE_ADDRESS),
                             .counts = recipe_count(recipe, RECIPE_COUNT),
                             .types = of_fortran ? 0 : recipe->types_count};
}

MPI_CALL(int, Type_get_envelope)
(MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner)
{
    struct datatype *type = datatype_of(datatype);
    struct envelope envelope;

    if (!type)
        return call_error("MPI_Type_get_envelope", MPI_ERR_TYPE);
    if (!num_integers || !num_addresses || !num_datatypes || !combiner)
        return call_error("MPI_Type_get_envelope", MPI_ERR_ARG);
    envelope = envelope_of(type);
    if (envelope.large)
        return call_error("MPI_Type_get_envelope", MPI_ERR_TYPE);
    *num_integers = (int)envelope.integers;
    *num_addresses = (int)envelope.addresses;
    *num_datatypes = (int)envelope.types;
    *combiner = envelope.combiner;
    return MPI_SUCCESS;
}

MPI_CALL(int, Type_get_envelope_c)
(MPI_Datatype datatype, MPI_Count *num_integers, MPI_Count *num_addresses,
 MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner)
{
    struct datatype *type = datatype_of(datatype);
    struct envelope envelope;

    if (!type)
        return call_error("MPI_Type_get_envelope_c", MPI_ERR_TYPE);
    if (!num_integers || !num_addresses || !num_large_counts || !num_datatypes || !combiner)
        return call_error("MPI_Type_get_envelope_c", MPI_ERR_ARG);
    envelope = envelope_of(type);
    *num_integers = envelope.integers;
    *num_addresses = envelope.addresses;
    *num_large_counts = envelope.counts;
    *num_datatypes = envelope.types;
    *combiner = envelope.combiner;
    return MPI_SUCCESS;
}

/* The arrays of the program, and how long they are. */
struct contents {
    MPI_Count integers_room, addresses_room, counts_room, types_room;
    int *integers;
    MPI_Aint *addresses;
    MPI_Count *counts;
    MPI_Datatype *types;
};

static int check(const struct datatype *type, const struct contents *contents)
{
    struct envelope envelope;

    if (!type || !type->recipe)
        return MPI_ERR_TYPE;
    envelope = envelope_of(type);
    if (envelope.integers > contents->integers_room ||
        envelope.addresses > contents->addresses_room || envelope.counts > contents->counts_room ||
        envelope.types > contents->types_room)
        return MPI_ERR_ARG;
    if ((envelope.integers > 0 && !contents->integers) ||
        (envelope.addresses > 0 && !contents->addresses) ||
        (envelope.counts > 0 && !contents->counts) || (envelope.types > 0 && !contents->types))
        return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

/* Each value goes to the next place of its kind. */
static void put_values(const struct recipe *recipe, const struct contents *contents)
{
    MPI_Count integers = 0, addresses = 0, counts = 0;

    for (MPI_Count i = 0; i < recipe->values_count; i++) {
        switch (recipe_kind(recipe, i)) {
        case RECIPE_INTEGER:
            contents->integers[integers++] = (int)recipe->values[i];
            break;
        case RECIPE_ADDRESS:
            contents->addresses[addresses++] = (MPI_Aint)recipe->values[i];
            break;
        case RECIPE_COUNT:
            contents->counts[counts++] = recipe->values[i];
            break;
        }
    }
}

static int get(const char *function, MPI_Datatype datatype, const struct contents *contents)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, contents);

    if (error)
        return call_error(function, error);
    put_values(type->recipe, contents);
    for (MPI_Count i = 0; i < envelope_of(type).types; i++) {
        datatype_enter(type->recipe->types[i]);
        contents->types[i] = datatype_handle(type->recipe->types[i]);
    }
    return MPI_SUCCESS;
}

MPI_CALL(int, Type_get_contents)
(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[],
 MPI_Aint addresses[], MPI_Datatype datatypes[])
{
    struct contents contents = {.integers_room = max_integers,
                                .addresses_room = max_addresses,
                                .types_room = max_datatypes,
                                .integers = integers,
                                .addresses = addresses,
                                .types = datatypes};

    return get("MPI_Type_get_contents", datatype, &contents);
}

MPI_CALL(int, Type_get_contents_c)
(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
 MPI_Count max_datatypes, int integers[], MPI_Aint addresses[], MPI_Count large_counts[],
 MPI_Datatype datatypes[])
{
    struct contents contents = {.integers_room = max_integers,
                                .addresses_room = max_addresses,
                                .counts_room = max_large_counts,
                                .types_room = max_datatypes,
                                .integers = integers,
                                .addresses = addresses,
                                .counts = large_counts,
                                .types = datatypes};

    return get("MPI_Type_get_contents_c", datatype, &contents);
}
