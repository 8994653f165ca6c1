/*
 * run.c - does the steps of a schedule in the calling thread.
 *
 * Few bytes are sent first and received then, which needs no memory and posts nothing: a send waits
 * for no receiver. If more is to come, the receives are posted before the sends, so that a peer
 * can write to where the items belong. It may do so at once, and so nothing is posted early.
 */
#include <stdlib.h>

#include "mpi/schedules/items.h"
#include "mpi/schedules/schedule.h"

/* From so many bytes on a receive is posted. */
enum { MANY_BYTES = 8192 };

struct phase {
    const struct schedule *schedule;
    int first; /* step */
    int end;   /* the step behind the last: the wait, or the end */
    int error;
};

static void note(struct phase *phase, int code)
{
    if (phase->error == MPI_SUCCESS)
        phase->error = code;
}

static const struct step *step_at(const struct phase *phase, int index)
{
    return &phase->schedule->steps[index];
}

/* How many receives the phase has, and whether they should be posted. */
static int receives(const struct phase *phase, bool *post)
{
    int count = 0;
    bool sends = false;
    bool many = false;
    for (int i = phase->first; i < phase->end; i++) {
        const struct step *step = step_at(phase, i);
        if (step->kind == STEP_RECEIVE) {
            count++;
            many = many || items_bytes(&step->items) >= MANY_BYTES;
        }
        sends = sends || step->kind == STEP_SEND;
    }
    *post = many && (sends || count > 1);
    return count;
}

/* A step that is no receive. */
static void send_or_compute(struct phase *phase, const struct step *step)
{
    if (step->kind == STEP_SEND) {
        struct channel channel = schedule_channel(phase->schedule, step);
        bool failed = phase->error == MPI_ERR_PROC_ABORTED;
        note(phase, failed ? message_send_failure(&channel) : message_send(&channel, &step->items));
    } else {
        note(phase, step_compute(step));
    }
}

static void send_and_compute(struct phase *phase)
{
    for (int i = phase->first; i < phase->end; i++) {
        const struct step *step = step_at(phase, i);
        if (step->kind != STEP_RECEIVE)
            send_or_compute(phase, step);
    }
}

static void receive(struct phase *phase)
{
    for (int i = phase->first; i < phase->end; i++) {
        const struct step *step = step_at(phase, i);
        if (step->kind != STEP_RECEIVE)
            continue;
        struct channel channel = schedule_channel(phase->schedule, step);
        note(phase, message_receive(&channel, &step->items, NULL));
    }
}

/*
 * Each receive is posted in its turn: a step before it may still read the memory that it lends. False
 * without memory for the posts; then nothing is done.
 */
static bool run_posted(struct phase *phase, int count)
{
    struct posted *posts = malloc((size_t)count * sizeof *posts);
    if (!posts)
        return false;
    int posted = 0;
    for (int i = phase->first; i < phase->end; i++) {
        const struct step *step = step_at(phase, i);
        if (step->kind == STEP_RECEIVE) {
            struct channel channel = schedule_channel(phase->schedule, step);
            posted_receive(&posts[posted++], &channel, &step->items);
        } else {
            send_or_compute(phase, step);
        }
    }
    for (int i = 0; i < posted; i++)
        note(phase, posted_wait(&posts[i]));
    free(posts);
    return true;
}

static void run_phase(struct phase *phase)
{
    bool post;
    int count = receives(phase, &post);
    if (post && run_posted(phase, count))
        return;
    send_and_compute(phase);
    if (count > 0)
        receive(phase);
}

int schedule_run(struct schedule *schedule)
{
    struct phase phase = {.schedule = schedule, .end = -1, .error = schedule->error};
    while (schedule->error == MPI_SUCCESS && phase.end < schedule->count) {
        phase.first = phase.end + 1;
        phase.end = phase.first;
        while (phase.end < schedule->count && schedule->steps[phase.end].kind != STEP_WAIT)
            phase.end++;
        run_phase(&phase);
    }
    return phase.error;
}
