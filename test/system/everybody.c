/*
 * Members of a group that make the calls whose result all of them get: allreduce, allgather and
 * alltoall. The first task spawns N members, as threads or as processes, and awaits them. It prints
 * "ok".
 *
 * everybody threads|processes N results           all types, sizes and functions; groups of any kind
 * everybody threads|processes N ended GROUP CALL  a member ends in place of the call
 * everybody threads|processes N killed GROUP CALL a member is killed amid the call, in which one is late
 *
 * GROUP is frozen or moving: in a frozen one all agree who was a member.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "fail.h"

enum { TAG = 5, OTHER_TAG, LATE, VICTIM, GO, ENDED, GONE, FINISHED };
enum { MOST = 16, SHORT = 7, LONG = 2500, ITEM = 16 };

struct member {
    int count;
    int self;       /* instance */
    int tids[MOST]; /* by instance */
    char *group;
};

static const int types[] = {PVM_BYTE,  PVM_SHORT, PVM_INT,    PVM_LONG,
                            PVM_FLOAT, PVM_CPLX,  PVM_DOUBLE, PVM_DCPLX};
static const size_t sizes[] = {1, sizeof(short), sizeof(int), sizeof(long), 4, 8, 8, 16};

/*
 * Numbers of very different size: so a sum shows in which order it was made. They are small enough
 * for sums of MOST of them, ten times as large, to fit into an int.
 */
static double number(int instance, int place)
{
    unsigned mixed = (unsigned)(instance * 7919 + place * 104729 + 1) * 2654435761u;
    double size = (double)(1u << (mixed % 23));
    return (mixed >> 31 ? -1 : 1) * size / (double)(mixed % 1000 + 3);
}

static void fill(void *data, int type, int count, int instance)
{
    for (int i = 0; i < count; i++) {
        double value = number(instance, i);
        if (type == PVM_BYTE)
            ((char *)data)[i] = (char)(i + instance);
        else if (type == PVM_SHORT)
            ((short *)data)[i] = (short)((long)value % 1000);
        else if (type == PVM_INT)
            ((int *)data)[i] = (int)(value * 10);
        else if (type == PVM_LONG)
            ((long *)data)[i] = (long)(value * 10);
        else if (type == PVM_FLOAT || type == PVM_CPLX)
            ((float *)data)[i] = (float)value;
        else
            ((double *)data)[i] = value;
    }
}

static int is_complex(int type)
{
    return type == PVM_CPLX || type == PVM_DCPLX;
}

static void expect_same(const char *what, const void *data, const void *expected, size_t bytes)
{
    if (memcmp(data, expected, bytes) != 0)
        fail("%s: another result", what);
}

/* Neither order nor grouping of its operands can be changed. */
static void mix(int *type, void *x, void *y, int *count, int *info)
{
    *info = *type == PVM_INT ? 0 : PvmNotImpl;
    for (int i = 0; *info == 0 && i < *count; i++)
        ((unsigned *)x)[i] = ((unsigned *)x)[i] * 3 - ((unsigned *)y)[i] * 5;
}

/* What pvm_reduce makes of the data of all with root 0, told to all. */
static void reduce_and_tell(const struct member *me,
                            void (*function)(int *, void *, void *, int *, int *), void *data,
                            int type, int count, size_t bytes)
{
    expect("pvm_reduce", pvm_reduce(function, data, count, type, TAG, me->group, 0), 0);
    if (me->self == 0) {
        pvm_initsend(PvmDataDefault);
        pvm_pkbyte(data, (int)bytes, 1);
        if (me->count > 1)
            expect("pvm_bcast", pvm_bcast(me->group, TAG), 0);
        return;
    }
    pvm_recv(me->tids[0], TAG);
    expect("pvm_upkbyte", pvm_upkbyte(data, (int)bytes, 1), 0);
}

static void compare_with_reduce(const struct member *me, const char *name,
                                void (*function)(int *, void *, void *, int *, int *), int kind,
                                int count)
{
    int type = types[kind], parts = is_complex(type) ? 2 * count : count;
    size_t bytes = sizes[kind] * (size_t)count;
    char *ours = malloc(bytes), *expected = malloc(bytes);
    fill(ours, type, parts, me->self);
    fill(expected, type, parts, me->self);
    reduce_and_tell(me, function, expected, type, count, bytes);
    expect(name, pvm_allreduce(function, ours, count, type, TAG, me->group), 0);
    expect_same(name, ours, expected, bytes);
    free(ours);
    free(expected);
}

