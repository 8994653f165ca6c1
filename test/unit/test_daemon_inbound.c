/* test_daemon_inbound.c - who gets what has come from tasks and from other hosts? */
#include "daemon/requests/inbound.h"

#include <pvm3.h>
#include <stdarg.h>

#include "daemon/base/complaint.h"
#include "daemon/post/host_link.h"
#include "daemon/post/multicast.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/post/tree_branch.h"
#include "daemon/requests/peer_requests.h"
#include "daemon/requests/service_requests.h"
#include "daemon/requests/task_requests.h"
#include "daemon/tasks/route_sockets.h"

#include "quiet_daemon.h"
#include "shortage.h"
#include "unit.h"

#define OWN_DAEMON (OWN_PART | TID_DAEMON_BIT)
#define FAR_PART   (2u << TID_HOST_SHIFT)
#define FAR_DAEMON (FAR_PART | TID_DAEMON_BIT)
#define FAR_TASK   (FAR_PART | 5)
#define NO_HOST    (9u << TID_HOST_SHIFT)
#define LIMIT      ((size_t)3 * ASSEMBLER_PIECE_LEAST)
#define LATER      77u /* whom the daemon serves already, as if one round were within another */

/* What the neighbours were told last, and how often in all. */
static struct {
    int count;
    const char *neighbour;
    const void *owner; /* the task, link or daemon that was named beside */
    struct frame frame;
    struct message_header header;
    char body[8];
    uint32_t serving; /* whom the daemon served meanwhile */
    int notes;        /* frames shown to the keeper of the sockets before */
    int complaints;
    uint32_t blamed;
    char complaint[COMPLAINT_TEXT_MAX];
} told;

static void tell(const char *neighbour, const void *owner)
{
    told.count++;
    told.neighbour = neighbour;
    told.owner = owner;
    told.serving = quiet.post->serving;
}

static void tell_frame(const char *neighbour, const void *owner,
                       const struct received_frame *received)
{
    tell(neighbour, owner);
    told.frame = received->frame;
}

static void tell_message(const char *neighbour, const void *owner, const struct message *message)
{
    tell(neighbour, owner);
    told.header = message->header;
    memset(told.body, 0, sizeof told.body);
    assert_in_range(message->length, 0, sizeof told.body - 1);
    for (size_t i = 0, at = 0; i < message->segment_count; i++) {
        memcpy(told.body + at, message->segments[i].data, message->segments[i].length);
        at += message->segments[i].length;
    }
}

void complain(struct complaints *complaints, uint32_t who, const char *format, ...)
{
    va_list arguments;
    assert_ptr_equal(complaints, &quiet.complaints);
    told.complaints++;
    told.blamed = who;
    va_start(arguments, format);
    vsnprintf(told.complaint, sizeof told.complaint, format, arguments);
    va_end(arguments);
}

void host_link_send(struct host_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    tell_message("host_link", link, message);
    told.frame = (struct frame){.destination = destination, .source = source};
}

void multicast_forward(struct task *task, const struct received_frame *received)
{
    tell_frame("multicast", task, received);
}

void multicast_forward_here(struct daemon *daemon, const struct received_frame *received,
                            uint32_t sender)
{
    assert_ptr_equal(daemon, &quiet);
    assert_int_equal(sender, FAR_PART);
    tell_frame("multicast_here", daemon, received);
}

void tree_branch_take(struct daemon *daemon, const struct received_frame *received, uint32_t part)
{
    assert_ptr_equal(daemon, &quiet);
    assert_int_equal(part, FAR_PART);
    tell_frame("tree", daemon, received);
}

void peer_request_take(struct host_link *link, struct message *message)
{
    tell_message("peer", link, message);
}

void route_sockets_note(struct task *task, const struct received_frame *received)
{
    assert_int_equal(received->frame.source, task->tid);
    assert_int_equal(told.count, 0);
    told.notes++;
}

void router_forward(struct daemon *daemon, const struct received_frame *received)
{
    tell_frame("router", daemon, received);
}

