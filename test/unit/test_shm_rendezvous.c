/*
 * test_shm_rendezvous.c - a receive that waits gets its message written to where it wants it;
 * whatever comes in between, the message is received once, in order and whole.
 */
#include "ck/ports/shm/shm.h"

#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/requests/request.h"
#include "core/control.h"
#include "core/tid.h"

#include "body.h"
#include "neighbours.h"
#include "unit.h"

static const struct stamp long_ago;

#define LEAST ONE_COPY_FROM
#define ROOM  (2 * LEAST)
#define TAG   5

static unsigned char source[ROOM + 1];

/* A thread of b that receives. */
struct actor {
    pthread_t thread;
    struct pattern pattern;
    unsigned char *memory; /* NULL: nowhere in particular */
    size_t size;
    struct message *message;
    int result;
};

static struct actor one, other;
static unsigned char memory[2][ROOM];

static void *receive(void *argument)
{
    struct actor *actor = argument;
    actor->result = actor->memory
                        ? endpoint_receive_into(&b.endpoint, &actor->pattern, actor->memory,
                                                actor->size, &actor->message)
                        : endpoint_receive(&b.endpoint, &actor->pattern, NULL, &actor->message);
    return NULL;
}

static void begin_receive(struct actor *actor, uint32_t from, int32_t tag, unsigned char *where)
{
    *actor = (struct actor){.pattern = {from, tag, PATTERN_ANY, 0}, .memory = where, .size = ROOM};
    assert_int_equal(pthread_create(&actor->thread, NULL, receive, actor), 0);
}

/* Returns when b's thread sleeps, the last of `count`. */
static void begin_waiting(struct actor *actor, uint32_t from, int32_t tag, unsigned char *where,
                          int count)
{
    begin_receive(actor, from, tag, where);
    talk_await_waiting(&b.endpoint, count);
}

