/* program_numbers.c - int and wider integers of the program's. */
#include "mpi/values/program_numbers.h"

#include <limits.h>
#include <stdint.h>

MPI_Count numbers_at(struct numbers numbers, MPI_Count index)
{
    if (numbers.width == sizeof(int))
        return ((const int *)numbers.array)[index];
    return ((const int64_t *)numbers.array)[index];
}

MPI_Count number_get(struct number number)
{
    return numbers_at((struct numbers){number.place, number.width}, 0);
}

bool number_put(struct number number, MPI_Count value)
{
    bool fits = number.width != sizeof(int) || (value >= INT_MIN && value <= INT_MAX);
    if (number.width == sizeof(int))
        *(int *)number.place = fits ? (int)value : MPI_UNDEFINED;
    else
        *(int64_t *)number.place = value;
    return fits;
}
