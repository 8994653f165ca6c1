/* Steps on groups; a[0] is the number of the group. */
#include "steps.h"
#include <stdio.h>

static char *group(const struct steps *steps, const int *a)
{
    return name_of(steps, 'G', a[0]);
}

static int join(struct steps *steps, const int *a)
{
    return pvm_joingroup(group(steps, a));
}

static int leave(struct steps *steps, const int *a)
{
    return pvm_lvgroup(group(steps, a));
}

static int size(struct steps *steps, const int *a)
{
    return pvm_gsize(group(steps, a));
}

static int instance(struct steps *steps, const int *a)
{
    return pvm_getinst(group(steps, a), tid_of(steps, a[1]));
}

static int member(struct steps *steps, const int *a)
{
    return role_of(steps, pvm_gettid(group(steps, a), a[1]));
}

static int freeze(struct steps *steps, const int *a)
{
    return pvm_freezegroup(group(steps, a), a[1]);
}

static int barrier(struct steps *steps, const int *a)
{
    return pvm_barrier(group(steps, a), a[1]);
}

static int broadcast(struct steps *steps, const int *a)
{
    return pvm_bcast(group(steps, a), a[1]);
}

/* The sum, or the greatest, of what each has at the root a[1]. */
static int reduce(struct steps *steps, const int *a)
{
    int values[] = {a[3], -a[3]};
    int result = pvm_reduce(a[4] ? PvmMax : PvmSum, values, 2, PVM_INT, a[2], group(steps, a), a[1]);

    printf(" %d %d", values[0], values[1]);
    return result;
}

static int gather(struct steps *steps, const int *a)
{
    int all[TASKS + 1] = {0};
    int result = pvm_gather(all, (void *)&a[3], 1, PVM_INT, a[2], group(steps, a), a[1]);

    printf(" %d %d %d %d", all[0], all[1], all[2], all[3]);
    return result;
}

static int scatter(struct steps *steps, const int *a)
{
    int all[TASKS + 1] = {a[3], a[3] + 1, a[3] + 2, a[3] + 3, a[3] + 4}, own = 0;
    int result = pvm_scatter(&own, all, 1, PVM_INT, a[2], group(steps, a), a[1]);

    printf(" %d", own);
    return result;
}

const struct step group_steps[] = {
    {"join", join},           {"lvgroup", leave},   {"gsize", size},     {"getinst", instance},
    {"gettid", member},       {"freeze", freeze},   {"barrier", barrier}, {"bcast", broadcast},
    {"reduce", reduce},       {"gather", gather},   {"scatter", scatter}, {NULL, NULL},
};
