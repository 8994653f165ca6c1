/* test_peer.c - each address has one record; what has ended goes when nobody uses its peer. */
#include "ck/peers/peer.h"

#include <pthread.h>
#include <sched.h>

#include "ck/base/sleepers.h"

#include "shortage.h"
#include "unit.h"

#define MANY    1000u
#define THREADS 3
#define TURNS   5000

/* What threads use while a count of them keeps it there. */
struct shared {
    struct lock lock;
    struct users users;
    struct sleepers left;
    bool there;
    int value;        /* 1 while it is there; not atomic */
    atomic_int wrong; /* how often a user found another value */
};

static struct peers peers;
static unsigned freed, abandoned;

UNIT_STEP(start)
{
    freed = abandoned = 0;
    peers_start(&peers);
    return 0;
}

UNIT_STEP(finish)
{
    peers_finish(&peers);
    return 0;
}

static void count_free(struct entry *entry)
{
    (void)entry;
    freed++;
}

static void count_abandon(struct entry *entry)
{
    (void)entry;
    abandoned++;
}

static struct entry way(void)
{
    return (struct entry){.free = count_free, .abandon = count_abandon};
}

/* The first address behind `other` that is in the chain of `address`. */
static uint32_t beside(uint32_t address, uint32_t other)
{
    do
        other++;
    while (peers_chain(&peers, other) != peers_chain(&peers, address));
    return other;
}

/* The record of an address, with a user more; NULL without memory. */
static struct peer *use(uint32_t address)
{
    struct peer *peer = peers_make(&peers, address);
    if (peer)
        peers_use(peer);
    return peer;
}

/* No thread leads or looks. */
static void release(struct peer *peer)
{
    if (peers_release(&peers, peer))
        peers_sweep(&peers);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(each_address_has_one_record)
{
    assert_null(peers_find(&peers, 5));
    struct peer *five = use(5);
    struct peer *other = use(beside(5, 5));
    assert_ptr_not_equal(five, other);
    assert_ptr_equal(use(5), five);
    assert_int_equal(five->users.word, 2 * USERS_ONE);
    assert_ptr_equal(peers_find(&peers, 5), five);
    assert_ptr_equal(peers_find(&peers, beside(5, 5)), other);
    assert_int_equal(peers.count, 2);
}

TEST(look_ups_are_counted)
{
    use(5);
    peers_find(&peers, 6);
    peers_take_in_hand(&peers, 5);
    assert_int_equal(peers.lookups, 3);
}

TEST(table_grows_with_the_peers)
{
    struct peer *made[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        made[i] = use(1 + i);
    for (uint32_t i = 0; i < MANY; i++)
        assert_ptr_equal(peers_find(&peers, 1 + i), made[i]);
    assert_int_equal(peers.count, MANY);
    assert_true(2 * peers.chain_count >= MANY);
}

/* Addresses that count up in any of their bits, or in two places at once. */
TEST(chains_are_short_whatever_addresses_mean)
{
    for (int low = 0; low < 22; low++) {
        finish(NULL);
        start(NULL);
        for (uint32_t i = 0; i < MANY; i++)
            use(low < 12 ? (i + 1) << low : (i % 32) << low | (i / 32 + 1));
        assert_int_equal(peers.count, MANY);
        for (unsigned i = 0; i < peers.chain_count; i++) {
            int length = 0;
            for (const struct peer *peer = peers.chains[i]; peer; peer = peer->next)
                length++;
            assert_in_range(length, 0, 8);
        }
    }
}

TEST(idle_record_serves_the_next_address)
{
    for (uint32_t i = 0; i < 100 * PEER_CHAINS; i++)
        release(use(i));
    assert_int_equal(peers.count, PEER_CHAINS);
    struct peer *peer = use(7);
    assert_int_equal(peer->unanswered + peer->patience, 0);
    peer->patience = 3;
    release(peer);
    assert_int_equal(use(7)->patience, 3); /* it is kept as long as it can be */
    release(peer);
    assert_int_equal(use(beside(7, 7))->patience, 0);
}

/* Whether the record of this address serves another one, which keeps it then. */
static bool is_given_away(uint32_t address)
{
    static uint32_t other = MANY;
    other = beside(address, other);
    use(other);
    return !peers_find(&peers, address);
}

TEST(record_that_is_needed_keeps_its_address)
{
    struct entry to = way();
    struct peer *peer = use(1);
    assert_false(is_given_away(1)); /* it has a user */
    release(peer);
    assert_true(is_given_away(1));
    peer = peers_make(&peers, 2);
    peers_enter(&peers, peer, ROLE_OVER, &to);
    assert_false(is_given_away(2)); /* a way to it */
    peers_retire(&peers, ROLE_OVER, &to);
    assert_false(is_given_away(2)); /* that has ended, and is not freed yet */
    peers_sweep(&peers);
    peers_set_from(&peers, peer, &to);
    assert_false(is_given_away(2)); /* a way from it */
    peers_set_from(&peers, peer, NULL);
    peers_take_in_hand(&peers, 2);
    assert_false(is_given_away(2)); /* the leader has it in hand, */
    peers_take_in_hand(&peers, 3);
    assert_true(is_given_away(2)); /* and looks at another one now */
}

TEST(user_leaves_alone_unless_something_waits_for_it)
{
    struct entry to = way();
    struct peer *peer = use(1);
    assert_true(peers_are_used(&peers));
    assert_true(peer_release_alone(peer));
    assert_false(peers_are_used(&peers));
    use(1);
    peers_enter(&peers, peer, ROLE_OVER, &to);
    peers_retire(&peers, ROLE_OVER, &to);
    assert_false(peer_release_alone(peer)); /* it may be the last one */
    release(peer);
    assert_int_equal(freed, 1);
    assert_true(peer_release_alone(use(1)));
    use(1);
    peers_begin_end(&peers);
    assert_false(peer_release_alone(peer));
    assert_false(peer_release_alone(use(2))); /* nor one that comes later */
    release(peers_find(&peers, 2));
    assert_true(peers_are_used(&peers));
    release(peer);
    assert_false(peers_are_used(&peers));
}

/* Uses what the count guards, without a lock. */
static void *use_by_turns(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < TURNS; i++) {
        lock_acquire(&shared->lock);
        bool there = shared->there;
        if (there)
            users_enter(&shared->users);
        lock_release(&shared->lock);
        if (!there)
            continue;
        sched_yield(); /* the others meet it there */
        atomic_fetch_add(&shared->wrong, shared->value != 1);
        if (users_leave_alone(&shared->users))
            continue;
        lock_acquire(&shared->lock);
        if (users_leave(&shared->users))
            sleepers_wake_all(&shared->left);
        lock_release(&shared->lock);
    }
    return NULL;
}

/* Takes it away, again and again, when nobody uses it. */
TEST(all_users_have_left_when_the_last_one_has)
{
    static struct shared shared = {.there = true, .value = 1};
    pthread_t threads[THREADS];
    lock_init(&shared.lock, LOCK_INBOX);
    sleepers_start(&shared.left);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_by_turns, &shared), 0);
    for (int i = 0; i < TURNS; i++) {
        lock_acquire(&shared.lock);
        shared.there = false;
        users_watch(&shared.users, true);
        while (users_are_there(&shared.users))
            sleepers_sleep(&shared.left, &shared.lock, NULL);
        shared.value = 0;
        lock_release(&shared.lock);
        lock_acquire(&shared.lock);
        users_watch(&shared.users, false);
        shared.value = 1;
        shared.there = true;
        lock_release(&shared.lock);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_false(users_are_there(&shared.users));
    assert_int_equal(shared.wrong, 0);
    sleepers_finish(&shared.left);
    lock_destroy(&shared.lock);
}

