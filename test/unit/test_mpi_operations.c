/* test_mpi_operations.c - the predefined operations on all datatypes that take them, and those of users. */
#include "mpi/datatypes/basic.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/operations/operation.h"
#include "unit.h"

enum { ITEMS = 5 };

/* 6 OP 3, as far as an operation takes numbers of a class. */
static const struct {
    MPI_Op op;
    int result;
    bool real, complex, logical, byte;
} operations[] = {
    {MPI_SUM, 9, true, true, false, false},   {MPI_PROD, 18, true, true, false, false},
    {MPI_MIN, 3, true, false, false, false},  {MPI_MAX, 6, true, false, false, false},
    {MPI_BAND, 2, false, false, false, true}, {MPI_BOR, 7, false, false, false, true},
    {MPI_BXOR, 5, false, false, false, true}, {MPI_LAND, 1, false, false, true, false},
    {MPI_LOR, 1, false, false, true, false},  {MPI_LXOR, 0, false, false, true, false},
};

static bool takes(size_t operation, enum basic_class class)
{
    switch (class) {
    case BASIC_INTEGER:
        return true;
    case BASIC_REAL:
        return operations[operation].real;
    case BASIC_COMPLEX:
        return operations[operation].complex;
    case BASIC_LOGICAL:
        return operations[operation].logical;
    case BASIC_BYTE:
        return operations[operation].byte;
    default:
        return false;
    }
}

/* Puts a small number into one item; false: the compiler does not have such numbers. */
static bool put(const struct basic *basic, char *item, int value)
{
    size_t size = basic->size;

    memset(item, 0, size);
    switch (basic->number) {
    case NUMBER_FLOAT:
    case NUMBER_COMPLEX_FLOAT:
        *(float *)(void *)item = (float)value;
        return true;
    case NUMBER_DOUBLE:
    case NUMBER_COMPLEX_DOUBLE:
        *(double *)(void *)item = value;
        return true;
    case NUMBER_LONG_DOUBLE:
    case NUMBER_COMPLEX_LONG_DOUBLE:
        *(long double *)(void *)item = value;
        return true;
    case NUMBER_FLOAT16:
    case NUMBER_COMPLEX_FLOAT16:
    case NUMBER_FLOAT128:
    case NUMBER_COMPLEX_FLOAT128:
    case NUMBER_NONE:
        return false;
    default:
        item[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : size - 1] = (char)value;
        return true;
    }
}

/* Only the numbers count, not what fills a long double up. */
static bool equal(const struct basic *basic, const char *one, const char *other)
{
    if (basic->number == NUMBER_LONG_DOUBLE || basic->number == NUMBER_COMPLEX_LONG_DOUBLE)
        return *(const long double *)(const void *)one == *(const long double *)(const void *)other;
    return memcmp(one, other, basic->size) == 0;
}

static void check(size_t number, const struct basic *basic)
{
    _Alignas(32) char in[ITEMS * 32], inout[ITEMS * 32], result[32];
    struct operation *operation = operation_of(operations[number].op);

    if (!put(basic, result, operations[number].result))
        return;
    assert_int_equal(operation_check(operation, basic->handle), MPI_SUCCESS);
    for (int i = 0; i < ITEMS; i++) {
        put(basic, in + i * basic->size, 6);
        put(basic, inout + i * basic->size, 3);
    }
    operation_apply(operation, in, inout, ITEMS, basic->handle);
    for (int i = 0; i < ITEMS; i++)
        assert_true(equal(basic, inout + i * basic->size, result));
}

UNIT_TEST(each_operation_takes_the_datatypes_of_the_standard)
{
    const struct basic *basic;

    for (size_t number = 0; number < COUNT_OF(operations); number++) {
        struct operation *operation = operation_of(operations[number].op);

        assert_true(operation_commutes(operation));
        assert_true(operation_handle(operation) == operations[number].op);
        for (int i = 0; (basic = basic_at(i)); i++) {
            if (takes(number, basic->class))
                check(number, basic);
            else
                assert_int_equal(operation_check(operation, basic->handle), MPI_ERR_OP);
        }
    }
}

UNIT_TEST(pairs_keep_the_lower_index_of_equal_values)
{
    struct {
        double value;
        int index;
    } in[] = {{1, 5}, {2, 3}, {7, 0}}, least[] = {{2, 1}, {2, 9}, {7, 4}}, most[3];

    memcpy(most, least, sizeof most);
    operation_apply(operation_of(MPI_MINLOC), in, least, 3, MPI_DOUBLE_INT);
    operation_apply(operation_of(MPI_MAXLOC), in, most, 3, MPI_DOUBLE_INT);
    assert_true(least[0].value == 1 && least[0].index == 5);
    assert_true(least[1].index == 3 && least[2].index == 0);
    assert_true(most[0].value == 2 && most[0].index == 1);
    assert_true(most[1].index == 3 && most[2].index == 0);
    assert_int_equal(operation_check(operation_of(MPI_MINLOC), MPI_DOUBLE), MPI_ERR_OP);
    assert_int_equal(operation_check(operation_of(MPI_SUM), MPI_DOUBLE_INT), MPI_ERR_OP);
}

UNIT_TEST(sums_that_do_not_fit_go_round)
{
    int in = INT32_MAX, inout = 1;
    uint16_t wide = 65535, wider = 65535;

    operation_apply(operation_of(MPI_SUM), &in, &inout, 1, MPI_INT);
    assert_int_equal(inout, INT32_MIN);
    operation_apply(operation_of(MPI_PROD), &wide, &wider, 1, MPI_UINT16_T);
    assert_int_equal(wider, 1);
}

static int calls;

static void subtract(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int *one = in, *other = inout;

    assert_true(*datatype == MPI_INT);
    for (int i = 0; i < *count; i++)
        other[i] = one[i] - other[i];
    calls++;
}

static void subtract_large(void *in, void *inout, MPI_Count *count, MPI_Datatype *datatype)
{
    int part = (int)*count;

    subtract(in, inout, &part, datatype);
}

UNIT_TEST(users_bring_their_own)
{
    struct operation *small = operation_make(subtract, false);
    struct operation *large = operation_make_large(subtract_large, true);
    int in[] = {10, 20}, inout[] = {1, 2};

    assert_false(operation_commutes(small));
    assert_true(operation_commutes(large));
    assert_int_equal(operation_check(small, MPI_INT), MPI_SUCCESS);
    assert_int_equal(operation_check(small, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
    operation_apply(small, in, inout, 2, MPI_INT);
    assert_true(inout[0] == 9 && inout[1] == 18);
    operation_apply(large, in, inout, 2, MPI_INT);
    assert_true(inout[0] == 1 && inout[1] == 2 && calls == 2);
    assert_true(operation_of(operation_handle(small)) == small);
    operation_drop(small);
    operation_drop(large);
}

UNIT_TEST(handles_that_are_none_have_no_operation)
{
    assert_null(operation_of(MPI_OP_NULL));
    assert_null(operation_of((MPI_Op)0x25));
    assert_null(operation_of((MPI_Op)MPI_INT));
    assert_int_equal(operation_check(operation_of(MPI_REPLACE), MPI_INT), MPI_ERR_OP);
}
