/* count_calls.c - how many elements a status speaks of. */
#include <limits.h>

#include "mpi/calls/calls.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/values/status.h"

/* Counts elements of a datatype, or basic ones. */
typedef MPI_Count counter(const struct datatype *type, MPI_Count bytes);

static int count(const char *function, const MPI_Status *status, MPI_Datatype datatype,
                 counter *count_elements, MPI_Count *found)
{
    struct datatype *type;
    int error = MPI_ERR_ARG;

    if (status && found)
        error = datatype_for_use(datatype, &type);
    if (!error)
        *found = count_elements(type, status_bytes(status));
    return call_error(function, error);
}

static int count_as_int(const char *function, const MPI_Status *status, MPI_Datatype datatype,
                        counter *count_elements, int *found)
{
    MPI_Count large = 0;
    int error = count(function, status, datatype, count_elements, found ? &large : NULL);

    if (!error)
        *found = large <= INT_MAX ? (int)large : MPI_UNDEFINED;
    return error;
}

MPI_CALL(int, Get_count)(const MPI_Status *status, MPI_Datatype datatype, int *found)
{
    return count_as_int("MPI_Get_count", status, datatype, datatype_count, found);
}

MPI_CALL(int, Get_count_c)(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *found)
{
    return count("MPI_Get_count_c", status, datatype, datatype_count, found);
}

MPI_CALL(int, Get_elements)(const MPI_Status *status, MPI_Datatype datatype, int *found)
{
    return count_as_int("MPI_Get_elements", status, datatype, datatype_elements, found);
}

MPI_CALL(int, Get_elements_c)(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *found)
{
    return count("MPI_Get_elements_c", status, datatype, datatype_elements, found);
}

MPI_CALL(int, Get_elements_x)(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *found)
{
    return count("MPI_Get_elements_x", status, datatype, datatype_elements, found);
}

static int set(const char *function, MPI_Status *status, MPI_Datatype datatype, MPI_Count elements)
{
    struct datatype *type;
    int error = MPI_ERR_ARG;

    if (elements < 0)
        error = MPI_ERR_COUNT;
    else if (status)
        error = datatype_for_use(datatype, &type);
    if (!error)
        status_set_bytes(status, datatype_bytes(type, elements));
    return call_error(function, error);
}

MPI_CALL(int, Status_set_elements)(MPI_Status *status, MPI_Datatype datatype, int elements)
{
    return set("MPI_Status_set_elements", status, datatype, elements);
}

MPI_CALL(int, Status_set_elements_c)(MPI_Status *status, MPI_Datatype datatype, MPI_Count elements)
{
    return set("MPI_Status_set_elements_c", status, datatype, elements);
}

MPI_CALL(int, Status_set_elements_x)(MPI_Status *status, MPI_Datatype datatype, MPI_Count elements)
{
    return set("MPI_Status_set_elements_x", status, datatype, elements);
}
