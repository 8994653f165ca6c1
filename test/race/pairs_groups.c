/* pairs_groups.c - the calls of the group library, on a group server that runs. */
#include "pairs_calls.h"

#include <pvm3.h>

enum { TAG_COLLECTIVE = 5 };

/* With nobody else in it: a group of the thread, or of both. */
static char *group(struct worker *me)
{
    static char *const names[] = {"first", "second", "shared"};
    return names[me->turn % 3 ? 2 : me->number];
}

/* The same, and the task is in it at first, unless the other thread takes it out or freezes it. */
static char *joined(struct worker *me)
{
    pvm_joingroup(group(me));
    return group(me);
}

int call_joingroup(struct worker *me)
{
    return pvm_joingroup(group(me));
}

int call_lvgroup(struct worker *me)
{
    return pvm_lvgroup(group(me));
}

int call_gsize(struct worker *me)
{
    return pvm_gsize(group(me));
}

int call_getinst(struct worker *me)
{
    return pvm_getinst(group(me), pvm_mytid());
}

int call_gettid(struct worker *me)
{
    return pvm_gettid(group(me), me->turn % 2);
}

/* To the other task, which is in it alone. */
int call_bcast(struct worker *me)
{
    return pvm_bcast(me->turn % 2 ? GROUP_OF_PEER : group(me), TAG_LEFT);
}

int call_barrier(struct worker *me)
{
    return pvm_barrier(joined(me), me->turn % 2 ? 1 : -1);
}

int call_freezegroup(struct worker *me)
{
    return pvm_freezegroup(joined(me), 1);
}

int call_gather(struct worker *me)
{
    int from[] = {me->number, 1}, to[2];
    return pvm_gather(to, from, 2, PVM_INT, TAG_COLLECTIVE, joined(me), 0);
}

int call_scatter(struct worker *me)
{
    int from[] = {me->number, 1}, to[2];
    return pvm_scatter(to, from, 2, PVM_INT, TAG_COLLECTIVE, joined(me), 0);
}

int call_allgather(struct worker *me)
{
    int from[] = {me->number, 1}, to[2];
    return pvm_allgather(to, from, 2, PVM_INT, TAG_COLLECTIVE, joined(me));
}

int call_alltoall(struct worker *me)
{
    int from[] = {me->number, 1}, to[2];
    return pvm_alltoall(to, from, 2, PVM_INT, TAG_COLLECTIVE, joined(me));
}

int call_allreduce(struct worker *me)
{
    int data[] = {me->number, 1};
    return pvm_allreduce(PvmSum, data, 2, PVM_INT, TAG_COLLECTIVE, joined(me));
}

int call_reduce(struct worker *me)
{
    int data[] = {me->number, 1};
    return pvm_reduce(PvmSum, data, 2, PVM_INT, TAG_COLLECTIVE, joined(me), 0);
}
