/* catchout.c - records of output, and the file that they are written to. */
#include "lib/serve/catchout.h"

#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/handler.h"
#include "lib/task/abi.h"
#include "lib/task/lock_ranks.h"
#include "lib/task/public.h"

/* A task whose output has not ended. */
struct caught {
    int tid;
    bool spawned; /* its spawner's pvmd has told of it */
    bool ended;
    char *line; /* what it has printed of a line that is not complete */
    size_t length;
    struct caught *next;
};

void catchout_start(struct catcher *catcher)
{
    lock_init(&catcher->lock, LOCK_OUTPUT);
    sleepers_start(&catcher->written);
}

static bool catchout_shows_tids(struct task *task)
{
    lock_acquire(&task->options_lock);
    bool shows = task->options.show_tids != 0;
    lock_release(&task->options_lock);
    return shows;
}

/* What goes to the file. ----------------------------------------------------------------------- */

/* Text to be written, gathered under the lock. `stream` is NULL when nothing is written. */
struct notes {
    FILE *stream;
    bool tids;
};

static void notes_add(const struct notes *notes, int tid, const char *text, size_t length)
{
    if (!notes->stream)
        return;
    if (notes->tids)
        fprintf(notes->stream, "[t%x] ", (unsigned)tid);
    fwrite(text, 1, length, notes->stream);
    putc('\n', notes->stream);
}

/* Where the output of a task begins and where it ends; only beside tids. */
static void notes_mark(const struct notes *notes, int tid, const char *mark)
{
    if (notes->tids)
        notes_add(notes, tid, mark, strlen(mark));
}

/* Records. With the lock. ---------------------------------------------------------------------- */

/* The task, known from now on; NULL when memory is short. */
static struct caught *caught_find(struct catcher *catcher, int tid, const struct notes *notes)
{
    struct caught *caught = catcher->tasks;
    while (caught && caught->tid != tid)
        caught = caught->next;
    if (caught)
        return caught;
    caught = calloc(1, sizeof *caught);
    if (!caught)
        return NULL;
    caught->tid = tid;
    caught->next = catcher->tasks;
    catcher->tasks = caught;
    notes_mark(notes, tid, "BEGIN");
    return caught;
}

/* Takes `count` bytes: complete lines go out, what is left stays. False when memory is short. */
static bool caught_print(struct caught *caught, struct control_reader *reader, size_t count,
                         const struct notes *notes)
{
    char *line = realloc(caught->line, caught->length + count);
    if (!line)
        return false;
    caught->line = line;
    control_get_bytes(reader, line + caught->length, count);
    if (reader->failed)
        return true;
    char *end = line + caught->length + count;
    char *newline;
    while ((newline = memchr(line, '\n', (size_t)(end - line))) != NULL) {
        notes_add(notes, caught->tid, line, (size_t)(newline - line));
        line = newline + 1;
    }
    caught->length = (size_t)(end - line);
    memmove(caught->line, line, caught->length);
    return true;
}

static void caught_end(struct catcher *catcher, struct caught *caught, const struct notes *notes)
{
    if (caught->length > 0)
        notes_add(notes, caught->tid, caught->line, caught->length);
    notes_mark(notes, caught->tid, "EOF");
    struct caught **place = &catcher->tasks;
    while (*place != caught)
        place = &(*place)->next;
    *place = caught->next;
    free(caught->line);
    free(caught);
}

/* The host of the task, if it is to be watched from now on; otherwise 0. */
static uint32_t catchout_new_host(struct task *task, uint32_t tid)
{
    struct catcher *catcher = &task->catcher;
    uint32_t part = tid_host_part(tid);
    if (part == tid_host_part((uint32_t)atomic_load(&task->tid)))
        return 0;
    for (size_t i = 0; i < catcher->host_count; i++)
        if (catcher->hosts[i] == part)
            return 0;
    uint32_t *hosts = realloc(catcher->hosts, (catcher->host_count + 1) * sizeof *hosts);
    if (!hosts)
        return 0; /* the next record tries again */
    catcher->hosts = hosts;
    hosts[catcher->host_count++] = part;
    return part;
}

/* The host is gone, and with it its tasks. */
static void catchout_forget_host(struct catcher *catcher, uint32_t part, const struct notes *notes)
{
    for (size_t i = 0; i < catcher->host_count; i++)
        if (catcher->hosts[i] == part)
            catcher->hosts[i] = catcher->hosts[--catcher->host_count];
    for (struct caught *caught = catcher->tasks, *next; caught; caught = next) {
        next = caught->next;
        if (tid_host_part((uint32_t)caught->tid) == part)
            caught_end(catcher, caught, notes);
    }
}

/* Only the task's own pvmd knows. */
static void catchout_record_host_end(struct catcher *catcher, const struct message *message,
                                     const struct notes *notes)
{
    struct control_reader reader;
    control_read(&reader, message);
    uint32_t part = tid_host_part(control_get_tid(&reader));
    if (message->header.source == TID_OWN_DAEMON && part != 0)
        catchout_forget_host(catcher, part, notes);
}