/* In place, from a to b. */
static void put(int32_t tag, size_t size)
{
    struct message message;
    message_init(&message, MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    message.header.tag = tag;
    body_fill(source, size, (unsigned)tag);
    assert_int_equal(message_append_memory(&message, source, size / 2), 0);
    assert_int_equal(message_append_memory(&message, source + size / 2, size - size / 2), 0);
    const struct parcel parcel = {&message, B};
    assert_int_equal(endpoint_send(&a.endpoint, &parcel, true), 0);
    message_finish(&message);
    memset(source, 0, size); /* it is the program's again */
}

static void expect_message(struct message *message, int32_t tag, size_t size)
{
    unsigned char *bytes = malloc(size);
    body_fill(bytes, size, (unsigned)tag);
    assert_non_null(message);
    assert_int_equal(message->header.source, A);
    assert_int_equal(message->header.destination, B);
    assert_int_equal(message->header.tag, tag);
    body_expect_bytes(message, bytes, size);
    free(bytes);
}

/* Whether the message lies where it was to be written is the question. */
static void expect_received(struct actor *actor, int32_t tag, size_t size, bool straight)
{
    assert_int_equal(pthread_join(actor->thread, NULL), 0);
    assert_int_equal(actor->result, 0);
    expect_message(actor->message, tag, size);
    assert_int_equal(message_is_at(actor->message, actor->memory), straight);
    message_free(actor->message);
}

/* Returns when a message is queued at b. */
static void await_arrival(void)
{
    bool arrived = false;
    while (!arrived) {
        lock_acquire(&b.endpoint.waiting->lock);
        arrived = inbox_has_messages(&b.endpoint.inbox);
        lock_release(&b.endpoint.waiting->lock);
        sched_yield();
    }
}

/* Of the link from a, which is there; a leader of b may end it as soon as the lock is free. */
static struct rendezvous_strip *strip(void)
{
    lock_acquire(&b.endpoint.waiting->lock);
    struct rendezvous_strip *strip = &shm_of(&b.endpoint)->in->area->rendezvous;
    lock_release(&b.endpoint.waiting->lock);
    return strip;
}

#define TEST(name)       UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)
#define TEST_UNMET(name) UNIT_TEST_BETWEEN(name, neighbours_start, neighbours_finish)

TEST(message_lands_where_it_is_waited_for)
{
    static const size_t sizes[] = {LEAST, LEAST + 1, ROOM - 1, ROOM};
    for (int turn = 0; turn < 8; turn++) {
        size_t size = sizes[(size_t)turn % COUNT_OF(sizes)];
        begin_waiting(&one, A, turn % 3 ? turn : PATTERN_ANY, memory[0], 1);
        put(turn, size);
        expect_received(&one, turn, size, true);
        assert_int_equal(neighbour_uses(&a), 0);
    }
    assert_true(talk_is_silent(&a.heard));
}

/* A sender that was ahead does not know yet that the ring can go home. */
TEST(message_lands_though_the_ring_is_in_the_arena)
{
    for (unsigned i = 0; i < 2 * RING_SLOTS; i++)
        neighbour_send(&a, B, TAG, 8);
    for (unsigned i = 0; i < 2 * RING_SLOTS; i++)
        neighbour_expect(&b, A, TAG, 8);
    assert_non_null(neighbour_link(&a, B)->pieces);
    for (unsigned i = 0; i < RING_SLOTS; i++) { /* at each slot of a run */
        begin_waiting(&one, A, TAG, memory[0], 1);
        put(TAG, LEAST);
        expect_received(&one, TAG, LEAST, true);
    }
    shm_tidy(a.endpoint.engine, false);
    neighbour_look(&b);
    shm_tidy(a.endpoint.engine, false);
    assert_int_equal(neighbour_uses(&a), 0);
    assert_true(talk_is_silent(&a.heard));
}

TEST(what_is_not_worth_it_or_does_not_fit_goes_through_the_arena)
{
    static const size_t sizes[] = {1, LEAST - 1, ROOM + 1};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        begin_waiting(&one, A, TAG, memory[0], 1);
        put(TAG, sizes[i]);
        expect_received(&one, TAG, sizes[i], false);
    }
    begin_waiting(&one, A, TAG, memory[0], 1);
    neighbour_send(&a, B, TAG, LEAST); /* packed */
    pthread_join(one.thread, NULL);
    talk_expect(one.message, TAG, LEAST);
}

TEST(offers_are_made_to_one_task_and_with_room)
{
    begin_waiting(&one, PATTERN_ANY_SOURCE, TAG, memory[0], 1);
    assert_int_equal(strip()->word, 0);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, false);
    one =
        (struct actor){.pattern = {A, TAG, PATTERN_ANY, 0}, .memory = memory[0], .size = LEAST - 1};
    assert_int_equal(pthread_create(&one.thread, NULL, receive, &one), 0);
    talk_await_waiting(&b.endpoint, 1);
    assert_int_equal(strip()->word, 0);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, false);
}

TEST(message_for_nobody_waits_and_others_pass)
{
    begin_waiting(&one, A, TAG, memory[0], 1);
    put(TAG + 1, LEAST); /* is not asked for */
    while (!ring_is_drained(&neighbour_link(&a, B)->writer))
        sched_yield();
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, true);
    OWN struct message *message = neighbour_arrives(&b);
    expect_message(message, TAG + 1, LEAST);
}

/* What lies in the ring unread may be what is waited for. */
TEST(nothing_overtakes_what_is_in_the_ring)
{
    for (int tag = 1; tag <= 4; tag++)
        put(tag, LEAST);
    for (int tag = 1; tag <= 4; tag++) {
        begin_receive(&one, A, PATTERN_ANY, memory[0]);
        expect_received(&one, tag, LEAST, false);
    }
}

TEST(second_receive_has_no_offer_to_make)
{
    begin_waiting(&one, A, 1, memory[0], 1);
    begin_waiting(&other, A, 2, memory[1], 2);
    put(2, LEAST);
    expect_received(&other, 2, LEAST, false);
    put(1, LEAST);
    expect_received(&one, 1, LEAST, true);
}

