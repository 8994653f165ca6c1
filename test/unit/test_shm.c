/* test_shm.c - two tasks of a host share memory; what they say to each other stays in order. */
#include "ck/ports/shm/shm.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/ports/stream/direct.h"
#include "ck/requests/examine.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/control.h"
#include "core/tid.h"

#include "neighbours.h"
#include "shortage.h"
#include "unit.h"

static const struct stamp long_ago;

#define LONG      10000
#define HAND_CALL 1

#define TEST(name)     UNIT_TEST_BETWEEN(name, neighbours_start, neighbours_finish)
#define TEST_MET(name) UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)

TEST(links_leave_descriptors_to_the_program)
{
    struct neighbour *sides[] = {&a, &b}; /* one that calls, and one that is called */
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        int allowed = shm_of(&sides[i]->endpoint)->shared->descriptors;
        shm_of(&sides[i]->endpoint)->shared->descriptors = 0;
        for (int tag = 1; tag <= 10; tag++) {
            neighbour_send(&a, B, tag, 8);
            assert_in_range(neighbour_passes_on(&a, &b), 1, sides[i] == &a ? 1 : 2);
            neighbour_look(&b);
            neighbour_expect(&b, A, tag, 8);
        }
        assert_null(shm_of(&b.endpoint)->in);
        shm_of(&sides[i]->endpoint)->shared->descriptors = allowed;
    }
}

/* How many look-ups for a peer ten messages of a to b take on each side. */
static void expect_look_ups(size_t size, unsigned at_sender, unsigned at_receiver)
{
    unsigned sender = a.endpoint.peers.lookups, receiver = b.endpoint.peers.lookups;
    for (int i = 0; i < 10; i++)
        neighbour_send(&a, B, i, size);
    neighbour_passes_on(&a, &b);
    for (int i = 0; i < 10; i++)
        neighbour_expect(&b, A, i, size);
    assert_int_equal(a.endpoint.peers.lookups - sender, at_sender);
    assert_int_equal(b.endpoint.peers.lookups - receiver, at_receiver);
}

TEST_MET(message_takes_one_look_up_for_its_peer)
{
    expect_look_ups(8, 10, 0); /* a ring is its sender's */
    shm_of(&a.endpoint)->shared->arena.limit = 0;
    expect_look_ups(LONG, 10, 10); /* by the daemon */
}

TEST_MET(receiver_that_keeps_bodies_bounds_what_lies_there)
{
    struct message *kept[2000];
    int through_memory = 0;
    for (int i = 0; i < 2000; i++) {
        neighbour_send(&a, B, i, 4000);
        neighbour_passes_on(&a, &b);
        kept[i] = neighbour_arrives(&b);
        assert_non_null(kept[i]);
        assert_int_equal(kept[i]->header.tag, i);
        through_memory += kept[i]->segments[0].chunk->foreign;
    }
    assert_true(through_memory > 500 && through_memory <= (int)RING_COOKIES);
    assert_true(shm_of(&a.endpoint)->shared->arena.size <= LIMIT);
    for (int i = 0; i < 2000; i++)
        talk_expect(kept[i], i, 4000);
    for (int i = 0; i < 3; i++) {
        neighbour_send(&a, B, i, 4000);
        neighbour_passes_on(&a, &b);
        neighbour_expect(&b, A, i, 4000);
    }
    assert_true(talk_is_silent(&a.heard));
}

TEST_MET(a_message_that_is_not_urgent_leaves_who_stands_by_asleep)
{
    struct epoll_event rung[2];
    for (int tag = 1; tag <= 3; tag++) {
        assert_false(shm_sleep(b.endpoint.engine, NAP_UNTIL_URGENT));
        neighbour_send(&a, B, tag, 8);
        assert_int_equal(epoll_wait(b.endpoint.waiting->epoll, rung, 2, 0), 0);
    }
    shm_sleep(b.endpoint.engine, NAP_NONE);
    for (int tag = 1; tag <= 3; tag++)
        neighbour_expect(&b, A, tag, 8);
}

