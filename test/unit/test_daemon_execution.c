/* test_daemon_execution.c - how is an order to start tasks read, and which ones make no sense? */
#include "daemon/tasks/execution.h"

#include <pvm3.h>

#include "body.h"
#include "unit.h"

struct order {
    int32_t flags;
    const char *where;
    int32_t count;
    int32_t arguments; /* as announced; two are there */
    int32_t variables; /* as announced; two are there */
};

static struct message *write_order(const struct order *order)
{
    struct message *message = control_new(TM_SPAWN, 0, 1);
    control_put_string(message, "program");
    control_put_int(message, order->flags);
    control_put_string(message, order->where);
    control_put_int(message, order->count);
    control_put_int(message, order->arguments);
    control_put_string(message, "one");
    control_put_string(message, "two");
    for (int32_t i = 1; i <= 6; i++)
        control_put_int(message, i);
    control_put_int(message, order->variables);
    control_put_string(message, "A=1");
    control_put_string(message, "PVMSPAWNWD=/first");
    return message;
}

static bool read_order(struct execution *execution, const struct order *order)
{
    struct message *message = write_order(order);
    struct control_reader body;
    control_read(&body, message);
    bool sane = execution_read_spawn(execution, &body, 0x40007);
    message_free(message);
    return sane;
}

UNIT_TEST(fields_are_read)
{
    struct execution execution;
    assert_true(read_order(&execution, &(struct order){0, "alpha", 3, 2, 1}));
    assert_string_equal(execution.file, "program");
    assert_string_equal(execution.where, "alpha");
    assert_int_equal(execution.parent, 0x40007);
    assert_int_equal(execution.count, 3);
    assert_int_equal(execution.total, 3);
    assert_int_equal(execution.arguments.count, 2);
    assert_string_equal(execution.arguments.items[1], "two");
    assert_null(execution.arguments.items[2]);
    assert_int_equal(execution.output.tid, 1);
    assert_int_equal(execution.output.tag, 3);
    assert_int_equal(execution.trace.context, 5);
    assert_string_equal(strings_value(&execution.environment, "A"), "1");
    assert_null(strings_value(&execution.environment, "PVM"));
    assert_null(execution.directory);
    execution_free(&execution);
}

UNIT_TEST(the_folder_is_split_from_the_place)
{
    struct execution execution;
    assert_true(read_order(&execution, &(struct order){PvmNoSpawnParent, "alpha:/tmp:x", 1, 2, 1}));
    assert_string_equal(execution.where, "alpha");
    assert_string_equal(execution.directory, "/tmp:x");
    assert_string_equal(strings_value(&execution.environment, "PVMSPAWNWD"), "/tmp:x");
    assert_int_equal(execution.parent, PvmParentNotSet);
    execution_free(&execution);
    assert_true(read_order(&execution, &(struct order){0, ":/tmp", 1, 2, 2}));
    assert_string_equal(execution.where, "");
    assert_string_equal(execution.directory, "/first");
    execution_free(&execution);
}

UNIT_TEST(nonsense_is_refused)
{
    const struct order cases[] = {
        {0, "", 0, 2, 2},         {0, "", -1, 2, 2}, {0, "", INT32_MAX, 2, 2}, {0, "", 1, -1, 2},
        {0, "", 1, INT32_MAX, 2}, {0, "", 1, 3, 2},  {0, "", 1, 2, INT32_MAX}, {0, "", 1, 2, 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct execution execution;
        if (read_order(&execution, &cases[i]))
            fail_msg("order %zu was taken", i);
        execution_free(&execution);
    }
}

UNIT_TEST(an_order_cut_anywhere_is_refused)
{
    OWN struct message *whole = write_order(&(struct order){0, "a:b", 1, 2, 2});
    for (size_t length = 0; length < whole->length; length += 4) {
        OWN struct message *cut = control_new(TM_SPAWN, 0, 1);
        struct control_reader body;
        struct execution execution;
        if (length > 0)
            assert_int_equal(
                message_append(cut, whole->segments[0].chunk, whole->segments[0].data, length), 0);
        control_read(&body, cut);
        assert_false(execution_read_spawn(&execution, &body, 1));
        execution_free(&execution);
    }
}