TEST(receive_that_was_first_gets_it)
{
    begin_waiting(&other, PATTERN_ANY_SOURCE, TAG, NULL, 1);
    begin_waiting(&one, A, TAG, memory[0], 2);
    put(TAG, LEAST);
    expect_received(&other, TAG, LEAST, false);
    put(TAG, LEAST + 4); /* the offer has been taken */
    expect_received(&one, TAG, LEAST + 4, false);
}

/* What comes next does not go to the memory of a receive that has got a shorter message. */
TEST(memory_behind_a_short_message_stays)
{
    const struct pattern pattern = {A, TAG, PATTERN_ANY, 0};
    struct request *request;
    memset(memory[0], 0, ROOM);
    assert_int_equal(request_post_receive(&b.endpoint, &pattern, memory[0], ROOM, &request), 0);
    assert_int_not_equal(strip()->word, 0);
    put(TAG, 100);
    neighbour_look(&b);
    put(TAG, LEAST);
    assert_true(request_wait(request, NULL));
    for (size_t i = 0; i < ROOM; i++)
        assert_int_equal(memory[0][i], 0);
    OWN struct message *first = request_take(request);
    expect_message(first, TAG, 100);
    request_free(request);
    OWN struct message *second = neighbour_arrives(&b);
    expect_message(second, TAG, LEAST);
}

TEST(handler_gets_it)
{
    b.intercepts = 2;
    begin_waiting(&one, A, PATTERN_ANY, memory[0], 1);
    put(2, LEAST);
    put(1, LEAST);
    expect_received(&one, 1, LEAST, false);
    expect_message(b.intercepted, 2, LEAST);
    message_free(b.intercepted);
}

TEST(interrupted_receive_gets_it_when_it_goes_on)
{
    begin_waiting(&one, A, TAG, memory[0], 1);
    assert_int_equal(endpoint_interrupt(&b.endpoint), 0);
    put(TAG, LEAST);
    await_arrival();
    memset(memory[0], 0, LEAST); /* a copy has been made */
    assert_int_equal(endpoint_resume(&b.endpoint), 0);
    expect_received(&one, TAG, LEAST, false);
    begin_waiting(&one, A, TAG, memory[0], 1);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, true);
}

TEST(what_the_system_does_not_allow_is_tried_once)
{
    struct shm_out *out = neighbour_link(&a, B);
    assert_int_equal(out->process, getpid());
    begin_waiting(&one, A, TAG, (unsigned char *)(uintptr_t)4096, 1);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, false);
    assert_int_equal(out->process, 0);
    begin_waiting(&one, A, TAG, memory[0], 1);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, false);
}

TEST(receiver_leaves_while_it_offers)
{
    begin_waiting(&one, A, TAG, memory[0], 1);
    neighbour_end(&b);
    pthread_join(one.thread, NULL);
    assert_int_equal(one.result, CK_LOST);
    assert_null(one.message);
    neighbour_send(&a, B, TAG, 8); /* to the daemon */
    talk_expect(talk_read(&a.heard), TAG, 8);
}

/* A peer amid a rendezvous. -------------------------------------------------------------------- */

static struct rendezvous_offer claimed;

/* As if a were copying. */
static void claim(void)
{
    const struct message_header header = {.tag = TAG};
    assert_true(rendezvous_find(strip(), &header, LEAST, &claimed));
    assert_true(rendezvous_claim(strip(), &claimed));
    assert_ptr_equal((void *)(uintptr_t)claimed.address, memory[0]);
}

/* Returns when the receive of b has its message, or an error, and waits for a. */
static void await_closing(void)
{
    bool closing = false;
    while (!closing) {
        lock_acquire(&b.endpoint.waiting->lock);
        closing = atomic_load(&shm_of(&b.endpoint)->in->closing) == claimed.number;
        lock_release(&b.endpoint.waiting->lock);
        sched_yield();
    }
}

