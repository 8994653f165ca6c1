/* test_ring.c - what is written is read, in order, and what makes no sense is found out. */
#include "ck/ports/shm/ring.h"

#include "unit.h"

enum { FIRST = 7 };

static const struct stamp long_ago;
static struct ring_area area;
static struct ring_writer writer;
static struct ring_reader reader;
static struct host_header header;

static int start(void **state)
{
    (void)state;
    memset(&area, 0, sizeof area);
    ring_writer_start(&writer, &area, FIRST);
    ring_reader_start(&reader, &area, FIRST);
    header = (struct host_header){1, 2, 3, 4, 5, 1};
    return 0;
}

static bool room(unsigned slots)
{
    bool broken;
    bool there = ring_has_room(&writer, slots, &broken);
    assert_false(broken);
    return there;
}

static void expect_short(const char *text)
{
    struct ring_record record;
    char body[RING_SHORT];
    assert_int_equal(ring_look(&reader, &record), RING_SHORT_MESSAGE);
    assert_int_equal(record.count, strlen(text));
    assert_memory_equal(&record.header, &header, sizeof header);
    ring_copy_body(&reader, &record, body);
    assert_memory_equal(body, text, strlen(text));
    ring_skip(&reader, &record);
}

static void expect_nothing(void)
{
    struct ring_record record;
    assert_int_equal(ring_look(&reader, &record), RING_NOTHING);
    assert_true(ring_is_empty(&reader));
}

static void short_bodies_come_in_order(void **state)
{
    (void)state;
    expect_nothing();
    for (int turn = 0; turn < 1000; turn++) {
        assert_true(room(1));
        ring_write_short(&writer, long_ago, &header, "one", 3);
        ring_write_short(&writer, long_ago, &header, NULL, 0);
        assert_false(ring_is_empty(&reader));
        expect_short("one");
        expect_short("");
        expect_nothing();
    }
}

static void long_bodies_take_the_slots_that_they_need(void **state)
{
    (void)state;
    struct ring_extent extents[RING_EXTENTS_MOST];
    for (unsigned i = 0; i < RING_EXTENTS_MOST; i++)
        extents[i] = (struct ring_extent){i, 2 * i, 3 * i, 4 * i};
    for (unsigned count = 1; count <= RING_EXTENTS_MOST; count++) {
        struct ring_record record;
        uint32_t before = writer.tail;
        assert_true(room(ring_slots_for(count)));
        ring_write_long(&writer, long_ago, &header, count, extents, count);
        assert_int_equal(writer.tail - before, ring_slots_for(count));
        ring_write_short(&writer, long_ago, &header, "behind", 6);
        assert_int_equal(ring_look(&reader, &record), RING_LONG_MESSAGE);
        assert_int_equal(record.count, count);
        assert_int_equal(record.cookie, count);
        for (unsigned i = 0; i < count; i++) {
            struct ring_extent extent = ring_extent_at(&reader, i);
            assert_memory_equal(&extent, &extents[i], sizeof extent);
        }
        ring_skip(&reader, &record);
        expect_short("behind");
    }
    assert_true(ring_slots_for(RING_EXTENTS_MOST) == RING_SLOTS_MOST);
}

static void full_ring_has_room_for_a_marker(void **state)
{
    (void)state;
    unsigned written = 0;
    struct ring_record record;
    for (; room(1); written++)
        ring_write_short(&writer, long_ago, &header, "x", 1);
    assert_int_equal(written, RING_SLOTS - 1);
    ring_write_marker(&writer, long_ago);
    assert_false(room(1));
    for (; written > 0; written--)
        expect_short("x");
    assert_int_equal(ring_look(&reader, &record), RING_MARKER);
    ring_skip(&reader, &record);
    expect_nothing();
    assert_true(room(RING_SLOTS - 1));
    assert_false(room(RING_SLOTS));
}

static unsigned taken[RING_COOKIES];

static void take(void *owner, unsigned cookie)
{
    assert_ptr_equal(owner, &writer);
    taken[cookie]++;
}

static void cookies_come_back_once_in_any_order(void **state)
{
    (void)state;
    memset(taken, 0, sizeof taken);
    for (unsigned i = 0; i < RING_COOKIES; i++)
        assert_true(ring_take_cookie(&writer) >= 0);
    assert_int_equal(ring_take_cookie(&writer), -1);
    for (unsigned i = 0; i < RING_COOKIES; i += 3)
        ring_give_back(&area, RING_COOKIES - 1 - i);
    ring_collect(&writer, take, &writer);
    for (unsigned i = 0; i < RING_COOKIES; i++)
        assert_int_equal(taken[RING_COOKIES - 1 - i], i % 3 == 0);
    /* A reader that gives back what it has not got achieves nothing. */
    ring_give_back(&area, RING_COOKIES - 1);
    ring_collect(&writer, take, &writer);
    assert_int_equal(taken[RING_COOKIES - 1], 1);
    assert_true(ring_take_cookie(&writer) >= 0);
}

