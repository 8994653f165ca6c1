#include <stddef.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/objects/error_handler.h"
#include "mpi/values/errors.h"

int call_error(const char *function, int code)
{
    return communicator_error(NULL, function, code);
}

/* The functions of files return errors by default, and those of the tools interface always. */
int call_unsupported(int number)
{
    const char *name = function_names[number];

    if (strncmp(name, "MPI_T_", 6) == 0)
        return MPI_T_ERR_NOT_SUPPORTED;
    if (strncmp(name, "MPI_File_", 9) == 0)
        return error_unsupported(number);
    return call_error(name, error_unsupported(number));
}