static void tell(uint32_t number)
{
    const struct message_header said = {.encoding = MESSAGE_XDR, .tag = TAG};
    struct shm_out *out = neighbour_link(&a, B);
    const struct host_header header = host_header_of(&said);
    ring_write_landed(&out->writer, long_ago, &header, number);
}

static void write_straight(size_t size)
{
    body_fill(memory[0], LEAST, TAG);
    rendezvous_settle(strip(), &claimed, size);
    tell(claimed.number);
}

static void wake(void)
{
    uint64_t bell = 1;
    assert_int_equal(write(b.endpoint.waiting->doorbell, &bell, sizeof bell), sizeof bell);
}

TEST(receive_that_ends_waits_for_the_claim)
{
    for (int written = 0; written <= 1; written++) {
        begin_waiting(&one, A, TAG, memory[0], 1);
        claim();
        put(TAG, 100);
        await_closing();
        if (written)
            write_straight(LEAST);
        else
            rendezvous_settle(strip(), &claimed, 0);
        wake();
        expect_received(&one, TAG, 100, false);
        if (!written)
            continue;
        memset(memory[0], 0, LEAST);
        OWN struct message *message = neighbour_arrives(&b);
        expect_message(message, TAG, LEAST);
    }
    assert_null(neighbour_arrives(&b));
    begin_waiting(&one, A, TAG, memory[0], 1);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, true);
}

/* The slot that tells of it comes behind a fence that is still on its way. */
TEST(what_landed_too_early_is_kept)
{
    begin_waiting(&one, A, TAG, memory[0], 1);
    claim();
    ring_write_marker(&neighbour_link(&a, B)->writer, long_ago);
    write_straight(LEAST);
    wake();
    OWN struct message *message = talk_make(TAG, 0, 8);
    talk_write(b.daemon, message, B, A);
    message_free(message);
    pthread_join(one.thread, NULL);
    talk_expect(one.message, TAG, 8);
    memset(memory[0], 0, LEAST);
    assert_null(neighbour_arrives(&b));
    begin_waiting(&one, A, TAG + 1, memory[0], 1); /* offers nothing as long as it is kept */
    assert_int_equal(rendezvous_state(strip(), claimed.number), RENDEZVOUS_WRITTEN);
    struct message *fence = control_new(CONTROL_FENCE, CONTROL_CONTEXT_TC, 0);
    control_put_int(fence, (int32_t)neighbour_link(&a, B)->number);
    talk_write(b.daemon, fence, B, A);
    message_free(fence);
    put(TAG + 1, LEAST);
    expect_received(&one, TAG + 1, LEAST, false);
    message = neighbour_arrives(&b);
    expect_message(message, TAG, LEAST);
}

TEST_UNMET(end_of_the_peer_ends_the_claim)
{
    for (int with_message = 0; with_message <= 1; with_message++) {
        neighbours_meet();
        begin_waiting(&one, A, TAG, memory[0], 1);
        claim();
        if (with_message) {
            put(TAG, 100);
            await_closing();
            neighbour_end(&a);
        } else {
            neighbour_end(&a);
            OWN struct message *message = talk_make(TAG, 0, 8);
            talk_write(b.daemon, message, B, A);
        }
        pthread_join(one.thread, NULL);
        assert_int_equal(one.result, 0);
        message_free(one.message);
        neighbour_look(&b);
        assert_null(shm_of(&b.endpoint)->in);
        neighbour_begin(&a, A, LIMIT);
    }
}

TEST(loss_of_the_daemon_waits_for_the_claim)
{
    begin_waiting(&one, A, TAG, memory[0], 1);
    claim();
    assert_int_equal(shutdown(b.daemon, SHUT_RDWR), 0);
    await_closing();
    talk_await_waiting(&b.endpoint, 1); /* asleep, though the socket stays ready */
    rendezvous_settle(strip(), &claimed, 0);
    wake();
    pthread_join(one.thread, NULL);
    assert_int_equal(one.result, CK_LOST);
    assert_null(one.message);
}

