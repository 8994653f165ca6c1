/* names.h - the names of objects. The caller sees to it that no two threads use one at a time. */
#ifndef MPI_OBJECTS_NAMES_H
#define MPI_OBJECTS_NAMES_H

#include <mpi.h>

/* Takes a name, cut where it is too long. */
void name_set(char name[MPI_MAX_OBJECT_NAME], const char *text);
/* Copies it with its end; *length is without. */
void name_get(const char name[MPI_MAX_OBJECT_NAME], char *text, int *length);

#endif
