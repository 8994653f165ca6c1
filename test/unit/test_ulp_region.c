/*
 * test_ulp_region.c - regions of addresses: what lies where, what cannot be touched, and which are
 * passed over.
 */
#include "ulp/region.h"
#include "ulp/region_numbers.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { PAGES = 65536, STACK = 4 * PAGES, MEGABYTE = 1 << 20 };

/* Whether a child of fork can write there. */
static bool is_open(unsigned char *address)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile unsigned char *)address = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What `act` writes on stderr. */
static const char *said(void (*act)(void))
{
    static char text[1000];
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    act();
    dup2(before, STDERR_FILENO);
    close(ends[1]);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    close(ends[0]);
    close(before);
    return text;
}

UNIT_TEST(what_lies_where)
{
    unsigned char *stack = region_take_stack(STACK);
    struct region *region = region_of(stack);
    unsigned char *image = region_place(region, 2 * PAGES), *rest = region->rest;
    assert_true(region && region_of(rest) == region && !region_of(&stack));
    assert_true(stack < image && image < rest && rest < region->limit);
    assert_true(region_open(image, image + 2 * PAGES));
    assert_true(region_open(rest, region->limit));
    unsigned char *open[] = {stack, stack + STACK - 1, image, image + 2 * PAGES - 1, rest};
    unsigned char *guards[] = {stack - 1, stack + STACK, image - 1, image + 2 * PAGES, rest - 1};
    for (size_t i = 0; i < COUNT_OF(open); i++)
        assert_true(is_open(open[i]));
    for (size_t i = 0; i < COUNT_OF(guards); i++)
        assert_false(is_open(guards[i]));
    assert_true(is_open(region->limit - 1));
    assert_false(is_open(region->limit));
    region_empty(region);
    assert_false(is_open(image));
    assert_false(is_open(rest));
    assert_true(is_open(stack));
    region_give_back(stack);
    assert_null(region_of(stack));
    assert_false(is_open(stack));
}

UNIT_TEST(each_has_its_own)
{
    unsigned char *one = region_take_stack(STACK), *other = region_take_stack(STACK);
    assert_ptr_not_equal(region_of(one), region_of(other));
    region_give_back(one);
    assert_ptr_equal(region_take_stack(STACK), one);
    region_give_back(one);
    region_give_back(other);
}

UNIT_TEST(one_that_stays)
{
    unsigned char *one = region_take_stack(STACK);
    region_of(one)->stays = true;
    region_give_back(one);
    unsigned char *other = region_take_stack(STACK);
    assert_ptr_not_equal(other, one);
    assert_true(is_open(one));
    region_give_back(other);
}

/* The number of one that is gone, or has come, is not this process's: another one gets another. */
UNIT_TEST(one_that_goes_and_comes)
{
    unsigned char *stack = region_take_stack(STACK), *other;
    struct region *region = region_of(stack);
    unsigned number = region_number(region);
    assert_false(region_is_gone(stack));
    assert_null(region_take_stack_at(number, STACK));
    region->gone = true;
    assert_true(region_is_gone(stack));
    region_give_back(stack);
    other = region_take_stack(STACK);
    assert_ptr_not_equal(other, stack);
    assert_ptr_equal(region_take_stack_at(number, STACK), stack);
    assert_true(is_open(stack) && region_is_gone(stack) && !region->gone);
    region_give_back(stack);
    region_give_back(other);
    assert_null(region_take_stack_at(REGION_NUMBERS, STACK));
}

UNIT_TEST(no_thread_of_the_test_has_one)
{
    assert_null(region_of_thread());
}

static unsigned char *taken;

static void take_beside_taken(void)
{
    for (int i = 0; i < 2; i++) {
        unsigned char *stack = region_take_stack(STACK);
        assert_true(stack > taken + (size_t)256 * MEGABYTE);
        assert_int_equal(*taken, 7);
        region_give_back(stack);
    }
}

/* It is said once. */
UNIT_TEST(addresses_that_are_taken)
{
    unsigned char *stack = region_take_stack(STACK);
    taken = stack - PAGES;
    region_give_back(stack);
    taken =
        mmap(taken, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    *taken = 7;
    assert_null(region_of(taken));
    const char *text = said(take_beside_taken);
    const char *first = strstr(text, "are taken on this host");
    assert_non_null(first);
    assert_null(strstr(first + 1, "are taken on this host"));
    munmap(taken, PAGES);
}

static void find_none(void)
{
    assert_null(region_take_stack((size_t)200 * MEGABYTE));
    assert_null(region_take_stack((size_t)200 * MEGABYTE));
}

UNIT_TEST(none_to_be_had)
{
    const char *first = strstr(said(find_none), "it runs without one");
    assert_non_null(first);
    assert_null(strstr(first + 1, "it runs without one"));
}

UNIT_TEST(bad_sizes)
{
    static const char *const bad[] = {"x", "0", "-32", "8", "100", "131072", "64 MB"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        setenv("PVM_ULP_REGION", bad[i], 1);
        assert_non_null(strstr(said(regions_begin), bad[i]));
    }
    unsetenv("PVM_ULP_REGION");
    assert_string_equal(said(regions_begin), "");
}

/* Last, as it changes the size. */
UNIT_TEST(another_size)
{
    setenv("PVM_ULP_REGION", "32", 1);
    assert_string_equal(said(regions_begin), "");
    unsigned char *stack = region_take_stack(STACK);
    uintptr_t first = (uintptr_t)(stack - PAGES);
    assert_int_equal(first % (32 * MEGABYTE), 0);
    assert_int_equal((uintptr_t)(region_of(stack)->limit + PAGES) - first, 32 * MEGABYTE);
    assert_null(region_place(region_of(stack), (size_t)32 * MEGABYTE));
    region_give_back(stack);
}
