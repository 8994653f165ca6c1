/*
 * test_ports.c - one battery for all ports: what each of them has to do, whatever it is made of.
 *
 * The scenes know endpoints only. How these are set says which port carries the messages, and
 * actor_meets makes sure of it.
 */
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/tid.h"

#include "cast.h"
#include "talk.h"
#include "unit.h"

enum { THREADS = 4, EACH = 150, SOME = 40 };

/* Tags of each thread begin here. */
#define OF_THREAD(number) ((number)*1000)

/*
 * Threads of both sides begin at once, before anything is known of the other side: offers of ways
 * cross, and ways change while messages are sent.
 */
static void order(struct actor *actor)
{
    struct writer writers[THREADS] = {0};
    pthread_barrier_t gate;
    int next[THREADS] = {0};
    pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        writers[i].actor = actor;
        writers[i].gate = &gate;
        writers[i].first = OF_THREAD(i);
        writers[i].count = EACH;
        writer_begin(&writers[i]);
    }
    for (int i = 0; i < THREADS * EACH; i++) {
        OWN struct message *message = actor_hears(actor);
        int thread = message->header.tag / OF_THREAD(1);
        CHECK(thread >= 0 && thread < THREADS);
        int32_t tag = OF_THREAD(thread) + next[thread]++;
        CHECK(letter_is(message, actor->peer, tag, letter_size(tag)));
    }
    for (int i = 0; i < THREADS; i++)
        writer_join(&writers[i]);
    pthread_barrier_destroy(&gate);
}

/* Sizes at which ports do otherwise, and more than any socket, ring or arena holds. */
static void large(struct actor *actor)
{
    static const size_t sizes[] = {1, 208, 209, 4032, 4033, 65536, 300000, 1 << 20, TALK_LARGE, 8};
    const struct pattern any = {actor->peer, PATTERN_ANY, PATTERN_ANY, 0};
    unsigned char *memory = malloc(TALK_LARGE);
    CHECK(memory);
    actor_meets(actor);
    for (int32_t tag = 0; tag < (int32_t)COUNT_OF(sizes); tag++) {
        actor_send(actor, actor->peer, tag, sizes[tag]);
        actor_expect(actor, actor->peer, tag, sizes[tag]);
    }
    for (int32_t tag = 0; tag < (int32_t)COUNT_OF(sizes); tag++)
        actor_send(actor, actor->peer, tag, sizes[tag]);
    for (int32_t tag = 0; tag < (int32_t)COUNT_OF(sizes); tag++) {
        struct message *message;
        CHECK(endpoint_receive_into(&actor->endpoint, &any, memory, TALK_LARGE, &message) == 0);
        CHECK(letter_is(message, actor->peer, tag, sizes[tag]));
        message_free(message);
    }
    free(memory);
}

static void empty(struct actor *actor)
{
    enum { EMPTY = 500 };
    for (int32_t tag = 0; tag < EMPTY; tag++)
        actor_send(actor, actor->peer, tag, 0);
    for (int32_t tag = 0; tag < EMPTY; tag++)
        actor_expect(actor, actor->peer, tag, 0);
}

/* Everybody tells everybody, one by one and all at once. */
static void many(struct actor *actor)
{
    enum { PEERS = CAST_MOST - 1 };
    int32_t next[CAST_MOST] = {0};
    for (int32_t tag = 0; tag < SOME; tag++) {
        uint32_t others[PEERS];
        for (int i = 0; i < PEERS; i++)
            others[i] = actor->setting->tids[(actor->role + 1 + i) % CAST_MOST];
        if (tag % 3 == 2) {
            OWN struct message *message = talk_make(tag, 0, letter_size(tag));
            CHECK(endpoint_send_all(&actor->endpoint, message, others, PEERS) == 0);
        } else {
            for (int i = 0; i < PEERS; i++)
                actor_send(actor, others[i], tag, letter_size(tag));
        }
    }
    for (int i = 0; i < PEERS * SOME; i++) {
        int role = 0;
        OWN struct message *message = actor_hears(actor);
        while (actor->setting->tids[role] != message->header.source)
            CHECK(++role < CAST_MOST);
        int32_t tag = next[role]++;
        CHECK(letter_is(message, actor->setting->tids[role], tag, letter_size(tag)));
    }
}

static void reads_slowly(struct actor *actor, int count)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    for (int32_t tag = 0; tag < count;) {
        struct message *message;
        CHECK(endpoint_poll(&actor->endpoint, &any, &message) == 0);
        if (message) {
            CHECK(letter_is(message, actor->peer, tag, letter_size(tag)));
            tag++;
        }
        message_free(message);
        sched_yield();
    }
}