void router_send(struct daemon *daemon, uint32_t destination, struct message *message)
{
    (void)daemon, (void)destination, (void)message;
    fail_msg("the frames that come in are not answered here");
}

void service_request_take_from_host(struct daemon *daemon, struct message *message)
{
    tell_message("service", daemon, message);
}

void task_request_drop(struct task *task, const struct message *message)
{
    tell_message("drop", task, message);
}

void task_request_take(struct task *task, struct message *message)
{
    tell_message("request", task, message);
}

static struct task_link link_of_task;
static int32_t tag; /* of messages that begin */
static struct task *task;
static struct host *far;
static long pieces;

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    memset(&told, 0, sizeof told);
    far = quiet_daemon_add_host(2);
    task = task_new(&quiet.post->tasks, "task");
    if (result < 0 || !task)
        return -1;
    task->link = &link_of_task;
    tag = 7;
    link_of_task.leased = false;
    assembler_start(&link_of_task.assembler);
    link_of_task.assembler.limit = LIMIT;
    assembler_start(&far->link->assembler);
    far->link->assembler.limit = LIMIT;
    quiet.post->serving = LATER;
    pieces = shortage_live();
    return 0;
}

static int finish(void **state)
{
    assembler_finish(&link_of_task.assembler);
    assembler_finish(&far->link->assembler);
    bool left = shortage_live() != pieces;
    return quiet_daemon_finish(state) < 0 || left ? -1 : 0;
}

/* A frame with the flags and the text, behind the header of a message if it is the first. */
static struct received_frame frame_with(uint32_t source, uint32_t destination, uint8_t flags,
                                        const char *text)
{
    const struct message_header header = {.encoding = MESSAGE_XDR, .tag = tag, .wait = 4};
    size_t skip = flags & FRAME_FIRST ? FRAME_MESSAGE_HEADER_SIZE : 0;
    size_t length = skip + strlen(text);
    struct chunk *chunk = chunk_new(length);
    assert_non_null(chunk);
    if (skip)
        frame_encode_message(&header, source, chunk->data);
    memcpy(chunk->data + skip, text, strlen(text));
    return (struct received_frame){
        {destination, source, (uint32_t)length, flags}, chunk, chunk->data};
}

/* A frame comes from the other host if its source is there, otherwise from the task. */
static void take_frame(struct received_frame received)
{
    if (tid_host_part(received.frame.source) == FAR_PART)
        inbound_take_from_host(far->link, &received);
    else
        inbound_take_from_task(task, &received);
}

static void take(uint32_t source, uint32_t destination, uint8_t flags, const char *text)
{
    struct received_frame received = frame_with(source, destination, flags, text);
    take_frame(received);
    chunk_release(received.chunk);
}

static void expect(const char *neighbour, const void *owner)
{
    assert_int_equal(told.count, 1);
    assert_string_equal(told.neighbour, neighbour);
    assert_ptr_equal(told.owner, owner);
    assert_int_equal(told.complaints, 0);
    told.count = 0;
}

static void expect_message(const char *neighbour, const void *owner, uint32_t source,
                           const char *body)
{
    expect(neighbour, owner);
    assert_int_equal(told.header.source, source);
    assert_int_equal(told.header.tag, 7);
    assert_int_equal(told.header.wait, 4);
    assert_string_equal(told.body, body);
}

/* Nobody was told anything, and the one to blame was complained of so. */
static void expect_complaint(uint32_t blamed, const char *words)
{
    assert_int_equal(told.count, 0);
    assert_int_equal(told.complaints, 1);
    assert_int_equal(told.blamed, blamed);
    assert_non_null(strstr(told.complaint, words));
    told.complaints = 0;
}

#define WHOLE (FRAME_FIRST | FRAME_LAST)

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(a_task_is_the_source_of_its_frames_whatever_they_say)
{
    take(OWN_PART | 99, FAR_TASK, 0xff, "text");
    expect("router", &quiet);
    assert_int_equal(told.frame.source, task->tid);
    assert_int_equal(told.frame.destination, FAR_TASK);
    assert_int_equal(told.frame.flags, WHOLE);
    assert_int_equal(told.notes, 1);
}

