#include <limits.h>
#include <stdlib.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/layout.h"
#include "mpi/operations/numbers.h"
#include "mpi/operations/operation.h"

enum operation_kind { OF_NUMBERS, OF_PAIRS, OF_WINDOWS, OF_USER, OF_USER_LARGE };

struct operation {
    struct object object;
    enum operation_kind kind;
    bool commutes;
    enum number_operation number; /* OF_NUMBERS */
    bool greatest;                /* OF_PAIRS */
    union {
        MPI_User_function *function;
        MPI_User_function_c *large;
    };
};

#define FIRST ((uintptr_t)MPI_OP_NULL)
enum { HANDLES = 0x20 };
#define PREDEFINED .object = {.kind = OBJECT_OP, .users = 1, .predefined = true}, .commutes = true
#define NUMBERS_OP(operation)                                                                      \
    {                                                                                              \
        PREDEFINED, .kind = OF_NUMBERS, .number = operation                                        \
    }

/* In the order of the handles; those without a kind are none. */
static struct operation predefined[HANDLES] = {
    [0x01] = NUMBERS_OP(NUMBER_SUM),
    [0x02] = NUMBERS_OP(NUMBER_MIN),
    [0x03] = NUMBERS_OP(NUMBER_MAX),
    [0x04] = NUMBERS_OP(NUMBER_PROD),
    [0x08] = NUMBERS_OP(NUMBER_BAND),
    [0x09] = NUMBERS_OP(NUMBER_BOR),
    [0x0a] = NUMBERS_OP(NUMBER_BXOR),
    [0x10] = NUMBERS_OP(NUMBER_LAND),
    [0x11] = NUMBERS_OP(NUMBER_LOR),
    [0x12] = NUMBERS_OP(NUMBER_LXOR),
    [0x18] = {PREDEFINED, .kind = OF_PAIRS},
    [0x19] = {PREDEFINED, .kind = OF_PAIRS, .greatest = true},
    [0x1c] = {PREDEFINED, .kind = OF_WINDOWS}, /* MPI_REPLACE */
    [0x1d] = {PREDEFINED, .kind = OF_WINDOWS}, /* MPI_NO_OP */
};

struct operation *operation_of(MPI_Op handle)
{
    uintptr_t number = (uintptr_t)handle - FIRST;

    if (number >= HANDLES)
        return object_at(handle, OBJECT_OP);
    return predefined[number].object.kind ? &predefined[number] : NULL;
}

MPI_Op operation_handle(struct operation *operation)
{
    if (operation->object.predefined)
        return (MPI_Op)(FIRST + (uintptr_t)(operation - predefined));
    return (MPI_Op)operation;
}

static struct operation *make(enum operation_kind kind, bool commutes)
{
    struct operation *operation = calloc(1, sizeof *operation);

    if (!operation)
        return NULL;
    object_begin(&operation->object, OBJECT_OP);
    operation->kind = kind;
    operation->commutes = commutes;
    return operation;
}

struct operation *operation_make(MPI_User_function *function, bool commutes)
{
    struct operation *operation = make(OF_USER, commutes);

    if (operation)
        operation->function = function;
    return operation;
}

struct operation *operation_make_large(MPI_User_function_c *function, bool commutes)
{
    struct operation *operation = make(OF_USER_LARGE, commutes);

    if (operation)
        operation->large = function;
    return operation;
}

void operation_keep(struct operation *operation)
{
    object_keep(&operation->object);
}

void operation_drop(struct operation *operation)
{
    if (object_drop(&operation->object))
        free(operation);
}

bool operation_is_predefined(const struct operation *operation)
{
    return operation->object.predefined;
}

bool operation_commutes(const struct operation *operation)
{
    return operation->commutes;
}

/* Which operations the standard has for a class of datatypes. */
static bool class_takes(enum basic_class class, enum number_operation operation)
{
    switch (class) {
    case BASIC_INTEGER:
        return true;
    case BASIC_REAL:
        return operation <= NUMBER_MAX;
    case BASIC_COMPLEX:
        return operation <= NUMBER_PROD;
    case BASIC_LOGICAL:
        return operation >= NUMBER_LAND && operation <= NUMBER_LXOR;
    case BASIC_BYTE:
        return operation >= NUMBER_BAND;
    default:
        return false;
    }
}

/* The function of a predefined operation for a datatype; NULL: there is none. */
static number_function *function_for(const struct operation *operation,
                                     const struct datatype *datatype)
{
    const struct basic *basic = datatype->basic ? datatype->basic : datatype->layout->basic;

    if (!datatype->named || !basic)
        return NULL;
    if (operation->kind == OF_PAIRS)
        return basic->class == BASIC_PAIR ? pair_function_of(basic, operation->greatest) : NULL;
    if (operation->kind != OF_NUMBERS || !class_takes(basic->class, operation->number))
        return NULL;
    return number_function_of(operation->number, basic->number);
}

int operation_check(const struct operation *operation, MPI_Datatype handle)
{
    struct datatype *datatype;
    int error = datatype_for_use(handle, &datatype);

    if (error || operation->kind >= OF_USER)
        return error;
    return function_for(operation, datatype) ? MPI_SUCCESS : MPI_ERR_OP;
}

/* Calls a function that takes an int as often as is needed. */
static void call_user(const struct operation *operation, const char *in, char *inout,
                      MPI_Count count, MPI_Datatype handle)
{
    MPI_Count extent = datatype_of(handle)->extent;

    while (count > 0) {
        int part = count < INT_MAX ? (int)count : INT_MAX, given = part;

        operation->function((void *)(uintptr_t)in, inout, &given, &handle);
        in += part * extent;
        inout += part * extent;
        count -= part;
    }
}

void operation_apply(const struct operation *operation, const void *in, void *inout,
                     MPI_Count count, MPI_Datatype handle)
{
    number_function *function;

    if (operation->kind == OF_USER) {
        call_user(operation, in, inout, count, handle);
    } else if (operation->kind == OF_USER_LARGE) {
        operation->large((void *)(uintptr_t)in, inout, &count, &handle);
    } else {
        function = function_for(operation, datatype_of(handle));
        if (function)
            function(in, inout, (size_t)count);
    }
}
