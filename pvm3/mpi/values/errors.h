/* errors.h - error classes and codes, and their texts.
 *
 * A code of ours is its class, but for two kinds. A user adds classes and codes: they are
 * numbers above MPI_ERR_LASTCODE. And each function that is not supported has a code of its own,
 * so that the text of the error names it.
 *
 * MPI 5.0 has no class for the death of a rank: MPI_ERR_PROC_ABORTED stands for it.
 */
#ifndef MPI_VALUES_ERRORS_H
#define MPI_VALUES_ERRORS_H

#include <stdbool.h>

#include <mpi.h>

/* The names of all functions, made of functions.txt; NULL ends the list. */
extern const char *const function_names[];

/* The code that says that a function is not supported. number: its place in function_names. */
int error_unsupported(int number);

/* The class of a code, or -1: nobody has made such a code. */
int error_class(int code);

/* The text of a code in text, of MPI_MAX_ERROR_STRING bytes. False: nobody has made such a code. */
bool error_text(int code, char *text);

/* The greatest code that a user has added, or MPI_ERR_LASTCODE: the attribute MPI_LASTUSEDCODE. */
int error_last_used(void);

/* What the user adds and removes. They return MPI_SUCCESS or the class of an error. */
int error_add_class(int *class);
int error_add_code(int class, int *code);
int error_add_text(int code, const char *text);
int error_remove_class(int class);
int error_remove_code(int code);
int error_remove_text(int code);

#endif