static void compare_all_with_reduce(const struct member *me, int count)
{
    for (int kind = 0; kind < 8; kind++) {
        compare_with_reduce(me, "PvmMax", PvmMax, kind, count);
        compare_with_reduce(me, "PvmMin", PvmMin, kind, count);
        if (types[kind] != PVM_BYTE)
            compare_with_reduce(me, "PvmSum", PvmSum, kind, count);
        /* A product of ints overflows, and one of longs has more bits than pvm_reduce can send. */
        if (types[kind] != PVM_BYTE && types[kind] != PVM_INT && types[kind] != PVM_LONG)
            compare_with_reduce(me, "PvmProduct", PvmProduct, kind, count);
    }
    compare_with_reduce(me, "a function of the user", mix, 2, count);
}

static void check_gathered(const struct member *me, int count)
{
    static const int last = 7;
    size_t most = (size_t)(count * ITEM * me->count);
    char *data = calloc(1, most), *all = malloc(most), *expected = malloc(most);
    for (int kind = 0; kind <= last; kind++) {
        int type = types[kind], parts = is_complex(type) ? 2 * count : count;
        size_t bytes = sizes[kind] * (size_t)count;
        for (int i = 0; i < me->count; i++)
            fill(expected + bytes * (size_t)i, type, parts, i);
        fill(data, type, parts, me->self);
        memset(all, 0, most);
        expect("pvm_allgather", pvm_allgather(all, data, count, type, TAG, me->group), 0);
        expect_same("pvm_allgather", all, expected, bytes * (size_t)me->count);

        for (int i = 0; i < me->count; i++) {
            fill(data + bytes * (size_t)i, type, parts, 100 * me->self + i);
            fill(expected + bytes * (size_t)i, type, parts, 100 * i + me->self);
        }
        expect("pvm_alltoall", pvm_alltoall(all, data, count, type, TAG, me->group), 0);
        expect_same("pvm_alltoall", all, expected, bytes * (size_t)me->count);
    }
    free(data);
    free(all);
    free(expected);
}

static void check_text(const struct member *me)
{
    char own[8] = "", all[MOST][8] = {""}, expected[8];
    snprintf(own, sizeof own, "m%d", me->self);
    expect("texts", pvm_allgather(all, own, sizeof own, PVM_STR, TAG, me->group), 0);
    for (int i = 0; i < me->count; i++) {
        snprintf(expected, sizeof expected, "m%d", i);
        if (strcmp(all[i], expected) != 0)
            fail("text %d is %s", i, all[i]);
    }
}

/* They do not fit into the 32 bits of the default encoding. */
static void check_long(const struct member *me)
{
    long values[] = {-(me->self + 1L) * (1L << 40), me->self + 1L, (me->self + 1L) << 40};
    long members = me->count * (me->count + 1L) / 2;
    expect("pvm_allreduce", pvm_allreduce(PvmSum, values, 3, PVM_LONG, TAG, me->group), 0);
    expect("a negative sum", values[0], -members * (1L << 40));
    expect("a small sum", values[1], members);
    expect("a large sum", values[2], members << 40);
}

static int sum_in(const char *group, int value, int tag)
{
    expect("pvm_allreduce", pvm_allreduce(PvmSum, &value, 1, PVM_INT, tag, group), 0);
    return value;
}

static void *sum_backwards(void *data)
{
    int members = *(const int *)data;
    for (int i = 0; i < 20; i++)
        expect("the other group", sum_in("backwards", i, OTHER_TAG), i * members);
    return NULL;
}

/* A second thread of each member is in another group, in which the instances are reversed. */
static void check_two_groups(const struct member *me)
{
    pthread_t thread;
    int count = me->count;
    for (int i = me->count - 1; i >= 0; i--) {
        if (i == me->self)
            expect("backwards", pvm_joingroup("backwards"), me->count - 1 - i);
        expect("pvm_barrier", pvm_barrier(me->group, count), 0);
    }
    pthread_create(&thread, NULL, sum_backwards, &count);
    for (int i = 0; i < 20; i++)
        expect("one group", sum_in(me->group, 2 * i, TAG), 2 * i * count);
    pthread_join(thread, NULL);
}

/* What the program has packed, received and chosen stays; its messages are left alone. */
static void check_surroundings(const struct member *me)
{
    int value = me->self, heard = -1, buffer = pvm_initsend(PvmDataDefault);
    int own = pvm_getcontext(), context = pvm_setcontext(own + 1);
    int next = me->tids[(me->self + 1) % me->count];
    pvm_pkint(&value, 1, 1);
    expect("pvm_send", pvm_send(next, TAG), 0);
    expect("pvm_allreduce", sum_in(me->group, 1, TAG), me->count);
    expect("send buffer", pvm_getsbuf(), buffer);
    expect("context", pvm_getcontext(), own + 1);
    pvm_recv(-1, TAG);
    pvm_upkint(&heard, 1, 1);
    expect("message", heard, (me->self + me->count - 1) % me->count);
    pvm_setcontext(context);
}

