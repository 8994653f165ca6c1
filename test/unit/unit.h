/*
 * unit.h - what every unit test includes: cmocka and the headers that it wants before it, and how a
 * test is said.
 */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/*
 * A test: UNIT_TEST(name) { ... }. It is run between two steps, as functions for cmocka, or without
 * them (NULL). The program runs its tests in the order in which they stand in its file.
 */
#define UNIT_TEST(name) UNIT_TEST_BETWEEN(name, NULL, NULL)
#define UNIT_TEST_BETWEEN(name, before, after)                                                     \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void name##_is_listed(void)                                \
    {                                                                                              \
        unit_list(&(const struct CMUnitTest){#name, name, before, after, NULL});                   \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

/* A step: UNIT_STEP(name) { ... } returns 0, or the test fails. */
#define UNIT_STEP(name) static int name(void **state __attribute__((unused)))

/* Before main begins: the program has this test, too. */
void unit_list(const struct CMUnitTest *test);

#endif
