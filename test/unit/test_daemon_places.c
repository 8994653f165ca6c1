/*
 * test_daemon_places.c - where does a task live that has moved, and what is kept for it while it
 * moves?
 */
#include "daemon/post/places.h"

#include "daemon/post/host_link.h"
#include "quiet_daemon.h"
#include "unit.h"

#define FAR_PART (2u << TID_HOST_SHIFT)
#define NO_PART  (9u << TID_HOST_SHIFT)
#define MOVER    (OWN_PART | 77)
#define MANY     5000
#define WHOLE    (FRAME_FIRST | FRAME_LAST)

static struct host *far;
static int held;

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    far = quiet_daemon_add_host(2);
    held = 0;
    return result;
}

static int finish(void **state)
{
    places_finish(&quiet.post->places);
    assert_int_equal(quiet.post->places.count, 0);
    assert_int_equal(quiet.post->places.unfinished, 0);
    return quiet_daemon_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static void note_held(struct place *place)
{
    assert_true(place->holds);
    held++;
}

static struct place *move_to(uint32_t tid, uint32_t part)
{
    struct place *place = places_add(&quiet, tid);
    assert_non_null(place);
    place->part = part;
    return place;
}

static void keep(struct place *place, uint32_t source, const char *text)
{
    struct chunk *chunk = chunk_new(FRAME_HEADER_SIZE + strlen(text));
    struct received_frame received = {
        .frame = {place->tid, source, (uint32_t)strlen(text), WHOLE},
        .chunk = chunk,
        .body = chunk->data + FRAME_HEADER_SIZE,
    };
    memcpy(received.body, text, strlen(text));
    assert_int_equal(place_keep(place, &received, false), 0);
    chunk_release(chunk);
}

static void expect(struct place *place, uint32_t source, const char *text)
{
    struct received_frame received;
    assert_true(place_take(place, &received));
    assert_int_equal(received.frame.destination, place->tid);
    assert_int_equal(received.frame.source, source);
    assert_int_equal(received.frame.length, strlen(text));
    assert_memory_equal(received.body, text, strlen(text));
    chunk_release(received.chunk);
}

static bool keeps(struct place *place, const struct task *source, uint8_t flags)
{
    return place_keeps(place, &(struct frame){place->tid, source->tid, 0, flags});
}

static struct task *task_amid(uint32_t destination)
{
    struct task *task = task_new(&quiet.post->tasks, "sender");
    assert_non_null(task);
    task->amid = true;
    task->destination = destination;
    return task;
}

TEST(a_task_lives_where_its_tid_says_or_its_place)
{
    assert_ptr_equal(places_host(&quiet, MOVER), quiet.post->hosts.own);
    assert_ptr_equal(places_host(&quiet, FAR_PART | 1), far);
    assert_null(places_host(&quiet, NO_PART | 1));
    struct place *place = move_to(MOVER, FAR_PART);
    assert_ptr_equal(places_host(&quiet, MOVER), far);
    assert_ptr_equal(places_add(&quiet, MOVER), place);
    place_tidy(place);
    assert_ptr_equal(places_find(&quiet.post->places, MOVER), place);
    place->part = OWN_PART;
    place_tidy(place);
    assert_null(places_find(&quiet.post->places, MOVER));
    assert_ptr_equal(places_host(&quiet, MOVER), quiet.post->hosts.own);
}

TEST(many_entries_are_told_apart)
{
    size_t count = 0;
    for (uint32_t i = 1; i <= MANY; i++)
        move_to((i % 2 ? OWN_PART : NO_PART) | i, FAR_PART);
    const struct place *place = NULL;
    while ((place = places_next(&quiet.post->places, place)) != NULL)
        count++;
    assert_int_equal(count, MANY);
    for (uint32_t i = 1; i <= MANY; i++) {
        assert_non_null(places_find(&quiet.post->places, (i % 2 ? OWN_PART : NO_PART) | i));
        assert_null(places_find(&quiet.post->places, (i % 2 ? NO_PART : OWN_PART) | i));
    }
}

TEST(tids_of_tasks_that_live_elsewhere_are_not_given_again)
{
    struct task *first = task_new(&quiet.post->tasks, "first");
    move_to(first->tid + 1, FAR_PART);
    assert_int_equal(task_new(&quiet.post->tasks, "second")->tid, first->tid + 2);
}

TEST(what_is_kept_comes_back_in_order)
{
    struct received_frame nothing;
    struct place *place = move_to(MOVER, FAR_PART);
    place_hold(place, note_held);
    keep(place, FAR_PART | 1, "one");
    keep(place, FAR_PART | 2, "two");
    struct message *message = control_new(5, 0, 0);
    assert_int_equal(place_keep_message(place, message), 0);
    message_free(message);
    assert_true(places_keep_from(&quiet.post->places, FAR_PART | 1));
    assert_false(places_keep_from(&quiet.post->places, FAR_PART | 3));
    place_release(place);
    expect(place, FAR_PART | 1, "one");
    assert_false(places_keep_from(&quiet.post->places, FAR_PART | 1));
    expect(place, FAR_PART | 2, "two");
    assert_true(place_take(place, &nothing));
    assert_int_equal(nothing.frame.source, OWN_PART | TID_DAEMON_BIT);
    chunk_release(nothing.chunk);
    assert_false(place_take(place, &nothing));
    assert_int_equal(quiet.backlogs.bytes, 0);
}

TEST(messages_that_have_begun_are_finished)
{
    struct place *place = move_to(MOVER, OWN_PART);
    struct task *one = task_amid(MOVER), *other = task_amid(MOVER), *third = task_amid(MOVER + 1);
    assert_false(keeps(place, one, 0));
    place_hold(place, note_held);
    assert_true(keeps(place, third, WHOLE));
    assert_false(keeps(place, one, 0));
    assert_false(keeps(place, one, FRAME_LAST));
    assert_true(keeps(place, one, FRAME_FIRST));
    assert_int_equal(held, 0);
    places_end_source(&quiet, other->tid);
    assert_true(keeps(place, other, FRAME_LAST));
    quiet_daemon_end_round();
    assert_int_equal(held, 1);
}

TEST(nobody_waits_for_messages_that_nobody_has_begun)
{
    struct place *place = move_to(MOVER, OWN_PART);
    place_hold(place, note_held);
    quiet_daemon_end_round();
    assert_int_equal(held, 1);
}

TEST(a_multicast_that_is_announced_is_finished)
{
    struct place *place = move_to(MOVER, OWN_PART);
    struct task *task = task_amid(0);
    struct receiver *receivers = calloc(2, sizeof *receivers);
    receivers[0] = (struct receiver){MOVER, 0, false};
    receivers[1] = (struct receiver){MOVER, OWN_PART, false};
    task->multicast = receivers;
    task->multicast_count = 1;
    place_hold(place, note_held);
    assert_true(keeps(place, task, WHOLE));
    place_release(place);
    task->multicast_count = 2;
    place_hold(place, note_held);
    assert_false(keeps(place, task, WHOLE));
    quiet_daemon_end_round();
    assert_int_equal(held, 1);
}
