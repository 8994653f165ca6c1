/*
 * test_daemon_followers.c - for how long is kept what goes to a task, if this host was not asked to
 * hold it, or if the host that it leaves ends? And who is told of the task's end?
 */
#include "daemon/requests/followers.h"

#include <pvm3.h>

#include "daemon/post/host_link.h"
#include "daemon/post/tree_origin.h"
#include "daemon/requests/move_words.h"
#include "daemon/requests/request_room.h"
#include "quiet_daemon.h"
#include "unit.h"

#define HOME   (2u << TID_HOST_SHIFT)
#define SECOND (3u << TID_HOST_SHIFT)
#define THIRD  (4u << TID_HOST_SHIFT)
#define MOVER  (HOME | 7)

/* Links that lead nowhere. */
static int said;

void host_link_send(struct host_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    assert_true(control_is_whole(message));
    assert_int_equal(destination, link->host->part | TID_DAEMON_BIT);
    assert_int_equal(source, OWN_PART | TID_DAEMON_BIT);
    said++;
}

void host_link_send_behind(struct host_link *link, struct message *message, uint32_t tid)
{
    assert_int_equal(tid, MOVER);
    host_link_send(link, message, link->host->part | TID_DAEMON_BIT, OWN_PART | TID_DAEMON_BIT);
    message_free(message);
}

void host_link_forward(struct host_link *link, const struct received_frame *received,
                       uint32_t destination)
{
    assert_non_null(link);
    assert_int_equal(received->frame.destination, destination);
    said++;
}

void host_link_end_flow(struct host_link *link, uint32_t tid)
{
    fail_msg("t%x ends: %p", tid, (void *)link);
}

void tree_origins_end_task(struct daemon *daemon, uint32_t tid)
{
    fail_msg("t%x ends: %p", tid, (void *)daemon);
}

bool tree_origins_has(const struct daemon *daemon, uint32_t tid)
{
    fail_msg("t%x leaves: %p", tid, (const void *)daemon);
    return false;
}

static void look(struct daemon *daemon)
{
    assert_ptr_equal(daemon, &quiet);
}

static int start(void **state)
{
    static const struct move_acts acts = {.look = look};
    int result = quiet_daemon_start(state);
    region_start(&quiet);
    moves_start(&quiet, &acts);
    for (uint32_t part = HOME; part <= THIRD; part += HOME / 2) {
        struct host *host = quiet_daemon_add_host(part >> TID_HOST_SHIFT);
        host->link->upgrade.known = true;
    }
    said = 0;
    return result;
}

