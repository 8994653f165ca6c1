/*
 * moves.c - user-level processes that move from host to host, and what they have with them.
 *
 * usage: moves SCENE [CROWD EXCHANGES]
 * The first task is a process on the first of three hosts or more, and moves its children; prints ok.
 * Scenes:
 *        waits      one that waits in a receive, to and fro
 *        computes   one that computes, and makes no call
 *        ahead      one that writes to much memory, which goes ahead of it, all the time
 *        state      variables, heap, jumps, random numbers, what it does at its end
 *        unread     messages that it has not received, and buffers that it is amid
 *        files      a stream and a descriptor that it has open
 *        limit      one that waits for a time
 *        calls      parent, options, context, mailbox, notices, groups, handlers, after a move
 *        order      all talk to one that moves all the time, and it talks to all
 *        crowd      many talk to each other, and all move at once
 *        meet       members of a group, one of which ends in the end
 *        stays      what cannot move says so, and goes on
 *        killed     one is killed while it moves
 *        differs    the second host has something else
 *        leaves     the host is deleted that one has left, and whose tid it has
 */
#include <math.h>
#include <pthread.h>
#include <pvm3.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "numbers.h"

enum { GO = 1, HERE, DATA, DONE, NOTICE, HOSTS = 3, UNREAD = 200 };
enum { SENDERS = 6, MOVES = 20, LAST = -1, MOST = 1000, MOST_HOSTS = 16, MEMBERS = 4 };

static int hosts[MOST_HOSTS], host_count, crowd = 24, exchanges = 100;

static void find_hosts(void)
{
    struct pvmhostinfo *list;
    int count;
    pvm_config(&count, NULL, &list);
    expect("hosts", count >= HOSTS && count <= MOST_HOSTS, 1);
    for (host_count = 0; host_count < count; host_count++)
        hosts[host_count] = list[host_count].hi_tid;
}

/* On which host a task of this process is: they have names of their own. */
static int own_host(void)
{
    char name[64];
    int number = -1;
    gethostname(name, sizeof name);
    sscanf(name, "node%d", &number);
    return number - 1;
}

static void move(int tid, int host)
{
    int result = pvm_migrate(tid, hosts[host]);
    if (result != 0)
        fail("t%x does not move to host %d: %d", (unsigned)tid, host, result);
}

static int spawn_child(const char *role, int host)
{
    static char name[] = "moves";
    char *words[] = {"child", (char *)role, NULL};
    struct pvmhostinfo *list;
    int count, tid;
    pvm_config(&count, NULL, &list);
    expect("spawned", pvm_spawn(name, words, PvmTaskUlp | PvmTaskHost, list[host].hi_name, 1, &tid),
           1);
    return tid;
}

/* Asks a child on which host it is, by a message that it waits for. */
static void expect_at(int tid, int host)
{
    send_number(tid, GO, 0);
    expect("host", receive_number(tid, HERE), host);
}

/* Waits and computes. -------------------------------------------------------------------------- */

static void child_waits(void)
{
    int tid = pvm_mytid();
    while (receive_number(pvm_parent(), GO) == 0) {
        expect("tid", pvm_mytid(), tid);
        send_number(pvm_parent(), HERE, own_host());
    }
}

static void scene_waits(void)
{
    int tid = spawn_child("waits", 0);
    for (int i = 1; i <= 12; i++) {
        expect_at(tid, (i - 1) % HOSTS);
        move(tid, i % HOSTS);
    }
    move(tid, 0); /* where it is */
    expect_at(tid, 0);
    send_number(tid, GO, 1);
}

static double compute(int rounds)
{
    double sum = 0;
    for (int i = 1; i <= rounds; i++)
        sum += sqrt(i) * sin(i);
    return sum;
}

static void child_computes(void)
{
    enum { STEPS = 300000 };
    const double once = compute(STEPS);
    int started = own_host(), right = 0, count = 0;
    send_number(pvm_parent(), HERE, started);
    while (own_host() == started || count < 10) {
        right += compute(STEPS) == once;
        count++;
    }
    expect("right", right, count);
    send_number(pvm_parent(), DONE, own_host());
}

