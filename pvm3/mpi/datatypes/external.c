#include <float.h>
#include <stdint.h>
#include <string.h>

#include "mpi/datatypes/external.h"
#include "mpi/datatypes/layout.h"

/* Sums up the sizes. */
static void add_size(void *state, char *memory, const struct basic *basic, MPI_Count count)
{
    MPI_Count *size = state;

    (void)memory;
    *size += count * basic->external_size;
}

MPI_Count external_size(const struct datatype *datatype, MPI_Count count)
{
    static char nowhere;
    MPI_Count size = 0;

    layout_visit(datatype->layout, &nowhere, add_size, &size);
    return count * size;
}

/* The long double of the processor that is not the one of external32 already. */
#if defined __SIZEOF_FLOAT128__ && LDBL_MANT_DIG == 64
#define CONVERTS_LONG_DOUBLE 1
static void to_quad(const char *from, char *to)
{
    long double number;
    __float128 quad;

    memcpy(&number, from, sizeof number);
    quad = number;
    memcpy(to, &quad, sizeof quad);
}

static void from_quad(const char *from, char *to)
{
    __float128 quad;
    long double number;

    memcpy(&quad, from, sizeof quad);
    number = (long double)quad;
    memset(to, 0, sizeof number);
    memcpy(to, &number, sizeof number);
}
#endif

static size_t numbers_of(const struct basic *basic)
{
    return basic->class == BASIC_COMPLEX ? 2 : 1;
}

#ifdef CONVERTS_LONG_DOUBLE
static int is_long_double(const struct basic *basic)
{
    return basic->number == NUMBER_LONG_DOUBLE || basic->number == NUMBER_COMPLEX_LONG_DOUBLE;
}
#endif

static int is_signed(const struct basic *basic)
{
    return basic->number >= NUMBER_INT8 && basic->number <= NUMBER_INT128;
}

/* The bytes of a number from the lowest to the highest, or back: the processor decides. */
static void turn(char *bytes, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (size_t i = 0; i < size / 2; i++) {
        char byte = bytes[i];

        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
#else
    (void)bytes;
    (void)size;
#endif
}

/* Copies a big-endian number of one size into one of another: its low bytes stay, and its sign
 * goes before them. */
static void resize(const char *from, size_t from_size, char *to, size_t to_size, int with_sign)
{
    size_t same = from_size < to_size ? from_size : to_size;
    int sign = with_sign && from[0] < 0 ? 0xff : 0;

    memset(to, sign, to_size - same);
    memcpy(to + to_size - same, from + from_size - same, same);
}

enum { LARGEST = 16 };

static void number_out(const struct basic *basic, const char *from, char *to)
{
    size_t size = basic->size / numbers_of(basic),
           external = basic->external_size / numbers_of(basic);
    char bytes[LARGEST];

#ifdef CONVERTS_LONG_DOUBLE
    if (is_long_double(basic)) {
        to_quad(from, to);
        turn(to, external);
        return;
    }
#endif
    memcpy(bytes, from, size);
    turn(bytes, size);
    resize(bytes, size, to, external, is_signed(basic));
}

static void number_in(const struct basic *basic, const char *from, char *to)
{
    size_t size = basic->size / numbers_of(basic),
           external = basic->external_size / numbers_of(basic);
    char bytes[LARGEST];

    memcpy(bytes, from, external);
#ifdef CONVERTS_LONG_DOUBLE
    if (is_long_double(basic)) {
        turn(bytes, external);
        from_quad(bytes, to);
        return;
    }
#endif
    resize(bytes, external, to, size, is_signed(basic));
    turn(to, size);
}

static void block_out(void *state, char *memory, const struct basic *basic, MPI_Count count)
{
    char **to = state;
    size_t numbers = numbers_of(basic);

    for (size_t i = 0; i < (size_t)count * numbers; i++) {
        number_out(basic, memory, *to);
        memory += basic->size / numbers;
        *to += basic->external_size / numbers;
    }
}

static void block_in(void *state, char *memory, const struct basic *basic, MPI_Count count)
{
    const char **from = state;
    size_t numbers = numbers_of(basic);

    for (size_t i = 0; i < (size_t)count * numbers; i++) {
        number_in(basic, *from, memory);
        memory += basic->size / numbers;
        *from += basic->external_size / numbers;
    }
}

void external_pack(const struct datatype *datatype, const void *buffer, MPI_Count count, void *to)
{
    for (MPI_Count i = 0; i < count; i++)
        layout_visit(datatype->layout, (char *)buffer + i * datatype->extent, block_out, &to);
}

void external_unpack(const struct datatype *datatype, void *buffer, MPI_Count count,
                     const void *from)
{
    for (MPI_Count i = 0; i < count; i++)
        layout_visit(datatype->layout, (char *)buffer + i * datatype->extent, block_in, &from);
}
