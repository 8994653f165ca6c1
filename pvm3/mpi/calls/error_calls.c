/* error_calls.c - error classes, codes and their texts. They may be called before MPI_Init. */
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/values/errors.h"

MPI_CALL(int, Error_class)(int errorcode, int *errorclass)
{
    int class = error_class(errorcode);

    if (!errorclass)
        return call_error("MPI_Error_class", MPI_ERR_ARG);
    *errorclass = class < 0 ? MPI_ERR_UNKNOWN : class;
    return class < 0 ? call_error("MPI_Error_class", MPI_ERR_ARG) : MPI_SUCCESS;
}

MPI_CALL(int, Error_string)(int errorcode, char *string, int *resultlen)
{
    if (!string || !resultlen || !error_text(errorcode, string))
        return call_error("MPI_Error_string", MPI_ERR_ARG);
    *resultlen = (int)strlen(string);
    return MPI_SUCCESS;
}

MPI_CALL(int, Add_error_class)(int *errorclass)
{
    return call_error("MPI_Add_error_class",
                      errorclass ? error_add_class(errorclass) : MPI_ERR_ARG);
}

MPI_CALL(int, Add_error_code)(int errorclass, int *errorcode)
{
    return call_error("MPI_Add_error_code",
                      errorcode ? error_add_code(errorclass, errorcode) : MPI_ERR_ARG);
}

MPI_CALL(int, Add_error_string)(int errorcode, const char *string)
{
    return call_error("MPI_Add_error_string",
                      string ? error_add_text(errorcode, string) : MPI_ERR_ARG);
}

MPI_CALL(int, Remove_error_class)(int errorclass)
{
    return call_error("MPI_Remove_error_class", error_remove_class(errorclass));
}

MPI_CALL(int, Remove_error_code)(int errorcode)
{
    return call_error("MPI_Remove_error_code", error_remove_code(errorcode));
}

MPI_CALL(int, Remove_error_string)(int errorcode)
{
    return call_error("MPI_Remove_error_string", error_remove_text(errorcode));
}
