/* test_daemon_host_end.c - what becomes of a daemon when another host is gone? */
#include "daemon/members/host_end.h"

#include <pvm3.h>

#include "daemon/hosts/membership.h"
#include "daemon/members/halt.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"
#include "daemon/post/multicast.h"
#include "daemon/post/tree_branch.h"
#include "daemon/post/tree_origin.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

#define MASTER_INDEX 2u
#define OTHER_INDEX  3u
#define OTHER_PART   (OTHER_INDEX << TID_HOST_SHIFT)
#define SCHEDULER    (OWN_PART | 6)

/* What the others have been asked to do, a letter each, in this order. */
static char done[32];
static uint32_t done_for; /* the host part that all of it was about */

/* How often each host was told of the end, by its index. */
static int said[TID_HOST_MAX + 1];

static void note(char what, uint32_t part)
{
    size_t length = strlen(done);
    assert_true(length + 1 < sizeof done);
    done[length] = what;
    assert_true(done_for == 0 || done_for == part);
    done_for = part;
}

void membership_remove(struct hosts *hosts, struct host *host)
{
    assert_ptr_equal(hosts, &quiet.post->hosts);
    note('r', host->part);
    quiet_daemon_remove_host(host);
}

void table_update_delete(struct daemon *daemon, uint32_t part)
{
    assert_null(hosts_find(&daemon->post->hosts, part));
    note('t', part);
}

void multicast_host_end(struct daemon *daemon, uint32_t part)
{
    assert_null(hosts_find(&daemon->post->hosts, part));
    note('m', part);
}

void notify_host_end(struct daemon *daemon, uint32_t part)
{
    assert_null(hosts_find(&daemon->post->hosts, part));
    note('n', part);
}

void tree_branches_host_end(struct daemon *daemon, uint32_t part)
{
    assert_null(hosts_find(&daemon->post->hosts, part));
    note('b', part);
}

void tree_origins_host_end(struct daemon *daemon, uint32_t part)
{
    assert_null(hosts_find(&daemon->post->hosts, part));
    note('o', part);
}

void halt(struct daemon *daemon, int status)
{
    assert_ptr_equal(daemon, &quiet);
    assert_int_equal(status, 0);
    note('h', 0);
}

void host_packets_say_ended(struct host_link *link)
{
    said[link->host->part >> TID_HOST_SHIFT]++;
}

uint32_t services_scheduler(const struct services *services)
{
    return services->scheduler;
}

static void take_host_gone(struct daemon *daemon, uint32_t part)
{
    assert_null(hosts_find(&daemon->post->hosts, part));
    note('g', part);
}

static struct host *other;

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    other = quiet_daemon_add_host(OTHER_INDEX);
    quiet.post->upcalls.host_gone = take_host_gone;
    memset(done, 0, sizeof done);
    memset(said, 0, sizeof said);
    done_for = 0;
    return result;
}

static int finish(void **state)
{
    sent_forget();
    return quiet_daemon_finish(state);
}

/* The own host is a slave. */
static struct host *add_master(void)
{
    quiet.post->hosts.master = quiet_daemon_add_host(MASTER_INDEX);
    return quiet.post->hosts.master;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(the_master_tells_everybody_of_a_host_that_is_gone)
{
    host_end_fail(&quiet, other);
    assert_string_equal(done, "rtmbong");
    assert_int_equal(done_for, OTHER_PART);
    assert_int_equal(sent_count(), 0);
}

TEST(a_slave_leaves_that_to_the_master)
{
    add_master();
    quiet.task_room->services.scheduler = SCHEDULER;
    host_end_fail(&quiet, other);
    assert_string_equal(done, "rmbong");
    assert_int_equal(sent_count(), 0);
}

TEST(the_scheduler_is_told_by_the_master)
{
    quiet.task_room->services.scheduler = SCHEDULER;
    host_end_fail(&quiet, other);
    struct control_reader *body = sent_expect(SCHEDULER, SM_HOSTX, 0, 0);
    assert_int_equal(control_get_tid(body), OTHER_PART | TID_DAEMON_BIT);
    assert_int_equal(sent_count(), 0);
}

TEST(the_master_takes_the_blocks_of_the_host_back)
{
    struct block_owners *owners = &quiet.post->block_owners;
    block_owners_grant(owners, OTHER_PART);
    block_owners_grant(owners, OWN_PART);
    host_end_fail(&quiet, other);
    assert_int_equal(block_owners_grant(owners, OWN_PART), 0);
    assert_int_equal(block_owners_grant(owners, OWN_PART), 2);
}

static void answered(struct pending *pending, struct control_reader *body)
{
    (void)pending;
    (void)body;
    fail();
}

/* Who asks again when the host fails does not find it any more. */
static void failed(struct pending *pending)
{
    assert_null(hosts_find(&pending->daemon->post->hosts, OTHER_PART));
    note('f', pending->part);
}

TEST(what_was_asked_of_it_fails_before_its_end_is_told)
{
    struct pending first, second;
    pending_start(&first, &quiet, other, DM_EXEC, answered, failed);
    pending_start(&second, &quiet, other, DM_NOTIFY, answered, failed);
    host_end_fail(&quiet, other);
    assert_string_equal(done, "rtmboffng");
    assert_true(list_is_empty(&quiet.post->pendings));
    assert_false(quiet_daemon_hear(OTHER_PART, control_new(DM_EXECACK, 0, first.wait)));
}

TEST(what_was_asked_of_others_does_not_fail)
{
    struct pending pending;
    pending_start(&pending, &quiet, add_master(), DM_EXEC, answered, failed);
    host_end_fail(&quiet, other);
    assert_string_equal(done, "rmbong");
    pending_cancel(&pending);
}

TEST(the_word_of_the_master_ends_a_daemon)
{
    host_end_take(&quiet, add_master());
    assert_string_equal(done, "h");
}

TEST(the_word_of_another_host_ends_that_one)
{
    host_end_take(&quiet, other);
    assert_string_equal(done, "rtmbong");
}

TEST(who_is_the_master_no_more_says_nothing)
{
    quiet.member_room->succession.deposed = true;
    host_end_say(&quiet);
    assert_int_equal(said[OTHER_INDEX], 0);
}

TEST(the_master_says_its_end_to_everybody_several_times)
{
    const struct host *third = quiet_daemon_add_host(OTHER_INDEX + 4);
    host_end_say(&quiet);
    assert_int_equal(said[other->part >> TID_HOST_SHIFT], 5);
    assert_int_equal(said[third->part >> TID_HOST_SHIFT], 5);
}

TEST(a_slave_says_it_once)
{
    const struct host *master = add_master();
    host_end_say(&quiet);
    assert_int_equal(said[other->part >> TID_HOST_SHIFT], 1);
    assert_int_equal(said[master->part >> TID_HOST_SHIFT], 1);
}