/* The reader begins when the sender has sent all, or waits for it; and asks again and again. */
static void slow_reader(struct actor *actor)
{
    enum { AHEAD = 3000 };
    struct writer writer = {.actor = actor, .count = AHEAD};
    actor_meets(actor);
    if (actor->role == 0) {
        writer_begin(&writer);
        writer_await_rest(&writer);
        cue_give(CUE_READY);
    }
    if (actor->role == 1 || actor->peer == actor->tid) {
        cue_await(CUE_READY);
        reads_slowly(actor, AHEAD);
    }
    if (actor->role == 0)
        writer_join(&writer);
}

/* All that it has sent comes, though nobody looks before it is gone; then the word of its end. */
static void death_of_the_sender(struct actor *actor)
{
    struct message *messages[SOME];
    if (actor->role == 0) {
        actor_meets(actor);
        cue_await(CUE_DIE);
        actor_sends_some(actor, 0, SOME);
        raise(SIGKILL);
    }
    actor_watches_peer(actor);
    actor_meets(actor);
    cue_give(CUE_DIE);
    cue_await(CUE_DEAD);
    for (int32_t tag = 0; tag < SOME; tag++)
        messages[tag] = actor_hears(actor);
    actor_expect_gone(actor);
    for (int32_t tag = 0; tag < SOME; tag++) {
        CHECK(letter_is(messages[tag], actor->peer, tag, letter_size(tag)));
        message_free(messages[tag]);
    }
    actor_send(actor, actor->peer, 0, 8); /* to nobody */
}

/* A sender that waits for it goes on, and so does everything that is sent later. */
static void death_of_the_receiver(struct actor *actor)
{
    struct writer writer = {.actor = actor, .count = INT_MAX, .size = 300000};
    if (actor->role == 1) {
        actor_meets(actor);
        for (int32_t tag = 0; tag < 3; tag++)
            actor_expect(actor, actor->peer, tag, writer.size);
        cue_await(CUE_DIE);
        raise(SIGKILL);
    }
    actor_watches_peer(actor);
    actor_meets(actor);
    writer_begin(&writer);
    writer_await_rest(&writer);
    cue_give(CUE_DIE);
    actor_expect_gone(actor);
    writer.enough = true;
    writer_join(&writer);
    actor_sends_some(actor, 0, SOME);
    CHECK(actor->losses == 0);
}

/* A child has nothing of its parent's ways; waits for the cue if there is one. */
static pid_t actor_forks(struct actor *actor, bool stays)
{
    struct endpoint *endpoint = &actor->endpoint;
    lock_acquire(&endpoint->waiting->lock);
    engine_hold(endpoint->engine, true);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        engine_abandon(endpoint->engine);
        endpoint_abandon(endpoint);
    }
    engine_hold(endpoint->engine, false);
    lock_release(&endpoint->waiting->lock);
    if (child == 0) {
        CHECK(actor_try(actor, actor->peer, 0, 8) == CK_LOST);
        if (stays)
            cue_await(CUE_CHILD);
        _exit(0);
    }
    return child;
}

