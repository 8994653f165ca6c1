/* basic.h - the predefined datatypes: what numbers they are. */
#ifndef MPI_DATATYPES_BASIC_H
#define MPI_DATATYPES_BASIC_H

#include <stdint.h>

#include <mpi.h>

/* The type in C. A number of Fortran is the number of C that has its form. */
enum number_type {
    NUMBER_NONE, /* no operation computes with it: pairs, wide characters, packed bytes */
    NUMBER_INT8,
    NUMBER_INT16,
    NUMBER_INT32,
    NUMBER_INT64,
    NUMBER_INT128,
    NUMBER_UINT8,
    NUMBER_UINT16,
    NUMBER_UINT32,
    NUMBER_UINT64,
    NUMBER_FLOAT16,
    NUMBER_FLOAT,
    NUMBER_DOUBLE,
    NUMBER_LONG_DOUBLE,
    NUMBER_FLOAT128,
    NUMBER_COMPLEX_FLOAT16,
    NUMBER_COMPLEX_FLOAT,
    NUMBER_COMPLEX_DOUBLE,
    NUMBER_COMPLEX_LONG_DOUBLE,
    NUMBER_COMPLEX_FLOAT128,
    NUMBERS
};

/* What the standard says of the operations that it can be used in. */
enum basic_class {
    BASIC_INTEGER,
    BASIC_REAL,
    BASIC_COMPLEX,
    BASIC_LOGICAL,
    BASIC_BYTE,
    BASIC_OTHER,
    BASIC_PAIR
};

struct basic {
    MPI_Datatype handle;
    const char *name;
    enum number_type number;
    enum basic_class class;
    uint8_t size, alignment; /* in bytes; of a pair with what lies between its parts */
    uint8_t external_size;   /* in external32 */
    /* Of a pair: its two parts, and where the second one is. */
    MPI_Datatype value, index;
    uint8_t index_at;
};

/* The basic datatype of a handle; NULL: it is none. */
const struct basic *basic_of(MPI_Datatype handle);

/* All of them, for a place from 0 on; NULL ends the list. */
const struct basic *basic_at(int place);

#endif