TEST_MET(sender_rings_once_for_a_nap)
{
    struct epoll_event rung[2];
    int set = b.endpoint.waiting->epoll;
    neighbour_send(&a, B, 1, 8);
    assert_int_equal(epoll_wait(set, rung, 2, 0), 0);              /* it is awake */
    assert_true(shm_sleep(b.endpoint.engine, NAP_UNTIL_ANYTHING)); /* there is one already */
    shm_sleep(b.endpoint.engine, NAP_NONE);
    neighbour_expect(&b, A, 1, 8);
    for (int nap = 0; nap < 3; nap++) {
        assert_false(shm_sleep(b.endpoint.engine, NAP_UNTIL_ANYTHING));
        neighbour_send(&a, B, 2, 8);
        assert_int_equal(epoll_wait(set, rung, 2, 0), 1);
        assert_null(rung->data.ptr);
        neighbour_send(&a, B, 3, 8);
        assert_int_equal(epoll_wait(set, rung, 2, 0), 0);
        shm_sleep(b.endpoint.engine, NAP_NONE);
        neighbour_expect(&b, A, 2, 8);
        neighbour_expect(&b, A, 3, 8);
    }
}

static int light(struct neighbour *side)
{
    int list[4];
    assert_int_equal(endpoint_descriptors(&side->endpoint, list, 4), 1);
    return list[0];
}