static void check_errors(const struct member *me)
{
    int value = 1, all[MOST];
    long wide = 1;
    char byte = 1;
    expect("sum of bytes", pvm_allreduce(PvmSum, &byte, 1, PVM_BYTE, TAG, me->group),
           me->count > 1 ? PvmBadParam : 0);
    expect("mix", pvm_allreduce(mix, &wide, 1, PVM_LONG, TAG, me->group),
           me->count > 1 ? PvmNotImpl : 0);
    expect("after these", sum_in(me->group, 1, TAG), me->count);
    expect("no function", pvm_allreduce(NULL, &value, 1, PVM_INT, TAG, me->group), PvmBadParam);
    expect("no data", pvm_allreduce(PvmSum, NULL, 1, PVM_INT, TAG, me->group), PvmBadParam);
    expect("no items", pvm_allgather(all, &value, 0, PVM_INT, TAG, me->group), PvmBadParam);
    expect("no result", pvm_allgather(NULL, &value, 1, PVM_INT, TAG, me->group), PvmBadParam);
    expect("no such type", pvm_alltoall(all, all, 1, PVM_UINT, TAG, me->group), PvmBadParam);
    expect("no data", pvm_alltoall(all, NULL, 1, PVM_INT, TAG, me->group), PvmBadParam);
    expect("no name", pvm_allgather(all, &value, 1, PVM_INT, TAG, ""), PvmNullGroup);
    expect("no group", pvm_allgather(all, &value, 1, PVM_INT, TAG, "none"), PvmNoGroup);
    if (me->self == 0)
        pvm_joingroup("one");
    pvm_barrier(me->group, me->count);
    expect("a group of one", pvm_allgather(all, &value, 1, PVM_INT, TAG, "one"),
           me->self == 0 ? 0 : PvmNotInGroup);
    pvm_barrier(me->group, me->count);
    pvm_lvgroup("one");
}

/* An instance is missing. */
static void check_holes(const struct member *me)
{
    int value = 1, all[MOST];
    if (me->self == 1)
        expect("pvm_lvgroup", pvm_lvgroup("backwards"), 0);
    pvm_barrier(me->group, me->count);
    if (me->self == 1)
        return;
    expect("allgather", pvm_allgather(all, &value, 1, PVM_INT, TAG, "backwards"), PvmNoInst);
    expect("alltoall", pvm_alltoall(all, all, 1, PVM_INT, TAG, "backwards"), PvmNoInst);
    expect("allreduce", sum_in("backwards", 1, TAG), me->count - 1);
}

static void make_all_calls(const struct member *me)
{
    compare_all_with_reduce(me, SHORT);
    compare_all_with_reduce(me, LONG);
    check_gathered(me, SHORT);
    check_gathered(me, LONG);
    check_text(me);
    check_long(me);
    check_surroundings(me);
    check_errors(me);
}

static struct member join(char *group, int count)
{
    struct member me = {.count = count, .self = pvm_joingroup(group), .group = group};
    int frozen = strcmp(group, "frozen") == 0;
    if (frozen)
        expect("pvm_freezegroup", pvm_freezegroup(group, count), count);
    else
        expect("pvm_barrier", pvm_barrier(group, count), 0);
    for (int i = 0; i < count; i++)
        me.tids[i] = pvm_gettid(group, i);
    if (!frozen) /* nobody ends before all know that */
        expect("pvm_barrier", pvm_barrier(group, count), 0);
    return me;
}

static void check_results(int count)
{
    struct member me = join("moving", count);
    make_all_calls(&me);
    if (count > 1) {
        check_two_groups(&me);
        check_holes(&me);
    }
    me = join("frozen", count);
    make_all_calls(&me);
}

/* ends ----------------------------------------------------------------------------------------- */

static int call(const char *name, char *group, int root)
{
    int value[MOST] = {1}, all[MOST];
    if (strcmp(name, "allreduce") == 0)
        return pvm_allreduce(PvmSum, value, 1, PVM_INT, TAG, group);
    if (strcmp(name, "allgather") == 0)
        return pvm_allgather(all, value, 1, PVM_INT, TAG, group);
    if (strcmp(name, "alltoall") == 0)
        return pvm_alltoall(all, value, 1, PVM_INT, TAG, group);
    if (strcmp(name, "reduce") == 0)
        return pvm_reduce(PvmSum, value, 1, PVM_INT, TAG, group, root);
    if (strcmp(name, "gather") == 0)
        return pvm_gather(all, value, 1, PVM_INT, TAG, group, root);
    return pvm_scatter(value, all, 1, PVM_INT, TAG, group, root);
}