static void expect_child(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

/* Peers notice nothing of a child: not that it is there, nor that it ends, nor that it stays. */
static void forked(struct actor *actor)
{
    pid_t staying = 0;
    actor_watches_peer(actor);
    actor_meets(actor);
    actor_exchanges(actor, 0, SOME);
    if (actor->role == 0)
        staying = actor_forks(actor, true);
    actor_exchanges(actor, SOME, SOME);
    if (actor->role == 0)
        expect_child(actor_forks(actor, false));
    actor_exchanges(actor, 2 * SOME, SOME);
    if (actor->role == 0) {
        endpoint_detach(&actor->endpoint);
        if (actor->peer != actor->tid)
            cue_await(CUE_READY);
        cue_give(CUE_CHILD);
        expect_child(staying);
    } else {
        actor_expect_gone(actor); /* though the child is there */
        cue_give(CUE_READY);
    }
}

/* A task that cannot send any more still takes in, and loses nothing. */
static void full(struct actor *actor)
{
    enum { AGAINST = 3, SIZE = 1 << 20, LAST = 700000 };
    struct writer writer = {.actor = actor, .count = INT_MAX, .size = SIZE};
    actor_meets(actor);
    if (actor->role == 0) {
        writer_begin(&writer);
        writer_await_rest(&writer);
        cue_give(CUE_READY);
        for (int32_t tag = 0; tag < AGAINST; tag++)
            actor_expect(actor, actor->peer, tag, SIZE);
        writer.enough = true;
        cue_give(CUE_ENOUGH);
        writer_join(&writer);
        actor_send(actor, actor->peer, LAST, (size_t)writer.sent);
    } else {
        cue_await(CUE_READY);
        for (int32_t tag = 0; tag < AGAINST; tag++)
            actor_send(actor, actor->peer, tag, SIZE);
        cue_await(CUE_ENOUGH);
        struct message *message;
        int32_t tag = 0;
        for (; (message = actor_hears(actor))->header.tag != LAST; tag++) {
            CHECK(letter_is(message, actor->peer, tag, SIZE));
            message_free(message);
        }
        CHECK(letter_is(message, actor->peer, LAST, (size_t)tag));
        message_free(message);
    }
}

/* Every connection of the process, but for that to the daemon. */
static void break_connections(const struct actor *actor)
{
    int broken = 0;
    for (int descriptor = STDERR_FILENO + 1; descriptor < 1024; descriptor++) {
        int listens = 1;
        socklen_t size = sizeof listens;
        if (descriptor != actor->daemon &&
            getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && !listens)
            broken += shutdown(descriptor, SHUT_RDWR) == 0;
    }
    CHECK(broken > 0);
}

/* As often as it takes for all sockets to have their turn. */
static void look(struct actor *actor)
{
    for (int i = 0; i < 70; i++)
        talk_look(&actor->endpoint);
}

/*
 * A way that breaks while nothing is on it loses nothing of what comes later, and is made anew.
 * What is written before the break is seen may be lost: so both sides look before they send.
 */
static void broken(struct actor *actor)
{
    for (int turn = 0; turn < 4; turn++) {
        actor_meets(actor);
        if (actor->role == turn % 2) {
            break_connections(actor);
            look(actor);
            actor_sends_some(actor, 0, SOME);
            actor_receives_some(actor, 0, SOME);
        } else {
            actor_receives_some(actor, 0, SOME);
            look(actor);
            actor_sends_some(actor, 0, SOME);
        }
        actor_exchanges(actor, 0, SOME);
    }
    CHECK(actor->losses == 0);
}

/* Without its daemon an endpoint is lost, and says so once. */
static void broken_from_the_daemon(struct actor *actor)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    struct message *message;
    actor_watches_peer(actor);
    actor_meets(actor);
    if (actor->role == 1) {
        actor_expect_gone(actor);
        return;
    }
    actor_send(actor, TID_OWN_DAEMON, POST_CUT, 8);
    CHECK(endpoint_receive(&actor->endpoint, &any, NULL, &message) == CK_LOST);
    CHECK(actor_try(actor, actor->peer, 0, 8) == CK_LOST);
    CHECK(endpoint_poll(&actor->endpoint, &any, &message) == CK_LOST);
    CHECK(actor->losses == 1);
}

/* The table. ----------------------------------------------------------------------------------- */

enum { ORDER, LARGE, EMPTY, MANY, SLOW, SENDER_DIES, RECEIVER_DIES, FORK, FULL, BROKEN, SCENES };

static const struct scene scenes[SCENES] = {
    [ORDER] = {"order", 2, 0, order},
    [LARGE] = {"large", 2, 0, large},
    [EMPTY] = {"empty", 2, 0, empty},
    [MANY] = {"many", CAST_MOST, 0, many},
    [SLOW] = {"slow reader", 2, 0, slow_reader},
    [SENDER_DIES] = {"death of the sender", 2, 1, death_of_the_sender},
    [RECEIVER_DIES] = {"death of the receiver", 2, 2, death_of_the_receiver},
    [FORK] = {"fork", 2, 0, forked},
    [FULL] = {"full", 2, 0, full},
    [BROKEN] = {"broken", 2, 0, broken},
};

/* Tasks of one host, and tasks of two by turns. */
#define NEAR 0x40001, 0x40002, 0x40003, 0x40004, 0x40005, 0x40006
#define FAR  0x40001, 0x80001, 0x40002, 0x80002, 0x40003, 0x80003

#define UNSEEN      "what has broken is not seen by a look"
#define ONE_PROCESS "all tasks are in the one process"

#define MEMORY ((size_t)4 << 20)

/*
 * Losses of the port under, without and with breaks; and of both ports. A way breaks only where no
 * link lies over it, and on one host: elsewhere what was sent may still be in the system, and is
 * overtaken.
 */
static const struct lossy_plan delays = {{[LOSSY_LOOK] = 50, [LOSSY_ASK] = 20}};
static const struct lossy_plan breaks = {{[LOSSY_LOOK] = 30, [LOSSY_ASK] = 20, [LOSSY_BREAK] = 5}};
static const struct lossy_plan all_losses = {{[LOSSY_OFFER] = 30,
                                              [LOSSY_SEND] = 20,
                                              [LOSSY_PLACE] = 30,
                                              [LOSSY_GLANCE] = 30,
                                              [LOSSY_SERVE] = 30,
                                              [LOSSY_LOOK] = 30,
                                              [LOSSY_ASK] = 20}};

