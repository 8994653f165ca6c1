/*
 * test_control.c - control messages: their codes and bytes, and
 * readers that trust nothing.
 */
#include "core/control.h"

#include <pvm3.h>

#include "core/signature.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

#define HIDDEN "\x5a\x5a\x5a\x5a" /* what must stay untouched */

struct code {
    int32_t code;
    uint32_t wire;
};

static const struct code codes[] = {
    {TM_CONNECT, 0x80010001},   {TM_CONN2, 0x80010002},    {TM_EXIT, 0x80010003},
    {TM_ADDHOST, 0x80010004},   {TM_DELHOST, 0x80010005},  {TM_CONFIG, 0x80010006},
    {TM_MSTAT, 0x80010007},     {TM_HALT, 0x80010008},     {TM_TICKLE, 0x80010009},
    {TM_SPAWN, 0x8001000a},     {TM_PSTAT, 0x8001000b},    {TM_SENDSIG, 0x8001000c},
    {TM_TASK, 0x8001000d},      {TM_MCA, 0x8001000e},      {TM_NOTIFY, 0x8001000f},
    {TM_DB, 0x80010010},        {TM_SCHED, 0x80010011},    {TM_TASKER, 0x80010012},
    {TM_HOSTER, 0x80010013},    {TM_TRACER, 0x80010014},   {TM_HOSTSYNC, 0x80010015},
    {TM_SETOPT, 0x80010016},    {TM_GETOPT, 0x80010017},   {TM_CONTEXT, 0x80010018},
    {TM_SHMCONN, 0x80010019},   {TC_CONREQ, 0x80030001},   {TC_CONACK, 0x80030002},
    {TC_TASKEXIT, 0x80030003},  {TC_NOOP, 0x80030004},     {TC_OUTPUT, 0x80030005},
    {TC_SETTRACE, 0x80030006},  {TC_SETTMASK, 0x80030007}, {TC_SETTRCBUF, 0x80030008},
    {TC_SETTRCOPT, 0x80030009}, {TC_SHMAT, 0x8003000a},    {TC_OUTPUTX, 0x8003000b},
    {TC_SIBLINGS, 0x8003000c},  {SM_SPAWN, 0x80040001},    {SM_EXEC, 0x80040002},
    {SM_EXECACK, 0x80040003},   {SM_TASK, 0x80040004},     {SM_CONFIG, 0x80040005},
    {SM_ADDHOST, 0x80040006},   {SM_DELHOST, 0x80040007},  {SM_ADD, 0x80040008},
    {SM_ADDACK, 0x80040009},    {SM_NOTIFY, 0x8004000a},   {SM_TASKX, 0x8004000b},
    {SM_HOSTX, 0x8004000c},     {SM_HANDOFF, 0x8004000d},  {SM_SCHED, 0x8004000e},
};

UNIT_TEST(codes_are_those_of_3_4_6)
{
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        assert_int_equal((uint32_t)codes[i].code, codes[i].wire);
    assert_int_equal(CONTROL_TASK_PROTOCOL, 0x526);
    assert_int_equal(CONTROL_DAEMON_PROTOCOL, 2316);
    assert_int_equal(CONTROL_CONTEXT_TC, 0x7ffff);
    assert_int_equal(CONTROL_CONTEXT_TM, 0x7fffe);
}

/* Writing -------------------------------------------------------------------------------------- */

static void expect_stream(struct message *message, uint32_t destination, uint32_t source,
                          const char *hex)
{
    unsigned char expected[256];
    size_t length = body_parse(hex, expected, sizeof expected);
    size_t size;
    assert_true(control_is_whole(message));
    unsigned char *stream = body_stream(message, destination, source, &size);
    assert_int_equal(size, length);
    assert_memory_equal(stream, expected, size);
    free(stream);
    message_free(message);
}

UNIT_TEST(published_connect)
{
    struct message *message = control_new(TM_CONNECT, CONTROL_CONTEXT_TM, 1);
    control_put_int(message, CONTROL_TASK_PROTOCOL);
    control_put_string(message, "/tmp/pvmtmp012072.0");
    expect_stream(message, 0x80000000, 0xffffffff,
                  "80000000 ffffffff 0000003c 03000000"
                  "10000000 80010001 0007fffe 00000000 00000001 00000000 00000000 00000000"
                  "00000526 00000014 2f746d70 2f70766d 746d7030 31323037 322e3000");
}

UNIT_TEST(published_answer_to_connect)
{
    struct message *message = control_new(TM_CONNECT, CONTROL_CONTEXT_TM, 1);
    control_put_int(message, CONTROL_TASK_PROTOCOL);
    control_put_int(message, 1);
    control_put_string(message, "/tmp/pvmtmp011649.1");
    expect_stream(message, 0, 0x80000000,
                  "00000000 80000000 00000040 03000000"
                  "10000000 80010001 0007fffe 00000000 00000001 00000000 00000000 00000000"
                  "00000526 00000001 00000014 2f746d70 2f70766d 746d7030 31313634 392e3100");
}

