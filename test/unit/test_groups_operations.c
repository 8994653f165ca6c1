/* test_groups_operations.c - the four operations, for every type that they take. */
#include <pvm3.h>

#include "unit.h"

typedef void operation(int *type, void *x, void *y, int *count, int *info);

static operation *const operations[] = {PvmMax, PvmMin, PvmSum, PvmProduct};

static int apply(operation *function, int type, void *x, void *y, int count)
{
    int info = 99;
    function(&type, x, y, &count, &info);
    return info;
}

/* 3 and -2 with -5 and 4, in each type of numbers that are ordered. */
#define CHECK_NUMBERS(item, type, first)                                                           \
    do {                                                                                           \
        static const item results[][2] = {{3, 4}, {-5, -2}, {-2, 2}, {-15, -8}};                   \
        for (size_t i = first; i < COUNT_OF(operations); i++) {                                    \
            item x[] = {3, -2, 7}, y[] = {-5, 4, 9};                                               \
            assert_int_equal(apply(operations[i], type, x, y, 2), 0);                              \
            assert_true(x[0] == results[i][0] && x[1] == results[i][1]);                           \
            assert_true(x[2] == 7);                                                                \
        }                                                                                          \
    } while (0)

UNIT_TEST(numbers_are_combined_item_by_item)
{
    CHECK_NUMBERS(short, PVM_SHORT, 0);
    CHECK_NUMBERS(int, PVM_INT, 0);
    CHECK_NUMBERS(long, PVM_LONG, 0);
    CHECK_NUMBERS(float, PVM_FLOAT, 0);
    CHECK_NUMBERS(double, PVM_DOUBLE, 0);
}

UNIT_TEST(bytes_are_compared_alone)
{
    char x[] = {3, 1}, y[] = {2, 5};
    assert_int_equal(apply(PvmMax, PVM_BYTE, x, y, 2), 0);
    assert_memory_equal(x, ((char[]){3, 5}), 2);
    assert_int_equal(apply(PvmMin, PVM_BYTE, x, y, 2), 0);
    assert_memory_equal(x, ((char[]){2, 5}), 2);
    assert_int_equal(apply(PvmSum, PVM_BYTE, x, y, 2), PvmBadParam);
    assert_int_equal(apply(PvmProduct, PVM_BYTE, x, y, 2), PvmBadParam);
    assert_memory_equal(x, ((char[]){2, 5}), 2);
}

/* (3+4i) and (0+6i): the second has the larger modulus. */
#define CHECK_COMPLEX(item, type)                                                                  \
    do {                                                                                           \
        static const item results[][2] = {{0, 6}, {3, 4}, {3, 10}, {-24, 18}};                     \
        for (size_t i = 0; i < COUNT_OF(operations); i++) {                                        \
            item x[] = {3, 4, 7}, y[] = {0, 6, 9};                                                 \
            assert_int_equal(apply(operations[i], type, x, y, 1), 0);                              \
            assert_true(x[0] == results[i][0] && x[1] == results[i][1]);                           \
            assert_true(x[2] == 7);                                                                \
        }                                                                                          \
    } while (0)

UNIT_TEST(complex_numbers_are_ordered_by_modulus)
{
    CHECK_COMPLEX(float, PVM_CPLX);
    CHECK_COMPLEX(double, PVM_DCPLX);
}

UNIT_TEST(other_types_are_refused_untouched)
{
    static const int refused[] = {PVM_STR, PVM_USHORT, PVM_UINT, PVM_ULONG, 12, -1};
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        for (size_t k = 0; k < COUNT_OF(refused); k++) {
            unsigned long x[] = {3}, y[] = {5};
            assert_int_equal(apply(operations[i], refused[k], x, y, 1), PvmBadParam);
            assert_int_equal(x[0], 3);
        }
}
