/* test_daemon_mailbox_requests.c - what do tasks get for what they ask of the mailboxes? */
#include "daemon/requests/mailbox_requests.h"

#include <pvm3.h>

#include "core/packed.h"
#include "daemon/hosts/relay.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

#define WAIT     99
#define FAR_PART (2u << TID_HOST_SHIFT)
#define FAR_TASK (FAR_PART | 5)
#define FAR_PVMD (FAR_PART | TID_DAEMON_BIT)
#define ANY      (-1)

static struct task *owner, *reader;
static int relayed;

enum request_result relay(struct request *request, const struct host *host, int32_t tag,
                          struct message *question, int prefix, int32_t failure)
{
    assert_ptr_equal(host, request->daemon->post->hosts.master);
    assert_int_equal(tag, DM_DB);
    assert_null(question);
    assert_int_equal(prefix, 0);
    assert_int_equal(failure, PvmSysErr);
    relayed++;
    return REQUEST_DONE;
}

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    mailbox_start(&quiet.request_room->mailboxes);
    list_start(&quiet.request_room->mailbox_waits);
    list_start(&quiet.request_room->mailbox_users);
    quiet_daemon_add_host(2);
    owner = task_new(&quiet.post->tasks, "owner");
    reader = task_new(&quiet.post->tasks, "reader");
    relayed = 0;
    return result < 0 || !owner || !reader ? -1 : 0;
}

static int finish(void **state)
{
    pending_fail_all(&quiet);
    watches_end_task(&quiet, owner->tid);
    watches_end_task(&quiet, reader->tid);
    mailbox_task_end(&quiet, FAR_PVMD);
    mailbox_finish(&quiet.request_room->mailboxes);
    assert_true(list_is_empty(&quiet.request_room->mailbox_waits));
    assert_true(list_is_empty(&quiet.request_room->mailbox_users));
    sent_forget();
    return quiet_daemon_finish(state);
}

static struct message *question(int32_t operation, uint32_t who, const char *name, int32_t index,
                                int32_t flags)
{
    struct message *message = control_new(TM_DB, CONTROL_CONTEXT_TM, WAIT);
    control_put_int(message, operation);
    control_put_tid(message, who);
    control_put_string(message, name);
    control_put_int(message, index);
    control_put_int(message, flags);
    return message;
}

static struct message *letter(const char *name, int32_t flags, uint32_t who, int32_t tag)
{
    struct message *message = question(MAILBOX_PUT, who, name, ANY, flags);
    struct message *inner = control_new(tag, 0, 0);
    control_put_int(inner, tag);
    assert_int_equal(packed_put(message, inner), 0);
    message_free(inner);
    return message;
}

static enum request_result take(struct task *task, struct message *message)
{
    return quiet_daemon_take(mailbox_request, task, FAR_PART, message);
}

static int32_t answer_to(const struct task *task)
{
    struct control_reader *body = sent_expect(task->tid, TM_DB, CONTROL_CONTEXT_TM, WAIT);
    int32_t value = control_get_int(body);
    assert_int_equal(control_rest(body), 0);
    return value;
}

static int32_t put(struct task *task, const char *name, int32_t flags, int32_t tag)
{
    assert_int_equal(take(task, letter(name, flags, task->tid, tag)), REQUEST_DONE);
    return answer_to(task);
}

static void get(const char *name, int32_t index, int32_t flags)
{
    assert_int_equal(take(reader, question(MAILBOX_GET, reader->tid, name, index, flags)),
                     REQUEST_DONE);
}