UNIT_TEST(published_second_connect)
{
    struct message *message = control_new(TM_CONN2, CONTROL_CONTEXT_TM, 2);
    control_put_int(message, 12072);
    control_put_int(message, 0);
    expect_stream(message, 0x80000000, 0xffffffff,
                  "80000000 ffffffff 00000028 03000000"
                  "10000000 80010002 0007fffe 00000000 00000002 00000000 00000000 00000000"
                  "00002f28 00000000");
}

UNIT_TEST(published_answer_to_second_connect)
{
    struct message *message = control_new(TM_CONN2, CONTROL_CONTEXT_TM, 2);
    control_put_int(message, 1);
    control_put_tid(message, 0x40001);
    for (int i = 0; i < 7; i++)
        control_put_int(message, 0);
    control_put_int(message, 4080);
    control_put_int(message, 0x00408c41);
    control_put_string(message, "c0000202:ca7e");
    control_put_int(message, 0);
    expect_stream(
        message, 0x40001, 0x80000000,
        "00040001 80000000 00000064 03000000"
        "10000000 80010002 0007fffe 00000000 00000002 00000000 00000000 00000000"
        "00000001 00040001 00000000 00000000 00000000 00000000 00000000 00000000"
        "00000000 00000ff0 00408c41 0000000e 63303030 30323032 3a636137 65000000 00000000");
}

UNIT_TEST(bytes_are_padded_and_not_counted)
{
    OWN struct message *message = control_new(1, 2, 3);
    control_put_bytes(message, "", 0);
    control_put_bytes(message, "abcde", 5);
    control_put_bytes(message, "fghi", 4);
    control_put_tid(message, 0xffffffff);
    body_expect_hex(message, "61626364 65000000 66676869 ffffffff");
    assert_true(control_is_whole(message));
}

UNIT_TEST(no_message_is_not_whole)
{
    control_put_int(NULL, 1);
    control_put_tid(NULL, 1);
    control_put_string(NULL, "text");
    control_put_bytes(NULL, "text", 4);
    assert_false(control_is_whole(NULL));
}

UNIT_TEST(sizes_beyond_a_count_spoil_the_message)
{
    OWN struct message *message = control_new(1, 2, 3);
    control_put_int(message, 1);
    control_put_bytes(message, "", (size_t)INT32_MAX + 1);
    assert_false(control_is_whole(message));
    control_put_int(message, 2); /* nothing follows what was left out */
    body_expect_hex(message, "00000001");
}

/* Reading -------------------------------------------------------------------------------------- */

static void expect_failed(struct control_reader *reader)
{
    char bytes[] = HIDDEN;
    assert_true(reader->failed);
    assert_int_equal(control_get_int(reader), 0);
    assert_int_equal(control_get_tid(reader), 0);
    assert_int_equal(control_get_count(reader, 0), 0);
    assert_null(control_get_string(reader, 0));
    control_get_bytes(reader, bytes, sizeof bytes);
    assert_string_equal(bytes, HIDDEN);
    assert_true(reader->failed);
}

UNIT_TEST(fields_come_back_from_any_segments)
{
    /* The encoding is not asked. */
    const uint32_t encodings[] = {MESSAGE_XDR, 0, 0x0658eb59, 0x00408c41};
    for (size_t cut = 1; cut < 40; cut++) {
        struct message *message =
            body_make_hex(encodings[cut % 4],
                          "fffffffe 80040000 00000005 61626364 00eeeeee 78797aee 00000009", cut);
        struct control_reader reader;
        char bytes[4] = "...";
        control_read(&reader, message);
        assert_int_equal(control_rest(&reader), 28);
        assert_int_equal(control_get_int(&reader), -2);
        assert_int_equal(control_get_tid(&reader), 0x80040000);
        char *string = control_get_string(&reader, 0);
        assert_string_equal(string, "abcd");
        free(string);
        control_get_bytes(&reader, bytes, 3);
        assert_string_equal(bytes, "xyz");
        assert_int_equal(control_rest(&reader), 4);
        assert_int_equal(control_get_int(&reader), 9);
        assert_int_equal(control_rest(&reader), 0);
        assert_false(reader.failed);
        assert_int_equal(control_get_int(&reader), 0);
        expect_failed(&reader);
        message_free(message);
    }
}

UNIT_TEST(missing_padding_at_the_end_is_forgiven)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, "00000003 616200", 2);
    struct control_reader reader;
    control_read(&reader, message);
    char *string = control_get_string(&reader, 0);
    assert_string_equal(string, "ab");
    free(string);
    assert_false(reader.failed);
}

/* A length that the body or the limit rules out must not even be allocated. */
static void expect_string_failure(const char *hex, size_t limit)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, hex, 4);
    struct control_reader reader;
    unsigned long before = shortage_allocations();
    control_read(&reader, message);
    assert_null(control_get_string(&reader, limit));
    assert_int_equal(shortage_allocations(), before);
    expect_failed(&reader);
}

