/*
 * crowd.c - many user-level processes that talk to each other while they move at random, and perhaps
 * while hosts end.
 *
 * usage: crowd COUNT SEED
 * The first task, a process, starts as many, says so, and has threads move them until a line comes on
 * its input. Then everybody is to hear the last of everybody to whom it talks, or of its end: never
 * both, and neither twice. In the end it starts a process on each host that speaks to all that live.
 * Prints which tasks were moved last, how often moves have had which result, how many live, and
 * "ok". At further lines on its input it prints the former again, and everybody for whom it waits.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "numbers.h"

enum { GO = 1, DATA, ANSWER, LAST, DEAD, FINISH, DONE, PING, TELL, PART, END };
enum { MOST = 1000, STEPS = 4, PEERS = 2 * STEPS, UNANSWERED = 2, MOVERS = 6, CODES = 64 };
enum { BELONGINGS = 20000, LARGEST = 12000, LARGE_EVERY = 16 };

/* Talking. ------------------------------------------------------------------------------------- */

struct peer {
    int tid, sent, answered, got;
    bool last, dead;
};

static struct peer peers[PEERS];
static int unanswered;
static bool parts; /* the others end, one after the other */
static unsigned chance;

static struct peer *peer_find(int tid)
{
    for (int i = 0; i < PEERS; i++)
        if (peers[i].tid == tid)
            return &peers[i];
    fail("t%x is no peer of t%x", (unsigned)tid, (unsigned)pvm_mytid());
    return NULL;
}

static char letter(int tid, int number, int at)
{
    return (char)(tid + number * 7 + at);
}

static void talk(struct peer *peer)
{
    static char bytes[LARGEST];
    int own = pvm_mytid(), number = peer->sent++;
    int size = number % LARGE_EVERY ? number % 100 : rand_r(&chance) % LARGEST;
    for (int i = 0; i < size; i++)
        bytes[i] = letter(own, number, i);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    pvm_pkint(&size, 1, 1);
    pvm_pkbyte(bytes, size, 1);
    pvm_send(peer->tid, DATA);
    unanswered++;
}

static void listen_to(struct peer *peer)
{
    static char bytes[LARGEST];
    int number, size;
    pvm_upkint(&number, 1, 1);
    pvm_upkint(&size, 1, 1);
    expect("number", number, peer->got++);
    pvm_upkbyte(bytes, size, 1);
    for (int i = 0; i < size; i++)
        expect("byte", bytes[i], letter(peer->tid, number, i));
    send_number(peer->tid, ANSWER, number);
}

/* The one with this number speaks to those whose numbers differ from it by powers of two. */
static void meet_peers(void)
{
    static int tids[MOST];
    int count, self = 0;
    pvm_recv(pvm_parent(), GO);
    pvm_upkint(&count, 1, 1);
    pvm_upkint(tids, count, 1);
    while (tids[self] != pvm_mytid())
        self++;
    chance = (unsigned)self;
    for (int i = 0; i < STEPS; i++) {
        peers[2 * i].tid = tids[(self + (1 << i)) % count];
        peers[2 * i + 1].tid = tids[(self + count - (1 << i)) % count];
    }
    for (int i = 0; i < PEERS; i++)
        pvm_notify(PvmTaskExit, DEAD, 1, &peers[i].tid);
}

static void note_death(int tid)
{
    struct peer *peer = peer_find(tid);
    if (peer->dead || peer->last)
        fail("t%x is said to be dead, %s", (unsigned)tid, peer->dead ? "twice" : "but it lives");
    peer->dead = true;
    unanswered -= peer->sent - peer->answered;
    peer->answered = peer->sent;
}

static void tell_wait(void)
{
    for (int i = 0; i < PEERS; i++)
        if (!peers[i].dead && (!peers[i].last || peers[i].answered < peers[i].sent))
            printf("t%x waits for t%x: %d sent, %d answered, %d got\n", (unsigned)pvm_mytid(),
                   (unsigned)peers[i].tid, peers[i].sent, peers[i].answered, peers[i].got);
    fflush(stdout);
}

/* What has come, other than the orders of the parent. */
static void take(int tag, int source)
{
    int value;
    if (tag == DATA) {
        listen_to(peer_find(source));
        return;
    }
    pvm_upkint(&value, 1, 1);
    if (tag == DEAD && !parts) {
        note_death(value);
    } else if (tag == PART) {
        parts = true;
        send_number(source, PART, 0);
    } else if (tag == PING) {
        send_number(source, PING, pvm_mytid());
    } else if (tag == TELL) {
        tell_wait();
    } else if (tag == LAST) {
        expect("last", value, peer_find(source)->got);
        peer_find(source)->last = true;
    } else if (tag == ANSWER && !peer_find(source)->dead) {
        expect("answer", value, peer_find(source)->answered++);
        unanswered--;
    }
}