static void scene_computes(void)
{
    for (int from = 0; from < 2; from++) {
        int tid = spawn_child("computes", from);
        expect("host", receive_number(tid, HERE), from);
        move(tid, 2);
        expect("then", receive_number(tid, DONE), 2);
    }
}

/* Memory that goes ahead. ---------------------------------------------------------------------- */

enum { AHEAD = 3 << 20, AHEAD_STACK = 200000, ROOM = 1 << 20, AHEAD_MOVES = 8 };

/* Writes what step number `step` writes. */
static void write_step(unsigned *memory, unsigned *on_stack, unsigned step)
{
    memory[step * 2654435761u % AHEAD] = step;
    on_stack[step * 40503u % AHEAD_STACK] = step;
}

/* A block that was in use before, as it is asked for with zeros. */
static void expect_zeros(void)
{
    unsigned char *room = calloc(1, ROOM);
    for (int i = 0; i < ROOM; i += 64)
        if (room[i] != 0)
            fail("memory is not zero");
    memset(room, 1, ROOM);
    free(room);
}

static unsigned sum_of(const unsigned *words, int count)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 31 + words[i];
    return sum;
}

/* So many steps; or, if `steps` is 0, until it is told: how many. Gives the sum of what they write. */
static unsigned write_steps(unsigned steps, unsigned *done)
{
    unsigned on_stack[AHEAD_STACK] = {0}, *memory = calloc(AHEAD, sizeof *memory), step = 0;
    while (steps == 0 || step < steps) {
        write_step(memory, on_stack, step++);
        if (steps > 0 || step % 4096 != 0)
            continue;
        expect_zeros();
        if (pvm_nrecv(pvm_parent(), DONE) > 0)
            break;
        if (pvm_nrecv(pvm_parent(), GO) > 0)
            send_number(pvm_parent(), HERE, own_host());
    }
    unsigned sum = sum_of(memory, AHEAD) + sum_of(on_stack, AHEAD_STACK);
    free(memory);
    *done = step;
    return sum;
}

static void child_ahead(void)
{
    unsigned steps, again;
    unsigned sum = write_steps(0, &steps);
    expect("what was written", (int)(sum - write_steps(steps, &again)), 0);
    send_number(pvm_parent(), HERE, own_host());
}

/* The last move is to come amid its end. */
static void scene_ahead(void)
{
    int tid = spawn_child("ahead", 0);
    pvm_notify(PvmTaskExit, NOTICE, 1, &tid);
    for (int i = 1; i <= AHEAD_MOVES; i++) {
        expect_at(tid, (i - 1) % HOSTS);
        move(tid, i % HOSTS);
    }
    pvm_setopt(PvmAutoErr, 0);
    send_number(tid, DONE, 0);
    int last = (AHEAD_MOVES + 1) % HOSTS, moved = pvm_migrate(tid, hosts[last]) == 0;
    int host = receive_number(tid, HERE);
    expect("host", host == last || (!moved && host == AHEAD_MOVES % HOSTS), 1);
    expect("notice", receive_number(-1, NOTICE), tid);
}

/* State. --------------------------------------------------------------------------------------- */

static int initialized[1000] = {1, 2, 3}, zeros[50000];
static _Thread_local int of_thread = 5;
static jmp_buf place;

