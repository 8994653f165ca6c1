/* test_search.c - which file is meant by a name or a path with variables? */
#include "core/search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/expand.h"
#include "unit.h"

static char folder[32];

static void make_file(const char *name, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, mode);
    assert_true(fd >= 0);
    close(fd);
}

UNIT_STEP(start)
{
    strcpy(folder, "/tmp/pvm-search-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("one", 0700) < 0 || mkdir("two", 0700) < 0 ||
        mkdir("one/both", 0700) < 0)
        return -1;
    make_file("two/both", 0700);
    make_file("two/tool", 0700);
    make_file("one/text", 0600);
    make_file("two/text", 0500);
    return 0;
}

UNIT_STEP(finish)
{
    static const char *const files[] = {"two/both", "two/tool", "one/text", "two/text"};
    for (size_t i = 0; i < COUNT_OF(files); i++)
        unlink(files[i]);
    rmdir("one/both");
    rmdir("one");
    rmdir("two");
    return chdir("/") < 0 || rmdir(folder) < 0 ? -1 : 0;
}

static void expect(const char *name, const char *path, int directory, const char *expected)
{
    char *found = search_program(name, path, directory);
    if (expected)
        assert_string_equal(found, expected);
    else
        assert_null(found);
    free(found);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(the_first_program_is_taken)
{
    expect("tool", "one:two", AT_FDCWD, "two/tool");
    expect("both", "one:two", AT_FDCWD, "two/both");
    expect("text", "one:two", AT_FDCWD, "two/text");
    expect("text", "one", AT_FDCWD, NULL);
    expect("tool", "::two:", AT_FDCWD, "two/tool");
    expect("tool", "", AT_FDCWD, NULL);
    expect("none", "one:two", AT_FDCWD, NULL);
}

TEST(a_name_with_a_slash_is_not_searched)
{
    expect("two/tool", "nowhere", AT_FDCWD, "two/tool");
    expect("./tool", "two", AT_FDCWD, NULL);
    int directory = open("two", O_PATH | O_DIRECTORY);
    expect("./tool", "one", directory, "./tool");
    expect("tool", ".", directory, "./tool");
    close(directory);
}

TEST(variables_are_expanded)
{
    static const char *const cases[][2] = {
        {"$PVM_TEST_A/x", "value/x"},
        {"${PVM_TEST_A}x:$PVM_TEST_A", "valuex:value"},
        {"$PVM_TEST_NONE/x", "$PVM_TEST_NONE/x"},
        {"${PVM_TEST_NONE}", "${PVM_TEST_NONE}"},
        {"${PVM_TEST_A", "${PVM_TEST_A"},
        {"a$", "a$"},
        {"$$PVM_TEST_A", "$value"},
        {"", ""},
    };
    setenv("PVM_TEST_A", "value", 1);
    unsetenv("PVM_TEST_NONE");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *expanded = expand_variables(cases[i][0]);
        assert_string_equal(expanded, cases[i][1]);
        free(expanded);
    }
}
