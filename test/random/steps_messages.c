/* Steps that send and receive. */
#include "steps.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/time.h>

extern int pvm_errno;

/*
 * The result of a send. In 3.4.6 a message of the task to itself goes through the pvmd, and whether
 * the send lets it in depends on the speed of the pvmd. So it is let in here: the pvmd answers
 * behind it.
 */
static int sent(int to, int result)
{
    int error = pvm_errno;

    if (to == pvm_mytid())
        pvm_pstat(to);
    pvm_errno = error;
    return result;
}

static int send_one(struct steps *steps, const int *a)
{
    int to = tid_of(steps, a[0]);

    return sent(to, pvm_send(to, a[1]));
}

/* To those tasks whose bits are set in a[0]. */
static int send_all(struct steps *steps, const int *a)
{
    int tids[TASKS], count = 0;

    for (int i = 0; i < steps->task_count; i++)
        if (a[0] & 1 << i)
            tids[count++] = steps->tids[i];
    return pvm_mcast(tids, count, a[1]);
}

/* a[3] items of type a[4], the bytes of which begin with a[2]. */
static int send_at_once(struct steps *steps, const int *a)
{
    int values[] = {a[2], a[2] + 1, a[2] + 2, a[2] + 3};

    int to = tid_of(steps, a[0]);

    return sent(to, pvm_psend(to, a[1], values, a[3], a[4]));
}

static int receive_array(struct steps *steps, const int *a)
{
    int values[4] = {0}, source = -9, got = -9, length = -9;
    int result =
        pvm_precv(tid_of(steps, a[0]), a[1], values, a[2], PVM_INT, &source, &got, &length);

    printf(" from %d %d %d:", role_of(steps, source), got, length);
    for (int i = 0; i < a[2]; i++) /* packed items are not decoded */
        printf(" %d", value_of(steps, (int)ntohl((uint32_t)values[i])));
    return result;
}

/* pvm_precv waits, so it is only called after pvm_probe found a message. */
static int receive_array_there(struct steps *steps, const int *a)
{
    return pvm_probe(tid_of(steps, a[0]), a[1]) > 0 ? receive_array(steps, a) : 0;
}

static int receive(struct steps *steps, const int *a)
{
    return show(steps, pvm_recv(tid_of(steps, a[0]), a[1]));
}

static int receive_there(struct steps *steps, const int *a)
{
    return pvm_probe(tid_of(steps, a[0]), a[1]) > 0 ? receive(steps, a) : 0;
}

static int poll(struct steps *steps, const int *a)
{
    return show(steps, pvm_nrecv(tid_of(steps, a[0]), a[1]));
}

static int probe(struct steps *steps, const int *a)
{
    return show(steps, pvm_probe(tid_of(steps, a[0]), a[1]));
}

/* For a[2] microseconds at most. */
static int receive_in_time(struct steps *steps, const int *a)
{
    struct timeval time = {0, a[2]};

    return show(steps, pvm_trecv(tid_of(steps, a[0]), a[1], &time));
}

static int set_polls(struct steps *steps, const int *a)
{
    return steps->polls = a[0];
}

/* Only polls, as around each step. */
static int rest(struct steps *steps, const int *a)
{
    (void)steps, (void)a;
    return 0;
}

static int set_context(struct steps *steps, const int *a)
{
    (void)steps;
    return pvm_setcontext(a[0]);
}

static int get_context(struct steps *steps, const int *a)
{
    (void)steps, (void)a;
    return pvm_getcontext();
}

const struct step message_steps[] = {
    {"send", send_one},
    {"mcast", send_all},
    {"psend", send_at_once},
    {"precv", receive_array_there},
    {"recv", receive_there},
    {"await", receive},
    {"awaitarray", receive_array},
    {"nrecv", poll},
    {"probe", probe},
    {"trecv", receive_in_time},
    {"polls", set_polls},
    {"rest", rest},
    {"setcontext", set_context},
    {"getcontext", get_context},
    {NULL, NULL},
};
