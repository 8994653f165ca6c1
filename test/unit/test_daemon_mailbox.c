/* test_daemon_mailbox.c - what do mailboxes keep, for whom, and until when? */
#include "daemon/requests/mailbox.h"

#include <pvm3.h>

#include "shortage.h"
#include "unit.h"

#define OWNER 0x40001u
#define OTHER 0x40002u

static struct mailboxes mailboxes;

UNIT_STEP(start)
{
    mailbox_start(&mailboxes);
    return 0;
}

UNIT_STEP(finish)
{
    mailbox_finish(&mailboxes);
    return 0;
}

static struct message *letter(int32_t tag)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    if (message)
        message->header.tag = tag;
    return message;
}

static int put(const char *name, int index, int flags, uint32_t who, int32_t tag)
{
    return mailbox_put(&mailboxes, name, index, flags, who, letter(tag));
}

/* The tag of the message found, or the error code. */
static int32_t get(const char *name, int index, int flags, uint32_t who)
{
    struct message *message = NULL;
    int found = mailbox_get(&mailboxes, name, index, flags, who, &message);
    if (found < 0)
        return found;
    int32_t tag = message->header.tag;
    message_free(message);
    return tag;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(one_entry_is_replaced_by_its_owner_only)
{
    assert_int_equal(put("a", -1, 0, OWNER, 1), 0);
    assert_int_equal(put("a", -1, 0, OWNER, 2), 0);
    assert_int_equal(get("a", 0, 0, OTHER), 2);
    assert_int_equal(put("a", -1, 0, OTHER, 3), PvmDenied);
    assert_int_equal(get("a", 0, 0, OTHER), 2);
    assert_int_equal(put("a", -1, PvmMboxOverWritable, OWNER, 4), 0);
    assert_int_equal(put("a", -1, 0, OTHER, 5), 0);
    assert_int_equal(get("a", 0, 0, OWNER), 5);
    assert_int_equal(put("a", -1, 0, OWNER, 6), PvmDenied);
}

TEST(instances_take_the_next_free_index)
{
    const int many = PvmMboxMultiInstance;
    assert_int_equal(put("a", -1, many | PvmMboxDirectIndex(3), OWNER, 13), 3);
    assert_int_equal(put("a", -1, many, OWNER, 10), 0);
    assert_int_equal(put("a", -1, many, OTHER, 11), 1);
    assert_int_equal(put("a", -1, many, OWNER, 12), 2);
    assert_int_equal(put("a", -1, many, OWNER, 14), 4);
    for (int i = 0; i < 5; i++)
        assert_int_equal(get("a", i, 0, OWNER), 10 + i);
    assert_int_equal(put("a", 2, many, OWNER, 99), PvmDenied);
    assert_int_equal(put("a", 9, many, OWNER, 19), 9);
    assert_int_equal(mailbox_class_at(mailboxes.classes.next)->count, 6);
}

TEST(get_takes_the_index_or_the_first_from_there_on)
{
    put("a", 2, 0, OWNER, 2);
    put("a", 5, 0, OWNER, 5);
    assert_int_equal(get("a", 0, 0, OTHER), PvmNotFound);
    assert_int_equal(get("a", 0, PvmMboxFirstAvail, OTHER), 2);
    assert_int_equal(get("a", 3, PvmMboxFirstAvail, OTHER), 5);
    assert_int_equal(get("a", 6, PvmMboxFirstAvail, OTHER), PvmNotFound);
    assert_int_equal(get("b", 0, PvmMboxFirstAvail, OTHER), PvmNotFound);
}

TEST(reading_and_deleting_needs_the_right_to_delete)
{
    const int take = PvmMboxReadAndDelete;
    put("a", 0, 0, OWNER, 1);
    put("a", 1, PvmMboxOverWritable, OWNER, 2);
    assert_int_equal(get("a", 0, take, OTHER), PvmDenied);
    assert_int_equal(get("a", 1, take, OTHER), 2);
    assert_int_equal(get("a", 0, take, OWNER), 1);
    assert_true(list_is_empty(&mailboxes.classes));
}

TEST(removal_needs_the_same_right)
{
    put("a", 0, 0, OWNER, 1);
    put("a", 1, PvmMboxOverWritable, OWNER, 2);
    assert_int_equal(mailbox_remove(&mailboxes, "a", 0, OTHER), PvmDenied);
    assert_int_equal(mailbox_remove(&mailboxes, "a", 1, OTHER), 1);
    assert_int_equal(mailbox_remove(&mailboxes, "a", 1, OTHER), PvmNotFound);
    assert_int_equal(mailbox_remove(&mailboxes, "b", 0, OWNER), PvmNotFound);
    assert_int_equal(mailbox_remove(&mailboxes, "a", 0, OWNER), 0);
    assert_true(list_is_empty(&mailboxes.classes));
}

TEST(entries_go_with_their_owner_unless_persistent)
{
    put("a", 0, 0, OWNER, 1);
    put("a", 1, PvmMboxPersistent, OWNER, 2);
    put("b", 0, 0, OWNER, 3);
    put("c", 0, 0, OTHER, 4);
    mailbox_forget_owner(&mailboxes, OWNER);
    assert_int_equal(get("a", 0, 0, OTHER), PvmNotFound);
    assert_int_equal(get("a", 1, 0, OTHER), 2);
    assert_int_equal(get("b", 0, 0, OTHER), PvmNotFound);
    assert_int_equal(get("c", 0, 0, OTHER), 4);
    assert_int_equal(mailbox_remove(&mailboxes, "a", 1, OWNER), PvmDenied);
}

TEST(reset_clears_what_belongs_to_nobody)
{
    put("a", 0, PvmMboxPersistent, OWNER, 1);
    put("b", 0, PvmMboxPersistent, OWNER, 2);
    put("c", 0, 0, OTHER, 3);
    mailbox_forget_owner(&mailboxes, OWNER);
    mailbox_reset(&mailboxes, "a", 7, false, NULL, 0);
    assert_int_equal(get("a", 0, 0, OTHER), 1);
    mailbox_reset(&mailboxes, "a", -1, false, NULL, 0);
    assert_int_equal(get("a", 0, 0, OTHER), PvmNotFound);
    assert_int_equal(get("b", 0, 0, OTHER), 2);
    mailbox_reset(&mailboxes, "", -1, false, NULL, 0);
    assert_int_equal(get("b", 0, 0, OTHER), PvmNotFound);
    assert_int_equal(get("c", 0, 0, OTHER), 3);
}

TEST(reset_dooms_the_entries_of_the_killed)
{
    const uint32_t spared[] = {OTHER};
    put("a", 0, PvmMboxPersistent, OWNER, 1);
    put("a", 1, PvmMboxPersistent, OTHER, 2);
    mailbox_reset(&mailboxes, "", -1, true, spared, COUNT_OF(spared));
    assert_int_equal(get("a", 0, 0, OTHER), 1);
    mailbox_forget_owner(&mailboxes, OWNER);
    mailbox_forget_owner(&mailboxes, OTHER);
    assert_int_equal(get("a", 0, 0, OTHER), PvmNotFound);
    assert_int_equal(get("a", 1, 0, OTHER), 2);
}

TEST(classes_keep_the_order_in_which_they_were_made)
{
    put("z", 0, 0, OWNER, 1);
    put("a", 0, 0, OWNER, 1);
    put("m", 0, 0, OWNER, 1);
    put("z", 1, 0, OWNER, 1);
    const char *expected = "zam";
    LIST_FOR_EACH(node, &mailboxes.classes)
    assert_int_equal(mailbox_class_at(node)->name[0], *expected++);
    assert_int_equal(*expected, '\0');
}

static void short_memory_scenario(void)
{
    struct mailboxes some;
    mailbox_start(&some);
    struct message *message = letter(1);
    int result =
        message ? mailbox_put(&some, "class", -1, PvmMboxMultiInstance, OWNER, message) : PvmNoMem;
    if (result == 0) {
        struct message *view = NULL;
        result = mailbox_get(&some, "class", 0, PvmMboxReadAndDelete, OWNER, &view);
        if (result == 0)
            message_free(view);
    }
    assert_int_equal(result, shortage_was_met() ? PvmNoMem : 0);
    mailbox_finish(&some);
}

UNIT_TEST(short_memory_leaves_nothing_behind)
{
    shortage_try_each(short_memory_scenario, 4);
}
