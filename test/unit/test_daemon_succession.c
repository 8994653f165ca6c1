/* test_daemon_succession.c - who gets a vote, and who is obeyed, when the master is gone? */
#include "daemon/members/succession.h"

#include "daemon/members/addition.h"
#include "daemon/members/halt.h"
#include "daemon/members/host_end.h"
#include "daemon/members/table_update.h"
#include "daemon/post/host_link.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

enum { MASTER = OWN_INDEX + 1, FIRST, SECOND, OTHER };

static int halts, updates, taken_over;

void halt(struct daemon *daemon, int status)
{
    assert_int_equal(status, 0);
    daemon->loop.ended = true;
    halts++;
}

void host_end_fail(struct daemon *daemon, struct host *host)
{
    assert_true(host != daemon->post->hosts.master);
    assert_true(host->deposed);
    quiet_daemon_remove_host(host);
}

void table_update_start(struct daemon *daemon, bool whole, void (*done)(struct daemon *daemon))
{
    assert_true(whole && done == addition_updated);
    assert_true(hosts_is_master(&daemon->post->hosts));
    updates++;
}

void addition_updated(struct daemon *daemon)
{
    assert_ptr_equal(daemon, &quiet);
}

void host_link_stop(struct host_link *link)
{
    assert_int_equal(link->host->part, MASTER << TID_HOST_SHIFT);
}

void former_hosts_remind(struct daemon *daemon)
{
    assert_ptr_equal(daemon, &quiet);
}

static void take_over(struct daemon *daemon, const struct host *lost)
{
    assert_true(hosts_is_master(&daemon->post->hosts));
    assert_int_equal(lost->part, MASTER << TID_HOST_SHIFT);
    taken_over++;
}

static uint32_t daemon_at(uint32_t index)
{
    return index << TID_HOST_SHIFT | TID_DAEMON_BIT;
}

static enum request_result hear(request_handler *handler, uint32_t from, int32_t term,
                                uint32_t lost)
{
    struct message *message = control_new(CONTROL_VOTE, 0, 0);
    control_put_int(message, term);
    control_put_tid(message, lost << TID_HOST_SHIFT);
    return quiet_daemon_take(handler, NULL, from << TID_HOST_SHIFT, message);
}

static enum request_result hear_rank(int rank)
{
    struct message *message = control_new(CONTROL_DEPUTY, 0, 0);
    control_put_int(message, 0);
    control_put_int(message, 1);
    control_put_int(message, rank);
    return quiet_daemon_take(succession_take_rank, NULL, MASTER << TID_HOST_SHIFT, message);
}

static void have_rank(int rank)
{
    assert_int_equal(hear_rank(rank), REQUEST_DONE);
}

static void lose_master(void)
{
    succession_lose_host(&quiet, quiet.post->hosts.master);
}

static void expect_word(uint32_t to, int32_t tag, int32_t term)
{
    struct control_reader *body = sent_expect(daemon_at(to), tag, 0, 0);
    assert_int_equal(control_get_int(body), term);
    assert_int_equal(control_get_tid(body), MASTER << TID_HOST_SHIFT);
}

/* The host is told that this one has given its vote for a term to `whom`. */
static void expect_vote(uint32_t to, int32_t term, uint32_t whom)
{
    struct control_reader *body = sent_expect(daemon_at(to), CONTROL_VOTED, 0, 0);
    assert_int_equal(control_get_int(body), term);
    assert_int_equal(control_get_tid(body), whom << TID_HOST_SHIFT);
}

static struct succession *succession(void)
{
    return &quiet.member_room->succession;
}

/* Five hosts: this one, its master, and three others, which all hold the secret. */
static int start(void **state)
{
    int result = quiet_daemon_start(state);
    for (uint32_t index = MASTER; index <= OTHER; index++)
        quiet_daemon_add_host(index)->key.seal.there = true;
    quiet.post->hosts.master = quiet.post->hosts.table[MASTER];
    quiet.post->upcalls.took_over = take_over;
    quiet.settings.host_patience = 1000000;
    quiet.post->machine_key.known = true;
    halts = updates = taken_over = 0;
    succession_start(&quiet);
    return result;
}

