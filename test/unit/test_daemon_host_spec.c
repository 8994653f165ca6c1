/* test_daemon_host_spec.c - which lines of a host file make sense, and what do they say? */
#include "daemon/members/host_spec.h"

#include "unit.h"

UNIT_TEST(lines_are_told_apart)
{
    const struct {
        const char *line;
        enum host_spec_result result;
    } cases[] = {
        {"", HOST_SPEC_EMPTY},
        {"  \t\n", HOST_SPEC_EMPTY},
        {"# text", HOST_SPEC_EMPTY},
        {"  # text", HOST_SPEC_EMPTY},
        {"alpha", HOST_SPEC_GOOD},
        {"alpha # text", HOST_SPEC_BAD},
        {"alpha sp=1000 so=pw", HOST_SPEC_GOOD},
        {"alpha so=xx", HOST_SPEC_BAD},
        {"alpha sp=0", HOST_SPEC_BAD},
        {"alpha sp=1000001", HOST_SPEC_BAD},
        {"alpha sp=5x", HOST_SPEC_BAD},
        {"alpha zz=1", HOST_SPEC_BAD},
        {"alpha lo", HOST_SPEC_BAD},
        {"&", HOST_SPEC_BAD},
        {"a lo=1 so=ms dx=3 ep=4 bx=5 wd=6 sp=7 ip=8 id=9", HOST_SPEC_GOOD},
        {"a lo=1 so=ms dx=3 ep=4 bx=5 wd=6 sp=7 ip=8 id=9 lo=10", HOST_SPEC_BAD},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct host_spec spec;
        enum host_spec_result result = host_spec_read_line(&spec, cases[i].line);
        if (result != cases[i].result)
            fail_msg("line '%s': %d", cases[i].line, result);
        if (result == HOST_SPEC_GOOD)
            host_spec_free(&spec);
    }
}

UNIT_TEST(fields_are_found)
{
    struct host_spec spec;
    assert_int_equal(host_spec_read_line(&spec, " &$beta\tep=/a:/b  lo=me lo=you ip=10.0.0.1\n"),
                     HOST_SPEC_GOOD);
    assert_string_equal(spec.name, "beta");
    assert_true(spec.listed_only);
    assert_true(spec.shared);
    assert_string_equal(spec.options[HOST_SEARCH_PATH], "/a:/b");
    assert_string_equal(spec.options[HOST_LOGIN], "me");
    assert_null(spec.options[HOST_SPEED]);
    assert_string_equal(host_spec_address(&spec), "10.0.0.1");
    host_spec_free(&spec);
    assert_int_equal(host_spec_read_line(&spec, "*"), HOST_SPEC_GOOD);
    assert_string_equal(spec.name, "*");
    assert_false(spec.listed_only || spec.shared);
    assert_string_equal(host_spec_address(&spec), "*");
    host_spec_free(&spec);
}

/* Prefixes and comments are for files. */
UNIT_TEST(strings_have_no_prefixes)
{
    static const char *const names[] = {"&alpha", "$alpha", "#alpha"};
    struct host_spec spec;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(host_spec_read(&spec, names[i]), HOST_SPEC_GOOD);
        assert_string_equal(spec.name, names[i]);
        assert_false(spec.listed_only || spec.shared);
        host_spec_free(&spec);
    }
    assert_int_equal(host_spec_read(&spec, " "), HOST_SPEC_BAD);
}

UNIT_TEST(what_is_wrong_is_told)
{
    static const char *const cases[][2] = {
        {"a sp=0", "'sp=0' is no speed from 1 to 1000000"},
        {"a so=x", "'so=x' is neither so=pw nor so=ms"},
        {"a # b", "'#' is no option of a host"},
        {"&", "'' is no name of a host"},
        {"a sp=1 sp=2 sp=3 sp=4 sp=5 sp=6 sp=7 sp=8 sp=9 sp=10", "'sp=10' is one word too many"},
    };
    struct host_spec spec;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(host_spec_read_line(&spec, cases[i][0]), HOST_SPEC_BAD);
        assert_string_equal(spec.wrong, cases[i][1]);
    }
}