/* The news that a slot tells of is not older than what the writer knew. */
static void stamps_are_kept(void **state)
{
    (void)state;
    static const struct {
        uint64_t written, news, seen;
    } stamps[] = {
        {5, 0, 0},
        {5, 1, 1},
        {5, 9, 1},
        {(uint64_t)1 << 40, 77, 77},
        {UINT64_MAX, 0, (UINT64_MAX >> MOMENT) + 1 - UINT32_MAX},
    };
    for (size_t i = 0; i < COUNT_OF(stamps); i++) {
        start(NULL);
        ring_write_short(&writer, stamp_of(stamps[i].written, stamps[i].news), &header, "x", 1);
        assert_true(ring_stamp(&reader) == stamps[i].written);
        assert_true(ring_news(&reader) == stamps[i].seen);
    }
}

/* What a reader may say of its position, and what not. */
static void impossible_head_is_found_out(void **state)
{
    (void)state;
    static const uint32_t heads[] = {FIRST + RING_SLOTS, 1u << 31, FIRST - 1};
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        bool broken;
        start(NULL);
        while (room(1))
            ring_write_short(&writer, long_ago, &header, "x", 1);
        atomic_store(&area.head, heads[i]);
        assert_false(ring_has_room(&writer, 1, &broken));
        assert_true(broken);
    }
    bool broken;
    start(NULL);
    while (room(1))
        ring_write_short(&writer, long_ago, &header, "x", 1);
    atomic_store(&area.head, FIRST + 5);
    assert_true(ring_has_room(&writer, 5, &broken));
    while (room(1))
        ring_write_short(&writer, long_ago, &header, "x", 1);
    atomic_store(&area.head, FIRST + 4); /* back */
    assert_false(ring_has_room(&writer, 1, &broken));
    assert_true(broken);
}

/* Whatever a writer puts into a slot, the reader says that it is broken, or believes what is. */
static void impossible_slots_are_found_out(void **state)
{
    (void)state;
    static const struct {
        unsigned kind, count, cookie;
        enum ring_kind seen;
    } slots[] = {
        {RING_SHORT_MESSAGE, RING_SHORT, 0, RING_SHORT_MESSAGE},
        {RING_SHORT_MESSAGE, RING_SHORT + 1, 0, RING_BROKEN},
        {RING_SHORT_MESSAGE, 0xffff, 0, RING_BROKEN},
        {RING_LONG_MESSAGE, 1, RING_COOKIES - 1, RING_LONG_MESSAGE},
        {RING_LONG_MESSAGE, 1, RING_COOKIES, RING_BROKEN},
        {RING_LONG_MESSAGE, 1, UINT32_MAX, RING_BROKEN},
        {RING_LONG_MESSAGE, 0, 0, RING_BROKEN},
        {RING_LONG_MESSAGE, RING_EXTENTS_MOST, 0, RING_LONG_MESSAGE},
        {RING_LONG_MESSAGE, RING_EXTENTS_MOST + 1, 0, RING_BROKEN},
        {RING_MARKER, 0xffff, UINT32_MAX, RING_MARKER},
        {RING_NOTHING, 0, 0, RING_BROKEN},
        {RING_BROKEN, 0, 0, RING_BROKEN},
        {0xffff, 0xffff, UINT32_MAX, RING_BROKEN},
    };
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        struct ring_record record;
        start(NULL);
        area.slots[FIRST].kind = (uint16_t)slots[i].kind;
        area.slots[FIRST].count = (uint16_t)slots[i].count;
        area.slots[FIRST].cookie = slots[i].cookie;
        expect_nothing();
        atomic_store(&area.slots[FIRST].position, FIRST + 1);
        assert_int_equal(ring_look(&reader, &record), slots[i].seen);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(short_bodies_come_in_order),
        TEST(long_bodies_take_the_slots_that_they_need),
        TEST(full_ring_has_room_for_a_marker),
        TEST(cookies_come_back_once_in_any_order),
        TEST(stamps_are_kept),
        TEST(impossible_head_is_found_out),
        TEST(impossible_slots_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
