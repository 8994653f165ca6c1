/* test_console_parse.c - how the console reads a line, and what aliases do to it. */
#include "console/alias.h"
#include "console/parse.h"

#include "shortage.h"
#include "unit.h"

/* The words of a line, each followed by a |. */
static const char *joined(const struct words *words)
{
    static char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < words->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s|", words->word[i]);
    assert_null(words->word[words->count]);
    return text;
}

static void check_words(const char *line, const char *expected)
{
    struct words words;
    assert_int_equal(words_split(&words, line), PARSE_OK);
    assert_string_equal(joined(&words), expected);
    words_free(&words);
}

static void check_refused(const char *line, enum parse_result expected)
{
    struct words words;
    assert_int_equal(words_split(&words, line), expected);
    assert_int_equal(words.count, 0);
}

UNIT_TEST(white_space_separates)
{
    check_words("", "");
    check_words(" \t ", "");
    check_words("add  one\ttwo \r", "add|one|two|");
}

UNIT_TEST(quotes_keep_what_is_between_them)
{
    check_words("add 'gamma sp=500' beta", "add|gamma sp=500|beta|");
    check_words("a\"b  c\"d'e\"f'", "ab  cde\"f|");
    check_words("echo '' \"\"", "echo|||");
    check_words("echo 'single # x' '\\'", "echo|single # x|\\|");
}

UNIT_TEST(backslash_keeps_one_character)
{
    check_words("a\\ b c\\#d \\#e \\\"", "a b|c#d|#e|\"|");
    check_words("end\\", "end\\|");
}

UNIT_TEST(comment_begins_at_the_start_of_a_word)
{
    check_words("# all of it", "");
    check_words("echo a#b # c", "echo|a#b|");
}

UNIT_TEST(unmatched_quotes_are_refused)
{
    check_refused("echo 'one", PARSE_UNMATCHED_SINGLE);
    check_refused("one \"two' three", PARSE_UNMATCHED_DOUBLE);
}

UNIT_TEST(more_words_than_fit_are_refused)
{
    char line[2 * (WORDS_MOST + 1) + 1];
    for (size_t i = 0; i < sizeof line - 1; i++)
        line[i] = i % 2 ? ' ' : 'x';
    line[sizeof line - 1] = '\0';
    check_refused(line, PARSE_TOO_MANY);
    struct words words;
    assert_int_equal(words_split(&words, line + 2), PARSE_OK);
    assert_int_equal(words.count, WORDS_MOST);
    words_free(&words);
}

static void define(struct alias **list, const char *line)
{
    struct words words;
    assert_int_equal(words_split(&words, line), PARSE_OK);
    assert_int_equal(alias_define(list, words.word, words.count), PARSE_OK);
    words_free(&words);
}

static void check_expanded(const struct alias *list, const char *line, const char *expected)
{
    struct words words;
    enum parse_result result;
    assert_int_equal(words_split(&words, line), PARSE_OK);
    assert_true(alias_expand(list, &words, &result));
    assert_int_equal(result, PARSE_OK);
    assert_string_equal(joined(&words), expected);
    words_free(&words);
}

UNIT_TEST(aliases_replace_the_first_word_until_there_is_none)
{
    struct alias *list = NULL;
    define(&list, "ll l 'two words'");
    define(&list, "l ps -l");
    define(&list, "ps ps -a");
    check_expanded(list, "", "");
    check_expanded(list, "other l", "other|l|");
    check_expanded(list, "ll more", "ps|-a|-l|two words|more|");
    define(&list, "ll echo");
    check_expanded(list, "ll l", "echo|l|");
    alias_remove(&list, "l");
    alias_remove(&list, "nothing");
    check_expanded(list, "l", "l|");
    alias_clear(&list);
    assert_null(list);
}

UNIT_TEST(aliases_are_listed_by_name)
{
    struct alias *list = NULL;
    define(&list, "b 1");
    define(&list, "c 2");
    define(&list, "a 3");
    assert_string_equal(list->words.word[0], "a");
    assert_string_equal(list->next->words.word[0], "b");
    assert_string_equal(list->next->next->words.word[0], "c");
    alias_clear(&list);
}

UNIT_TEST(loops_are_found)
{
    struct alias *list = NULL;
    struct words words;
    enum parse_result result;
    define(&list, "c d");
    define(&list, "d c");
    define(&list, "e x");
    assert_int_equal(words_split(&words, "c 1"), PARSE_OK);
    assert_false(alias_expand(list, &words, &result));
    assert_int_equal(result, PARSE_OK);
    words_free(&words);
    alias_clear(&list);
}

UNIT_TEST(expansion_that_is_too_long_is_refused)
{
    struct alias *list = NULL;
    struct words words = {.count = 0};
    enum parse_result result;
    char name[] = "a", *word = name;
    define(&list, "a b c");
    while (words.count < WORDS_MOST)
        assert_int_equal(words_append(&words, &word, 1), PARSE_OK);
    assert_int_equal(words_append(&words, &word, 1), PARSE_TOO_MANY);
    assert_false(alias_expand(list, &words, &result));
    assert_int_equal(result, PARSE_TOO_MANY);
    words_free(&words);
    alias_clear(&list);
}

static void define_and_expand(void)
{
    struct alias *list = NULL;
    struct words words;
    enum parse_result result = words_split(&words, "l ps -l");
    if (result == PARSE_OK)
        result = alias_define(&list, words.word, words.count);
    if (result == PARSE_OK)
        alias_expand(list, &words, &result);
    assert_true(result == PARSE_OK || result == PARSE_NO_MEMORY);
    assert_int_equal(result == PARSE_NO_MEMORY, shortage_was_met());
    words_free(&words);
    alias_clear(&list);
}

UNIT_TEST(shortage_of_memory_is_told)
{
    shortage_try_each(define_and_expand, 10);
}
