/* printed.c - streams that ask who prints, and the lines of each task. */
#include "lib/serve/printed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "lib/link/pvmd_link.h"
#include "lib/task/abi.h"
#include "lib/task/caller.h"
#include "lib/task/lock_ranks.h"
#include "lib/task/luggage.h"
#include "lib/task/process.h"

static struct Pvmtracer printed_sinks(struct task *task)
{
    lock_acquire(&task->options_lock);
    struct Pvmtracer sinks = task->own_sinks;
    lock_release(&task->options_lock);
    return sinks;
}

/* The record that a pvmd sends for a program. What cannot be sent is lost, as with a program's. */
static void printed_send(struct task *task, const char *text, size_t size)
{
    struct Pvmtracer sinks = printed_sinks(task);
    struct message *record = control_new(sinks.outtag, sinks.outctx, 0);
    control_put_int(record, atomic_load(&task->tid));
    control_put_int(record, (int)size);
    control_put_bytes(record, text, size);
    pvmd_link_tell(task, record, (uint32_t)sinks.outtid);
}

/* How many bytes of what waits are to go now: whole lines, or as much as a record takes. */
static size_t printed_due(const struct printed *printed)
{
    const char *end = memrchr(printed->text, '\n', printed->length);
    if (end)
        return (size_t)(end + 1 - printed->text);
    return printed->length == CONTROL_OUTPUT_MOST ? printed->length : 0;
}

/* Takes from what waits. */
static size_t printed_take(struct printed *printed, size_t size, char *text)
{
    memcpy(text, printed->text, size);
    printed->length -= size;
    memmove(printed->text, printed->text + size, printed->length);
    return size;
}

/* Adds what there is room for, and sends what is due. How many bytes that were. */
static size_t printed_add(struct task *task, const char *text, size_t size)
{
    char due[CONTROL_OUTPUT_MOST];
    struct printed *printed = task->printed;
    lock_acquire(&printed->lock);
    size_t room = CONTROL_OUTPUT_MOST - printed->length;
    size_t added = size < room ? size : room;
    memcpy(printed->text + printed->length, text, added);
    printed->length += added;
    size_t length = printed_take(printed, printed_due(printed), due);
    lock_release(&printed->lock);
    if (length > 0)
        printed_send(task, due, length);
    return added;
}

/* The task whose output this is, if it is told apart. */
static struct task *printed_by(void)
{
    const struct caller *caller = caller_current();
    struct task *task = caller ? caller->task : NULL;
    return task && task->printed && pvmd_link_is_enrolled(task) ? task : NULL;
}

bool printed_write_as_task(const char *text, size_t size)
{
    struct task *task = printed_by();
    for (size_t done = 0; task && done < size;)
        done += printed_add(task, text + done, size - done);
    return task != NULL;
}

/* What the streams do: of fopencookie(3), where 0 is an error. */
static ssize_t printed_write(void *descriptor, const char *text, size_t size)
{
    return printed_write_as_task(text, size) ? (ssize_t)size
                                             : write((int)(intptr_t)descriptor, text, size);
}

#ifdef __GLIBC__

/* Without a buffer: what is printed by one call comes at once, in one piece, by its thread. */
static void printed_replace(FILE **stream, int descriptor)
{
    const cookie_io_functions_t functions = {.write = printed_write};
    FILE *fresh = fopencookie((void *)(intptr_t)descriptor, "w", functions);
    if (!fresh)
        return;
    fflush(*stream);
    setvbuf(*stream, NULL, _IONBF, 0); /* who has it already stays in order with the others */
    setvbuf(fresh, NULL, _IONBF, 0);
    *stream = fresh;
}

static void printed_replace_streams(struct process *process)
{
    lock_acquire(&process->lock);
    bool first = !process->prints_apart;
    process->prints_apart = true;
    lock_release(&process->lock);
    if (!first)
        return;
    printed_replace(&stdout, STDOUT_FILENO);
    printed_replace(&stderr, STDERR_FILENO);
}

#else

static void printed_replace_streams(struct process *process)
{
    (void)process;
}

#endif

void printed_begin(struct task *task)
{
    struct printed *printed =
        printed_sinks(task).outtid > 0 ? malloc(sizeof *printed + CONTROL_OUTPUT_MOST) : NULL;
    if (!printed)
        return;
    lock_init(&printed->lock, LOCK_PRINTED);
    printed->length = 0;
    task->printed = printed;
    printed_replace_streams(task->process);
}

void printed_know(struct task *task, int holder)
{
    lock_acquire(&task->options_lock);
    bool collects = task->child_sinks.outtid == atomic_load(&task->tid);
    lock_release(&task->options_lock);
    if (!collects)
        return;
    pvmd_link_state(task, holder); /* the answer comes behind the word */
}

void printed_end(struct task *task)
{
    char rest[CONTROL_OUTPUT_MOST];
    struct printed *printed = task->printed;
    if (!printed)
        return;
    lock_acquire(&printed->lock);
    size_t length = printed_take(printed, printed->length, rest);
    lock_release(&printed->lock);
    if (length > 0)
        printed_send(task, rest, length);
}

void printed_finish(struct task *task)
{
    if (!task->printed)
        return;
    lock_destroy(&task->printed->lock);
    free(task->printed);
    task->printed = NULL;
}

void printed_put(struct task *task, struct luggage *luggage)
{
    struct printed *printed = task->printed;
    if (printed)
        lock_acquire(&printed->lock);
    size_t length = printed ? printed->length : 0;
    luggage_put_int(luggage, (int)length);
    if (printed)
        luggage_put(luggage, printed->text, length);
    if (printed)
        lock_release(&printed->lock);
}

void printed_get(struct task *task, struct luggage_reader *reader)
{
    int length = luggage_get_count(reader, 1);
    printed_begin(task);
    struct printed *printed = task->printed;
    if (length == 0)
        return;
    reader->failed = !printed || length > CONTROL_OUTPUT_MOST;
    if (reader->failed)
        return;
    lock_acquire(&printed->lock);
    luggage_get(reader, printed->text, (size_t)length);
    printed->length = (size_t)length;
    lock_release(&printed->lock);
}

void printed_drop(struct task *task)
{
    struct printed *printed = task->printed;
    if (!printed)
        return;
    lock_acquire(&printed->lock);
    printed->length = 0;
    lock_release(&printed->lock);
}