/* A port by the setting in which messages take it; and the scenes that make no sense for it. */
static const struct {
    const char *name;
    struct setting setting;
    bool alone; /* one role plays both sides */
    struct scene other_scenes[SCENES];
    const char *without[SCENES]; /* and why */
} ports[] = {
    {.name = "daemon",
     .setting = {{NEAR}, ROUTING_NEVER, MEMORY, NULL, .together = false},
     .other_scenes[BROKEN] = {"broken", 2, 0, broken_from_the_daemon}},
    {.name = "route", .setting = {{NEAR}, ROUTING_REQUESTED, 0, NULL, .together = false}},
    {.name = "far route", .setting = {{FAR}, ROUTING_REQUESTED, 0, NULL, .together = false}},
    {.name = "shared memory",
     .setting = {{NEAR}, ROUTING_GRANTED, MEMORY, NULL, .together = false}},
    {.name = "little shared memory",
     .setting = {{NEAR}, ROUTING_GRANTED, MEMORY / 32, NULL, .together = false}},
    {.name = "shared memory beside a route",
     .setting = {{NEAR}, ROUTING_REQUESTED, MEMORY, NULL, .together = false}},
    {.name = "lossy route",
     .setting = {{NEAR}, ROUTING_REQUESTED, 0, &breaks, .together = false},
     .without = {[BROKEN] = "it breaks by itself"}},
    {.name = "lossy far route",
     .setting = {{FAR}, ROUTING_REQUESTED, 0, &delays, .together = false},
     .without = {[BROKEN] = UNSEEN}},
    {.name = "lossy shared memory",
     .setting = {{NEAR}, ROUTING_GRANTED, MEMORY, &all_losses, .together = false},
     .without = {[BROKEN] = UNSEEN}},
    {.name = "lossy shared memory beside a route",
     .setting = {{NEAR}, ROUTING_REQUESTED, MEMORY, &all_losses, .together = false},
     .without = {[BROKEN] = UNSEEN}},
#ifdef HAVE_UCX
    {.name = "ucx", .setting = {{FAR}, ROUTING_GRANTED, 0, NULL, .network = NETWORK_UCX}},
#endif
    {.name = "self",
     .setting = {{NEAR}, ROUTING_GRANTED, MEMORY, NULL, .together = false},
     .alone = true,
     .without = {[MANY] = "it has one task",
                 [SENDER_DIES] = "nobody is left to receive",
                 [RECEIVER_DIES] = "nobody is left to send",
                 [FULL] = "a message to itself is there at once",
                 [BROKEN] = "it has no connection"}},
    {.name = "hand to hand",
     .setting = {{NEAR}, ROUTING_GRANTED, MEMORY, NULL, .together = true},
     .without = {[SENDER_DIES] = ONE_PROCESS,
                 [RECEIVER_DIES] = ONE_PROCESS,
                 [FORK] = ONE_PROCESS,
                 [FULL] = "there is no bound",
                 [BROKEN] = "it has no connection"}},
};

UNIT_TEST(losses_follow_the_plan_and_the_seed)
{
    enum { TRIES = 10000 };
    struct lossy first = {.plan = &all_losses, .seed = 1}, same = first, other = first;
    int differences = 0;
    other.seed = 2;
    for (int i = 0; i < TRIES; i++) {
        bool happens = lossy_decides(&first, LOSSY_GLANCE);
        assert_int_equal(lossy_decides(&same, LOSSY_GLANCE), happens);
        differences += lossy_decides(&other, LOSSY_GLANCE) != happens;
    }
    assert_in_range(differences, TRIES / 10, TRIES);
    assert_in_range(first.done[LOSSY_GLANCE], 29 * TRIES / 100, 31 * TRIES / 100);
    assert_int_equal(first.done[LOSSY_LOOK], 0);
}

struct play {
    char name[64];
    struct scene scene;
    const struct setting *setting;
};

static void play(void **state)
{
    const struct play *play = *state;
    cast_play(&play->scene, play->setting);
}

__attribute__((constructor)) static void list_plays(void)
{
    static struct play plays[COUNT_OF(ports) * SCENES];
    struct play *next = plays;
    for (size_t port = 0; port < COUNT_OF(ports); port++)
        for (size_t scene = 0; scene < SCENES; scene++) {
            if (ports[port].without[scene])
                continue;
            next->setting = &ports[port].setting;
            next->scene = scenes[scene];
            if (ports[port].other_scenes[scene].act)
                next->scene = ports[port].other_scenes[scene];
            if (ports[port].alone)
                next->scene.count = 1;
            snprintf(next->name, sizeof next->name, "%s: %s", ports[port].name, scenes[scene].name);
            unit_list(&(const struct CMUnitTest){next->name, play, NULL, NULL, next});
            next++;
        }
}
