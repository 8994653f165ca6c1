/* test_siphash.c - are tags those that the authors of SipHash published? */
#include "core/siphash.h"

#include "unit.h"

#define LONGEST 15

/* The key is 0, 1, 2 and so on, as are the bytes. */
UNIT_TEST(tags_are_those_published)
{
    static const struct {
        size_t size;
        uint64_t tag;
    } published[] = {
        {0, 0x726fdb47dd0e0e31},
        {1, 0x74f839c593dc67fd},
        {8, 0x93f5f5799a932462},
        {LONGEST, 0xa129ca6149be45e5},
    };
    unsigned char bytes[SIPHASH_KEY_SIZE];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    struct siphash_key key = siphash_key(bytes);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_true(siphash(&key, NULL, 0, bytes, published[i].size) == published[i].tag);
    assert_true(siphash(&key, bytes, SIPHASH_WORD, bytes + SIPHASH_WORD, LONGEST - SIPHASH_WORD) ==
                published[3].tag);
    assert_true(siphash(&key, bytes, SIPHASH_WORD, NULL, 0) == published[2].tag);
}

UNIT_TEST(every_bit_counts)
{
    unsigned char bytes[2 * SIPHASH_KEY_SIZE + 1] = {0};
    struct siphash_key key = siphash_key(bytes);
    uint64_t tag = siphash(&key, bytes, SIPHASH_KEY_SIZE, bytes + SIPHASH_KEY_SIZE, 17);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_true(siphash(&key, bytes, SIPHASH_KEY_SIZE, bytes + SIPHASH_KEY_SIZE, 17) != tag);
        bytes[bit / 8] = 0;
    }
}