static void talk_more(void)
{
    for (int tries = 0; tries < PEERS && unanswered < UNANSWERED; tries++) {
        struct peer *peer = &peers[rand_r(&chance) % PEERS];
        if (!peer->dead)
            talk(peer);
    }
}

static void say_last(void)
{
    for (int i = 0; i < PEERS; i++)
        if (!peers[i].dead)
            send_number(peers[i].tid, LAST, peers[i].sent);
}

static bool has_heard_all(void)
{
    for (int i = 0; i < PEERS; i++)
        if (!peers[i].dead && !peers[i].last)
            return false;
    return unanswered == 0;
}

/* Tells the parent whose end it has been told of. */
static void report(void)
{
    pvm_initsend(PvmDataDefault);
    for (int i = 0; i < PEERS; i++) {
        int dead = peers[i].dead ? peers[i].tid : 0;
        pvm_pkint(&dead, 1, 1);
    }
    pvm_send(pvm_parent(), DONE);
}

static void be_one_of_the_crowd(void)
{
    bool finishes = false, reported = false;
    int tag = 0, source;
    char *belongings = malloc(BELONGINGS);
    meet_peers();
    memset(belongings, pvm_mytid(), BELONGINGS);
    while (tag != END) {
        if (!finishes)
            talk_more();
        pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, &source);
        if (tag == FINISH) {
            finishes = true;
            say_last();
        } else if (tag != END) {
            take(tag, source);
        }
        if (finishes && !reported && has_heard_all()) {
            report();
            reported = true;
        }
    }
    for (int i = 0; i < BELONGINGS; i++)
        expect("belongings", belongings[i], (char)pvm_mytid());
}

/* Speaks to all that it is told of. */
static void be_a_stranger(void)
{
    static int tids[MOST];
    int count;
    pvm_recv(pvm_parent(), GO);
    pvm_upkint(&count, 1, 1);
    pvm_upkint(tids, count, 1);
    for (int i = 0; i < count; i++)
        send_number(tids[i], PING, 0);
    for (int i = 0; i < count; i++)
        expect("answer", receive_number(tids[i], PING), tids[i]);
    send_number(pvm_parent(), DONE, count);
}

/* Moving. -------------------------------------------------------------------------------------- */

static struct one {
    int tid;
    bool dead, done;
    int dead_peers[PEERS]; /* of which it has been told */
} crowd[MOST];
static int count, seed, results[CODES]; /* how often a move had the result -i */
static pthread_t movers[MOVERS];
static pthread_mutex_t results_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile bool over;
static int moved[MOVERS];

static void *move_at_random(void *number)
{
    unsigned random = (unsigned)seed + (unsigned)(size_t)number;
    int *now = &moved[(size_t)number];
    while (!over) {
        struct pvmhostinfo *list;
        int hosts;
        pvm_config(&hosts, NULL, &list);
        int host = list[rand_r(&random) % hosts].hi_tid;
        *now = crowd[rand_r(&random) % count].tid;
        int result = pvm_migrate(*now, host);
        pthread_mutex_lock(&results_lock);
        results[-result % CODES]++;
        pthread_mutex_unlock(&results_lock);
    }
    return NULL;
}

/* At every further line all say for what they wait. */
static void *wait_for_lines(void *own)
{
    while (getchar() != EOF) {
        for (int i = 0; i < MOVERS; i++)
            printf("t%x was the last that mover %d has moved, or moves\n", (unsigned)moved[i], i);
        fflush(stdout);
        send_number(*(int *)own, over ? TELL : FINISH, 0);
    }
    return NULL;
}

static void start_moving(void)
{
    static int own;
    pthread_t reader;
    own = pvm_mytid();
    for (size_t i = 0; i < MOVERS; i++)
        pthread_create(&movers[i], NULL, move_at_random, (void *)i);
    pthread_create(&reader, NULL, wait_for_lines, &own);
    pthread_detach(reader);
    printf("they move\n");
    fflush(stdout);
}

static void stop_moving(void)
{
    over = true;
    for (int i = 0; i < MOVERS; i++)
        pthread_join(movers[i], NULL);
    for (int i = 0; i < CODES; i++)
        if (results[i] > 0)
            printf("%d moves: %d\n", results[i], -i);
    fflush(stdout);
}

/* All of them. --------------------------------------------------------------------------------- */

static struct one *find(int tid)
{
    for (int i = 0; i < count; i++)
        if (crowd[i].tid == tid)
            return &crowd[i];
    fail("t%x is none of them", (unsigned)tid);
    return NULL;
}

