/* test_groups_static.c - what a task remembers of groups that cannot change. */
#include "groups/static_groups.h"

#include <pvm3.h>

#include "groups/protocol.h"
#include "shortage.h"
#include "unit.h"

static struct group_members members_of(int first, int second)
{
    struct group_members members = {.tids = malloc(10 * sizeof(int)), .capacity = 10};
    for (int i = 0; members.tids && i < 10; i++)
        members.tids[i] = i == 0 ? first : i == 1 ? second : GROUPS_NOBODY;
    return members;
}

UNIT_TEST(members_are_found_by_instance_and_tid)
{
    struct group_members members = members_of(7, 5);
    assert_int_equal(group_members_count(&members), 2);
    assert_int_equal(group_members_instance(&members, 5), 1);
    assert_int_equal(group_members_instance(&members, 6), PvmNotInGroup);
    assert_int_equal(group_members_instance(&members, GROUPS_NOBODY), 2);
    members.capacity = 2;
    assert_int_equal(group_members_instance(&members, GROUPS_NOBODY), PvmNotInGroup);
    members.capacity = 10;
    assert_int_equal(group_members_tid(&members, 0), 7);
    assert_int_equal(group_members_tid(&members, 2), PvmNoInst);
    assert_int_equal(group_members_tid(&members, 10), PvmNoInst);
    assert_int_equal(group_members_tid(&members, -1), PvmNoInst);
    free(members.tids);
}

UNIT_TEST(first_description_stays_until_it_is_dropped)
{
    struct static_group *list = NULL;
    struct group_members first = members_of(1, 2), again = members_of(3, 4);
    struct group_members other = members_of(5, 6);
    assert_int_equal(static_groups_add(&list, "g", &first), 0);
    assert_int_equal(static_groups_add(&list, "g", &again), 0);
    assert_int_equal(static_groups_add(&list, "h", &other), 0);
    assert_int_equal(static_groups_find(list, "g")->members.tids[0], 1);
    static_groups_drop(&list, "g");
    static_groups_drop(&list, "g");
    assert_null(static_groups_find(list, "g"));
    assert_int_equal(static_groups_find(list, "h")->members.tids[0], 5);
    static_groups_clear(&list);
    assert_null(list);
}

static void add_and_clear(void)
{
    struct static_group *list = NULL;
    struct group_members members = members_of(1, 2);
    if (!members.tids)
        return;
    int result = static_groups_add(&list, "g", &members);
    assert_true(result == 0 || result == PvmNoMem);
    assert_int_equal(list != NULL, result == 0);
    static_groups_clear(&list);
}

UNIT_TEST(shortage_of_memory_loses_nothing)
{
    shortage_try_each(add_and_clear, 2);
}
