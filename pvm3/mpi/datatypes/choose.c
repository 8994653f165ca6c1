#include <pthread.h>
#include <stdlib.h>

#include "mpi/datatypes/basic.h"
#include "mpi/datatypes/choose.h"
#include "mpi/datatypes/make.h"

/* What can be chosen, the numbers of one class from the smallest on. */
struct choice {
    int class, size;   /* in bytes */
    int digits, range; /* of an integer the range, of others decimal digits and exponents */
    MPI_Datatype handle;
};
static const struct choice choices[] = {
    {MPI_TYPECLASS_INTEGER, 1, 0, 2, MPI_INTEGER1},
    {MPI_TYPECLASS_INTEGER, 2, 0, 4, MPI_INTEGER2},
    {MPI_TYPECLASS_INTEGER, 4, 0, 9, MPI_INTEGER4},
    {MPI_TYPECLASS_INTEGER, 8, 0, 18, MPI_INTEGER8},
    {MPI_TYPECLASS_INTEGER, 16, 0, 38, MPI_INTEGER16},
    {MPI_TYPECLASS_REAL, 2, 0, 0, MPI_REAL2},
    {MPI_TYPECLASS_REAL, 4, 6, 37, MPI_REAL4},
    {MPI_TYPECLASS_REAL, 8, 15, 307, MPI_REAL8},
    {MPI_TYPECLASS_REAL, 16, 33, 4931, MPI_REAL16},
    {MPI_TYPECLASS_COMPLEX, 4, 0, 0, MPI_COMPLEX4},
    {MPI_TYPECLASS_COMPLEX, 8, 6, 37, MPI_COMPLEX8},
    {MPI_TYPECLASS_COMPLEX, 16, 15, 307, MPI_COMPLEX16},
    {MPI_TYPECLASS_COMPLEX, 32, 33, 4931, MPI_COMPLEX32},
    {MPIX_TYPECLASS_LOGICAL, 1, 0, 0, MPI_LOGICAL1},
    {MPIX_TYPECLASS_LOGICAL, 2, 0, 0, MPI_LOGICAL2},
    {MPIX_TYPECLASS_LOGICAL, 4, 0, 0, MPI_LOGICAL4},
    {MPIX_TYPECLASS_LOGICAL, 8, 0, 0, MPI_LOGICAL8},
    {MPIX_TYPECLASS_LOGICAL, 16, 0, 0, MPI_LOGICAL16},
};
#define CHOICES (sizeof choices / sizeof *choices)

/* Those that were made, a list that only grows. */
struct made {
    struct made *next;
    int combiner, precision, range;
    struct datatype *datatype;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all_made;

int choose_by_size(int class, int size, MPI_Datatype *chosen)
{
    for (size_t i = 0; i < CHOICES; i++) {
        if (choices[i].class == class && choices[i].size == size) {
            *chosen = choices[i].handle;
            return MPI_SUCCESS;
        }
    }
    return MPI_ERR_ARG;
}

static int class_of(int combiner)
{
    switch (combiner) {
    case MPI_COMBINER_F90_REAL:
        return MPI_TYPECLASS_REAL;
    case MPI_COMBINER_F90_COMPLEX:
        return MPI_TYPECLASS_COMPLEX;
    default:
        return MPI_TYPECLASS_INTEGER;
    }
}

/* The smallest number that is as precise and reaches as far; NULL: none does. MPI_UNDEFINED is less
 * than what any number has. */
static struct datatype *smallest(int class, int precision, int range)
{
    for (size_t i = 0; i < CHOICES; i++)
        if (choices[i].class == class && choices[i].digits >= precision &&
            choices[i].range >= range)
            return datatype_of(choices[i].handle);
    return NULL;
}

static struct made *find(int combiner, int precision, int range)
{
    for (struct made *made = all_made; made; made = made->next)
        if (made->combiner == combiner && made->precision == precision && made->range == range)
            return made;
    return NULL;
}

/* With the lock. */
static int make(struct datatype *number, int combiner, int precision, int range)
{
    const MPI_Count values[2] = {precision, range};
    bool integer = combiner == MPI_COMBINER_F90_INTEGER;
    struct made *made = calloc(1, sizeof *made);
    int error;

    if (!made)
        return MPI_ERR_NO_MEM;
    error = datatype_make(combiner, false, integer ? values + 1 : values, integer ? 1 : 2, &number,
                          1, &made->datatype);
    if (error) {
        free(made);
        return error;
    }
    made->datatype->committed = true;
    made->datatype->named = true;
    made->combiner = combiner;
    made->precision = precision;
    made->range = range;
    made->next = all_made;
    all_made = made;
    return MPI_SUCCESS;
}

int choose_by_precision(int combiner, int precision, int range, MPI_Datatype *chosen)
{
    struct datatype *number;
    int error = MPI_SUCCESS;

    if ((precision < 0 && precision != MPI_UNDEFINED) || (range < 0 && range != MPI_UNDEFINED))
        return MPI_ERR_ARG;
    number = smallest(class_of(combiner), precision, range);
    if (!number)
        return MPI_ERR_ARG;
    pthread_mutex_lock(&lock);
    if (!find(combiner, precision, range))
        error = make(number, combiner, precision, range);
    if (!error)
        *chosen = datatype_handle(find(combiner, precision, range)->datatype);
    pthread_mutex_unlock(&lock);
    return error;
}

int choose_pair(MPI_Datatype value, MPI_Datatype index, MPI_Datatype *chosen)
{
    const struct basic *basic;

    *chosen = MPI_DATATYPE_NULL;
    for (int i = 0; (basic = basic_at(i)); i++)
        if (basic->class == BASIC_PAIR && basic->value == value && basic->index == index)
            *chosen = basic->handle;
    return MPI_SUCCESS;
}
