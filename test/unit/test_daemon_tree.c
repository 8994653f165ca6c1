/* test_daemon_tree.c - who hands a multicast on to whom? */
#include "daemon/post/tree.h"

#include "unit.h"

enum { MOST = 70 };

static void expect_children(size_t node, size_t count, const char *expected)
{
    char text[200] = "";
    size_t children[8 * sizeof(size_t)], found = tree_children(node, count, children);
    for (size_t i = 0; i < found; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%zu ", children[i]);
    assert_string_equal(text, expected);
}

UNIT_TEST(the_most_significant_bit_is_first)
{
    expect_children(0, 8, "4 2 1 ");
    expect_children(4, 8, "6 5 ");
    expect_children(2, 8, "3 ");
    expect_children(6, 8, "7 ");
    expect_children(7, 8, "");
    expect_children(0, 1, "");
}

UNIT_TEST(a_tree_need_not_be_full)
{
    expect_children(0, 6, "4 2 1 ");
    expect_children(4, 6, "5 ");
    expect_children(0, 9, "8 4 2 1 ");
    expect_children(8, 9, "");
}

UNIT_TEST(each_node_has_one_parent_and_is_its_child)
{
    for (size_t count = 1; count <= MOST; count++) {
        size_t times[MOST] = {1}, children[8 * sizeof(size_t)];
        for (size_t node = 0; node < count; node++) {
            size_t found = tree_children(node, count, children);
            for (size_t i = 0; i < found; i++) {
                assert_true(children[i] < count);
                assert_int_equal(tree_parent(children[i]), node);
                times[children[i]]++;
            }
        }
        for (size_t node = 0; node < count; node++)
            assert_int_equal(times[node], 1);
    }
}