static int start_on(const char *role, int flags, const struct pvmhostinfo *host)
{
    static char name[] = "crowd";
    char *words[] = {(char *)role, NULL};
    int tid;
    expect("spawned", pvm_spawn(name, words, flags | PvmTaskHost, host->hi_name, 1, &tid), 1);
    return tid;
}

/* Packs the tids of all that live. */
static void pack_crowd(void)
{
    int tids[MOST], living = 0;
    for (int i = 0; i < count; i++)
        if (!crowd[i].dead)
            tids[living++] = crowd[i].tid;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&living, 1, 1);
    pvm_pkint(tids, living, 1);
}

static void tell_all(int tag)
{
    for (int i = 0; i < count; i++)
        if (!crowd[i].dead)
            pvm_send(crowd[i].tid, tag);
}

static void start_crowd(void)
{
    struct pvmhostinfo *list;
    int hosts;
    pvm_config(&hosts, NULL, &list);
    for (int i = 0; i < count; i++)
        crowd[i].tid = start_on("one", PvmTaskUlp, &list[i % hosts]);
    for (int i = 0; i < count; i++)
        pvm_notify(PvmTaskExit, DEAD, 1, &crowd[i].tid);
    pack_crowd();
    tell_all(GO);
}

static void note_dead(int tid)
{
    struct one *one = find(tid);
    if (one->dead || one->done)
        fail("t%x is said to be dead, %s", (unsigned)tid, one->dead ? "twice" : "but it lives");
    one->dead = true;
}

/* Takes a message; gives its tag. */
static int hear(void)
{
    int tag, source, tid;
    pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, &source);
    if (tag == DEAD) {
        pvm_upkint(&tid, 1, 1);
        note_dead(tid);
    } else if (tag == DONE) {
        expect("done", find(source)->done || find(source)->dead, false);
        find(source)->done = true;
        pvm_upkint(find(source)->dead_peers, PEERS, 1);
    } else if (tag == TELL) {
        tell_all(TELL);
    }
    return tag;
}

/* The number of those that are to say something yet. */
static int left(void)
{
    int number = 0;
    for (int i = 0; i < count; i++)
        number += !crowd[i].dead && !crowd[i].done;
    return number;
}

static void check_reports(void)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < PEERS && crowd[i].done; j++)
            if (crowd[i].dead_peers[j] != 0)
                expect("dead for all", find(crowd[i].dead_peers[j])->dead, true);
}

/* Who lives is a task, and who is dead is none. */
static void check_tasks(void)
{
    struct pvmtaskinfo *list;
    int tasks, found = 0, living = 0;
    expect("tasks", pvm_tasks(0, &tasks, &list), 0);
    for (int i = 0; i < tasks; i++)
        for (int j = 0; j < count; j++)
            if (list[i].ti_tid == crowd[j].tid) {
                expect("dead in the list", crowd[j].dead, false);
                found++;
            }
    for (int i = 0; i < count; i++)
        living += crowd[i].done;
    expect("in the list", found, living);
    printf("%d live\n", living);
    fflush(stdout);
}

static void send_strangers(void)
{
    struct pvmhostinfo *list;
    int hosts;
    pvm_config(&hosts, NULL, &list);
    for (int i = 0; i < hosts; i++) {
        int tid = start_on("stranger", 0, &list[i]);
        pack_crowd();
        pvm_send(tid, GO);
        pvm_recv(tid, DONE);
    }
}

static void end_crowd(void)
{
    for (int i = 0; i < count; i++)
        crowd[i].done = false;
    pvm_initsend(PvmDataDefault);
    tell_all(PART);
    for (int i = 0; i < count; i++)
        if (!crowd[i].dead)
            pvm_recv(crowd[i].tid, PART);
    pvm_initsend(PvmDataDefault);
    tell_all(END);
    while (left() > 0)
        expect("tag", hear(), DEAD);
    expect("more", pvm_nrecv(-1, -1), 0);
}

static void watch_crowd(void)
{
    start_crowd();
    start_moving();
    while (hear() != FINISH)
        continue;
    stop_moving();
    pvm_initsend(PvmDataDefault);
    tell_all(FINISH);
    while (left() > 0)
        hear();
    check_reports();
    check_tasks();
    send_strangers();
    end_crowd();
}

int main(int words_count, char **words)
{
    pvm_setopt(PvmAutoErr, 0);
    if (words_count == 2) {
        if (strcmp(words[1], "one") == 0)
            be_one_of_the_crowd();
        else
            be_a_stranger();
        pvm_exit();
        return 0;
    }
    count = atoi(words[1]);
    seed = atoi(words[2]);
    watch_crowd();
    pvm_exit();
    printf("ok\n");
    return 0;
}
