#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "mpi/datatypes/basic.h"

/* The types that not every compiler has stand for themselves as bytes. */
struct bytes2 {
    alignas(2) char bytes[2];
};
struct bytes4 {
    alignas(2) char bytes[4];
};
struct bytes16 {
    alignas(16) char bytes[16];
};
struct bytes32 {
    alignas(16) char bytes[32];
};

#define ONE(handle, type, number, class, external)                                                 \
    {                                                                                              \
        handle, #handle, number, class, sizeof(type), alignof(type), external, NULL, NULL, 0       \
    }
/* An integer of C or Fortran: its size says which. */
#define SIGNED_NUMBER(type)                                                                        \
    (sizeof(type) == 1   ? NUMBER_INT8                                                             \
     : sizeof(type) == 2 ? NUMBER_INT16                                                            \
     : sizeof(type) == 4 ? NUMBER_INT32                                                            \
                         : NUMBER_INT64)
#define UNSIGNED_NUMBER(type)                                                                      \
    (sizeof(type) == 1   ? NUMBER_UINT8                                                            \
     : sizeof(type) == 2 ? NUMBER_UINT16                                                           \
     : sizeof(type) == 4 ? NUMBER_UINT32                                                           \
                         : NUMBER_UINT64)
#define SIGNED(handle, type, external)                                                             \
    ONE(handle, type, SIGNED_NUMBER(type), BASIC_INTEGER, external)
#define UNSIGNED(handle, type, external)                                                           \
    ONE(handle, type, UNSIGNED_NUMBER(type), BASIC_INTEGER, external)
#define LOGICAL(handle, type, external)                                                            \
    ONE(handle, type, SIGNED_NUMBER(type), BASIC_LOGICAL, external)
