/* test_daemon_pattern.c - which names does a pattern with stars find? */
#include "daemon/requests/pattern.h"

#include "unit.h"

UNIT_TEST(pattern_finds_what_stock_finds)
{
    const struct {
        const char *pattern;
        const char *name;
        bool found;
    } cases[] = {
        {"", "anything", true},    {"", "", true},
        {"*", "anything", true},   {"***", "", true},
        {"I", "MI", true},         {"I", "DIM", true},
        {"I", "mi", false},        {"a*c", "xxabbcyy", true},
        {"a*c", "cba", false},     {"*a*c*", "ac", true},
        {"ab*ab", "ab", false},    {"ab*ab", "abab", true},
        {"aab", "aaab", true},     {"a\\*b", "a*b", true},
        {"a\\*", "ab", false},     {"\\*", "a*b", false},
        {"\\*", "a\\b", true},     {"b*\\*", "a*b", false},
        {"\\*b", "a\\xb", true},   {"\\\\*b", "a\\*b", true},
        {"a\\**d", "a*bcd", true}, {"a\\**d", "abcd", false},
        {"\\", "a\\b", true},      {"\\x", "x", false},
        {"x", "", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool found = pattern_fits(cases[i].pattern, cases[i].name);
        if (found != cases[i].found)
            fail_msg("pattern '%s', name '%s': found %d", cases[i].pattern, cases[i].name, found);
    }
}

/* Many stars and nearly fitting pieces cost no exponential time: this would not end. */
UNIT_TEST(many_stars_come_to_an_end)
{
    char pattern[201], name[4097];
    for (size_t i = 0; i < sizeof pattern - 1; i += 2)
        memcpy(pattern + i, "a*", 2);
    pattern[sizeof pattern - 2] = 'b';
    pattern[sizeof pattern - 1] = '\0';
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(pattern_fits(pattern, name));
}
