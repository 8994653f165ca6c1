#include <stdint.h>

#include "mpi/operations/numbers.h"

/* A function for an operation on one type. x is of in, y of inout. */
#define FUNCTION(name, type, result)                                                               \
    static void name(const void *in, void *inout, size_t count)                                    \
    {                                                                                              \
        const type *restrict one = in;                                                             \
        type *restrict other = inout;                                                              \
                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            type x = one[i], y = other[i];                                                         \
                                                                                                   \
            other[i] = (type)(result);                                                             \
        }                                                                                          \
    }
#define COMPARISONS(suffix, type)                                                                  \
    FUNCTION(min_##suffix, type, x < y ? x : y)                                                    \
    FUNCTION(max_##suffix, type, x > y ? x : y)
#define LOGICAL(suffix, type)                                                                      \
    FUNCTION(land_##suffix, type, x &&y)                                                           \
    FUNCTION(lor_##suffix, type, x || y)                                                           \
    FUNCTION(lxor_##suffix, type, !x != !y)
#define BITWISE(suffix, type)                                                                      \
    FUNCTION(band_##suffix, type, x &y)                                                            \
    FUNCTION(bor_##suffix, type, x | y)                                                            \
    FUNCTION(bxor_##suffix, type, x ^ y)

/* Sums and products that do not fit go round, as they do of unsigned numbers: wide is one of at
 * least an int. */
#define INTEGER(suffix, type, wide)                                                                \
    FUNCTION(sum_##suffix, type, (wide)x + (wide)y)                                                \
    FUNCTION(prod_##suffix, type, (wide)x *(wide)y)                                                \
    COMPARISONS(suffix, type)                                                                      \
    LOGICAL(suffix, type)                                                                          \
    BITWISE(suffix, type)
#define REAL(suffix, type)                                                                         \
    FUNCTION(sum_##suffix, type, x + y)                                                            \
    FUNCTION(prod_##suffix, type, x *y)                                                            \
    COMPARISONS(suffix, type)

/* By hand: so no number is checked for being infinite, and those that no compiler has in its
 * complex types work. */
#define COMPLEX(suffix, type)                                                                      \
    struct suffix {                                                                                \
        type real, imaginary;                                                                      \
    };                                                                                             \
    FUNCTION(sum_##suffix, struct suffix,                                                          \
             ((struct suffix){(type)(x.real + y.real), (type)(x.imaginary + y.imaginary)}))        \
    FUNCTION(prod_##suffix, struct suffix,                                                         \
             ((struct suffix){(type)(x.real * y.real - x.imaginary * y.imaginary),                 \
                              (type)(x.real * y.imaginary + x.imaginary * y.real)}))

INTEGER(int8, int8_t, unsigned)
INTEGER(int16, int16_t, unsigned)
INTEGER(int32, int32_t, uint32_t)
INTEGER(int64, int64_t, uint64_t)
INTEGER(uint8, uint8_t, unsigned)
INTEGER(uint16, uint16_t, unsigned)
INTEGER(uint32, uint32_t, uint32_t)
INTEGER(uint64, uint64_t, uint64_t)
REAL(float, float)
REAL(double, double)
REAL(long_double, long double)
COMPLEX(complex_float, float)
COMPLEX(complex_double, double)
COMPLEX(complex_long_double, long double)

#define OF_REAL(suffix)                                                                            \
    {                                                                                              \
        [NUMBER_SUM] = sum_##suffix, [NUMBER_PROD] = prod_##suffix, [NUMBER_MIN] = min_##suffix,   \
        [NUMBER_MAX] = max_##suffix                                                                \
    }
#define OF_COMPLEX(suffix)                                                                         \
    {                                                                                              \
        [NUMBER_SUM] = sum_##suffix, [NUMBER_PROD] = prod_##suffix                                 \
    }
#define OF_INTEGER(suffix)                                                                         \
    {                                                                                              \
        [NUMBER_SUM] = sum_##suffix, [NUMBER_PROD] = prod_##suffix, [NUMBER_MIN] = min_##suffix,   \
        [NUMBER_MAX] = max_##suffix, [NUMBER_LAND] = land_##suffix, [NUMBER_LOR] = lor_##suffix,   \
        [NUMBER_LXOR] = lxor_##suffix, [NUMBER_BAND] = band_##suffix, [NUMBER_BOR] = bor_##suffix, \
        [NUMBER_BXOR] = bxor_##suffix                                                              \
    }

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
INTEGER(int128, int128, uint128)
#endif
#ifdef __FLT16_MAX__
REAL(float16, _Float16)
COMPLEX(complex_float16, _Float16)
#endif
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 float128;
REAL(float128, float128)
COMPLEX(complex_float128, float128)
#endif

static number_function *const functions[NUMBERS][NUMBER_OPERATIONS] = {
    [NUMBER_INT8] = OF_INTEGER(int8),
    [NUMBER_INT16] = OF_INTEGER(int16),
    [NUMBER_INT32] = OF_INTEGER(int32),
    [NUMBER_INT64] = OF_INTEGER(int64),
    [NUMBER_UINT8] = OF_INTEGER(uint8),
    [NUMBER_UINT16] = OF_INTEGER(uint16),
    [NUMBER_UINT32] = OF_INTEGER(uint32),
    [NUMBER_UINT64] = OF_INTEGER(uint64),
    [NUMBER_FLOAT] = OF_REAL(float),
    [NUMBER_DOUBLE] = OF_REAL(double),
    [NUMBER_LONG_DOUBLE] = OF_REAL(long_double),
    [NUMBER_COMPLEX_FLOAT] = OF_COMPLEX(complex_float),
    [NUMBER_COMPLEX_DOUBLE] = OF_COMPLEX(complex_double),
    [NUMBER_COMPLEX_LONG_DOUBLE] = OF_COMPLEX(complex_long_double),
#ifdef __SIZEOF_INT128__
    [NUMBER_INT128] = OF_INTEGER(int128),
#endif
#ifdef __FLT16_MAX__
    [NUMBER_FLOAT16] = OF_REAL(float16),
    [NUMBER_COMPLEX_FLOAT16] = OF_COMPLEX(complex_float16),
#endif
#ifdef __SIZEOF_FLOAT128__
    [NUMBER_FLOAT128] = OF_REAL(float128),
    [NUMBER_COMPLEX_FLOAT128] = OF_COMPLEX(complex_float128),
#endif
};

number_function *number_function_of(enum number_operation operation, enum number_type number)
{
    return functions[number][operation];
}

/* Of equal values the one with the lower index wins. */
#define PAIR_FUNCTION(name, suffix, better)                                                        \
    static void name##_##suffix(const void *in, void *inout, size_t count)                         \
    {                                                                                              \
        const struct pair_##suffix *restrict one = in;                                             \
        struct pair_##suffix *restrict other = inout;                                              \
                                                                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            if (one[i].value better other[i].value ||                                              \
                (!(other[i].value better one[i].value) && one[i].index < other[i].index)) {        \
                other[i].value = one[i].value;                                                     \
                other[i].index = one[i].index;                                                     \
            }                                                                                      \
    }
#define PAIR(suffix, value_type, index_type)                                                       \
    struct pair_##suffix {                                                                         \
        value_type value;                                                                          \
        index_type index;                                                                          \
    };                                                                                             \
    PAIR_FUNCTION(minloc, suffix, <)                                                               \
    PAIR_FUNCTION(maxloc, suffix, >)

PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(int_int, int, int)
PAIR(floats, float, float)
PAIR(doubles, double, double)

static const struct {
    MPI_Datatype pair;
    number_function *least, *greatest;
} pair_functions[] = {
    {MPI_FLOAT_INT, minloc_float_int, maxloc_float_int},
    {MPI_DOUBLE_INT, minloc_double_int, maxloc_double_int},
    {MPI_LONG_INT, minloc_long_int, maxloc_long_int},
    {MPI_SHORT_INT, minloc_short_int, maxloc_short_int},
    {MPI_LONG_DOUBLE_INT, minloc_long_double_int, maxloc_long_double_int},
    {MPI_2INT, minloc_int_int, maxloc_int_int},
    {MPI_2INTEGER, minloc_int_int, maxloc_int_int},
    {MPI_2REAL, minloc_floats, maxloc_floats},
    {MPI_2DOUBLE_PRECISION, minloc_doubles, maxloc_doubles},
};

number_function *pair_function_of(const struct basic *pair, int greatest)
{
    for (size_t i = 0; i < sizeof pair_functions / sizeof *pair_functions; i++)
        if (pair_functions[i].pair == pair->handle)
            return greatest ? pair_functions[i].greatest : pair_functions[i].least;
    return NULL;
}