#define REAL(handle, type, number, external)    ONE(handle, type, number, BASIC_REAL, external)
#define COMPLEX(handle, type, number, external) ONE(handle, type, number, BASIC_COMPLEX, external)
/* Its size is that of the structure, with what lies between the parts. */
#define PAIR(handle, type, value, index)                                                           \
    {                                                                                              \
        handle, #handle, NUMBER_NONE, BASIC_PAIR, sizeof(struct pair_##type),                      \
            alignof(struct pair_##type), 0, value, index, offsetof(struct pair_##type, second)     \
    }

typedef long double long_double;
struct pair_float {
    float first;
    int second;
};
struct pair_double {
    double first;
    int second;
};
struct pair_long {
    long first;
    int second;
};
struct pair_int {
    int first;
    int second;
};
struct pair_short {
    short first;
    int second;
};
struct pair_long_double {
    long_double first;
    int second;
};

static const struct basic basics[] = {
    ONE(MPI_CHAR, char, NUMBER_INT8, BASIC_INTEGER, 1),
    SIGNED(MPI_SIGNED_CHAR, signed char, 1),
    UNSIGNED(MPI_UNSIGNED_CHAR, unsigned char, 1),
    ONE(MPI_WCHAR, wchar_t, NUMBER_NONE, BASIC_OTHER, 2),
    SIGNED(MPI_SHORT, short, 2),
    UNSIGNED(MPI_UNSIGNED_SHORT, unsigned short, 2),
    SIGNED(MPI_INT, int, 4),
    UNSIGNED(MPI_UNSIGNED, unsigned, 4),
    SIGNED(MPI_LONG, long, 4),
    UNSIGNED(MPI_UNSIGNED_LONG, unsigned long, 4),
    SIGNED(MPI_LONG_LONG, long long, 8),
    UNSIGNED(MPI_UNSIGNED_LONG_LONG, unsigned long long, 8),
    SIGNED(MPI_INT8_T, int8_t, 1),
    SIGNED(MPI_INT16_T, int16_t, 2),
    SIGNED(MPI_INT32_T, int32_t, 4),
    SIGNED(MPI_INT64_T, int64_t, 8),
    UNSIGNED(MPI_UINT8_T, uint8_t, 1),
    UNSIGNED(MPI_UINT16_T, uint16_t, 2),
    UNSIGNED(MPI_UINT32_T, uint32_t, 4),
    UNSIGNED(MPI_UINT64_T, uint64_t, 8),
    REAL(MPI_FLOAT, float, NUMBER_FLOAT, 4),
    REAL(MPI_DOUBLE, double, NUMBER_DOUBLE, 8),
    REAL(MPI_LONG_DOUBLE, long double, NUMBER_LONG_DOUBLE, 16),
    LOGICAL(MPI_C_BOOL, bool, 1),
    COMPLEX(MPI_C_FLOAT_COMPLEX, float _Complex, NUMBER_COMPLEX_FLOAT, 8),
    COMPLEX(MPI_C_DOUBLE_COMPLEX, double _Complex, NUMBER_COMPLEX_DOUBLE, 16),
    COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex, NUMBER_COMPLEX_LONG_DOUBLE, 32),
    ONE(MPI_BYTE, char, NUMBER_UINT8, BASIC_BYTE, 1),
    ONE(MPI_PACKED, char, NUMBER_NONE, BASIC_OTHER, 1),
    SIGNED(MPI_AINT, MPI_Aint, 8),
    SIGNED(MPI_COUNT, MPI_Count, 8),
    SIGNED(MPI_OFFSET, MPI_Offset, 8),
    LOGICAL(MPI_CXX_BOOL, bool, 1),
    COMPLEX(MPI_CXX_FLOAT_COMPLEX, float _Complex, NUMBER_COMPLEX_FLOAT, 8),
    COMPLEX(MPI_CXX_DOUBLE_COMPLEX, double _Complex, NUMBER_COMPLEX_DOUBLE, 16),
    COMPLEX(MPI_CXX_LONG_DOUBLE_COMPLEX, long double _Complex, NUMBER_COMPLEX_LONG_DOUBLE, 32),
    ONE(MPI_CHARACTER, char, NUMBER_INT8, BASIC_INTEGER, 1),
    SIGNED(MPI_INTEGER, int, 4),
    LOGICAL(MPI_LOGICAL, int, 4),
    REAL(MPI_REAL, float, NUMBER_FLOAT, 4),
    REAL(MPI_DOUBLE_PRECISION, double, NUMBER_DOUBLE, 8),
    COMPLEX(MPI_COMPLEX, float _Complex, NUMBER_COMPLEX_FLOAT, 8),
    COMPLEX(MPI_DOUBLE_COMPLEX, double _Complex, NUMBER_COMPLEX_DOUBLE, 16),
    SIGNED(MPI_INTEGER1, int8_t, 1),
    SIGNED(MPI_INTEGER2, int16_t, 2),
    SIGNED(MPI_INTEGER4, int32_t, 4),
    SIGNED(MPI_INTEGER8, int64_t, 8),
    ONE(MPI_INTEGER16, struct bytes16, NUMBER_INT128, BASIC_INTEGER, 16),
    LOGICAL(MPI_LOGICAL1, int8_t, 1),
    LOGICAL(MPI_LOGICAL2, int16_t, 2),
    LOGICAL(MPI_LOGICAL4, int32_t, 4),
    LOGICAL(MPI_LOGICAL8, int64_t, 8),
    ONE(MPI_LOGICAL16, struct bytes16, NUMBER_INT128, BASIC_LOGICAL, 16),
    REAL(MPI_REAL2, struct bytes2, NUMBER_FLOAT16, 2),
    REAL(MPI_REAL4, float, NUMBER_FLOAT, 4),
    REAL(MPI_REAL8, double, NUMBER_DOUBLE, 8),
    REAL(MPI_REAL16, struct bytes16, NUMBER_FLOAT128, 16),
    COMPLEX(MPI_COMPLEX4, struct bytes4, NUMBER_COMPLEX_FLOAT16, 4),
    COMPLEX(MPI_COMPLEX8, float _Complex, NUMBER_COMPLEX_FLOAT, 8),
    COMPLEX(MPI_COMPLEX16, double _Complex, NUMBER_COMPLEX_DOUBLE, 16),
    COMPLEX(MPI_COMPLEX32, struct bytes32, NUMBER_COMPLEX_FLOAT128, 32),
    PAIR(MPI_FLOAT_INT, float, MPI_FLOAT, MPI_INT),
    PAIR(MPI_DOUBLE_INT, double, MPI_DOUBLE, MPI_INT),
    PAIR(MPI_LONG_INT, long, MPI_LONG, MPI_INT),
    PAIR(MPI_2INT, int, MPI_INT, MPI_INT),
    PAIR(MPI_SHORT_INT, short, MPI_SHORT, MPI_INT),
    PAIR(MPI_LONG_DOUBLE_INT, long_double, MPI_LONG_DOUBLE, MPI_INT),
    PAIR(MPI_2REAL, float, MPI_REAL, MPI_REAL),
    PAIR(MPI_2DOUBLE_PRECISION, double, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION),
    PAIR(MPI_2INTEGER, int, MPI_INTEGER, MPI_INTEGER),
};
#define BASICS ((int)(sizeof basics / sizeof *basics))

const struct basic *basic_at(int place)
{
    return place < BASICS ? &basics[place] : NULL;
}

const struct basic *basic_of(MPI_Datatype handle)
{
    for (int i = 0; i < BASICS; i++)
        if (basics[i].handle == handle)
            return &basics[i];
    return NULL;
}