/* The reader gets the entry with that index, the message with that tag. */
static void expect_entry(int32_t index, int32_t tag)
{
    struct message *inner;
    struct control_reader *body = sent_expect(reader->tid, TM_DB, CONTROL_CONTEXT_TM, WAIT);
    assert_int_equal(control_get_int(body), index);
    assert_int_equal(packed_get(body->message, &body->cursor, &inner), 0);
    assert_int_equal(inner->header.tag, tag);
    message_free(inner);
    assert_int_equal(control_rest(body), 0);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(what_was_put_is_found)
{
    assert_int_equal(put(owner, "a", PvmMboxMultiInstance, 10), 0);
    assert_int_equal(put(owner, "a", PvmMboxMultiInstance, 11), 1);
    get("a", 1, 0);
    expect_entry(1, 11);
    get("a", 0, 0);
    expect_entry(0, 10);
    assert_int_equal(sent_count(), 0);
}

TEST(what_there_is_not_is_an_error)
{
    get("a", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
    put(owner, "a", 0, 10);
    get("a", 0, PvmMboxReadAndDelete);
    assert_int_equal(answer_to(reader), PvmDenied);
    assert_int_equal(put(reader, "a", 0, 11), PvmDenied);
    take(reader, question(MAILBOX_REMOVE, reader->tid, "a", 0, 0));
    assert_int_equal(answer_to(reader), PvmDenied);
    take(owner, question(MAILBOX_REMOVE, owner->tid, "a", 0, 0));
    assert_int_equal(answer_to(owner), 0);
    take(owner, question(MAILBOX_REMOVE, owner->tid, "a", 0, 0));
    assert_int_equal(answer_to(owner), PvmNotFound);
}

TEST(who_waits_gets_the_entry_when_it_comes)
{
    get("a", 1, PvmMboxWaitForInfo);
    assert_int_equal(put(owner, "b", PvmMboxMultiInstance, 20), 0);
    assert_int_equal(put(owner, "b", PvmMboxMultiInstance, 21), 1);
    take(owner, letter("a", PvmMboxMultiInstance, owner->tid, 10));
    assert_int_equal(answer_to(owner), 0);
    assert_int_equal(sent_count(), 0);
    take(owner, letter("a", PvmMboxMultiInstance, owner->tid, 11));
    expect_entry(1, 11);
    assert_int_equal(answer_to(owner), 1);
    take(owner, letter("a", PvmMboxMultiInstance, owner->tid, 12));
    assert_int_equal(answer_to(owner), 2);
    assert_int_equal(sent_count(), 0);
}

TEST(one_of_two_who_wait_takes_what_is_there_once)
{
    const int32_t flags = PvmMboxWaitForInfo | PvmMboxReadAndDelete;
    get("a", 0, flags);
    get("a", 0, flags);
    take(owner, letter("a", PvmMboxOverWritable, owner->tid, 10));
    expect_entry(0, 10);
    assert_int_equal(answer_to(owner), 0);
    assert_int_equal(sent_count(), 0);
    take(owner, letter("a", PvmMboxOverWritable, owner->tid, 11));
    expect_entry(0, 11);
    assert_int_equal(answer_to(owner), 0);
    get("a", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
}

TEST(who_has_ended_does_not_wait)
{
    get("a", 0, PvmMboxWaitForInfo | PvmMboxReadAndDelete);
    mailbox_task_end(&quiet, reader->tid);
    assert_int_equal(put(owner, "a", PvmMboxOverWritable, 10), 0);
    get("a", 0, 0);
    expect_entry(0, 10);
}

TEST(what_an_owner_left_goes_with_it)
{
    put(owner, "a", 0, 10);
    put(owner, "b", PvmMboxPersistent, 20);
    mailbox_task_end(&quiet, owner->tid);
    get("a", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
    get("b", 0, 0);
    expect_entry(0, 20);
}

/* The daemon of the other host is asked to tell of the end of its task; under which number. */
static int32_t expect_watch(void)
{
    int32_t wait = sent_wait();
    struct control_reader *body = sent_expect(FAR_PVMD, DM_NOTIFY, 0, wait);
    assert_int_equal(control_get_int(body), PvmTaskExit);
    assert_int_equal(control_get_tid(body), FAR_TASK);
    return wait;
}

static int32_t answer_to_far(void)
{
    return control_get_int(sent_expect(FAR_PVMD, TM_DB + 1, CONTROL_CONTEXT_TM, WAIT));
}

static int32_t far_puts(const char *name, int32_t tag)
{
    assert_int_equal(take(NULL, letter(name, 0, FAR_TASK, tag)), REQUEST_DONE);
    int32_t wait = expect_watch();
    assert_int_equal(answer_to_far(), 0);
    return wait;
}

TEST(an_owner_on_another_host_is_watched_once)
{
    int32_t wait = far_puts("a", 10);
    take(NULL, letter("b", 0, FAR_TASK, 20));
    sent_expect(FAR_PVMD, TM_DB + 1, CONTROL_CONTEXT_TM, WAIT);
    assert_int_equal(sent_count(), 0);
    assert_true(quiet_daemon_hear(FAR_PART, control_new(DM_NOTIFYACK, 0, wait)));
    get("a", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
    get("b", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
    assert_false(quiet_daemon_hear(FAR_PART, control_new(DM_NOTIFYACK, 0, wait)));
    far_puts("a", 11);
}

TEST(an_owner_ends_with_its_host)
{
    int32_t wait = far_puts("a", 10);
    pending_fail(&quiet, FAR_PART);
    get("a", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
    assert_false(quiet_daemon_hear(FAR_PART, control_new(DM_NOTIFYACK, 0, wait)));
}

TEST(who_has_ended_on_another_host_does_not_wait)
{
    const int32_t flags = PvmMboxWaitForInfo | PvmMboxReadAndDelete;
    take(NULL, question(MAILBOX_GET, FAR_TASK, "a", 0, flags));
    assert_true(quiet_daemon_hear(FAR_PART, control_new(DM_NOTIFYACK, 0, expect_watch())));
    assert_int_equal(answer_to_far(), PvmNotFound);
    put(owner, "a", PvmMboxOverWritable, 10);
    get("a", 0, 0);
    expect_entry(0, 10);
    assert_int_equal(sent_count(), 0);
}

TEST(an_owner_of_no_host_is_not_watched)
{
    take(reader, letter("a", 0, (9u << TID_HOST_SHIFT) | 1, 10));
    assert_int_equal(answer_to(reader), 0);
    take(reader, letter("a", 0, FAR_TASK, 11));
    assert_int_equal(answer_to(reader), PvmDenied);
    assert_int_equal(sent_count(), 0);
}

TEST(names_are_those_that_fit)
{
    put(owner, "ax", PvmMboxMultiInstance, 10);
    put(owner, "ax", PvmMboxMultiInstance, 11);
    put(owner, "b", 0, 20);
    take(reader, question(MAILBOX_NAMES, reader->tid, "a*", 0, 0));
    struct control_reader *body = sent_expect(reader->tid, TM_DB, CONTROL_CONTEXT_TM, WAIT);
    assert_int_equal(control_get_int(body), 0);
    assert_int_equal(control_get_int(body), 1);
    char *name = control_get_string(body, 0);
    assert_string_equal(name, "ax");
    free(name);
    assert_int_equal(control_get_int(body), 2);
    for (int32_t i = 0; i < 2; i++) {
        assert_int_equal(control_get_int(body), i);
        assert_int_equal(control_get_tid(body), owner->tid);
        assert_int_equal(control_get_int(body), PvmMboxMultiInstance);
    }
    assert_int_equal(control_rest(body), 0);
}

TEST(reset_spares_whom_it_names)
{
    put(owner, "a", PvmMboxPersistent, 10);
    put(reader, "b", PvmMboxPersistent, 20);
    struct message *message = question(MAILBOX_RESET, reader->tid, "", ANY, 1);
    control_put_int(message, 1);
    control_put_tid(message, reader->tid);
    assert_int_equal(take(reader, message), REQUEST_DONE);
    assert_int_equal(answer_to(reader), 0);
    mailbox_task_end(&quiet, owner->tid);
    mailbox_task_end(&quiet, reader->tid);
    get("a", 0, 0);
    assert_int_equal(answer_to(reader), PvmNotFound);
    get("b", 0, 0);
    expect_entry(0, 20);
}

TEST(what_makes_no_sense_is_refused)
{
    struct message *many = question(MAILBOX_RESET, reader->tid, "", ANY, 0);
    control_put_int(many, 1 << 30);
    struct message *cut = control_new(TM_DB, CONTROL_CONTEXT_TM, WAIT);
    control_put_int(cut, MAILBOX_REMOVE);
    control_put_tid(cut, reader->tid);
    control_put_string(cut, "a");
    struct message *requests[] = {
        control_new(TM_DB, CONTROL_CONTEXT_TM, WAIT),
        question(0, reader->tid, "a", 0, 0),
        question(MAILBOX_RESET + 1, reader->tid, "a", 0, 0),
        question(MAILBOX_PUT, reader->tid, "a", ANY, 0), /* nothing */
        question(MAILBOX_RESET, reader->tid, "", ANY, 0),
        many,
        cut,
    };
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        assert_int_equal(take(reader, requests[i]), REQUEST_MALFORMED);
    assert_int_equal(sent_count(), 0);
    assert_true(list_is_empty(&quiet.request_room->mailboxes.classes));
}

TEST(a_slave_asks_the_master)
{
    quiet.post->hosts.master = hosts_find(&quiet.post->hosts, FAR_PART);
    take(owner, letter("a", 0, owner->tid, 10));
    get("a", 0, PvmMboxWaitForInfo);
    assert_int_equal(relayed, 2);
    assert_int_equal(sent_count(), 0);
    assert_true(list_is_empty(&quiet.request_room->mailboxes.classes));
}