TEST(way_that_ends_goes_with_the_last_user)
{
    struct entry first = way(), second = way();
    struct peer *peer = use(1);
    use(1);
    peers_enter(&peers, peer, ROLE_UNDER, &first);
    assert_ptr_equal(peer->to[ROLE_UNDER], &first);
    peers_retire(&peers, ROLE_UNDER, &first);
    assert_null(peer->to[ROLE_UNDER]);
    peers_enter(&peers, peer, ROLE_UNDER, &second);
    peers_sweep(&peers);
    release(peer);
    assert_int_equal(freed, 0);
    release(peer);
    assert_int_equal(freed, 1); /* the first; the second has not ended */
    assert_int_equal(peer->ended, 0);
    peers_retire(&peers, ROLE_UNDER, &second);
    assert_true(peers_are_unswept(&peers));
    peers_sweep(&peers);
    assert_int_equal(freed, 2);
    assert_false(peers_are_unswept(&peers));
}

TEST(way_that_the_leader_may_look_at_waits_for_a_sweep)
{
    struct entry entry = way();
    struct peer *peer = use(1);
    peers_enter(&peers, peer, ROLE_OVER, &entry);
    peers_retire(&peers, ROLE_OVER, &entry);
    peers_sweep(&peers);
    assert_true(peers_release(&peers, peer));
    assert_int_equal(freed, 0);
    assert_true(peers_are_unswept(&peers));
    peers_sweep(&peers);
    assert_int_equal(freed, 1);
}

TEST(child_abandons_all_ways)
{
    struct entry over = way(), under = way(), ended = way();
    peers_enter(&peers, peers_make(&peers, 1), ROLE_OVER, &over);
    peers_enter(&peers, peers_make(&peers, 1), ROLE_UNDER, &under);
    peers_enter(&peers, peers_make(&peers, 2), ROLE_UNDER, &ended);
    peers_retire(&peers, ROLE_UNDER, &ended);
    peers_abandon(&peers);
    assert_int_equal(abandoned, 3);
    assert_int_equal(freed, 0);
}

TEST(ways_are_counted)
{
    struct entry to = way();
    struct peer *peer = use(1);
    assert_false(peers_have_ways(&peers));
    peers_enter(&peers, peer, ROLE_OVER, &to);
    peers_set_from(&peers, peer, &to);
    peers_retire(&peers, ROLE_OVER, &to);
    assert_true(peers_have_ways(&peers));
    peers_set_from(&peers, peer, NULL);
    assert_false(peers_have_ways(&peers));
}

TEST(walks_meet_each_record_once)
{
    unsigned met = 0, last = 0, ordered = 0;
    for (uint32_t i = 0; i < MANY; i++)
        use((i * 7919) % MANY + 1);
    for (struct peer *peer = NULL; (peer = peers_next(&peers, peer)) != NULL; met++)
        peer->patience++;
    assert_int_equal(met, MANY);
    for (struct peer *peer = NULL; (peer = peers_next_address(&peers, peer)) != NULL; ordered++) {
        assert_int_equal(peer->patience, 1);
        assert_true(peer->address > last);
        last = peer->address;
    }
    assert_int_equal(ordered, MANY);
}

/* So many that the table grows, or would. */
static void shortage_scenario(void)
{
    start(NULL);
    for (uint32_t i = 0; i < 3 * PEER_CHAINS; i++)
        if (!use(i))
            assert_true(shortage_was_met());
    for (struct peer *peer = NULL; (peer = peers_next(&peers, peer)) != NULL;)
        assert_ptr_equal(peers_find(&peers, peer->address), peer);
    finish(NULL);
}

TEST(shortage_loses_no_record)
{
    shortage_try_each(shortage_scenario, 3 * PEER_CHAINS);
}
