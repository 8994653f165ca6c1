/* info.h - info objects: pairs of texts, in the order in which they were set. Each function is
 * thread-safe. */
#ifndef MPI_OBJECTS_INFO_H
#define MPI_OBJECTS_INFO_H

#include <stdbool.h>

#include "mpi/objects/object.h"

struct info;

/* The info of a handle; NULL: there is none. MPI_INFO_NULL is none. */
struct info *info_of(MPI_Info handle);
MPI_Info info_handle(struct info *info);

/* NULL: no memory. */
struct info *info_make(void);
struct info *info_copy(struct info *info);
void info_free(struct info *info);

/* MPI_SUCCESS, or MPI_ERR_NO_MEM. Keys and values are as long as the caller has checked. */
int info_set(struct info *info, const char *key, const char *value);
/* The length of the value, of which at most size - 1 characters are copied, with a zero; -1: no
 * such key. */
int info_get(struct info *info, const char *key, char *value, int size);
bool info_delete(struct info *info, const char *key);
int info_count(struct info *info);
/* The key with this number; false: there are not as many. key: MPI_MAX_INFO_KEY bytes */
bool info_key(struct info *info, int number, char *key);

/* What MPI_INFO_ENV says: messages/ sets it at MPI_Init. */
struct info *info_environment(void);

#endif
