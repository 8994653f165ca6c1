/* test_ring.c - what is written is read, in order, and what makes no sense is found out. */
#include "ck/ports/shm/ring.h"

#include "unit.h"

enum { FIRST = 7 };

static const struct stamp long_ago;
static struct ring_area area;
static struct ring_slot runs[2][RING_SLOTS]; /* further ones */
static struct ring_writer writer;
static struct ring_reader reader;
static struct host_header header;

UNIT_STEP(start)
{
    memset(&area, 0, sizeof area);
    ring_writer_start(&writer, &area, FIRST);
    ring_reader_start(&reader, &area, FIRST);
    header = (struct host_header){1, 2, 3, 4, 5, 1};
    return 0;
}

static bool room(unsigned slots)
{
    assert_true(ring_refresh(&writer));
    return ring_has_room(&writer, slots);
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

#define TEST(name) UNIT_TEST_BETWEEN(name, start, NULL)

TEST(short_bodies_come_in_order)
{
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

TEST(long_bodies_take_the_slots_that_they_need)
{
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

static void expect_marker(void)
{
    struct ring_record record;
    assert_int_equal(ring_look(&reader, &record), RING_MARKER);
    ring_skip(&reader, &record);
}

/* How many messages fit. */
static unsigned fill(const char *text)
{
    unsigned written = 0;
    for (; room(1); written++)
        ring_write_short(&writer, long_ago, &header, text, strlen(text));
    return written;
}

TEST(full_ring_has_room_for_a_marker)
{
    unsigned written = fill("x");
    assert_int_equal(written, RING_SLOTS - RING_KEPT);
    ring_write_marker(&writer, long_ago);
    assert_false(room(1));
    for (; written > 0; written--)
        expect_short("x");
    expect_marker();
    expect_nothing();
    assert_true(room(RING_SLOTS - RING_KEPT));
    assert_false(room(RING_SLOTS - RING_KEPT + 1));
}

/* Further runs. -------------------------------------------------------------------------------- */

/* The reader finds a jump to the run, and goes there. */
static void expect_jump(const struct ring_slot *run, uint32_t file, uint32_t offset)
{
    struct ring_record record;
    assert_int_equal(ring_look(&reader, &record), RING_JUMP);
    struct ring_extent place = ring_extent_at(&reader, 0);
    assert_int_equal(place.file, file);
    assert_int_equal(place.offset, offset);
    ring_follow(&reader, run);
}

/* Memory in which each position is the one that the reader awaits there, when it comes. */
static void spoil(struct ring_slot *run)
{
    uint32_t next = writer.tail + 1;
    for (uint32_t i = 0; i < RING_SLOTS; i++)
        atomic_store(&run[(next + i) % RING_SLOTS].position, next + i + 1);
}

static void expect_many(unsigned count, const char *text)
{
    for (; count > 0; count--)
        expect_short(text);
}

TEST(full_ring_moves_from_run_to_run_and_home)
{
    unsigned first = fill("home");
    uint32_t home_end = writer.tail + 1;
    spoil(runs[0]);
    ring_move(&writer, runs[0], 3, 4096);
    unsigned second = fill("first");
    uint32_t first_end = writer.tail + 1;
    spoil(runs[1]);
    ring_move(&writer, runs[1], 3, 8192);
    unsigned third = fill("second");
    assert_int_equal(first, RING_SLOTS - RING_KEPT);
    assert_true(second == first && third == first);
    expect_many(first, "home");
    assert_true(ring_refresh(&writer) && !ring_has_passed(&writer, home_end));
    expect_jump(runs[0], 3, 4096);
    assert_true(ring_refresh(&writer) && ring_has_passed(&writer, home_end));
    ring_move(&writer, NULL, 0, 0);
    unsigned fourth = fill("again");
    assert_int_equal(fourth, first);
    expect_many(second, "first");
    assert_true(ring_refresh(&writer) && !ring_has_passed(&writer, first_end));
    expect_jump(runs[1], 3, 8192);
    assert_true(ring_refresh(&writer) && ring_has_passed(&writer, first_end));
    expect_many(third, "second");
    expect_jump(NULL, RING_HOME, 0);
    expect_many(fourth, "again");
    expect_nothing();
    assert_true(ring_is_drained(&writer));
}

TEST(ring_whose_reader_keeps_up_stays_in_its_run)
{
    unsigned first = fill("home");
    spoil(runs[0]);
    ring_move(&writer, runs[0], 0, 0);
    ring_write_short(&writer, long_ago, &header, "there", 5);
    expect_many(first, "home");
    expect_jump(runs[0], 0, 0);
    expect_short("there");
    for (int turn = 0; turn < 1000; turn++) {
        assert_true(room(2));
        ring_write_short(&writer, long_ago, &header, "one", 3);
        ring_write_short(&writer, long_ago, &header, NULL, 0);
        expect_short("one");
        expect_short("");
        expect_nothing();
    }
}

/* Positions begin anew at 0. */
TEST(positions_turn_over_amid_a_run)
{
    const uint32_t late = UINT32_MAX - 3 * RING_SLOTS / 2;
    writer.tail = writer.head = writer.floor = reader.head = reader.begin = late;
    atomic_store(&area.head, late);
    for (int turn = 0; turn < 3; turn++) {
        unsigned first = fill("x");
        assert_int_equal(first, RING_SLOTS - RING_KEPT);
        uint32_t end = writer.tail + 1;
        spoil(runs[0]);
        ring_move(&writer, runs[0], 0, 0);
        unsigned second = fill("y");
        assert_int_equal(second, first);
        assert_false(ring_has_passed(&writer, end));
        expect_many(first, "x");
        expect_jump(runs[0], 0, 0);
        expect_many(second, "y");
        assert_true(ring_refresh(&writer) && ring_has_passed(&writer, end));
        ring_move(&writer, NULL, 0, 0);
        ring_write_short(&writer, long_ago, &header, "home", 4);
        expect_jump(NULL, RING_HOME, 0);
        expect_short("home");
        expect_nothing();
    }
}

/* The reader comes to a run only when something is there, but for a ring that moves home idle. */
TEST(jump_appears_with_what_is_behind_it)
{
    const struct stamp stamp = {77, 0};
    expect_many(fill("x"), "x");
    ring_move(&writer, runs[0], 0, 0);
    expect_nothing();
    ring_write_short(&writer, stamp, &header, "y", 1);
    assert_true(ring_stamp(&reader) == 77);
    assert_false(ring_has_marker(&reader));
    expect_jump(runs[0], 0, 0);
    expect_short("y");
    expect_nothing();
    ring_move(&writer, NULL, 0, 0);
    expect_nothing();
    assert_false(ring_is_drained(&writer));
    ring_show_move(&writer, stamp);
    expect_jump(NULL, RING_HOME, 0);
    expect_nothing();
    assert_true(ring_is_drained(&writer));
}

TEST(jump_to_a_marker_counts_as_one)
{
    unsigned first = fill("x");
    ring_write_marker(&writer, long_ago);
    ring_move(&writer, runs[0], 0, 0); /* there is room for the jump, too */
    assert_true(room(RING_SLOTS / 2));
    ring_write_marker(&writer, long_ago);
    expect_many(first, "x");
    assert_true(ring_has_marker(&reader));
    expect_marker();
    assert_true(ring_has_marker(&reader));
    expect_jump(runs[0], 0, 0);
    expect_marker();
    expect_nothing();
}

static unsigned taken[RING_COOKIES];

static void take(void *owner, unsigned cookie)
{
    assert_ptr_equal(owner, &writer);
    taken[cookie]++;
}

TEST(cookies_come_back_once_in_any_order)
{
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
TEST(stamps_are_kept)
{
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
TEST(impossible_head_is_found_out)
{
    static const uint32_t heads[] = {FIRST + RING_SLOTS, 1u << 31, FIRST - 1};
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        start(NULL);
        fill("x");
        atomic_store(&area.head, heads[i]);
        assert_false(ring_refresh(&writer));
    }
    start(NULL);
    fill("x");
    atomic_store(&area.head, FIRST + 5);
    assert_true(room(5));
    fill("x");
    atomic_store(&area.head, FIRST + 4); /* back */
    assert_false(ring_refresh(&writer));
}

/* There is no way from run to run without a message between, and so none round and round. */
TEST(jump_from_the_begin_of_a_run_is_found_out)
{
    struct ring_record record;
    ring_move(&writer, runs[0], 0, 0);
    ring_show_move(&writer, long_ago);
    assert_int_equal(ring_look(&reader, &record), RING_BROKEN);
    start(NULL);
    ring_write_short(&writer, long_ago, &header, "x", 1);
    ring_move(&writer, runs[0], 0, 0);
    ring_show_move(&writer, long_ago);
    ring_move(&writer, NULL, 0, 0);
    ring_show_move(&writer, long_ago);
    expect_short("x");
    expect_jump(runs[0], 0, 0);
    assert_int_equal(ring_look(&reader, &record), RING_BROKEN);
}

/* Whatever a writer puts into a slot, the reader says that it is broken, or believes what is. */
TEST(impossible_slots_are_found_out)
{
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
