/* Are messages of several tasks received in the order of cause and effect?
 *
 * usage: causal ROUNDS SIZE ROUTE WAY WORK
 *
 * Starts two children. In each round one of them sends SIZE ints to the first task, and then one to the other child,
 * which sends SIZE ints to the first task when it has received that. The first task computes for WORK microseconds
 * before it receives both; that of the effect must not come before that of the cause. ROUTE is that of PvmRoute. WAY
 * says how the children send: `send`, `place` (PvmDataInPlace), `psend` or `mcast`. Prints "N of ROUNDS reversed".
 */
#include "fail.h"
#include <pvm3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CAUSE, EFFECT, CHILDREN };
enum { ORDER = 1, WORD, CUE };
enum { SIZE_MOST = 100000 };

static int values[SIZE_MOST];

static void compute(int microseconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < microseconds);
}

static void say(int to, int size, const char *way)
{
    if (strcmp(way, "psend") == 0) {
        expect("psend", pvm_psend(to, WORD, values, size, PVM_INT), 0);
        return;
    }
    pvm_initsend(strcmp(way, "place") == 0 ? PvmDataInPlace : PvmDataDefault);
    pvm_pkint(values, size, 1);
    expect("send", strcmp(way, "mcast") == 0 ? pvm_mcast(&to, 1, WORD) : pvm_send(to, WORD), 0);
}

static void cue(int to)
{
    pvm_initsend(PvmDataDefault);
    expect("cue", pvm_send(to, CUE), 0);
}

static int child(int parent)
{
    int me, other, rounds, size, route;
    char way[10];
    pvm_recv(parent, ORDER);
    pvm_unpackf("%d %d %d %d %d %s", &me, &other, &rounds, &size, &route, way);
    pvm_setopt(PvmRoute, route);
    values[0] = me;
    for (int round = 0; round < rounds; round++) {
        pvm_recv(me == CAUSE ? parent : other, CUE);
        say(parent, size, way);
        if (me == CAUSE)
            cue(other);
    }
    pvm_exit();
    return 0;
}

static int round_is_reversed(int cause, int work)
{
    int first = -1;
    cue(cause);
    compute(work);
    for (int i = 0; i < CHILDREN; i++) {
        int who;
        pvm_recv(-1, WORD);
        expect("unpack", pvm_upkint(&who, 1, 1), 0);
        if (i == 0)
            first = who;
    }
    return first != CAUSE;
}

int main(int argc, char **argv)
{
    int tids[CHILDREN], reversed = 0;
    if (pvm_parent() > 0)
        return child(pvm_parent());
    if (argc != 6)
        return 2;
    int rounds = atoi(argv[1]), size = atoi(argv[2]), route = atoi(argv[3]), work = atoi(argv[5]);
    pvm_setopt(PvmRoute, route);
    expect("spawn", pvm_spawn("causal", NULL, PvmTaskDefault, NULL, CHILDREN, tids), CHILDREN);
    for (int i = 0; i < CHILDREN; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_packf("%d %d %d %d %d %s", i, tids[!i], rounds, size, route, argv[4]);
        pvm_send(tids[i], ORDER);
    }
    for (int round = 0; round < rounds; round++)
        reversed += round_is_reversed(tids[CAUSE], work);
    printf("%d of %d reversed\n", reversed, rounds);
    pvm_exit();
    return 0;
}