TEST(a_task_is_served_while_its_frame_is_taken)
{
    take(0, FAR_TASK, WHOLE, "text");
    assert_int_equal(told.serving, task->tid);
    assert_int_equal(quiet.post->serving, LATER);
}

TEST(frames_for_many_need_an_announcement_of_their_sender)
{
    struct receiver receivers[] = {{FAR_TASK, tid_host_part(FAR_TASK), false}};
    take(0, task->tid | TID_MULTICAST_BIT, WHOLE, "text");
    assert_int_equal(told.count, 0);
    task->multicast = receivers;
    take(0, (task->tid + 1) | TID_MULTICAST_BIT, WHOLE, "text");
    assert_int_equal(told.count, 0);
    take(0, task->tid | TID_MULTICAST_BIT, WHOLE, "text");
    expect("multicast", task);
    assert_int_equal(told.frame.source, task->tid);
    assert_int_equal(told.notes, 0);
    task->multicast = NULL;
}

TEST(a_request_is_taken_when_it_is_whole)
{
    take(0, TID_OWN_DAEMON, FRAME_FIRST, "re");
    take(0, TID_OWN_DAEMON, 0, "que");
    assert_int_equal(told.count, 0);
    take(0, TID_OWN_DAEMON, FRAME_LAST, "st");
    expect_message("request", task, task->tid, "request");
    take(0, OWN_DAEMON, WHOLE, "short");
    expect_message("request", task, task->tid, "short");
}

TEST(another_daemon_gets_the_whole_at_once)
{
    take(0, FAR_DAEMON, FRAME_FIRST, "be");
    assert_int_equal(told.count, 0);
    take(0, FAR_DAEMON, FRAME_LAST, "gun");
    expect_message("host_link", far->link, task->tid, "begun");
    assert_int_equal(told.frame.destination, FAR_DAEMON);
    assert_int_equal(told.frame.source, task->tid);
}

TEST(a_message_for_a_daemon_that_there_is_not_is_dropped)
{
    take(0, NO_HOST | TID_DAEMON_BIT, WHOLE, "text");
    struct host_link *link = far->link;
    far->link = NULL;
    take(0, FAR_DAEMON, WHOLE, "text");
    far->link = link;
    assert_int_equal(told.count, 0);
    assert_int_equal(told.complaints, 0);
}

TEST(of_a_task_that_ends_only_what_its_process_says_counts)
{
    struct receiver receivers[] = {{FAR_TASK, tid_host_part(FAR_TASK), false}};
    task->multicast = receivers;
    task->killed_by = 15;
    take(0, FAR_TASK, WHOLE, "sent before its connection was cut");
    expect("router", &quiet);
    told.notes = 0;
    link_of_task.leased = true;
    take(0, FAR_TASK, WHOLE, "text");
    take(0, task->tid | TID_MULTICAST_BIT, WHOLE, "text");
    take(0, TID_OWN_DAEMON, WHOLE, "request");
    take(0, FAR_DAEMON, WHOLE, "text");
    assert_int_equal(told.count + told.notes + told.complaints, 0);
    for (tag = CONTROL_LEASE; tag <= CONTROL_REGIONS_BACK; tag++) {
        take(0, TID_OWN_DAEMON, WHOLE, "lives");
        expect("request", task);
        assert_int_equal(told.header.tag, tag);
    }
    task->multicast = NULL;
}

TEST(stray_frames_of_a_task_are_complained_of)
{
    take(0, TID_OWN_DAEMON, FRAME_LAST, "rest");
    expect_complaint(task->tid, "frames that make no message");
}

/* A message of a byte more than the limit, whose first frame has four of them. */
static void take_long(uint32_t source, uint32_t destination)
{
    static char text[LIMIT - 2];
    memset(text, 'x', LIMIT - 3);
    take(source, destination, FRAME_FIRST, "long");
    take(source, destination, FRAME_LAST, text);
}

