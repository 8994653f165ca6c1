/*
 * server.c - tasks that compute and serve at the same time, without polling: each has two threads.
 *
 * usage: server [LIMIT [TASKS]]    the numbers below 2000, 4 tasks
 *
 * How many steps does a number take to come down to 1, when an even one is halved and an odd one is
 * tripled and gets 1 more? For each count of steps there is a counter, and each counter belongs to
 * one task. In each task T1 computes: it counts the steps of its share of the numbers, and asks the
 * owners of the counters to add 1. T2 serves: it sleeps in pvm_recv until somebody asks for a
 * counter of this task. T1 sends and waits for answers meanwhile. Neither ever looks whether there
 * is something to do, and T2 uses no processor time while nobody asks.
 *
 * Only T2 touches the counters of its task: no lock is needed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#ifndef PVM_THREADSAFE
#error "with PVM 3.4.6 only one thread may call PVM"
#endif

enum { PLAN = 1, REQUEST = 2, ANSWER = 3, DONE = 4, MOST_TASKS = 100, MOST_STEPS = 1000, END = -1 };

static struct {
    int limit;
    int tasks;
    int tids[MOST_TASKS];
} plan;

/* Of those that belong to this task; the others stay 0. */
static int counters[MOST_STEPS];

static int owner(int steps)
{
    return plan.tids[steps % plan.tasks];
}

/* ---- T2 ---- */

static void *serve(void *nothing)
{
    int steps, amount, asker;

    for (;;) {
        int buffer = pvm_recv(-1, REQUEST);
        if (buffer < 0)
            break;
        pvm_bufinfo(buffer, NULL, NULL, &asker);
        pvm_upkint(&steps, 1, 1);
        pvm_upkint(&amount, 1, 1);
        if (steps == END)
            break;
        counters[steps] += amount;
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&counters[steps], 1, 1);
        pvm_send(asker, ANSWER);
    }
    return nothing;
}

/* ---- T1 ---- */

static void request_send(int to, int steps, int amount)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&steps, 1, 1);
    pvm_pkint(&amount, 1, 1);
    pvm_send(to, REQUEST);
}

/* Adds to a counter, wherever it is; returns its new value. */
static int counter_add(int steps, int amount)
{
    int value = 0;

    request_send(owner(steps), steps, amount);
    pvm_recv(owner(steps), ANSWER);
    pvm_upkint(&value, 1, 1);
    return value;
}

static int count_steps(long number)
{
    int steps = 0;

    while (number != 1) {
        number = number % 2 ? 3 * number + 1 : number / 2;
        steps++;
    }
    return steps;
}

static void compute_share(int place)
{
    for (int number = 1 + place; number < plan.limit; number += plan.tasks)
        counter_add(count_steps(number), 1);
}

static void be_part(int parent)
{
    int place = 0;

    pvm_recv(parent, PLAN);
    pvm_upkint(&plan.limit, 1, 1);
    pvm_upkint(&plan.tasks, 1, 1);
    pvm_upkint(plan.tids, plan.tasks, 1);
    while (plan.tids[place] != pvm_mytid())
        place++;
    compute_share(place);
    pvm_initsend(PvmDataDefault);
    pvm_send(parent, DONE);
}

/* Starts the other tasks. Requests may reach one before its plan: its T2 needs none. */
static int start_others(void)
{
    int others = plan.tasks - 1;

    plan.tids[0] = pvm_mytid();
    if (others == 0)
        return 0;
    int started = pvm_spawn("server", NULL, PvmTaskDefault, NULL, others, plan.tids + 1);
    if (started != others) {
        fprintf(stderr, "server: not all of %d tasks could be started\n", others);
        for (int i = 1; i <= started; i++)
            pvm_kill(plan.tids[i]);
        return -1;
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&plan.limit, 1, 1);
    pvm_pkint(&plan.tasks, 1, 1);
    pvm_pkint(plan.tids, plan.tasks, 1);
    return pvm_mcast(plan.tids + 1, others, PLAN);
}

/* How many counters have another value than the computation of one task gives them. */
static int count_wrong(void)
{
    static int expected[MOST_STEPS];
    int wrong = 0;

    for (int number = 1; number < plan.limit; number++)
        expected[count_steps(number)]++;
    for (int steps = 0; steps < MOST_STEPS; steps++)
        wrong += counter_add(steps, 0) != expected[steps];
    return wrong;
}

/* The first task: computes like the others, waits for them, and looks at the result. */
static int lead(void)
{
    if (start_others() < 0)
        return EXIT_FAILURE;
    compute_share(0);
    for (int i = 1; i < plan.tasks; i++)
        pvm_recv(plan.tids[i], DONE);
    int wrong = count_wrong();
    for (int i = 1; i < plan.tasks; i++)
        request_send(plan.tids[i], END, 0);
    printf("the numbers below %d in %d tasks: %d of %d counters are wrong\n", plan.limit,
           plan.tasks, wrong, MOST_STEPS);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status = EXIT_SUCCESS, parent = pvm_parent();
    pthread_t thread;

    plan.limit = argc > 1 ? atoi(argv[1]) : 2000;
    plan.tasks = argc > 2 ? atoi(argv[2]) : 4;
    if (plan.limit < 1 || plan.limit > 1000000 || plan.tasks < 1 || plan.tasks > MOST_TASKS) {
        fprintf(stderr, "usage: server [LIMIT [TASKS]], at most 1000000 and %d\n", MOST_TASKS);
        return EXIT_FAILURE;
    }
    if (pvm_mytid() < 0 || pthread_create(&thread, NULL, serve, NULL) != 0)
        return EXIT_FAILURE;
    if (parent > 0) {
        be_part(parent);
    } else {
        status = lead();
        request_send(pvm_mytid(), END, 0);
    }
    pthread_join(thread, NULL);
    pvm_exit();
    return status;
}