static void expect_string_without_end(const char *hex)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, hex, 4);
    struct control_reader reader;
    long before = shortage_live();
    control_read(&reader, message);
    assert_null(control_get_string(&reader, 0));
    assert_int_equal(shortage_live(), before);
    expect_failed(&reader);
}

UNIT_TEST(hostile_strings_are_failures)
{
    expect_string_failure("", 0);
    expect_string_failure("0000", 0);
    expect_string_failure("00000000 61626300", 0); /* no room for a NUL */
    expect_string_failure("00000002 61000000", 1);
    expect_string_failure("00000009 61626300 61626300", 0);
    expect_string_failure("7fffffff 61626300", 0);
    expect_string_failure("80000000 61626300", 0);
    expect_string_failure("ffffffff 61626300", 0);
    expect_string_failure("ffffffff 61626300", 10);
    expect_string_failure("00000004 61626300", 3);
}

UNIT_TEST(strings_without_an_end_are_failures)
{
    expect_string_without_end("00000004 61626364");
    expect_string_without_end("00000001 61626300"); /* the NUL is beyond the length */
    expect_string_without_end("00000003 61626300");
}

UNIT_TEST(strings_within_the_limit_are_good)
{
    OWN struct message *message =
        body_make_hex(MESSAGE_XDR, "00000004 61626300 00000001 00000000", 4);
    struct control_reader reader;
    control_read(&reader, message);
    char *string = control_get_string(&reader, 4);
    assert_string_equal(string, "abc");
    free(string);
    string = control_get_string(&reader, 1);
    assert_string_equal(string, "");
    free(string);
    assert_false(reader.failed);
}

static int32_t count_of(const char *hex, size_t item, bool *failed)
{
    struct message *message = body_make_hex(MESSAGE_XDR, hex, 3);
    struct control_reader reader;
    control_read(&reader, message);
    int32_t count = control_get_count(&reader, item);
    *failed = reader.failed;
    message_free(message);
    return count;
}

UNIT_TEST(counts_beyond_the_body_are_failures)
{
    const struct {
        const char *hex;
        size_t item;
        int32_t count; /* -1: a failure */
    } cases[] = {
        {"00000000", 4, 0},
        {"00000002 00000001 00000002", 4, 2},
        {"00000002 00000001 000002", 4, -1},
        {"00000003 00000001 00000002", 4, -1},
        {"00000003 00000001 00000002", 0, 3}, /* items that may take nothing */
        {"00000004 61626364", 1, 4},
        {"00000005 61626364", 1, -1},
        {"00000001 00000001 00000002", 8, 1},
        {"00000002 00000001 00000002", 8, -1},
        {"7fffffff 00000001 00000002", 4, -1},
        {"40000001 00000001 00000002", 4, -1}, /* times 4 is 4 in 32 bits */
        {"7fffffff 00000001", SIZE_MAX, -1},
        {"80000000 00000001", 4, -1},
        {"ffffffff 00000001", 0, -1},
        {"000000", 4, -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool failed;
        int32_t count = count_of(cases[i].hex, cases[i].item, &failed);
        assert_int_equal(failed, cases[i].count < 0);
        assert_int_equal(count, cases[i].count < 0 ? 0 : cases[i].count);
    }
}

UNIT_TEST(bytes_beyond_the_body_are_a_failure)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, "61626364 65", 3);
    struct control_reader reader;
    char bytes[8];
    control_read(&reader, message);
    control_get_bytes(&reader, bytes, 5);
    assert_false(reader.failed);
    control_read(&reader, message);
    control_get_bytes(&reader, bytes, 6);
    expect_failed(&reader);
}

/* Shortage ------------------------------------------------------------------------------------- */

static void write_scenario(void)
{
    static char text[9000]; /* three fragments */
    memset(text, 'x', sizeof text - 1);
    OWN struct message *message = control_new(1, 2, 3);
    control_put_int(message, 5);
    control_put_string(message, text);
    control_put_bytes(message, text, 4);
    control_put_tid(message, 6);
    assert_int_equal(control_is_whole(message), !shortage_was_met());
    if (control_is_whole(message))
        assert_int_equal(message->length, 4 + 4 + 9000 + 4 + 4);
}

static struct message *scenario_message;

static void read_scenario(void)
{
    struct control_reader reader;
    control_read(&reader, scenario_message);
    char *first = control_get_string(&reader, 0);
    char *second = control_get_string(&reader, 0);
    assert_int_equal(reader.failed, shortage_was_met());
    assert_int_equal(!second, shortage_was_met());
    free(first);
    free(second);
}

UNIT_TEST(shortage_is_seen_once_at_the_end)
{
    shortage_try_each(write_scenario, 3);
    scenario_message = body_make_hex(MESSAGE_XDR, "00000002 61000000 00000002 62000000", 16);
    shortage_try_each(read_scenario, 2);
    message_free(scenario_message);
}