static bool is_readable(int descriptor)
{
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

TEST_MET(wait_descriptor_wakes_for_what_is_in_a_ring)
{
    int descriptor = light(&b);
    for (int i = 0; i < 3; i++) {
        assert_false(is_readable(descriptor));
        neighbour_send(&a, B, i, 8);
        assert_true(is_readable(descriptor));
        neighbour_expect(&b, A, i, 8);
        assert_null(neighbour_arrives(&b));
    }
}

static int name_of_tag(void *owner, struct message *message)
{
    (void)owner;
    return message->header.tag + 1;
}

static int take_any(void *owner, int name)
{
    (void)owner;
    return name > 0;
}

static struct message *is_judged(struct neighbour *side, enum patience patience)
{
    const struct judgement judgement = {name_of_tag, take_any, NULL};
    const struct timespec past = {0, 1};
    struct message *message;
    assert_true(endpoint_examine(&side->endpoint, &judgement, patience, &past, &message) >= 0);
    return message;
}

TEST_MET(wait_descriptor_wakes_behind_a_judgement)
{
    int descriptor = light(&b);
    for (int i = 0; i < 4; i++) {
        enum patience patience = i % 2 ? PATIENCE_NONE : PATIENCE_UNTIL;
        assert_false(is_readable(descriptor));
        neighbour_send(&a, B, i, 8);
        assert_true(is_readable(descriptor));
        talk_expect(is_judged(&b, patience), i, 8);
        assert_null(is_judged(&b, patience));
    }
}

/* As while another thread leads, and sleeps. */
TEST_MET(wait_descriptor_goes_out_where_a_leader_is_rung_for)
{
    struct waiter leader = {.party = &b.endpoint.party};
    int descriptor = light(&b);
    b.endpoint.waiting->leader = &leader;
    for (int i = 0; i < 3; i++) {
        assert_false(shm_sleep(b.endpoint.engine, NAP_UNTIL_ANYTHING));
        neighbour_send(&a, B, i, 8);
        assert_true(is_readable(descriptor));
        assert_null(neighbour_arrives(&b)); /* that is for the leader to take in */
        assert_false(is_readable(descriptor));
        assert_true(shm_look(&b.endpoint, RING_SLOTS));
        assert_true(is_readable(descriptor));
        neighbour_expect(&b, A, i, 8);
    }
    b.endpoint.waiting->leader = NULL;
}

TEST(multicast_shares_one_body)
{
    struct neighbour c;
    neighbour_begin(&c, C, LIMIT);
    neighbours_meet();
    for (int tag = 1; tag <= 2; tag++) {
        neighbour_send(&a, C, tag, 8);
        neighbour_passes_on(&a, &c);
        neighbour_look(&c);
        neighbour_expect(&c, A, tag, 8);
    }
    uint32_t tids[] = {B, C};
    struct message *message = talk_make(5, 0, 100000);
    size_t before = neighbour_uses(&a);
    assert_int_equal(endpoint_send_all(&a.endpoint, message, tids, 2), 0);
    message_free(message);
    assert_true(talk_is_silent(&a.heard));
    assert_true(neighbour_uses(&a) - before < 2 * 100000);
    neighbour_expect(&b, A, 5, 100000);
    neighbour_expect(&c, A, 5, 100000);
    neighbour_end(&c);
}

TEST_MET(steady_exchange_allocates_nothing)
{
    struct message *small = talk_make(1, 0, 8), *large = talk_make(2, 0, LONG);
    const struct parcel parcels[] = {{small, B}, {large, B}};
    unsigned long before = 0;
    for (int i = 0; i < 200; i++) {
        if (i == 100)
            before = shortage_allocations();
        for (int k = 0; k < 2; k++) {
            assert_int_equal(endpoint_send(&a.endpoint, &parcels[k], true), 0);
            message_free(neighbour_arrives(&b));
        }
    }
    assert_int_equal(shortage_allocations(), before);
    message_free(small);
    message_free(large);
}

TEST_MET(large_bodies_take_turns_in_a_few_places)
{
    for (int i = 0; i < 100; i++) {
        neighbour_send(&a, B, i, 500000);
        neighbour_send(&a, B, i, 300);
        neighbour_expect(&b, A, i, 500000);
        neighbour_expect(&b, A, i, 300);
        assert_true(neighbour_uses(&a) <= (size_t)2 << 20); /* no more than two of them */
    }
    assert_true(shm_of(&a.endpoint)->shared->arena.size <= (size_t)2 << 20);
}

TEST_MET(large_body_is_one_segment_of_the_fragments_that_it_has)
{
    neighbour_send(&a, B, 5, 100 * MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *message = neighbour_arrives(&b);
    assert_non_null(message);
    assert_int_equal(message->segment_count, 1);
    assert_int_equal(message_fragments(message), 100);
}

TEST(who_does_not_listen_is_called_ever_less)
{
    neighbour_end(&b);
    neighbour_begin(&b, B, 0);
    for (int i = 0; i < 1000; i++) {
        neighbour_send(&a, B, i, 8);
        talk_expect(talk_read(&a.heard), i, 8);
    }
    assert_true(peers_find(&a.endpoint.peers, B)->patience >= 500);
}

/* A hostile peer: what it may show, and what comes of it. -------------------------------------- */

struct hand {
    int socket;
    int file; /* of the ring */
    struct ring_area *area;
    struct ring_writer writer;
};

static void hand_calls(struct hand *hand, uint32_t tid)
{
    hand->socket = shm_socket_connect(a.endpoint.descriptor, B);
    assert_true(hand->socket >= 0);
    hand->file = arena_make_file("hand", sizeof *hand->area);
    hand->area = arena_map(hand->file, sizeof *hand->area, true);
    ring_writer_start(&hand->writer, hand->area, tid);
    const struct shm_letter letter = {SHM_VERSION, SHM_INTRODUCTION,  tid, HAND_CALL,
                                      B,           sizeof *hand->area};
    assert_true(shm_socket_send(hand->socket, &letter, &hand->file, 1));
    neighbour_look(&b);
}

static void hand_ends(struct hand *hand)
{
    munmap(hand->area, sizeof *hand->area);
    close(hand->file);
    close(hand->socket);
    neighbour_look(&b);
}

/* The fence that the daemon would bring. */
static void hand_engages(uint32_t tid)
{
    OWN struct message *fence = control_new(CONTROL_FENCE, CONTROL_CONTEXT_TC, 0);
    control_put_int(fence, HAND_CALL);
    talk_write(b.daemon, fence, B, tid);
}

static void hand_tells(struct hand *hand, struct ring_extent extent)
{
    const struct host_header header = {0};
    ring_write_long(&hand->writer, long_ago, &header, 0, &extent, 1);
}

/* The record of B, with a user more. With the lock of a. */
static struct peer *use_peer(void)
{
    struct peer *peer = peers_make(&a.endpoint.peers, B);
    assert_non_null(peer);
    peers_use(peer);
    return peer;
}

/* The thread that sends is the last to use the link, which no leader needs to free then. */
TEST_MET(link_that_ends_amid_a_send_is_freed_behind_it)
{
    struct peers *peers = &a.endpoint.peers;
    lock_acquire(&a.endpoint.waiting->lock);
    struct peer *peer = use_peer();
    lock_release(&a.endpoint.waiting->lock);
    struct entry *link = peer->to[ROLE_OVER];
    assert_non_null(link);
    neighbour_end(&b);
    neighbour_look(&a);
    assert_null(peer->to[ROLE_OVER]);
    assert_ptr_equal(peers->ended, link);
    lock_acquire(&a.endpoint.waiting->lock);
    endpoint_release(&a.endpoint, peer);
    lock_release(&a.endpoint.waiting->lock);
    assert_null(peers->ended);
}

/* A link that ends while a thread leads, awake, is not freed before it looks no more. */
TEST_MET(link_is_not_freed_while_a_leader_may_look_at_it)
{
    struct peers *peers = &a.endpoint.peers;
    lock_acquire(&a.endpoint.waiting->lock);
    struct peer *peer = use_peer();
    lock_release(&a.endpoint.waiting->lock);
    neighbour_end(&b);
    neighbour_look(&a);
    lock_acquire(&a.endpoint.waiting->lock);
    a.endpoint.waiting->looker = &a.endpoint.party;
    endpoint_release(&a.endpoint, peer);
    assert_non_null(peers->ended);
    a.endpoint.waiting->looker = NULL;
    lock_release(&a.endpoint.waiting->lock);
    neighbour_look(&a);
    assert_null(peers->ended);
}

/* Threads that change from one way to another. ------------------------------------------------- */

#define LATE 9

static pthread_t late;
static sem_t late_may_begin;

static void *send_late(void *nothing)
{
    sem_wait(&late_may_begin);
    neighbour_send(&a, B, LATE, 8);
    return nothing;
}

/*
 * A process of one thread takes no locks: so there is another thread first. The order of locks is
 * that of one task, and this thread plays two: so it is not asked for here.
 */
static void lock_way_beside_late_sender(void)
{
    sem_init(&late_may_begin, 0, 0);
    assert_int_equal(pthread_create(&late, NULL, send_late, NULL), 0);
    pthread_mutex_lock(&a.endpoint.common->lock.mutex);
}

/*
 * The other thread is about to send by the daemon, and stands at the lock of this way: it has found
 * what link there was.
 */
static void let_late_sender_begin(void)
{
    bool used = false;
    sem_post(&late_may_begin);
    while (!used) {
        lock_acquire(&a.endpoint.waiting->lock);
        const struct peer *peer = peers_find(&a.endpoint.peers, B);
        used = peer && users_are_there(&peer->users);
        lock_release(&a.endpoint.waiting->lock);
        sched_yield();
    }
}

/* This thread makes a link, and engages it with a message. It has the lock of the daemon's way. */
static void engage_new_link(int32_t tag)
{
    struct sending sending = {.peer = NULL};
    OWN struct message *message = talk_make(tag, 0, 8);
    lock_acquire(&a.endpoint.waiting->lock);
    sending.peer = use_peer();
    sending.peer->patience = 0;
    a.endpoint.over->offer(&a.endpoint, sending.peer);
    sending.link = sending.peer->to[ROLE_OVER];
    lock_release(&a.endpoint.waiting->lock);
    assert_non_null(sending.link);
    neighbour_look(&b);
    a.endpoint.over->place(&a.endpoint, &sending, message);
    assert_true(a.endpoint.over->send_or_leave(&a.endpoint, &sending, message, a.endpoint.common));
    lock_acquire(&a.endpoint.waiting->lock);
    endpoint_release(&a.endpoint, sending.peer);
    lock_release(&a.endpoint.waiting->lock);
}

/* What the other thread sends now comes by the new link, behind its fence and its first message. */
static void expect_late_message_by_new_link(void)
{
    pthread_mutex_unlock(&a.endpoint.common->lock.mutex);
    assert_int_equal(pthread_join(late, NULL), 0);
    sem_destroy(&late_may_begin);
    assert_int_equal(neighbour_passes_on(&a, &b), 1); /* the fence */
    neighbour_look(&b);
    neighbour_expect(&b, A, 8, 8);
    neighbour_expect(&b, A, LATE, 8);
}

TEST(who_found_no_link_does_not_use_another_way_while_there_is_one)
{
    lock_acquire(&a.endpoint.waiting->lock);
    struct peer *peer = use_peer();
    peer->patience = 1000; /* the other thread does not call */
    endpoint_release(&a.endpoint, peer);
    lock_release(&a.endpoint.waiting->lock);
    lock_way_beside_late_sender();
    let_late_sender_begin();
    engage_new_link(8);
    expect_late_message_by_new_link();
}

TEST(who_found_a_link_that_has_ended_since_does_not_overtake_the_next_one)
{
    neighbour_send(&a, B, 1, 8);                      /* there is a link, which is not engaged */
    assert_int_equal(neighbour_passes_on(&a, &b), 2); /* a fence, too */
    assert_non_null(neighbour_link(&a, B));
    lock_way_beside_late_sender();
    let_late_sender_begin();
    neighbour_end(&b);
    neighbour_look(&a);
    assert_null(neighbour_link(&a, B));
    neighbour_begin(&b, B, LIMIT);
    engage_new_link(8);
    expect_late_message_by_new_link();
    neighbour_look(&a);
    assert_null(a.endpoint.peers.ended);
}

TEST(introductions_that_make_no_sense_or_are_of_another_version_end)
{
    static const uint32_t tids[] = {0, B, TID_OWN_DAEMON, 0x80001u, A | TID_MULTICAST_BIT};
    for (size_t i = 0; i < COUNT_OF(tids); i++) {
        struct hand hand;
        hand_calls(&hand, tids[i]);
        assert_int_not_equal(atomic_load(&hand.area->use), RING_READ);
        assert_null(shm_of(&b.endpoint)->in);
        hand_ends(&hand);
    }
    /* A file that could shrink, or is too small; and another version. */
    for (int i = 0; i < 3; i++) {
        int file = i == 0 ? memfd_create("open", MFD_CLOEXEC)
                          : arena_make_file("ring", i == 1 ? 4096 : sizeof(struct ring_area));
        if (i == 0)
            assert_int_equal(ftruncate(file, sizeof(struct ring_area)), 0);
        int to = shm_socket_connect(a.endpoint.descriptor, B);
        const struct shm_letter letter = {
            SHM_VERSION - (i == 2), SHM_INTRODUCTION, C, HAND_CALL, B, sizeof(struct ring_area)};
        assert_true(shm_socket_send(to, &letter, &file, 1));
        neighbour_look(&b);
        assert_null(shm_of(&b.endpoint)->in);
        close(to);
        close(file);
    }
}

TEST(bodies_beyond_their_file_are_not_believed)
{
    static const struct {
        struct ring_extent extent;
        bool good;
    } tries[] = {
        {{0, 0, 100, 1}, true},
        {{0, ARENA_FILE_LEAST - 100, 100, 1}, true},
        {{0, ARENA_FILE_LEAST - 99, 100, 1}, false},
        {{0, 0, ARENA_FILE_LEAST + 1, 1}, false},
        {{0, UINT32_MAX, UINT32_MAX, 1}, false},
        {{0, 0, UINT32_MAX, UINT32_MAX}, false},
        {{0, 0, 1, RING_SEGMENTS_MOST + 1}, false},
        {{0, 0, 0, UINT32_MAX}, false},
        {{0, 0, 4096, 257}, false},
        {{1, 0, 1, 1}, false},
        {{ARENA_FILES, 0, 1, 1}, false},
        {{UINT32_MAX, 0, 1, 1}, false},
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        struct hand hand;
        hand_calls(&hand, C);
        assert_int_equal(atomic_load(&hand.area->use), RING_READ);
        int file = arena_make_file("arena", ARENA_FILE_LEAST);
        const struct shm_letter letter = {SHM_VERSION, SHM_FILE, 0, 0, 0, ARENA_FILE_LEAST};
        assert_true(shm_socket_send(hand.socket, &letter, &file, 1));
        close(file);
        hand_tells(&hand, tries[i].extent);
        neighbour_look(&b);
        assert_null(neighbour_arrives(&b)); /* no fence yet */
        int drops = b.drops;
        hand_engages(C);
        struct message *message = neighbour_arrives(&b);
        assert_int_equal(message != NULL, tries[i].good);
        assert_int_equal(b.drops - drops, !tries[i].good);
        assert_int_equal(shm_of(&b.endpoint)->in == NULL, !tries[i].good);
        message_free(message);
        hand_ends(&hand);
        assert_null(shm_of(&b.endpoint)->in);
    }
}

TEST(runs_beyond_their_file_are_not_believed)
{
    static const struct {
        uint32_t file, offset;
        bool good;
    } tries[] = {
        {0, 0, true},
        {0, ARENA_FILE_LEAST - RING_RUN_SIZE, true},
        {0, RING_SLOT_SIZE, true},
        {RING_HOME, UINT32_MAX, true},
        {0, ARENA_FILE_LEAST - RING_RUN_SIZE + RING_SLOT_SIZE, false},
        {0, ARENA_FILE_LEAST, false},
        {0, UINT32_MAX - RING_SLOT_SIZE + 1, false},
        {0, 64, false},
        {1, 0, false},
        {ARENA_FILES, 0, false},
        {RING_HOME - 1, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        const struct host_header header = {.tag = 5};
        struct hand hand;
        hand_calls(&hand, C);
        int file = arena_make_file("arena", ARENA_FILE_LEAST);
        unsigned char *base = arena_map(file, ARENA_FILE_LEAST, true);
        const struct shm_letter letter = {SHM_VERSION, SHM_FILE, 0, 0, 0, ARENA_FILE_LEAST};
        assert_true(shm_socket_send(hand.socket, &letter, &file, 1));
        close(file);
        ring_write_short(&hand.writer, long_ago, &header, NULL, 0);
        bool home = tries[i].file == RING_HOME;
        void *run = base + (tries[i].good && !home ? tries[i].offset : 0);
        ring_move(&hand.writer, home ? NULL : run, tries[i].file, tries[i].offset);
        ring_write_short(&hand.writer, long_ago, &header, NULL, 0);
        int drops = b.drops;
        hand_engages(C);
        neighbour_expect(&b, C, 5, 0);
        struct message *message = neighbour_arrives(&b);
        assert_int_equal(message != NULL, tries[i].good);
        assert_int_equal(b.drops - drops, !tries[i].good);
        message_free(message);
        munmap(base, ARENA_FILE_LEAST);
        hand_ends(&hand);
        assert_null(shm_of(&b.endpoint)->in);
    }
}

/* What a task asks its daemon about another one, which is then over. */
static void word_of_the_end_is_asked_and_comes(uint32_t tid)
{
    struct message *request = talk_read(&b.heard);
    struct control_reader reader;
    assert_int_equal(request->header.tag, TM_NOTIFY);
    control_read(&reader, request);
    assert_int_equal(control_get_int(&reader), PvmTaskExit);
    const int32_t context = control_get_int(&reader), tag = control_get_int(&reader);
    assert_int_equal(control_get_int(&reader), 1);
    assert_int_equal(control_get_tid(&reader), tid);
    message_free(request);
    OWN struct message *word = control_new(tag, context, 0);
    control_put_tid(word, tid);
    talk_write(b.daemon, word, B, TID_OWN_DAEMON);
}

TEST(ring_whose_fence_is_lost_is_given_up_when_the_task_is_over)
{
    for (int i = 0; i < 2; i++) { /* with something in the ring, and without */
        struct hand hand;
        const struct host_header header = {0};
        hand_calls(&hand, C);
        if (i == 0)
            ring_write_short(&hand.writer, long_ago, &header, NULL, 0);
        assert_non_null(shm_of(&b.endpoint)->in);
        hand_ends(&hand);
        assert_int_equal(shm_of(&b.endpoint)->in != NULL, i == 0);
        word_of_the_end_is_asked_and_comes(C);
        message_free(neighbour_arrives(&b)); /* the word is for the direct routes, too */
        assert_null(shm_of(&b.endpoint)->in);
        assert_true(talk_is_silent(&b.heard));
    }
}

/*
 * Until a's daemon, which does not read, has been sent as much as fits. With `waits`, something
 * waits in a; otherwise the next thing will.
 */
static void fill_the_way_to_the_daemon(bool waits)
{
    while (!stream_of(&a.endpoint)->line->port.first) {
        struct message *message = talk_make(1, 0, 8);
        struct unattended *letter = endpoint_prepare(&message, &(uint32_t){TID_OWN_DAEMON}, 1);
        assert_non_null(letter);
        endpoint_send_unattended(&a.endpoint, letter);
    }
    char frame[FRAME_HEADER_SIZE + FRAME_MESSAGE_HEADER_SIZE + 8];
    while (!waits && stream_of(&a.endpoint)->line->port.first) { /* as little as makes room */
        assert_int_equal(recv(a.daemon, frame, sizeof frame, 0), sizeof frame);
        neighbour_look(&a);
    }
}

TEST(ring_is_not_used_while_its_fence_waits)
{
    neighbour_send(&a, B, 1, 8);
    assert_int_equal(neighbour_passes_on(&a, &b), 2); /* a fence, too */
    neighbour_look(&b);
    neighbour_expect(&b, A, 1, 8);
    for (int turn = 0; turn < 2; turn++) {
        fill_the_way_to_the_daemon(turn == 0);
        struct message *message = talk_make(2, 0, 8);
        struct sending sending = {.link = &neighbour_link(&a, B)->entry};
        lock_acquire(&a.endpoint.common->lock);
        bool sent = shm_send_or_leave(&a.endpoint, &sending, message, a.endpoint.common);
        lock_release(&a.endpoint.common->lock);
        assert_false(sent);
        message_free(message);
        assert_non_null(stream_of(&a.endpoint)->line->port.first);
        for (; stream_of(&a.endpoint)->line->port.first; neighbour_look(&a))
            neighbour_passes_on(&a, &b);
        neighbour_passes_on(&a, &b); /* turn 1: the fence, which only leads to a marker */
        neighbour_look(&b);
    }
    for (int tag = 3; tag < 6; tag++) {
        neighbour_send(&a, B, tag, 8);
        assert_int_equal(neighbour_passes_on(&a, &b), tag == 3);
        neighbour_expect(&b, A, tag, 8);
    }
}