static int finish(void **state)
{
    places_finish(&quiet.post->places);
    assert_true(list_is_empty(&quiet.post->pendings));
    return quiet_daemon_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* One host says that the task lives on another one, or on itself. */
static void hear_lives(uint32_t from, uint32_t to)
{
    struct message *word = control_new(CONTROL_TASK_MOVED, 0, 0);
    control_put_tid(word, MOVER);
    control_put_tid(word, to);
    control_put_int(word, -1);
    assert_int_equal(quiet_daemon_take(move_word_moved, NULL, from, word), REQUEST_DONE);
}

static void hear_moved(uint32_t to)
{
    hear_lives(to, to);
}

static void hear_hold(uint32_t from, uint32_t to)
{
    struct message *word = control_new(CONTROL_TASK_HOLD, 0, 0);
    control_put_tid(word, MOVER);
    control_put_tid(word, to);
    control_put_int(word, -1);
    assert_int_equal(quiet_daemon_take(move_word_hold, NULL, from, word), REQUEST_DONE);
}

/* The host answers: it has been asked. */
static void hear_answer(uint32_t part, int32_t tag)
{
    LIST_FOR_EACH(node, &quiet.post->pendings)
    {
        const struct pending *pending = LIST_OWNER(node, struct pending, node);
        if (pending->part != part || pending->tag != tag)
            continue;
        assert_true(quiet_daemon_hear(part, control_new(tag, 0, pending->wait)));
        return;
    }
    fail();
}

/* Its way is empty. */
static void hear_flushed(uint32_t part)
{
    hear_answer(part, CONTROL_FLUSH_ANSWER);
}

static void end_host(uint32_t part)
{
    quiet_daemon_remove_host(hosts_find(&quiet.post->hosts, part));
    pending_fail(&quiet, part);
    move_words_host_end(&quiet, part);
}

static bool keeps(void)
{
    const struct place *place = places_find(&quiet.post->places, MOVER);
    return place && place->holds;
}

static uint32_t lives_on(void)
{
    return places_host(&quiet, MOVER)->part;
}

TEST(what_goes_to_the_task_is_kept_until_the_former_way_is_empty)
{
    hear_moved(SECOND);
    assert_true(keeps());
    assert_int_equal(lives_on(), HOME);
    quiet_daemon_end_round();
    assert_int_equal(lives_on(), SECOND);
    assert_int_equal(said, 1);
    assert_true(keeps());
    hear_flushed(HOME);
    assert_false(keeps());
}

TEST(it_moves_on_before_the_flush_has_begun)
{
    hear_moved(SECOND);
    hear_hold(SECOND, THIRD);
    quiet_daemon_end_round();
    assert_int_equal(said, 2); /* the question, and the answer to the word */
    hear_moved(THIRD);
    assert_int_equal(lives_on(), THIRD);
    assert_true(keeps());
    hear_flushed(HOME);
    assert_false(keeps());
}

TEST(it_moves_on_while_the_flush_lasts)
{
    hear_moved(SECOND);
    quiet_daemon_end_round();
    hear_hold(SECOND, THIRD);
    quiet_daemon_end_round();
    hear_flushed(HOME);
    assert_true(keeps());
    hear_moved(THIRD);
    assert_false(keeps());
}

TEST(it_moves_on_unheard_while_the_flush_lasts)
{
    hear_moved(SECOND);
    quiet_daemon_end_round();
    hear_moved(THIRD);
    hear_flushed(HOME);
    assert_true(keeps());
    quiet_daemon_end_round();
    assert_int_equal(lives_on(), THIRD);
    hear_flushed(SECOND);
    assert_false(keeps());
}

TEST(its_host_ends_before_the_flush_has_begun)
{
    hear_moved(SECOND);
    end_host(SECOND);
    quiet_daemon_end_round();
    assert_null(places_find(&quiet.post->places, MOVER));
}

TEST(who_decides_is_asked_when_the_host_that_it_leaves_ends)
{
    hear_hold(HOME, SECOND);
    quiet_daemon_end_round();
    end_host(HOME);
    assert_true(keeps());
    hear_answer(SECOND, DM_NOTIFYACK);
    assert_null(places_find(&quiet.post->places, MOVER));
}

TEST(it_has_come_though_the_host_that_it_left_has_ended)
{
    hear_hold(HOME, SECOND);
    quiet_daemon_end_round();
    end_host(HOME);
    hear_moved(SECOND);
    assert_false(keeps());
    assert_int_equal(lives_on(), SECOND);
    assert_true(list_is_empty(&quiet.post->pendings));
}

TEST(both_hosts_end)
{
    hear_hold(HOME, SECOND);
    quiet_daemon_end_round();
    end_host(HOME);
    end_host(SECOND);
    assert_null(places_find(&quiet.post->places, MOVER));
}

TEST(the_master_introduces_what_nobody_has_told_yet)
{
    quiet.post->hosts.master = hosts_find(&quiet.post->hosts, SECOND);
    hear_lives(SECOND, THIRD);
    assert_int_equal(lives_on(), THIRD);
    assert_false(keeps());
    assert_int_equal(said, 0);
    hear_lives(SECOND, HOME);
    assert_int_equal(lives_on(), THIRD);
    hear_moved(THIRD);
    assert_false(keeps());
    quiet.post->hosts.master = quiet.post->hosts.own;
}
