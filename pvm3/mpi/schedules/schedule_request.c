/*
 * schedule_request.c - does the steps of a schedule as far as that goes without waiting.
 */
#include "mpi/schedules/schedule_request.h"

#include <stdlib.h>

#include "mpi/messages/work.h"

/* A schedule that is under way, or of a persistent request. */
struct progress {
    struct schedule *schedule;
    struct mpi_request *request;
    schedule_finish *finish;
    void *argument;
    int next;             /* step */
    int begun;            /* messages of the phase */
    struct posted *posts; /* room for the messages of any phase */
};

struct schedule *schedule_new(void)
{
    return malloc(sizeof(struct schedule));
}

void schedule_free(struct schedule *schedule)
{
    schedule_end(schedule);
    free(schedule);
}

static struct progress *progress_of(struct work *work)
{
    struct mpi_request *request =
        (struct mpi_request *)(void *)((char *)work - offsetof(struct mpi_request, work));
    return request->owner;
}

static void note(struct progress *progress, int code)
{
    if (progress->request->error == MPI_SUCCESS)
        progress->request->error = code;
}

/* Whether all messages that were begun are done. */
static bool phase_over(struct progress *progress)
{
    for (int i = 0; i < progress->begun; i++) {
        if (!posted_test(&progress->posts[i]))
            return false;
    }
    for (int i = 0; i < progress->begun; i++)
        note(progress, progress->posts[i].error);
    progress->begun = 0;
    return true;
}

static void begin_step(struct progress *progress, const struct step *step)
{
    if (step->kind == STEP_REDUCE || step->kind == STEP_COPY) {
        note(progress, step_compute(step));
        return;
    }
    struct channel channel = schedule_channel(progress->schedule, step);
    struct posted *posted = &progress->posts[progress->begun++];
    if (step->kind == STEP_SEND && progress->request->error == MPI_ERR_PROC_ABORTED)
        posted_send_failure(posted, &channel);
    else if (step->kind == STEP_SEND)
        posted_send(posted, &channel, &step->items);
    else
        posted_receive(posted, &channel, &step->items);
}

static bool advance(struct work *work)
{
    struct progress *progress = progress_of(work);
    struct schedule *schedule = progress->schedule;
    for (;;) {
        while (progress->next < schedule->count &&
               schedule->steps[progress->next].kind != STEP_WAIT)
            begin_step(progress, &schedule->steps[progress->next++]);
        if (!phase_over(progress))
            return false;
        if (progress->next == schedule->count)
            break;
        progress->next++;
    }
    if (progress->finish)
        progress->request->error = progress->finish(progress->argument, progress->request->error);
    return true;
}

static void pending(struct work *work, struct awaited *awaited)
{
    struct progress *progress = progress_of(work);
    for (int i = 0; i < progress->begun; i++) {
        if (progress->posts[i].post)
            awaited_add(awaited, &progress->posts[i]);
    }
}

static const struct work_steps steps = {.advance = advance, .pending = pending};

static int start(struct mpi_request *request)
{
    struct progress *progress = request->owner;
    progress->next = 0;
    progress->begun = 0;
    request->error = MPI_SUCCESS;
    work_begin(&request->work, &steps);
    return MPI_SUCCESS;
}

/* What the steps refer to is kept, or dropped. */
static void refer(const struct schedule *schedule, void datatypes(struct datatype *),
                  void operations(struct operation *))
{
    for (int i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        if (step->kind == STEP_WAIT)
            continue;
        if (step->items.datatype)
            datatypes(step->items.datatype);
        if (step->kind == STEP_COPY && step->from.datatype)
            datatypes(step->from.datatype);
        if (step->kind == STEP_REDUCE)
            operations(step->operation);
    }
}

static void keep_datatype(struct datatype *datatype)
{
    datatype_keep(datatype);
}

static void keep_operation(struct operation *operation)
{
    operation_keep(operation);
}

static int release(struct mpi_request *request)
{
    struct progress *progress = request->owner;
    refer(progress->schedule, datatype_drop, operation_drop);
    schedule_free(progress->schedule);
    free(progress->posts);
    free(progress);
    return MPI_SUCCESS;
}

static const struct mpi_request_calls calls = {.start = start, .release = release};

/* The most messages that a phase has. */
static int most_messages(const struct schedule *schedule)
{
    int most = 0;
    int count = 0;
    for (int i = 0; i < schedule->count; i++) {
        enum step_kind kind = schedule->steps[i].kind;
        if (kind == STEP_WAIT)
            count = 0;
        else if (kind == STEP_SEND || kind == STEP_RECEIVE)
            count++;
        most = count > most ? count : most;
    }
    return most;
}

static struct progress *progress_new(struct schedule *schedule, schedule_finish *finish,
                                     void *argument)
{
    struct progress *progress = calloc(1, sizeof *progress);
    if (!progress)
        return NULL;
    progress->posts = malloc(((size_t)most_messages(schedule) + 1) * sizeof *progress->posts);
    progress->schedule = schedule;
    progress->finish = finish;
    progress->argument = argument;
    if (progress->posts)
        return progress;
    free(progress);
    return NULL;
}

int schedule_request(struct schedule *schedule, bool persistent, schedule_finish *finish,
                     void *argument, MPI_Request *request)
{
    int code = schedule->error;
    struct progress *progress =
        code == MPI_SUCCESS ? progress_new(schedule, finish, argument) : NULL;
    struct mpi_request *made =
        progress ? mpi_request_new(REQUEST_WORK, &calls, schedule->communicator) : NULL;
    if (!made) {
        if (progress)
            free(progress->posts);
        free(progress);
        schedule_free(schedule);
        return code == MPI_SUCCESS ? MPI_ERR_NO_MEM : code;
    }
    refer(schedule, keep_datatype, keep_operation);
    progress->request = made;
    made->owner = progress;
    made->persistent = persistent;
    made->active = !persistent;
    *request = mpi_request_handle(made);
    if (!persistent)
        start(made);
    return MPI_SUCCESS;
}
