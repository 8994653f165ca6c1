/* Steps on tasks: notices, options, ends and children. */
#include "steps.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern int pvm_errno;

enum { CHILD_TAG = 4, CHILDREN = 2, CHILD_KINDS = 4 };

static int child; /* the last one, or 0 */

static int notify(struct steps *steps, const int *a)
{
    int tid = a[0] < TASKS ? tid_of(steps, a[0]) : child;

    return pvm_notify(PvmTaskExit | (a[2] ? PvmNotifyCancel : 0), a[1], 1, &tid);
}

static int set_option(struct steps *steps, const int *a)
{
    (void)steps;
    return pvm_setopt(a[0], a[1]);
}

static int get_option(struct steps *steps, const int *a)
{
    (void)steps;
    return pvm_getopt(a[0]);
}

static int state(struct steps *steps, const int *a)
{
    return pvm_pstat(tid_of(steps, a[0]));
}

static int kill_other(struct steps *steps, const int *a)
{
    return pvm_kill(tid_of(steps, a[0]));
}

static int leave(struct steps *steps, const int *a)
{
    (void)steps, (void)a;
    pvm_recvf(NULL); /* 3.4.6 would ask a matcher about the messages that are left */
    int result = pvm_exit();
    if (result == 0) /* 3.4.6 deletes handlers that have been deleted */
        pvm_errno = 0;
    return result;
}

static int quit(struct steps *steps, const int *a)
{
    (void)steps;
    exit(a[0]);
}

/* Spawns a[0] children that do what a[1] says. */
static int spawn(struct steps *steps, const int *a)
{
    char kind[] = {(char)('0' + a[1]), 0};
    char *arguments[] = {kind, NULL};
    int tids[CHILDREN] = {0};
    int result = pvm_spawn("steps", arguments, PvmTaskDefault, "", a[0], tids);

    steps->brings_later = 1;
    if (result > 0)
        child = tids[0];
    return result;
}

static int parent(struct steps *steps, const int *a)
{
    (void)a;
    return role_of(steps, pvm_parent());
}

/* 3.4.6 loses messages of tasks that do not leave before they end. */
void be_child(int kind)
{
    int to = pvm_parent();

    if (kind == 0) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&kind, 1, 1);
        pvm_send(to, CHILD_TAG);
    }
    if (kind == 3)
        raise(SIGKILL);
    if (kind < 2)
        pvm_exit();
    exit(0);
}

const struct step task_steps[] = {
    {"notify", notify}, {"setopt", set_option}, {"getopt", get_option},
    {"pstat", state},   {"kill", kill_other},   {"leave", leave},
    {"quit", quit},     {"spawn", spawn},       {"parent", parent},
    {NULL, NULL},
};
