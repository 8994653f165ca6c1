/* test_tid.c - what each part of a task identifier means. */
#include "core/tid.h"

#include "unit.h"

struct expectation {
    uint32_t tid;
    bool task;
    bool daemon;
    bool multicast;
    uint32_t host;
};

static const struct expectation expectations[] = {
    {0x00000000, false, false, false, 0},          /* nobody */
    {0x00000001, true, false, false, 0},           /* a task on the own host */
    {0x0003ffff, true, false, false, 0},           /* the last of them */
    {0x00040000, false, false, false, 0x00040000}, /* a host as tasks are told of it */
    {0x00040001, true, false, false, 0x00040000},  /* the first task of the first host */
    {0x3fffffff, true, false, false, 0x3ffc0000},  /* the last task of the last host */
    {0x80000000, false, true, false, 0},           /* the own daemon */
    {0x80040000, false, true, false, 0x00040000},  /* the first daemon */
    {0xbffc0000, false, true, false, 0x3ffc0000},  /* the last daemon */
    {0x80040001, false, false, false, 0x00040000}, /* a daemon has no local part */
    {0x80000001, false, false, false, 0},
    {0x80020000, false, false, false, 0}, /* the highest bit of the local part counts as well */
    {0x40040001, false, false, true, 0x00040000},
    {0x40000000, false, false, true, 0},
    {0x7fffffff, false, false, true, 0x3ffc0000},
    {0xc0040000, false, false, false, 0x00040000}, /* both bits: nothing */
    {0xc0000000, false, false, false, 0},
    {0xffffffff, false, false, false, 0x3ffc0000}, /* the wildcard */
};

UNIT_TEST(kinds_exclude_each_other)
{
    for (size_t i = 0; i < COUNT_OF(expectations); i++) {
        const struct expectation *expected = &expectations[i];
        assert_int_equal(tid_is_task(expected->tid), expected->task);
        assert_int_equal(tid_is_daemon(expected->tid), expected->daemon);
        assert_int_equal(tid_is_multicast(expected->tid), expected->multicast);
        assert_int_equal(tid_host_part(expected->tid), expected->host);
    }
}

UNIT_TEST(masks_cover_each_bit_once)
{
    assert_int_equal(TID_DAEMON_BIT ^ TID_MULTICAST_BIT ^ TID_HOST_MASK ^ TID_LOCAL_MASK,
                     0xffffffff);
    assert_int_equal(TID_HOST_MAX << TID_HOST_SHIFT, TID_HOST_MASK);
    assert_int_equal(TID_OWN_DAEMON, 0x80000000);
    assert_int_equal(TID_ANY, 0xffffffff);
}

UNIT_TEST(host_part_zero_and_the_own_one_are_here)
{
    assert_true(tid_is_here(0x00040001, 0x00040000));
    assert_true(tid_is_here(0x00040001, 0x80040000)); /* own host given as daemon or as task */
    assert_true(tid_is_here(0x00040001, 0x0004ffff));
    assert_true(tid_is_here(0x80000000, 0x00080000)); /* host part 0 is everybody's own host */
    assert_true(tid_is_here(0x00000007, 0x00080000));
    assert_false(tid_is_here(0x00040001, 0x00080000));
    assert_false(tid_is_here(0x80080000, 0x00040000));
    assert_false(tid_is_here(0x00080001, 0));
}