static void at_end(void)
{
    send_number(pvm_parent(), DONE, own_host());
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

/* A chain of blocks of many sizes, each of which has a pattern. */
struct block {
    struct block *next;
    size_t size;
    unsigned char bytes[];
};

static struct block *blocks_make(int count)
{
    struct block *first = NULL;
    for (int i = 0; i < count; i++) {
        size_t size = (size_t)(i * 7919 % 60000);
        struct block *block = malloc(sizeof *block + size);
        *block = (struct block){first, size};
        memset(block->bytes, i, size);
        first = block;
    }
    return first;
}

static void blocks_check(struct block *block, int count)
{
    while (count-- > 0) {
        struct block *next = block->next;
        for (size_t i = 0; i < block->size; i++)
            if (block->bytes[i] != (unsigned char)count)
                fail("block %d is damaged", count);
        free(block);
        block = next;
    }
}

static void child_state(void)
{
    enum { BLOCKS = 300, SEED = 17 };
    int on_stack[100], sorted[] = {3, 1, 2};
    int (*volatile order)(const void *, const void *) = compare;
    void (*volatile sort)(void *, size_t, size_t, int (*)(const void *, const void *)) = qsort;
    volatile int jumped = 0;
    struct block *blocks = blocks_make(BLOCKS);
    char *words = strdup("some words");
    initialized[999] = zeros[49999] = on_stack[99] = of_thread = 77;
    atexit(at_end);
    srand(SEED);
    rand();
    if (setjmp(place) != 0)
        jumped = 1;
    if (!jumped) {
        receive_number(pvm_parent(), GO);
        send_number(pvm_parent(), HERE, own_host());
        receive_number(pvm_parent(), GO);
        longjmp(place, 1);
    }
    int next = rand();
    srand(SEED);
    rand();
    expect("random", next, rand());
    sort(sorted, 3, sizeof *sorted, order);
    expect("sorted", sorted[0] * 100 + sorted[1] * 10 + sorted[2], 123);
    expect("initialized", initialized[999] + initialized[2], 80);
    expect("zeros", zeros[49999], 77);
    expect("of the thread", of_thread, 77);
    expect("on the stack", on_stack[99], 77);
    expect("words", strcmp(words, "some words"), 0);
    blocks_check(blocks, BLOCKS);
    printf("here is %d\n", own_host());
    exit(3);
}

static void scene_state(void)
{
    int tid = spawn_child("state", 1);
    pvm_notify(PvmTaskExit, NOTICE, 1, &tid);
    move(tid, 2);
    send_number(tid, GO, 0);
    expect("host", receive_number(tid, HERE), 2);
    move(tid, 0);
    send_number(tid, GO, 0);
    expect("end at", receive_number(tid, DONE), 0);
    expect("notice", receive_number(-1, NOTICE), tid);
    expect("one notice", pvm_nrecv(-1, NOTICE), 0);
}

/* Messages. ------------------------------------------------------------------------------------ */

static void child_unread(void)
{
    int value, first, text_first;
    char text[100];
    receive_number(pvm_parent(), GO);
    pvm_recv(pvm_parent(), DATA); /* a string and two numbers, of which one is left for later */
    pvm_upkstr(text);
    pvm_upkint(&first, 1, 1);
    int kept = pvm_setrbuf(0);
    pvm_recv(pvm_parent(), DATA);
    pvm_upkstr(text);
    pvm_initsend(PvmDataDefault);
    text_first = 5;
    pvm_pkint(&text_first, 1, 1);
    int sending = pvm_setsbuf(0);
    send_number(pvm_parent(), HERE, own_host()); /* with a buffer of its own */
    pvm_setsbuf(sending);
    pvm_recv(pvm_parent(), GO); /* and moves meanwhile */
    int other = pvm_setrbuf(kept);
    pvm_upkint(&value, 1, 1);
    expect("the rest", value, 8);
    pvm_setrbuf(other);
    expect("send buffer", pvm_getsbuf(), sending);
    value = 6;
    pvm_pkint(&value, 1, 1);
    pvm_send(pvm_parent(), DATA);
    for (int i = 0; i < UNREAD; i++)
        expect("unread", receive_number(pvm_parent(), DONE), i);
    send_number(pvm_parent(), HERE, own_host());
}

static void send_text(int tid)
{
    int numbers[] = {7, 8};
    pvm_initsend(PvmDataDefault);
    pvm_pkstr("text");
    pvm_pkint(numbers, 2, 1);
    pvm_send(tid, DATA);
}

static void scene_unread(void)
{
    int tid = spawn_child("unread", 0), values[2];
    send_number(tid, GO, 0);
    send_text(tid);
    send_text(tid);
    expect("first host", receive_number(tid, HERE), 0);
    for (int i = 0; i < UNREAD / 2; i++)
        send_number(tid, DONE, i);
    move(tid, 1);
    for (int i = UNREAD / 2; i < UNREAD; i++)
        send_number(tid, DONE, i);
    move(tid, 2);
    send_number(tid, GO, 0);
    pvm_recv(tid, DATA);
    pvm_upkint(values, 2, 1);
    expect("packed", values[0] * 10 + values[1], 56);
    expect("last host", receive_number(tid, HERE), 2);
}

/* Writes by a stream and reads by a descriptor, before and behind a move. */
static void child_files(void)
{
    char path[] = "/tmp/pvm-moves-XXXXXX", read_back[16] = "";
    int descriptor = mkstemp(path);
    FILE *stream = fopen(path, "a");
    fputs("one ", stream);
    receive_number(pvm_parent(), GO); /* and moves meanwhile */
    fputs("two", stream);
    fclose(stream);
    expect("read", (int)read(descriptor, read_back, sizeof read_back - 1), 7);
    expect("contents", strcmp(read_back, "one two"), 0);
    close(descriptor);
    unlink(path);
    send_number(pvm_parent(), HERE, own_host());
}

static void scene_files(void)
{
    int tid = spawn_child("files", 0);
    move(tid, 1);
    move(tid, 2);
    send_number(tid, GO, 0);
    expect("host", receive_number(tid, HERE), 2);
}

static void child_limit(void)
{
    struct timeval limit = {1, 0};
    send_number(pvm_parent(), HERE, own_host());
    expect("nothing comes", pvm_trecv(pvm_parent(), DATA, &limit), 0);
    send_number(pvm_parent(), HERE, own_host());
    int value, source, tag, size;
    pvm_precv(pvm_parent(), DATA, &value, 1, PVM_INT, &source, &tag, &size);
    expect("value", value, 9);
    send_number(pvm_parent(), HERE, own_host());
}

static void scene_limit(void)
{
    int tid = spawn_child("limit", 0), value = 9;
    expect("at first", receive_number(tid, HERE), 0);
    move(tid, 1);
    expect("then", receive_number(tid, HERE), 1);
    move(tid, 2);
    pvm_psend(tid, DATA, &value, 1, PVM_INT);
    expect("in the end", receive_number(tid, HERE), 2);
}

/* Calls. --------------------------------------------------------------------------------------- */

static int handled;

static int handle(int buffer)
{
    (void)buffer;
    return handled++;
}

static void child_calls(void)
{
    int parent = pvm_parent(), tid = pvm_mytid(), other = receive_number(parent, GO);
    pvm_setopt(PvmResvTids, 1);
    pvm_notify(PvmTaskExit, NOTICE, 1, &other);
    pvm_addmhf(parent, DATA, 0, handle);
    pvm_initsend(PvmDataDefault);
    pvm_putinfo("moving", pvm_getsbuf(), PvmMboxDefault);
    expect("instance", pvm_joingroup("movers"), 0);
    send_number(parent, HERE, own_host());
    receive_number(parent, GO);
    expect("parent", pvm_parent(), parent);
    expect("tid", pvm_mytid(), tid);
    expect("option", pvm_getopt(PvmResvTids), 1);
    expect("handled", handled, 3);
    expect("members", pvm_gsize("movers"), 2);
    expect("met", pvm_barrier("movers", 2), 0);
    send_number(parent, HERE, own_host());
    expect("notice", receive_number(-1, NOTICE), other);
    pvm_delinfo("moving", 0, PvmMboxDefault);
    pvm_lvgroup("movers");
    send_number(parent, DONE, own_host());
}

static void scene_calls(void)
{
    int other = spawn_child("waits", 1), tid = spawn_child("calls", 0);
    send_number(tid, GO, other);
    expect("at first", receive_number(tid, HERE), 0);
    pvm_joingroup("movers");
    send_number(tid, DATA, 0);
    move(tid, 1);
    move(other, 2);
    send_number(tid, DATA, 0);
    send_number(tid, DATA, 0);
    send_number(tid, GO, 0);
    expect("met", pvm_barrier("movers", 2), 0);
    expect("then", receive_number(tid, HERE), 1);
    expect("found", pvm_recvinfo("moving", 0, PvmMboxDefault) > 0, 1);
    move(other, 0);
    expect_at(other, 0);
    send_number(other, GO, 1);
    expect("in the end", receive_number(tid, DONE), 1);
    pvm_lvgroup("movers");
}

/* Order. --------------------------------------------------------------------------------------- */

/* Sends numbers to a target, and takes some from it, until it is told to end. */
static void child_sends(void)
{
    int target = receive_number(pvm_parent(), GO);
    for (int i = 0; i % 10 != 0 || pvm_nrecv(pvm_parent(), DONE) == 0; i++) {
        send_number(target, DATA, i);
        if (i % 10 == 9)
            expect("answer", receive_number(target, DATA), i / 10);
    }
    send_number(target, DATA, LAST);
    send_number(pvm_parent(), DONE, 0);
}

static void child_target(void)
{
    int sources[SENDERS], next[SENDERS] = {0}, source, at, ended = 0;
    for (int i = 0; i < SENDERS; i++)
        sources[i] = receive_number(pvm_parent(), GO);
    while (ended < SENDERS) {
        int buffer = pvm_recv(-1, DATA), value;
        pvm_bufinfo(buffer, NULL, NULL, &source);
        pvm_upkint(&value, 1, 1);
        for (at = 0; sources[at] != source; at++)
            continue;
        ended += value == LAST;
        if (value != LAST)
            expect("number", value, next[at]++);
        if (value % 10 == 9)
            send_number(source, DATA, value / 10);
    }
    send_number(pvm_parent(), DONE, own_host());
}

static void scene_order(void)
{
    int target = spawn_child("target", 0), senders[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = spawn_child("sends", i % HOSTS);
        send_number(target, GO, senders[i]);
    }
    for (int i = 0; i < SENDERS; i++)
        send_number(senders[i], GO, target);
    for (int i = 1; i <= MOVES; i++)
        move(target, i % HOSTS);
    for (int i = 0; i < SENDERS; i++) {
        send_number(senders[i], DONE, 0);
        receive_number(senders[i], DONE);
    }
    expect("at last", receive_number(target, DONE), MOVES % HOSTS);
}

static int total_in(const char *group, int value)
{
    expect("pvm_allreduce", pvm_allreduce(PvmSum, &value, 1, PVM_INT, DATA, group), 0);
    return value;
}

/* All calls of the members, until one has heard that it is enough. */
static void meet(int self)
{
    int all[MEMBERS], enough = 0;
    while (total_in("moving", enough) == 0) {
        int value = self, root = self == 1;
        expect("pvm_gather", pvm_gather(all, &self, 1, PVM_INT, DATA, "moving", 1), 0);
        for (int i = 0; root && i < MEMBERS; i++)
            expect("gathered", all[i], i);
        expect("pvm_reduce", pvm_reduce(PvmSum, &value, 1, PVM_INT, DATA, "moving", 1), 0);
        if (root)
            expect("reduced", value, MEMBERS * (MEMBERS - 1) / 2);
        expect("pvm_scatter", pvm_scatter(&value, all, 1, PVM_INT, DATA, "moving", 1), 0);
        expect("scattered", value, self);
        expect("pvm_barrier", pvm_barrier("moving", MEMBERS), 0);
        enough = pvm_nrecv(pvm_parent(), GO) > 0;
    }
}

static void child_member(void)
{
    int one = 1, self = pvm_joingroup("moving");
    expect("pvm_barrier", pvm_barrier("moving", MEMBERS), 0);
    pvm_joingroup("frozen");
    expect("pvm_freezegroup", pvm_freezegroup("frozen", MEMBERS), MEMBERS);
    expect("members", total_in("frozen", 1), MEMBERS);
    send_number(pvm_parent(), HERE, own_host());
    meet(self);
    expect("members then", total_in("frozen", 1), MEMBERS);
    pvm_setopt(PvmAutoErr, 0);
    if (self > 0) /* instance 0 ends */
        expect("the end of a member", pvm_allreduce(PvmSum, &one, 1, PVM_INT, DATA, "frozen"),
               PvmNoTask);
    send_number(pvm_parent(), DONE, self);
}

/* They come back to where they were, too. */
static void scene_meet(void)
{
    int tids[MEMBERS];
    for (int i = 0; i < MEMBERS; i++)
        tids[i] = spawn_child("member", i % HOSTS);
    for (int i = 0; i < MEMBERS; i++)
        receive_number(tids[i], HERE);
    for (int i = 1; i <= 2 * HOSTS; i++)
        for (int member = 0; member < MEMBERS; member++)
            move(tids[member], (member + i) % HOSTS);
    send_number(tids[0], GO, 0);
    for (int i = 0; i < MEMBERS; i++)
        receive_number(tids[i], DONE);
}

static void child_crowd(void)
{
    static int tids[MOST], sent[MOST], got[MOST];
    int self = -1, source;
    pvm_recv(pvm_parent(), GO);
    pvm_upkint(&crowd, 1, 1);
    pvm_upkint(&exchanges, 1, 1);
    pvm_upkint(tids, crowd, 1);
    for (int i = 0; i < crowd; i++)
        if (tids[i] == pvm_mytid())
            self = i;
    for (int round = 0; round < exchanges; round++) {
        int to = (self + 1 + round % (crowd - 1)) % crowd;
        send_number(tids[to], DATA, sent[to]++);
        int buffer = pvm_recv(-1, DATA), value, from;
        pvm_bufinfo(buffer, NULL, NULL, &source);
        pvm_upkint(&value, 1, 1);
        for (from = 0; tids[from] != source; from++)
            continue;
        expect("number", value, got[from]++);
    }
    send_number(pvm_parent(), DONE, own_host());
}

struct mover {
    int first, count, *tids, moves;
    volatile int over;
};

/* A thread that moves its part of the crowd. */
static void *move_part(void *memory)
{
    struct mover *mover = memory;
    for (unsigned i = 0; !mover->over; i++)
        mover->moves += pvm_migrate(mover->tids[mover->first + (int)i % mover->count],
                                    hosts[i * 7 / 3 % (unsigned)host_count]) == 0;
    return NULL;
}

static void scene_crowd(void)
{
    enum { MOVERS = 3 };
    static int tids[MOST];
    pthread_t threads[MOVERS];
    struct mover movers[MOVERS];
    for (int i = 0; i < crowd; i++)
        tids[i] = spawn_child("crowd", i % host_count);
    pvm_setopt(PvmAutoErr, 0); /* those that have ended do not move */
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&crowd, 1, 1);
    pvm_pkint(&exchanges, 1, 1);
    pvm_pkint(tids, crowd, 1);
    pvm_mcast(tids, crowd, GO);
    for (int i = 0; i < MOVERS; i++) {
        movers[i] = (struct mover){i * crowd / MOVERS, crowd / MOVERS, tids, 0, 0};
        pthread_create(&threads[i], NULL, move_part, &movers[i]);
    }
    for (int i = 0; i < crowd; i++)
        receive_number(tids[i], DONE);
    for (int i = 0; i < MOVERS; i++) {
        movers[i].over = 1;
        pthread_join(threads[i], NULL);
        printf("%d moves by mover %d\n", movers[i].moves, i);
    }
}

