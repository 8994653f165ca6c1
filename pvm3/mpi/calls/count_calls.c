/* count_calls.c - how many elements a status speaks of. */
#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/values/status.h"

/* Counts elements of a datatype, or basic ones. */
static int count_by(MPI_Count (*count)(const struct datatype *type, MPI_Count bytes),
                    const struct form *form, const MPI_Status *status, MPI_Datatype datatype,
                    struct number found)
{
    struct datatype *type;
    int error = MPI_ERR_ARG;
    if (status && found.place)
        error = datatype_for_use(datatype, &type);
    if (error == MPI_SUCCESS)
        number_put(found, count(type, status_bytes(status)));
    return call_error(form->function, error);
}

int forms_get_count(const struct form *form, const MPI_Status *status, MPI_Datatype datatype,
                    struct number found)
{
    return count_by(datatype_count, form, status, datatype, found);
}

int forms_get_elements(const struct form *form, const MPI_Status *status, MPI_Datatype datatype,
                       struct number found)
{
    return count_by(datatype_elements, form, status, datatype, found);
}

int forms_status_set_elements(const struct form *form, MPI_Datatype datatype, MPI_Count elements)
{
    struct datatype *type;
    int error = MPI_ERR_ARG;
    if (elements < 0)
        error = MPI_ERR_COUNT;
    else if (form->status)
        error = datatype_for_use(datatype, &type);
    if (error == MPI_SUCCESS)
        status_set_bytes(form->status, datatype_bytes(type, elements));
    return call_error(form->function, error);
}
