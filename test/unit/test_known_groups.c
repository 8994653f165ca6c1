/* test_known_groups.c - what a task remembers of who is in which group. */
#include "groups/known_groups.h"

#include <stdio.h>

#include <pvm3.h>

#include "groups/protocol.h"
#include "shortage.h"
#include "unit.h"

enum { PLACES = 10 };

/* Two members, and free places behind them. */
static struct group_members members_in(int tids[PLACES], int first, int second, bool is_static)
{
    for (int i = 0; i < PLACES; i++)
        tids[i] = i == 0 ? first : i == 1 ? second : GROUPS_NOBODY;
    return (struct group_members){.tids = tids, .capacity = PLACES, .is_static = is_static};
}

/* Adds a group with the members 1 and `second`. */
static int add(struct known_group **list, const char *name, int second, bool is_static)
{
    int tids[PLACES];
    struct group_members members = members_in(tids, 1, second, is_static);
    return known_groups_add(list, name, &members, (unsigned)second);
}

UNIT_TEST(members_are_found_by_instance_and_tid)
{
    int tids[PLACES];
    struct group_members members = members_in(tids, 7, 5, true);
    assert_int_equal(group_members_count(&members), 2);
    assert_int_equal(group_members_instance(&members, 5), 1);
    assert_int_equal(group_members_instance(&members, 6), PvmNotInGroup);
    assert_int_equal(group_members_instance(&members, GROUPS_NOBODY), 2);
    members.capacity = 2;
    assert_int_equal(group_members_instance(&members, GROUPS_NOBODY), PvmNotInGroup);
    members.capacity = PLACES;
    assert_int_equal(group_members_tid(&members, 0), 7);
    assert_int_equal(group_members_tid(&members, 2), PvmNoInst);
    assert_int_equal(group_members_tid(&members, PLACES), PvmNoInst);
    assert_int_equal(group_members_tid(&members, -1), PvmNoInst);
}

UNIT_TEST(places_without_a_member_are_left_out)
{
    int tids[PLACES];
    struct group_members members = members_in(tids, 7, 5, false);
    assert_false(group_members_close_up(&members));
    assert_int_equal(members.capacity, 2);
    members = members_in(tids, GROUPS_NOBODY, 5, false);
    assert_true(group_members_close_up(&members));
    assert_int_equal(group_members_tid(&members, 0), 5);
    members = members_in(tids, 9, 3, false);
    members.capacity = 2;
    group_members_sort(&members);
    assert_int_equal(members.tids[0], 3);
}

UNIT_TEST(a_static_group_stays_as_it_is)
{
    struct known_group *list = NULL;
    assert_int_equal(add(&list, "g", 2, true), 0);
    assert_int_equal(add(&list, "g", 3, true), 0);
    assert_int_equal(add(&list, "h", 4, true), 0);
    assert_int_equal(known_groups_find(list, "g")->members.tids[1], 2);
    known_groups_drop_changing(&list);
    known_groups_drop(&list, "g");
    known_groups_drop(&list, "g");
    assert_null(known_groups_find(list, "g"));
    assert_int_equal(known_groups_find(list, "h")->members.tids[1], 4);
    known_groups_clear(&list);
    assert_null(list);
}

UNIT_TEST(what_is_newer_takes_the_place_of_a_changing_group)
{
    struct known_group *list = NULL;
    assert_int_equal(add(&list, "static", 2, true), 0);
    assert_int_equal(add(&list, "g", 2, false), 0);
    assert_int_equal(add(&list, "g", 3, false), 0);
    assert_int_equal(known_groups_find(list, "g")->members.tids[1], 3);
    assert_int_equal(known_groups_find(list, "g")->changes, 3);
    known_groups_drop_changing(&list);
    assert_null(known_groups_find(list, "g"));
    assert_non_null(known_groups_find(list, "static"));
    known_groups_clear(&list);
}

UNIT_TEST(the_oldest_of_many_changing_groups_go)
{
    struct known_group *list = NULL;
    char name[16];
    assert_int_equal(add(&list, "static", 2, true), 0);
    for (int i = 0; i <= KNOWN_GROUPS_CHANGING; i++) {
        snprintf(name, sizeof name, "g%d", i);
        assert_int_equal(add(&list, name, 2, false), 0);
    }
    assert_null(known_groups_find(list, "g0"));
    assert_non_null(known_groups_find(list, "g1"));
    assert_non_null(known_groups_find(list, "static"));
    known_groups_clear(&list);
}

static void add_and_clear(void)
{
    struct known_group *list = NULL;
    int result = add(&list, "g", 2, true);
    assert_true(result == 0 || result == PvmNoMem);
    assert_int_equal(list != NULL, result == 0);
    known_groups_clear(&list);
}

UNIT_TEST(shortage_of_memory_loses_nothing)
{
    shortage_try_each(add_and_clear, 2);
}
