/* test_directory.c - an endpoint is found by its address while it is open, however many there are. */
#include "ck/endpoint/directory.h"

#include <unistd.h>

#include "ck/endpoint/endpoint.h"

#include "quiet_owner.h"
#include "shortage.h"
#include "talk.h"
#include "unit.h"

#define A    0x40001u
#define B    0x40002u
#define MANY 3000u

static struct engine *engine;
static struct endpoint *many;

UNIT_STEP(start)
{
    engine = talk_engine();
    many = calloc(MANY, sizeof *many);
    return engine && many ? 0 : -1;
}

UNIT_STEP(finish)
{
    free(many);
    engine_destroy(engine);
    free(engine);
    return 0;
}

static void enter_all(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        many[i].own = A + i;
        directory_enter(&engine->directory, &many[i]);
    }
}

static void expect_from(unsigned first)
{
    for (unsigned i = 0; i < MANY; i++)
        assert_ptr_equal(engine_find(engine, A + i), i < first ? NULL : &many[i]);
    assert_null(engine_find(engine, A + MANY));
}

UNIT_TEST_BETWEEN(finds_each_of_many, start, finish)
{
    enter_all();
    expect_from(0);
    assert_true(engine->directory.chain_count >= MANY / 2);
    for (unsigned i = 0; i < MANY; i++) {
        directory_leave(&engine->directory, &many[i]);
        if (i % 500 == 0)
            expect_from(i + 1);
    }
    expect_from(MANY);
    assert_int_equal(engine->directory.count, 0);
}

static void enters_and_leaves(void)
{
    enter_all();
    expect_from(0);
    for (unsigned i = MANY; i > 0; i--)
        directory_leave(&engine->directory, &many[i - 1]);
    expect_from(MANY);
    directory_finish(&engine->directory);
    directory_start(&engine->directory);
}

/* Where a table could not grow, a look-up takes longer, and still finds what is there. */
UNIT_TEST_BETWEEN(does_without_memory, start, finish)
{
    shortage_try_each(enters_and_leaves, 5);
}

/* Of many addresses no more is known than that there were many: each may be one of them. */
UNIT_TEST_BETWEEN(notes_what_was_passed, start, finish)
{
    struct directory *directory = &engine->directory;
    directory_expect(directory);
    directory_expect(directory);
    for (uint32_t i = 0; i < DIRECTORY_PASSED; i++) {
        assert_false(directory_has_passed(directory, A + i));
        directory_pass(directory, A + i);
        directory_pass(directory, A);
        assert_true(directory_has_passed(directory, A + i));
    }
    assert_false(directory_has_passed(directory, A + MANY));
    directory_pass(directory, A + DIRECTORY_PASSED);
    assert_true(directory_has_passed(directory, A + MANY));
    directory_expect_less(directory);
    assert_true(directory_has_passed(directory, A));
    directory_expect_less(directory);
    assert_false(directory_has_passed(directory, A));
}

/* From endpoint_open to endpoint_detach, also when it is attached anew. */
UNIT_TEST_BETWEEN(finds_an_endpoint_while_it_is_open, start, finish)
{
    const struct endpoint_owner owner = quiet_owner(NULL);
    int daemons[2];
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < 2; i++) {
            if (turn == 0)
                assert_int_equal(endpoint_init(&many[i], engine, &owner), 0);
            daemons[i] = talk_attach(&many[i]);
            assert_true(daemons[i] >= 0);
            assert_null(engine_find(engine, turn ? B + i : A + i));
            endpoint_open(&many[i], turn ? B + i : A + i, 0);
            assert_ptr_equal(engine_find(engine, turn ? B + i : A + i), &many[i]);
        }
        assert_ptr_equal(engine_find(engine, turn ? B : A), &many[0]);
        for (unsigned i = 0; i < 2; i++) {
            endpoint_detach(&many[i]);
            assert_null(engine_find(engine, turn ? B + i : A + i));
            close(daemons[i]);
        }
    }
    endpoint_destroy(&many[0]);
    endpoint_destroy(&many[1]);
}