/* A peer that places a body while the receiver copies it. -------------------------------------- */

static struct chunk *placed;
static struct shm_ahead ahead;

static void show(void)
{
    uint32_t file, offset;
    arena_locate(&shm_shared_of(a.endpoint.engine)->arena, placed, placed->data, &file, &offset);
    shm_ahead_show(&ahead, file, offset);
}

/* Sends what has been placed. */
static void send_placed(size_t size)
{
    struct message message;
    message_init(&message, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message.header.tag = TAG;
    assert_int_equal(message_append(&message, placed, placed->data, size), 0);
    const struct parcel parcel = {&message, B};
    assert_int_equal(endpoint_send(&a.endpoint, &parcel, true), 0);
    message_finish(&message);
}

static void make_place(void)
{
    struct chunk_maker *maker = &shm_shared_of(a.endpoint.engine)->arena.maker;
    placed = maker->make(maker, ROOM);
    assert_non_null(placed);
    send_placed(LEAST); /* b gets the file that it lies in */
    message_free(neighbour_arrives(&b));
}

/* For a receive of b a shows where it is going to place the message. */
static void show_place(void)
{
    claim();
    rendezvous_settle(strip(), &claimed, 0);
    body_fill(source, ROOM, TAG);
    ahead = (struct shm_ahead){.strip = strip(), .number = claimed.number};
    show();
}

/* Likewise, and the receive waits. */
static void begin_placing(void)
{
    make_place();
    begin_waiting(&one, A, TAG, memory[0], 1);
    show_place();
}

/* Returns when b has copied what has been placed. */
static void place(size_t size)
{
    shm_ahead_place(&ahead, placed->data + ahead.placed, source + ahead.placed, size);
    wake();
    while (rendezvous_copied(ahead.strip, ahead.number) < ahead.placed / RENDEZVOUS_PIECE)
        sched_yield();
}

TEST(what_is_placed_is_copied_meanwhile)
{
    static const size_t firsts[] = {RENDEZVOUS_PIECE, LEAST - 1, ROOM - 1, ROOM};
    for (size_t i = 0; i < COUNT_OF(firsts); i++) {
        begin_placing();
        place(RENDEZVOUS_PIECE - 1); /* no piece yet */
        place(firsts[i] - ahead.placed);
        memset(placed->data, 0, RENDEZVOUS_PIECE); /* it is not copied again */
        memcpy(placed->data + ahead.placed, source + ahead.placed, ROOM - ahead.placed);
        send_placed(ROOM);
        expect_received(&one, TAG, ROOM, true);
        chunk_release(placed);
    }
}

TEST(what_lies_elsewhere_than_it_was_placed_is_copied_as_a_whole)
{
    begin_placing();
    place(LEAST);
    put(TAG, LEAST);
    expect_received(&one, TAG, LEAST, false);
    chunk_release(placed);
}

/* The place of one message is never taken for that of another one. */
TEST(place_that_changes_is_not_believed)
{
    begin_placing();
    place(LEAST);
    struct chunk *first = placed;
    struct chunk_maker *maker = &shm_shared_of(a.endpoint.engine)->arena.maker;
    placed = maker->make(maker, ROOM);
    show();
    memcpy(placed->data, source, ROOM);
    rendezvous_note_placed(ahead.strip, ahead.number, ROOM / RENDEZVOUS_PIECE);
    wake();
    send_placed(ROOM);
    expect_received(&one, TAG, ROOM, false);
    chunk_release(placed);
    chunk_release(first);
}

/* The message of the offer went another way, and the next one lies where it lay. */
TEST(what_is_taken_back_is_not_believed)
{
    begin_placing();
    memset(source, 0, ROOM);
    place(LEAST);
    rendezvous_note_placed(ahead.strip, ahead.number, 0);
    body_fill(source, ROOM, TAG);
    memcpy(placed->data, source, ROOM);
    send_placed(ROOM);
    expect_received(&one, TAG, ROOM, false);
    chunk_release(placed);
}

TEST(nothing_is_copied_to_a_receive_that_has_a_message)
{
    const struct pattern pattern = {A, TAG, PATTERN_ANY, 0};
    struct request *request;
    make_place();
    assert_int_equal(request_post_receive(&b.endpoint, &pattern, memory[0], ROOM, &request), 0);
    show_place();
    memset(memory[0], 0, ROOM);
    neighbour_send(&a, B, TAG, 100);
    neighbour_look(&b);
    shm_ahead_place(&ahead, placed->data, source, ROOM);
    neighbour_look(&b);
    for (size_t i = 0; i < ROOM; i++)
        assert_int_equal(memory[0][i], 0);
    talk_expect(request_take(request), TAG, 100);
    request_free(request);
    chunk_release(placed);
}

TEST(interrupted_receive_gets_what_was_copied_meanwhile)
{
    begin_placing();
    place(ROOM);
    assert_int_equal(endpoint_interrupt(&b.endpoint), 0);
    send_placed(ROOM);
    await_arrival();
    memset(memory[0], 0, ROOM); /* it lies elsewhere */
    assert_int_equal(endpoint_resume(&b.endpoint), 0);
    expect_received(&one, TAG, ROOM, false);
    chunk_release(placed);
}

TEST(places_that_cannot_be_are_not_believed)
{
    static const struct {
        uint32_t file, offset, pieces;
    } tries[] = {{ARENA_FILES, 0, 1},
                 {ARENA_FILES - 1, 0, 1},
                 {0, UINT32_MAX - 1, 1},
                 {0, 0, ROOM / RENDEZVOUS_PIECE + 1},
                 {0, 0, UINT32_MAX}};
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        begin_placing();
        shm_ahead_show(&ahead, tries[i].file, tries[i].offset);
        rendezvous_note_placed(ahead.strip, ahead.number, tries[i].pieces);
        wake();
        put(TAG, LEAST);
        expect_received(&one, TAG, LEAST, false);
        assert_int_equal(rendezvous_copied(ahead.strip, ahead.number), 0);
        chunk_release(placed);
    }
}

