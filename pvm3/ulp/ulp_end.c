/* ulp_end.c - what a program does at its end, and whether the end is that of a process. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <pvm3.h>

#include "ulp/heap.h"
#include "ulp/room.h"
#include "ulp/run_status.h"
#include "ulp/ulp.h"

int ulp_at_exit(struct ulp *ulp, void (*function)(void *argument), void *argument)
{
    struct ulp_exit *fresh =
        ulp->heap ? heap_take(ulp->heap, sizeof *fresh, HEAP_ALIGNMENT) : malloc(sizeof *fresh);
    if (!fresh)
        return -1;
    fresh->function = function;
    fresh->argument = argument;
    pthread_mutex_lock(&ulp->lock);
    fresh->next = ulp->exits;
    ulp->exits = fresh;
    pthread_mutex_unlock(&ulp->lock);
    return 0;
}

static struct ulp_exit *ulp_next_exit(struct ulp *ulp)
{
    pthread_mutex_lock(&ulp->lock);
    struct ulp_exit *first = ulp->exits;
    if (first)
        ulp->exits = first->next;
    pthread_mutex_unlock(&ulp->lock);
    return first;
}

static void ulp_free_exit(const struct ulp *ulp, struct ulp_exit *exit)
{
    if (ulp->heap)
        heap_give_back(ulp->heap, exit);
    else
        free(exit);
}

void ulp_run_exits(struct ulp *ulp)
{
    struct ulp_exit *exit;
    while ((exit = ulp_next_exit(ulp)) != NULL) {
        exit->function(exit->argument);
        ulp_free_exit(ulp, exit);
    }
}

void ulp_forget_exits(struct ulp *ulp)
{
    struct ulp_exit *exit;
    while ((exit = ulp_next_exit(ulp)) != NULL)
        ulp_free_exit(ulp, exit);
}

bool ulp_has_process(const struct ulp *ulp)
{
    return !ulp || ulp->alone || ulp->pid != getpid();
}

void ulp_exit_now(int status)
{
    struct ulp *ulp = room_owner();
    if (ulp_has_process(ulp))
        _exit(status);
    if (!pthread_equal(pthread_self(), ulp->thread)) {
        pvm_kill(pvm_mytid()); /* so that its first thread ends with its next call */
        pthread_exit(NULL);
    }
    run_status_tell(ulp->program.getenv("PVM_RUN"), status);
    ulp->status = status;
    longjmp(ulp->place, 1);
}

void ulp_exit(int status)
{
    struct ulp *ulp = room_owner();
    if (ulp) {
        ulp_run_exits(ulp);
        image_end(&ulp->image);
    }
    if (ulp_has_process(ulp))
        exit(status);
    fflush(NULL);
    ulp_exit_now(status);
}

void ulp_abort(void)
{
    if (ulp_has_process(room_owner()))
        abort();
    fflush(stdout);
    fprintf(stderr, "Aborted\n"); /* as a shell reports it */
    ulp_exit_now(EXIT_CANNOT_RUN);
}