TEST(a_long_request_is_refused_by_its_beginning)
{
    take_long(0, TID_OWN_DAEMON);
    assert_int_equal(told.complaints, 1);
    assert_int_equal(told.blamed, task->tid);
    assert_non_null(strstr(told.complaint, "longer than 3072 bytes"));
    told.complaints = 0;
    expect_message("drop", task, task->tid, "long");
    take_long(0, FAR_DAEMON);
    expect_complaint(task->tid, "longer than 3072 bytes");
}

TEST(a_host_speaks_to_tasks_of_this_host)
{
    take(FAR_TASK, task->tid, WHOLE, "text");
    expect("router", &quiet);
    assert_int_equal(told.frame.source, FAR_TASK);
    assert_int_equal(told.frame.destination, task->tid);
    assert_int_equal(told.serving, LATER);
    take(FAR_TASK, FAR_TASK | TID_MULTICAST_BIT, WHOLE, "text");
    expect("multicast_here", &quiet);
}

TEST(what_comes_along_a_tree_is_known_by_a_number)
{
    take(FAR_TASK, TID_TREE_BITS | 7, WHOLE, "text");
    expect("tree", &quiet);
    assert_int_equal(told.frame.destination & ~TID_TREE_BITS, 7);
}

TEST(frames_that_come_by_way_of_this_host_are_dropped)
{
    take(FAR_TASK, NO_HOST | 1, WHOLE, "text");
    take(FAR_TASK, FAR_TASK, WHOLE, "text");
    take(FAR_DAEMON, FAR_DAEMON, WHOLE, "text");
    assert_int_equal(told.count, 0);
    assert_int_equal(told.complaints, 0);
}

TEST(daemons_ask_and_services_answer)
{
    take(FAR_DAEMON, OWN_DAEMON, FRAME_FIRST, "do");
    assert_int_equal(told.count, 0);
    take(FAR_DAEMON, OWN_DAEMON, FRAME_LAST, "this");
    expect_message("peer", far->link, FAR_DAEMON, "dothis");
    take(FAR_TASK, OWN_DAEMON, WHOLE, "done");
    expect_message("service", &quiet, FAR_TASK, "done");
}

TEST(the_rest_does_not_come_once_another_message_begins)
{
    take(FAR_DAEMON, OWN_DAEMON, FRAME_FIRST, "left");
    take(FAR_TASK, OWN_DAEMON, WHOLE, "done");
    expect_message("service", &quiet, FAR_TASK, "done");
    assert_null(far->link->assembler.partial);
    take(FAR_DAEMON, OWN_DAEMON, WHOLE, "anew");
    expect_message("peer", far->link, FAR_DAEMON, "anew");
}

TEST(a_second_beginning_of_one_source_is_stray)
{
    take(FAR_DAEMON, OWN_DAEMON, FRAME_FIRST, "once");
    take(FAR_DAEMON, OWN_DAEMON, FRAME_FIRST, "twice");
    expect_complaint(FAR_PART, "host2 sent packets that make no message");
}

TEST(a_long_message_of_a_host_is_dropped)
{
    take_long(FAR_DAEMON, OWN_DAEMON);
    expect_complaint(FAR_PART, "host2 to this daemon is longer than 3072 bytes");
}

static struct received_frame in_need; /* what comes while memory is short */

static void come_in_need(void)
{
    take_frame(in_need);
    assert_int_equal(told.count, !shortage_was_met());
    assert_int_equal(told.complaints, shortage_was_met());
    if (shortage_was_met())
        assert_non_null(strstr(told.complaint, "no memory for a "));
    told.count = told.complaints = 0;
}

TEST(what_comes_is_dropped_when_memory_is_short)
{
    in_need = frame_with(0, TID_OWN_DAEMON, WHOLE, "text");
    shortage_try_each(come_in_need, 1);
    assert_int_equal(told.blamed, task->tid);
    chunk_release(in_need.chunk);
    in_need = frame_with(FAR_DAEMON, OWN_DAEMON, WHOLE, "text");
    shortage_try_each(come_in_need, 1);
    assert_int_equal(told.blamed, FAR_PART);
    chunk_release(in_need.chunk);
}
