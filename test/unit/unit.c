/* unit.c - runs the tests that the program has listed. */
#include "unit.h"

#include <errno.h>

static struct CMUnitTest tests[256];
static size_t count;

void unit_list(const struct CMUnitTest *test)
{
    if (count == COUNT_OF(tests))
        abort();
    tests[count++] = *test;
}

/* An argument names the tests to be run; in it a `*` stands for anything. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests(program_invocation_short_name, tests, count, NULL, NULL);
}