/* Refusals. ------------------------------------------------------------------------------------ */

static void *sleep_long(void *argument)
{
    sleep(1000);
    return argument;
}

static void child_threads(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_long, NULL);
    child_waits();
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

static void scene_stays(void)
{
    int with_thread = spawn_child("threads", 0), over = spawn_child("waits", 0);
    expect_at(with_thread, 0);
    pvm_setopt(PvmAutoErr, 0);
    expect("with a thread", pvm_migrate(with_thread, hosts[1]), PvmDenied);
    expect_at(with_thread, 0);
    send_number(with_thread, GO, 1);
    expect("a process", pvm_migrate(pvm_mytid(), hosts[1]), PvmNotImpl);
    expect("no host", pvm_migrate(over, 0x7c0000 | (int)0x80000000), PvmNoHost);
    expect("no tid", pvm_migrate(0, hosts[1]), PvmBadParam);
    pvm_notify(PvmTaskExit, NOTICE, 1, &over);
    send_number(over, GO, 1);
    receive_number(-1, NOTICE);
    expect("over", pvm_migrate(over, hosts[1]), PvmNoTask);
}

static void *kill_soon(void *argument)
{
    usleep(1000 * (unsigned)(*(int *)argument % 7));
    pvm_kill(*(int *)argument);
    return NULL;
}