TEST(end_of_the_peer_ends_what_it_was_placing)
{
    begin_placing();
    place(LEAST);
    chunk_release(placed);
    neighbour_end(&a);
    struct message *message = talk_make(TAG, 0, 8);
    talk_write(b.daemon, message, B, A);
    message_free(message);
    pthread_join(one.thread, NULL);
    talk_expect(one.message, TAG, 8);
}

/* What was not offered, or not so much, has not come. */
TEST_UNMET(rendezvous_that_cannot_be_are_not_believed)
{
    static const size_t sizes[] = {ROOM + 1, SIZE_MAX, 0};
    for (size_t i = 0; i <= COUNT_OF(sizes); i++) {
        neighbours_meet();
        int drops = b.drops;
        begin_waiting(&one, A, TAG, memory[0], 1);
        claim();
        if (i < COUNT_OF(sizes))
            write_straight(sizes[i]);
        else
            tell(claimed.number + 1);
        wake();
        while (atomic_load(&b.drops) == drops)
            sched_yield();
        struct message *message = talk_make(TAG, 0, 8);
        talk_write(b.daemon, message, B, A);
        message_free(message);
        if (i == COUNT_OF(sizes)) { /* a might still write */
            await_closing();
            assert_non_null(strip());
            rendezvous_settle(strip(), &claimed, 0);
            wake();
        }
        pthread_join(one.thread, NULL);
        talk_expect(one.message, TAG, 8);
        neighbour_look(&b);
        assert_null(shm_of(&b.endpoint)->in);
        neighbour_end(&a);
        neighbour_begin(&a, A, LIMIT);
    }
}
