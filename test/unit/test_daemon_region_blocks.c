/*
 * test_daemon_region_blocks.c - does every number of a region have one process, and every block of
 * them one host, whatever comes and goes?
 */
#include "daemon/post/region_blocks.h"

#include <pvm3.h>

#include "shortage.h"
#include "unit.h"

#define SIZE   CONTROL_REGION_BLOCK
#define BLOCKS CONTROL_REGION_BLOCKS
#define HOST   0x40000u
#define OTHER  0x80000u

/* Blocks of hosts. ----------------------------------------------------------------------------- */

UNIT_TEST(each_block_has_one_host_until_all_are_taken)
{
    static struct block_owners owners;
    for (int32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(block_owners_grant(&owners, i % 2 ? HOST : OTHER), i);
    assert_int_equal(block_owners_grant(&owners, HOST), PvmOutOfRes);
    assert_true(block_owners_take_back(&owners, HOST, 7));
    assert_int_equal(block_owners_grant(&owners, OTHER), 7);
    assert_int_equal(block_owners_grant(&owners, OTHER), PvmOutOfRes);
}

UNIT_TEST(only_the_host_that_has_a_block_gives_it_back)
{
    static struct block_owners owners;
    assert_int_equal(block_owners_grant(&owners, HOST), 0);
    assert_false(block_owners_take_back(&owners, OTHER, 0));
    assert_false(block_owners_take_back(&owners, HOST, 1));
    assert_false(block_owners_take_back(&owners, HOST, -1));
    assert_false(block_owners_take_back(&owners, HOST, BLOCKS));
    assert_int_equal(block_owners_grant(&owners, OTHER), 1);
    assert_true(block_owners_take_back(&owners, HOST, 0));
    assert_false(block_owners_take_back(&owners, HOST, 0));
}

UNIT_TEST(the_blocks_of_a_host_that_is_gone_are_free)
{
    static struct block_owners owners;
    for (int32_t i = 0; i < 6; i++)
        block_owners_grant(&owners, i % 2 ? HOST : OTHER);
    block_owners_forget(&owners, HOST);
    const int32_t free[] = {1, 3, 5, 6};
    for (size_t i = 0; i < COUNT_OF(free); i++)
        assert_int_equal(block_owners_grant(&owners, OTHER), free[i]);
}

/* Numbers of one host, beside a model of them. ------------------------------------------------- */

#define MODEL_BLOCKS 3
#define MODEL_SIZE   (MODEL_BLOCKS * SIZE)

enum process { A = 1, B };

static struct region_blocks blocks;
static bool here[MODEL_BLOCKS];
static pid_t holders[MODEL_SIZE];

static void forget_all(void)
{
    region_blocks_finish(&blocks);
    memset(here, 0, sizeof here);
    memset(holders, 0, sizeof holders);
}

static int32_t model_count(int32_t block, pid_t process)
{
    int32_t count = 0;
    for (int32_t i = 0; here[block] && i < SIZE; i++)
        count += holders[block * SIZE + i] == process;
    return count;
}

static int32_t model_free(void)
{
    return model_count(0, 0) + model_count(1, 0) + model_count(2, 0);
}

/* The lowest number that is so held, -1: none. */
static int32_t model_find(pid_t process)
{
    for (int32_t i = 0; i < MODEL_SIZE; i++)
        if (here[i / SIZE] && holders[i] == process)
            return i;
    return -1;
}

static void add(int32_t block)
{
    assert_int_equal(region_blocks_add(&blocks, block), here[block] ? PvmBadParam : 0);
    here[block] = true;
}

static void take(pid_t process)
{
    int32_t number = model_find(0);
    if (number < 0)
        return;
    assert_int_equal(region_blocks_take(&blocks, process), number);
    holders[number] = process;
}

static void give_back(pid_t process, pid_t other)
{
    int32_t number = model_find(process), wrong = model_find(other);
    assert_false(region_blocks_give_back(&blocks, process, wrong));
    if (number < 0)
        return;
    assert_true(region_blocks_give_back(&blocks, process, number));
    assert_false(region_blocks_give_back(&blocks, process, number));
    holders[number] = 0;
}

static void forget(pid_t process)
{
    int32_t number;
    region_blocks_forget(&blocks, process);
    while ((number = model_find(process)) >= 0)
        holders[number] = 0;
}

static void remove_spare(void)
{
    int32_t unused = 0, last = -1;
    for (int32_t i = 0; i < MODEL_BLOCKS; i++)
        if (model_count(i, 0) == SIZE) {
            unused++;
            last = i;
        }
    int32_t spare = unused > 1 ? last : -1;
    assert_int_equal(region_blocks_remove_spare(&blocks), spare);
    if (spare >= 0)
        here[spare] = false;
}

static void fill(pid_t process, int32_t left)
{
    while (model_free() > left)
        take(process);
}

enum step { ADD, TAKE = MODEL_BLOCKS, TAKE_B, GIVE, GIVE_B, FORGET, FORGET_B, SPARE, FILL, STEPS };

static void step(int what)
{
    switch (what) {
    case TAKE:
    case TAKE_B:
        take(what == TAKE ? A : B);
        break;
    case GIVE:
        give_back(A, B);
        break;
    case GIVE_B:
        give_back(B, A);
        break;
    case FORGET:
    case FORGET_B:
        forget(what == FORGET ? A : B);
        break;
    case SPARE:
        remove_spare();
        break;
    case FILL:
        fill(A, 1);
        break;
    default:
        add(what);
    }
    assert_int_equal(blocks.free, model_free());
    assert_int_equal(region_blocks_know(&blocks, A), model_find(A) >= 0);
    assert_int_equal(region_blocks_know(&blocks, B), model_find(B) >= 0);
}

#define DEPTH 4

UNIT_TEST(whatever_happens_first)
{
    int sequences = 1;
    for (int i = 0; i < DEPTH; i++)
        sequences *= STEPS;
    for (int sequence = 0; sequence < sequences; sequence++) {
        add(sequence % MODEL_BLOCKS);
        for (int i = 0, rest = sequence; i < DEPTH; i++, rest /= STEPS)
            step(rest % STEPS);
        forget_all();
    }
}

UNIT_TEST(whatever_happens_later)
{
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        step((int)((random >> 16) % STEPS));
    }
    forget_all();
}