static void scene_killed(void)
{
    pvm_setopt(PvmAutoErr, 0);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        int tid = spawn_child(i % 4 == 3 ? "ahead" : "waits", i % HOSTS);
        pvm_notify(PvmTaskExit, NOTICE, 1, &tid);
        pthread_create(&thread, NULL, kill_soon, &tid);
        pvm_migrate(tid, hosts[(i + 1) % HOSTS]);
        pthread_join(thread, NULL);
        expect("notice", receive_number(-1, NOTICE), tid);
    }
    expect("no more", pvm_nrecv(-1, NOTICE), 0);
}

static void scene_differs(void)
{
    int tid = spawn_child("waits", 0);
    expect("to the second", pvm_migrate(tid, hosts[1]), PvmDenied);
    expect_at(tid, 0);
    move(tid, 2);
    expect_at(tid, 2);
    send_number(tid, GO, 1);
}

static void scene_leaves(void)
{
    int tids[] = {spawn_child("waits", 1), spawn_child("waits", 1)}, info;
    char name[] = "node2", *names[] = {name};
    pvm_notify(PvmTaskExit, NOTICE, 2, tids);
    move(tids[0], 2);
    move(tids[1], 0);
    expect_at(tids[0], 2);
    expect("deleted", pvm_delhosts(names, 1, &info), 1);
    for (int i = 0; i < 2; i++)
        expect_at(tids[i], 2 - 2 * i);
    move(tids[0], 0);
    expect_at(tids[0], 0);
    expect("no notice so far", pvm_nrecv(-1, NOTICE), 0);
    for (int i = 0; i < 2; i++) {
        send_number(tids[i], GO, 1);
        expect("notice", receive_number(-1, NOTICE), tids[i]);
    }
}

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] =
    {
        {"waits", scene_waits},   {"computes", scene_computes}, {"state", scene_state},
        {"unread", scene_unread}, {"limit", scene_limit},       {"calls", scene_calls},
        {"order", scene_order},   {"crowd", scene_crowd},       {"meet", scene_meet},
        {"stays", scene_stays},   {"killed", scene_killed},     {"differs", scene_differs},
        {"files", scene_files},   {"leaves", scene_leaves},     {"ahead", scene_ahead},
},
  children[] = {
      {"waits", child_waits},   {"computes", child_computes}, {"state", child_state},
      {"unread", child_unread}, {"limit", child_limit},       {"calls", child_calls},
      {"target", child_target}, {"sends", child_sends},       {"crowd", child_crowd},
      {"member", child_member}, {"threads", child_threads},   {"files", child_files},
      {"ahead", child_ahead},
};

int main(int count, char **words)
{
    if (count == 4) {
        crowd = atoi(words[2]);
        exchanges = atoi(words[3]);
    } else if (count == 3) {
        for (size_t i = 0; i < sizeof children / sizeof *children; i++)
            if (strcmp(words[2], children[i].name) == 0)
                children[i].play();
        return 0;
    }
    find_hosts();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(words[1], scenes[i].name) == 0)
            scenes[i].play();
    pvm_exit();
    printf("ok\n");
    return 0;
}
