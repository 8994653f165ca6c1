#include <string.h>

#include "mpi/objects/names.h"

void name_set(char name[MPI_MAX_OBJECT_NAME], const char *text)
{
    size_t length = strnlen(text, MPI_MAX_OBJECT_NAME - 1);

    memcpy(name, text, length);
    name[length] = '\0';
}

void name_get(const char name[MPI_MAX_OBJECT_NAME], char *text, int *length)
{
    *length = (int)strnlen(name, MPI_MAX_OBJECT_NAME - 1);
    memcpy(text, name, (size_t)*length);
    text[*length] = '\0';
}
