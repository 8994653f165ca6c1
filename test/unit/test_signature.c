/* test_signature.c - the signature says how this machine lays out numbers. */
#include "core/signature.h"

#include "unit.h"

static uint32_t field(unsigned shift, unsigned bits)
{
    return signature_native() >> shift & ((1u << bits) - 1);
}

static bool little_endian(void)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

UNIT_TEST(sizes_are_those_of_the_types)
{
    assert_int_equal((size_t)1 << field(0, 3), sizeof(short));
    assert_int_equal((size_t)1 << field(5, 3), sizeof(int));
    assert_int_equal((size_t)1 << field(10, 3), sizeof(long));
}

UNIT_TEST(byte_orders_are_those_of_the_machine)
{
    const unsigned shifts[] = {3, 8, 13, 19, 25};
    for (size_t i = 0; i < COUNT_OF(shifts); i++)
        assert_int_equal(field(shifts[i], 2), little_endian() ? 0 : 3);
}

UNIT_TEST(numbers_with_a_point_are_ieee)
{
    assert_int_equal(field(15, 4), 1);
    assert_int_equal(field(21, 4), 2);
    assert_int_equal(field(27, 5), 0);
}

UNIT_TEST(known_machines_have_known_values)
{
    uint32_t expected = sizeof(long) == 8 ? 0x0658ef59 : 0x0658eb59;
    if (little_endian())
        expected = sizeof(long) == 8 ? 0x00408c41 : 0x00408841;
    assert_int_equal(signature_native(), expected);
}