/* The instance with the lowest (-1) or highest (1) tid. */
static int extreme(const struct member *me, int way)
{
    int found = 0;
    for (int i = 1; i < me->count; i++)
        if ((me->tids[i] > me->tids[found]) == (way > 0))
            found = i;
    return found;
}

/* What a member that lives gets from a call. In reduce the lowest tid collects for root. */
static int loss(const struct member *me, const char *name, int root)
{
    if (strcmp(name, "gather") == 0)
        return me->self == root ? PvmNoTask : 0;
    if (strcmp(name, "reduce") != 0 || me->self == extreme(me, -1))
        return PvmNoTask;
    return me->self == root ? PvmNoData : 0;
}

static void tell(int tid, int tag)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, tag);
}

/*
 * What a member gets from a call amid which another one is killed. That may have sent what all
 * needed of it. If others are so late that they see a group without it, they see a hole.
 */
static void expect_in_vain(const char *name, int result, const char *group)
{
    int hole = result == PvmNoInst && strcmp(group, "moving") == 0;
    int no_data = result == PvmNoData && strcmp(name, "reduce") == 0;
    if (result != 0 && !hole && !no_data)
        expect("in vain", result, PvmNoTask);
}

/* The one with the highest tid ends, or tells the parent to kill it. Returns 0 in who is to end. */
static int outlive(int count, const char *how, char *group, const char *name)
{
    struct member me = join(group, count);
    int victim = extreme(&me, 1), next = (victim + 1) % count, killed = strcmp(how, "killed") == 0;
    int root = strcmp(name, "scatter") == 0 ? victim : next;
    if (me.self == victim && !killed)
        return 0;
    if (me.self == victim || (killed && me.self == next))
        tell(pvm_parent(), me.self == victim ? VICTIM : LATE);
    if (me.self == next && killed)
        pvm_recv(pvm_parent(), GO);
    int result = call(name, group, root);
    if (me.self == victim)
        return 0;
    if (killed)
        expect_in_vain(name, result, group);
    else if (strcmp(group, "frozen") == 0)
        expect(name, result, loss(&me, name, root));
    return 1;
}

/* a member: N SCENE [GROUP CALL] */
int member(int argc, char **argv)
{
    int count = atoi(argv[1]);
    pvm_setopt(PvmAutoErr, 0);
    if (argc < 4)
        check_results(count);
    else if (!outlive(count, argv[2], argv[3], argv[4]))
        return 0;
    tell(pvm_parent(), FINISHED);
    return 0;
}

/* The first task -------------------------------------------------------------------------------- */

static int source_of(int buffer)
{
    int length, tag, source = 0;
    pvm_bufinfo(buffer, &length, &tag, &source);
    return source;
}

/* The end of a process is sudden; that of a thread comes with its next call. */
static void kill_one(int threads)
{
    int late = source_of(pvm_recv(-1, LATE)), victim = source_of(pvm_recv(-1, VICTIM));
    pvm_notify(PvmTaskExit, ENDED, 1, &victim);
    expect("killed", threads ? pvm_kill(victim) : pvm_sendsig(victim, SIGKILL), 0);
    pvm_recv(-1, ENDED);
    tell(late, GO);
}

static void spawn(int threads, char **words, int count)
{
    static int tids[MOST];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!threads)
        pvm_catchout(stdout);
    char *name = threads ? "member" : "everybody";
    expect("pvm_spawn", pvm_spawn(name, words, threads ? PvmTaskThread : 0, NULL, count, tids),
           count);
    pvm_notify(PvmTaskExit, GONE, count, tids);
}

int main(int argc, char **argv)
{
    if (pvm_parent() > 0) {
        member(argc, argv);
        return pvm_exit();
    }
    int count = atoi(argv[2]), threads = strcmp(argv[1], "threads") == 0;
    spawn(threads, argv + 2, count);
    if (strcmp(argv[3], "killed") == 0)
        kill_one(threads);
    for (int i = 0; i < count; i++)
        pvm_recv(-1, GONE);
    for (int i = argc > 4; i < count; i++)
        pvm_recv(-1, FINISHED); /* never comes from a member that has failed */
    pvm_catchout(NULL);         /* waits for what they print */
    printf("ok\n");
    return pvm_exit();
}
