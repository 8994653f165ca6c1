/* abi_calls.c - what the program can ask of the binary interface, and the booleans of its
 * Fortran. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/datatypes/basic.h"
#include "mpi/objects/info.h"

/* The booleans of Fortran, which the program sets once: for each size from 1 to 16 bytes. */
enum { SIZES = 5, LARGEST = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool set;
    char yes[LARGEST], no[LARGEST];
} booleans[SIZES];

/* The place of a size in the table; -1: no LOGICAL has it. */
static int place_of_size(int size)
{
    for (int place = 0; place < SIZES; place++)
        if (size == 1 << place)
            return place;
    return -1;
}

MPI_CALL(int, Abi_get_version)(int *abi_major, int *abi_minor)
{
    if (!abi_major || !abi_minor)
        return call_error("MPI_Abi_get_version", MPI_ERR_ARG);
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

static int set_number(struct info *info, const char *key, size_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%zu", number);
    return info_set(info, key, text);
}

/* The info that a function has filled, or an error. */
static int give(const char *function, struct info *info, int error, MPI_Info *handle)
{
    if (!error)
        *handle = info_handle(info);
    else if (info)
        info_free(info);
    return call_error(function, error);
}

MPI_CALL(int, Abi_get_info)(MPI_Info *info)
{
    struct info *made = info ? info_make() : NULL;
    int error = info ? MPI_ERR_NO_MEM : MPI_ERR_ARG;

    if (made)
        error = set_number(made, "mpi_aint_size", sizeof(MPI_Aint));
    if (!error)
        error = set_number(made, "mpi_count_size", sizeof(MPI_Count));
    if (!error)
        error = set_number(made, "mpi_offset_size", sizeof(MPI_Offset));
    return give("MPI_Abi_get_info", made, error, info);
}

/* The numbers of Fortran that have their size in their name, and one that may be there or not. */
static const struct {
    const char *key;
    MPI_Datatype handle;
} supported[] = {
    {"mpi_logical1_supported", MPI_LOGICAL1},
    {"mpi_logical2_supported", MPI_LOGICAL2},
    {"mpi_logical4_supported", MPI_LOGICAL4},
    {"mpi_logical8_supported", MPI_LOGICAL8},
    {"mpi_logical16_supported", MPI_LOGICAL16},
    {"mpi_integer1_supported", MPI_INTEGER1},
    {"mpi_integer2_supported", MPI_INTEGER2},
    {"mpi_integer4_supported", MPI_INTEGER4},
    {"mpi_integer8_supported", MPI_INTEGER8},
    {"mpi_integer16_supported", MPI_INTEGER16},
    {"mpi_real2_supported", MPI_REAL2},
    {"mpi_real4_supported", MPI_REAL4},
    {"mpi_real8_supported", MPI_REAL8},
    {"mpi_real16_supported", MPI_REAL16},
    {"mpi_complex4_supported", MPI_COMPLEX4},
    {"mpi_complex8_supported", MPI_COMPLEX8},
    {"mpi_complex16_supported", MPI_COMPLEX16},
    {"mpi_complex32_supported", MPI_COMPLEX32},
    {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
};
static const struct {
    const char *key;
    MPI_Datatype handle;
} sizes[] = {
    {"mpi_logical_size", MPI_LOGICAL},
    {"mpi_integer_size", MPI_INTEGER},
    {"mpi_real_size", MPI_REAL},
    {"mpi_double_precision_size", MPI_DOUBLE_PRECISION},
};

MPI_CALL(int, Abi_get_fortran_info)(MPI_Info *info)
{
    struct info *made = info ? info_make() : NULL;
    int error = made ? MPI_SUCCESS : info ? MPI_ERR_NO_MEM : MPI_ERR_ARG;

    for (size_t i = 0; !error && i < sizeof sizes / sizeof *sizes; i++)
        error = set_number(made, sizes[i].key, basic_of(sizes[i].handle)->size);
    for (size_t i = 0; !error && i < sizeof supported / sizeof *supported; i++)
        error = info_set(made, supported[i].key, basic_of(supported[i].handle) ? "true" : "false");
    return give("MPI_Abi_get_fortran_info", made, error, info);
}

/* Fortran is what it is here: nothing can be changed. */
MPI_CALL(int, Abi_set_fortran_info)(MPI_Info info)
{
    return call_error("MPI_Abi_set_fortran_info", info_of(info) ? MPI_ERR_ABI : MPI_ERR_INFO);
}

MPI_CALL(int, Abi_set_fortran_booleans)(int logical_size, void *logical_true, void *logical_false)
{
    int place = place_of_size(logical_size);
    bool was_set = false;

    if (place < 0 || !logical_true || !logical_false)
        return call_error("MPI_Abi_set_fortran_booleans", MPI_ERR_ARG);
    pthread_mutex_lock(&lock);
    was_set = booleans[place].set;
    if (!was_set) {
        memcpy(booleans[place].yes, logical_true, (size_t)logical_size);
        memcpy(booleans[place].no, logical_false, (size_t)logical_size);
        booleans[place].set = true;
    }
    pthread_mutex_unlock(&lock);
    return call_error("MPI_Abi_set_fortran_booleans", was_set ? MPI_ERR_ABI : MPI_SUCCESS);
}

MPI_CALL(int, Abi_get_fortran_booleans)
(int logical_size, void *logical_true, void *logical_false, int *is_set)
{
    int place = place_of_size(logical_size);

    if (place < 0 || !logical_true || !logical_false || !is_set)
        return call_error("MPI_Abi_get_fortran_booleans", MPI_ERR_ARG);
    pthread_mutex_lock(&lock);
    *is_set = booleans[place].set;
    if (*is_set) {
        memcpy(logical_true, booleans[place].yes, (size_t)logical_size);
        memcpy(logical_false, booleans[place].no, (size_t)logical_size);
    }
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}