UNIT_TEST(numbers_between_others_are_used_again)
{
    add(1);
    add(0);
    fill(A, 0);
    for (int32_t number = 0; number < 2 * SIZE; number += 5) {
        assert_true(region_blocks_give_back(&blocks, A, number));
        holders[number] = 0;
    }
    fill(B, 0);
    for (int32_t number = 0; number < 2 * SIZE; number++)
        assert_true(region_blocks_give_back(&blocks, number % 5 ? A : B, number));
    forget_all();
}

UNIT_TEST(no_block_and_no_number)
{
    assert_int_equal(region_blocks_add(&blocks, -1), PvmBadParam);
    assert_int_equal(region_blocks_add(&blocks, BLOCKS), PvmBadParam);
    assert_int_equal(region_blocks_add(&blocks, BLOCKS - 1), 0);
    assert_int_equal(region_blocks_take(&blocks, A), CONTROL_REGION_COUNT - SIZE);
    assert_false(region_blocks_give_back(&blocks, A, CONTROL_REGION_COUNT));
    assert_false(region_blocks_give_back(&blocks, A, -1));
    assert_false(region_blocks_give_back(&blocks, A, 0));
    assert_false(region_blocks_give_back(&blocks, 0, CONTROL_REGION_COUNT - 1));
    assert_int_equal(blocks.free, SIZE - 1);
    forget_all();
}

UNIT_TEST(numbers_of_tasks_that_come_from_a_file)
{
    assert_int_equal(region_blocks_add(&blocks, 1), 0);
    assert_int_equal(region_blocks_take(&blocks, A), SIZE);
    assert_false(region_blocks_claim(&blocks, SIZE - 1));
    assert_false(region_blocks_claim(&blocks, SIZE));
    assert_true(region_blocks_claim(&blocks, SIZE + 1));
    assert_false(region_blocks_claim(&blocks, SIZE + 1));
    assert_int_equal(region_blocks_take(&blocks, B), SIZE + 2);
    assert_int_equal(blocks.free, SIZE - 3);
    region_blocks_forget(&blocks, A);
    assert_true(region_blocks_give_back(&blocks, REGION_TRAVELS, SIZE + 1));
    assert_true(region_blocks_claim(&blocks, SIZE));
    forget_all();
}

static void add_in_need(void)
{
    int result = region_blocks_add(&blocks, 2);
    assert_int_equal(result, shortage_was_met() ? PvmNoMem : 0);
    assert_int_equal(blocks.free, shortage_was_met() ? 0 : SIZE);
    region_blocks_finish(&blocks);
}

UNIT_TEST(a_block_for_which_there_is_no_memory)
{
    shortage_try_each(add_in_need, 1);
}