static int finish(void **state)
{
    loop_timer_cancel(&succession()->timer);
    sent_forget();
    return quiet_daemon_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(without_deputies_the_end_of_the_master_is_the_end)
{
    lose_master();
    assert_int_equal(halts, 1);
    assert_int_equal(sent_count(), 0);
}

TEST(one_of_two_hosts_ends)
{
    for (uint32_t index = FIRST; index <= OTHER; index++)
        quiet_daemon_remove_host(quiet.post->hosts.table[index]);
    have_rank(1);
    lose_master();
    assert_int_equal(halts, 1);
}

TEST(a_host_that_has_its_master_looks_for_it_first)
{
    have_rank(0);
    hear(succession_take_request, FIRST, 1, MASTER);
    sent_expect(daemon_at(MASTER), DM_NULL, 0, 0);
    assert_int_equal(sent_count(), 0);
    lose_master(); /* as it answers nothing */
    expect_vote(FIRST, 1, FIRST);
}

TEST(a_host_gives_one_vote_in_a_term)
{
    have_rank(0);
    lose_master();
    hear(succession_take_request, FIRST, 1, MASTER);
    hear(succession_take_request, SECOND, 1, MASTER);
    hear(succession_take_request, FIRST, 1, MASTER); /* which is asked again */
    hear(succession_take_request, SECOND, 2, MASTER);
    hear(succession_take_request, FIRST, 1, MASTER);
    expect_vote(FIRST, 1, FIRST);
    expect_vote(SECOND, 1, FIRST);
    expect_vote(FIRST, 1, FIRST);
    expect_vote(SECOND, 2, SECOND);
    expect_vote(FIRST, 2, SECOND);
    assert_int_equal(sent_count(), 0);
}

TEST(no_vote_against_another_master_or_for_a_host_without_the_secret)
{
    have_rank(0);
    lose_master();
    hear(succession_take_request, FIRST, 1, OTHER);
    quiet.post->hosts.table[SECOND]->key.seal.there = false;
    hear(succession_take_request, SECOND, 1, MASTER);
    hear(succession_obey, SECOND, 1, MASTER);
    assert_int_equal(sent_count(), 0);
    assert_true(succession()->bereft);
}

TEST(more_than_half_make_a_master)
{
    have_rank(1);
    lose_master();
    for (uint32_t index = FIRST; index <= OTHER; index++)
        expect_word(index, CONTROL_VOTE, 1);
    hear(succession_take_vote, FIRST, 1, OWN_INDEX);
    hear(succession_take_vote, FIRST, 1, OWN_INDEX);
    assert_int_equal(taken_over, 0);
    hear(succession_take_vote, OTHER, 1, OWN_INDEX);
    for (uint32_t index = FIRST; index <= OTHER; index++)
        expect_word(index, CONTROL_MASTER, 1);
    assert_true(hosts_is_master(&quiet.post->hosts) && taken_over == 1 && updates == 1);
    assert_null(quiet.post->hosts.table[MASTER]);
    hear(succession_take_vote, SECOND, 1, OWN_INDEX);
    assert_int_equal(taken_over, 1);
}

TEST(the_vote_of_a_host_without_the_secret_counts_nothing)
{
    have_rank(1);
    lose_master();
    quiet.post->hosts.table[OTHER]->key.seal.there = false;
    hear(succession_take_vote, FIRST, 1, OWN_INDEX);
    hear(succession_take_vote, OTHER, 1, OWN_INDEX);
    assert_int_equal(taken_over, 0);
    hear(succession_take_vote, SECOND, 1, OWN_INDEX);
    assert_int_equal(taken_over, 1);
}

TEST(who_asks_too_late_asks_for_a_higher_term)
{
    have_rank(1);
    lose_master();
    sent_forget();
    hear(succession_take_vote, FIRST, 3, SECOND);
    for (uint32_t index = FIRST; index <= OTHER; index++)
        expect_word(index, CONTROL_VOTE, 4);
    hear(succession_take_vote, FIRST, 4, OWN_INDEX);
    hear(succession_take_vote, OTHER, 1, OWN_INDEX);
    assert_int_equal(taken_over, 0);
    hear(succession_take_vote, OTHER, 4, OWN_INDEX);
    assert_int_equal(taken_over, 1);
}

TEST(a_vote_that_is_given_ends_the_own_candidacy)
{
    have_rank(1);
    lose_master();
    sent_forget();
    hear(succession_take_request, SECOND, 2, MASTER);
    expect_vote(SECOND, 2, SECOND);
    hear(succession_take_vote, FIRST, 1, OWN_INDEX);
    hear(succession_take_vote, OTHER, 1, OWN_INDEX);
    assert_int_equal(taken_over, 0);
}

TEST(the_higher_term_is_obeyed)
{
    have_rank(0);
    lose_master();
    hear(succession_take_request, SECOND, 2, MASTER);
    sent_forget();
    hear(succession_obey, FIRST, 1, MASTER);
    assert_true(succession()->bereft);
    hear(succession_obey, SECOND, 2, MASTER);
    assert_ptr_equal(quiet.post->hosts.master, quiet.post->hosts.table[SECOND]);
    assert_false(succession()->bereft);
    assert_null(quiet.post->hosts.table[MASTER]);
    hear(succession_obey, FIRST, 2, SECOND);
    assert_ptr_equal(quiet.post->hosts.master, quiet.post->hosts.table[SECOND]);
}

TEST(a_halt_that_was_asked_for_is_asked_of_the_new_master)
{
    have_rank(0);
    succession()->halt_asked = true;
    lose_master();
    hear(succession_obey, FIRST, 1, MASTER);
    sent_expect(daemon_at(FIRST), DM_HALT, 0, 0);
}

TEST(only_a_master_is_deposed)
{
    succession_take_deposition(&quiet, FIRST << TID_HOST_SHIFT);
    assert_int_equal(halts, 0);
    quiet.post->hosts.master = quiet.post->hosts.own;
    succession_take_deposition(&quiet, FIRST << TID_HOST_SHIFT);
    succession_take_deposition(&quiet, FIRST << TID_HOST_SHIFT);
    assert_int_equal(halts, 1);
    assert_true(succession()->deposed);
}

TEST(ranks_that_there_are_not_are_refused)
{
    assert_int_equal(hear_rank(-1), REQUEST_MALFORMED);
    assert_int_equal(hear_rank(DEPUTIES + 1), REQUEST_MALFORMED);
    assert_false(succession()->possible);
}
