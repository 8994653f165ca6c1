/* test_link_word.c - do words come back, and is everything else refused? */
#include "core/link_word.h"

#include "unit.h"

UNIT_TEST(words_come_back)
{
    for (int kind = LINK_OFFER; kind <= LINK_GO_ON; kind++) {
        struct link_word word = {.kind = (enum link_word_kind)kind,
                                 .number = 0x89abcdef,
                                 .port = 0xfedc,
                                 .taken = 0xfedcba9876543210};
        struct link_word read;
        unsigned char bytes[LINK_WORD_SIZE];
        for (size_t i = 0; i < sizeof word.secret; i++)
            word.secret[i] = (unsigned char)(200 + i);
        link_word_encode(&word, bytes);
        assert_true(link_word_decode(&read, bytes, sizeof bytes));
        assert_int_equal(read.kind, kind);
        assert_int_equal(read.number, word.number);
        assert_int_equal(read.port, word.port);
        assert_true(read.taken == word.taken);
        assert_memory_equal(read.secret, word.secret, sizeof word.secret);
    }
}

UNIT_TEST(the_form_is_fixed)
{
    const struct link_word word = {.kind = LINK_BROKEN, .number = 2, .port = 3, .taken = 4};
    const unsigned char expected[LINK_WORD_SIZE] = {
        [3] = 5,
        [7] = 2,
        [11] = 3,
        [19] = 4,
    };
    unsigned char bytes[LINK_WORD_SIZE];
    link_word_encode(&word, bytes);
    assert_memory_equal(bytes, expected, sizeof expected);
}

UNIT_TEST(nonsense_is_refused)
{
    struct link_word word;
    unsigned char bytes[LINK_WORD_SIZE + 1] = {[3] = LINK_OFFER};
    assert_true(link_word_decode(&word, bytes, LINK_WORD_SIZE));
    assert_false(link_word_decode(&word, bytes, LINK_WORD_SIZE - 1));
    assert_false(link_word_decode(&word, bytes, LINK_WORD_SIZE + 1));
    assert_false(link_word_decode(&word, bytes, 0));
    bytes[9] = 1; /* a port beyond 65535 */
    assert_false(link_word_decode(&word, bytes, LINK_WORD_SIZE));
    bytes[9] = 0;
    bytes[3] = 0;
    assert_false(link_word_decode(&word, bytes, LINK_WORD_SIZE));
    bytes[3] = LINK_GO_ON + 1;
    assert_false(link_word_decode(&word, bytes, LINK_WORD_SIZE));
}