/* False when memory is short for it. */
static bool catchout_record(struct catcher *catcher, const struct message *message,
                            const struct notes *notes)
{
    struct control_reader reader;
    control_read(&reader, message);
    int tid = control_get_int(&reader);
    int count = control_get_int(&reader);
    if (reader.failed || count > (int)control_rest(&reader))
        return true; /* makes no sense: dropped */
    struct caught *caught = caught_find(catcher, tid, notes);
    if (!caught)
        return false;
    bool kept = true;
    if (count > 0)
        kept = caught_print(caught, &reader, (size_t)count, notes);
    else if (count == OUTPUT_END)
        caught->ended = true;
    else if (count == OUTPUT_SPAWNED)
        caught->spawned = true;
    if (caught->spawned && caught->ended)
        caught_end(catcher, caught, notes);
    return kept;
}

/* Nothing more than output fails when a file cannot be written to: the program sees it there. */
static void catchout_write(struct catcher *catcher, const char *text, size_t length)
{
    FILE *file = catcher->file;
    catcher->writing = true;
    lock_release(&catcher->lock);
    fwrite(text, 1, length, file);
    lock_acquire(&catcher->lock);
    catcher->writing = false;
    sleepers_wake_all(&catcher->written);
}

void catchout_take(struct task *task, struct message *message)
{
    struct catcher *catcher = &task->catcher;
    char *text = NULL;
    size_t length = 0;
    struct notes notes = {.tids = catchout_shows_tids(task)};
    lock_acquire(&catcher->lock);
    if (catcher->file)
        notes.stream = open_memstream(&text, &length);
    bool kept = !catcher->file || notes.stream;
    if (kept && message->header.tag == TC_OUTPUTX)
        catchout_record_host_end(catcher, message, &notes);
    else if (kept)
        kept = catchout_record(catcher, message, &notes);
    if (notes.stream)
        kept = fclose(notes.stream) == 0 && kept;
    if (catcher->file && length > 0)
        catchout_write(catcher, text, length);
    bool last = !catcher->tasks;
    uint32_t host = last ? 0 : catchout_new_host(task, (uint32_t)catcher->tasks->tid);
    lock_release(&catcher->lock);
    free(text);
    if (!kept)
        task_report(task, "pvm_catchout", PvmNoMem);
    if (host != 0) /* without a pvmd nothing is waited for: it is no matter whether this succeeds */
        pvmd_link_watch(task, PvmHostDelete, TC_OUTPUTX, host);
    if (last)
        endpoint_recheck(&task->endpoint);
}

/* Switching on and off. ------------------------------------------------------------------------ */

static void catchout_set_file(struct task *task, FILE *file)
{
    struct catcher *catcher = &task->catcher;
    lock_acquire(&catcher->lock);
    while (catcher->writing)
        sleepers_sleep(&catcher->written, &catcher->lock, NULL);
    catcher->file = file;
    lock_release(&catcher->lock);
    if (!file)
        endpoint_recheck(&task->endpoint);
}

/* Where children print from now on: to this task, or to where the task itself does. */
static void catchout_set_sink(struct task *task, bool own)
{
    lock_acquire(&task->options_lock);
    const struct Pvmtracer *sinks = &task->own_sinks;
    task->child_sinks.outtid = own ? atomic_load(&task->tid) : sinks->outtid;
    task->child_sinks.outctx = own ? CONTROL_CONTEXT_TC : sinks->outctx;
    task->child_sinks.outtag = own ? TC_OUTPUT : sinks->outtag;
    task_show(task);
    lock_release(&task->options_lock);
}

int catchout_set(struct task *task, FILE *file)
{
    int error = file ? pvmd_link_enrol(task) : PvmOk;
    if (error == 0 && file)
        error = handler_add_output(task);
    if (error < 0)
        return error;
    catchout_set_file(task, file);
    catchout_set_sink(task, file != NULL);
    return PvmOk;
}

static bool catchout_is_over(void *owner)
{
    struct catcher *catcher = owner;
    lock_acquire(&catcher->lock);
    bool over = !catcher->tasks || !catcher->file;
    lock_release(&catcher->lock);
    return over;
}

static void catchout_forget(struct catcher *catcher)
{
    lock_acquire(&catcher->lock);
    while (catcher->tasks) {
        struct caught *caught = catcher->tasks;
        catcher->tasks = caught->next;
        free(caught->line);
        free(caught);
    }
    free(catcher->hosts);
    catcher->hosts = NULL;
    catcher->host_count = 0;
    lock_release(&catcher->lock);
}

void catchout_end(struct catcher *catcher)
{
    catchout_forget(catcher);
    sleepers_finish(&catcher->written);
    lock_destroy(&catcher->lock);
}

void catchout_finish(struct task *task)
{
    struct catcher *catcher = &task->catcher;
    lock_acquire(&catcher->lock);
    bool caught = catcher->file != NULL;
    lock_release(&catcher->lock);
    if (caught) {
        if (!catchout_is_over(catcher) && catchout_shows_tids(task))
            task_print(task, "child task(s) still running.  waiting...");
        endpoint_wait_until(&task->endpoint, catchout_is_over, catcher);
        catchout_set_file(task, NULL);
        catchout_set_sink(task, false);
    }
    catchout_forget(catcher);
}
