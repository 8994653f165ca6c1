/* checkpoint.c - from processes that run to a file. */
#include "lib/calls/checkpoint.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/control.h"
#include "lib/calls/checkpoint_file.h"
#include "lib/link/park_order.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/mailbox.h"
#include "lib/spawn/door.h"
#include "lib/spawn/park.h"
#include "lib/task/luggage.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

struct standing {
    int tid;
    int host; /* tid of its pvmd */
    char name[256];
    struct park_stands said;
    struct luggage entries; /* of the mailbox, that it owns */
    int connection;         /* -1: it has not answered */
};

struct checkpoint {
    struct task *task;
    struct door door;
    struct standing *list;
    int count;
    int number; /* of the marks */
    struct writer writer;
    struct checkpoint_result *result;
};

static int checkpoint_fail(struct checkpoint *checkpoint, int error, int tid, const char *why)
{
    checkpoint->result->tid = tid;
    snprintf(checkpoint->result->why, sizeof checkpoint->result->why, "%s", why);
    return error;
}

/* Who is to stand still. ----------------------------------------------------------------------- */

/* Whether it is in a process that holds user-level processes, and not that process. */
static bool is_user_level(const struct pvmtaskinfo *task, const struct pvmtaskinfo *list, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].ti_a_out, "pvmulp") == 0 && list[i].ti_host == task->ti_host &&
            list[i].ti_pid == task->ti_pid)
            return list[i].ti_tid != task->ti_tid;
    return false;
}

static bool is_named(int tid, const int *tids, int count)
{
    while (count > 0 && tids[count - 1] != tid)
        count--;
    return count > 0;
}

static struct standing *checkpoint_find(const struct checkpoint *checkpoint, int tid)
{
    for (int i = 0; i < checkpoint->count; i++)
        if (checkpoint->list[i].tid == tid)
            return &checkpoint->list[i];
    return NULL;
}

static int checkpoint_add(struct checkpoint *checkpoint, const struct pvmtaskinfo *task)
{
    size_t size = ((size_t)checkpoint->count + 1) * sizeof *checkpoint->list;
    struct standing *grown = realloc(checkpoint->list, size);
    if (!grown)
        return checkpoint_fail(checkpoint, PvmNoMem, 0, strerror(ENOMEM));
    checkpoint->list = grown;
    struct standing *standing = &grown[checkpoint->count++];
    *standing = (struct standing){.tid = task->ti_tid, .host = task->ti_host, .connection = -1};
    snprintf(standing->name, sizeof standing->name, "%s", task->ti_a_out);
    return park_order_give(checkpoint->task, (uint32_t)task->ti_tid, checkpoint->door.address,
                           checkpoint->door.secret);
}

/* Orders those that are there to stand still, which were not before. How many, or an error. */
static int checkpoint_order(struct checkpoint *checkpoint, const int *tids, int count)
{
    struct pvmtaskinfo *list;
    int all, before = checkpoint->count, error = pvm_tasks(0, &all, &list);
    if (error < 0)
        return checkpoint_fail(checkpoint, error, 0,
                               "the pvmd does not tell which tasks there are");
    checkpoint->result->others = 0;
    for (int i = 0; i < all && error >= 0; i++) {
        bool named = count == 0 || is_named(list[i].ti_tid, tids, count);
        if (!named || checkpoint_find(checkpoint, list[i].ti_tid))
            continue;
        if (is_user_level(&list[i], list, all))
            error = checkpoint_add(checkpoint, &list[i]);
        else if (count > 0)
            error = checkpoint_fail(checkpoint, PvmDenied, list[i].ti_tid,
                                    "it is no user-level process");
        else if (strcmp(list[i].ti_a_out, "pvmulp") != 0 && list[i].ti_tid != pvm_mytid())
            checkpoint->result->others++;
    }
    return error < 0 ? error : checkpoint->count - before;
}

/* Standing still. ------------------------------------------------------------------------------ */

/* What one says. Its bytes are the caller's (free). False if the connection ends. */
static bool park_hear(int connection, struct park_word *word, void **bytes)
{
    *bytes = NULL;
    return door_get(connection, word, sizeof *word) && word->size < INT32_MAX &&
           (*bytes = calloc(1, word->size + 1)) != NULL && door_get(connection, *bytes, word->size);
}

static bool park_say(int connection, enum park_kind kind, const void *bytes, size_t size)
{
    const struct park_word word = {.kind = kind, .size = size};
    return door_put(connection, &word, sizeof word) && door_put(connection, bytes, size);
}

/* Takes what one says that was told to stand still. 0, or an error. */
static int checkpoint_meet(struct checkpoint *checkpoint, int connection)
{
    struct park_word word;
    struct standing *standing = NULL;
    void *bytes;
    int error = PvmOk;
    if (!park_hear(connection, &word, &bytes)) {
        error = checkpoint_fail(checkpoint, PvmSysErr, 0, "the connection to one has ended");
    } else if (word.kind == PARK_STANDS && word.size == sizeof standing->said) {
        const struct park_stands *said = bytes;
        standing = checkpoint_find(checkpoint, said->tid);
        if (standing)
            standing->said = *said;
    } else {
        error = checkpoint_fail(checkpoint, PvmDenied, word.tid, bytes);
    }
    if (standing)
        standing->connection = connection;
    else
        close(connection);
    free(bytes);
    return error;
}

/* Whether one has said that it cannot stand still. */
static int checkpoint_hear_refusal(struct checkpoint *checkpoint)
{
    static const struct pattern refusal = {
        .source = PATTERN_ANY_SOURCE, .tag = CONTROL_PARK_NOT, .context = CONTROL_CONTEXT_TC};
    struct message *message;
    if (endpoint_poll(&checkpoint->task->endpoint, &refusal, &message) < 0)
        return checkpoint_fail(checkpoint, PvmSysErr, 0, "the pvmd is gone");
    if (!message)
        return PvmOk;
    int tid = (int)message->header.source;
    message_free(message);
    return checkpoint_fail(checkpoint, PvmDenied, tid,
                           "it has started a thread, or changed its working folder");
}

/* Drops those that have ended. */
static int checkpoint_look(struct checkpoint *checkpoint)
{
    for (int i = checkpoint->count; i-- > 0;) {
        struct standing *standing = &checkpoint->list[i];
        if (standing->connection < 0 &&
            pvmd_link_state(checkpoint->task, standing->tid) == PvmNoTask)
            *standing = checkpoint->list[--checkpoint->count];
    }
    return checkpoint_hear_refusal(checkpoint);
}

static struct standing *checkpoint_missing(const struct checkpoint *checkpoint)
{
    for (int i = 0; i < checkpoint->count; i++)
        if (checkpoint->list[i].connection < 0)
            return &checkpoint->list[i];
    return NULL;
}

/* Milliseconds between looks, and how many there are while nobody comes. */
#define LOOK  200
#define LOOKS (DOOR_PATIENCE / LOOK)

static int checkpoint_await(struct checkpoint *checkpoint)
{
    const struct standing *missing;
    int error = PvmOk;
    for (int looks = 0; error == PvmOk && (missing = checkpoint_missing(checkpoint)) != NULL;) {
        int connection = door_answered(&checkpoint->door, LOOK);
        if (connection >= 0) {
            error = checkpoint_meet(checkpoint, connection);
            looks = 0;
        } else if (++looks < LOOKS) {
            error = checkpoint_look(checkpoint);
        } else {
            error = checkpoint_fail(checkpoint, PvmDenied, missing->tid,
                                    "it does not come to a place where it could be stopped");
        }
    }
    return error;
}

/* Until there are no others, which the last ones may have started. */
static int checkpoint_stop_all(struct checkpoint *checkpoint, const int *tids, int count)
{
    int more, error = PvmOk;
    while (error == PvmOk && (more = checkpoint_order(checkpoint, tids, count)) != 0)
        error = more < 0 ? more : checkpoint_await(checkpoint);
    for (int i = 0; error == PvmOk && i < count; i++)
        if (!checkpoint_find(checkpoint, tids[i]))
            error = checkpoint_fail(checkpoint, PvmNoTask, tids[i], "there is no such task");
    if (error == PvmOk && checkpoint->count == 0)
        error = checkpoint_fail(checkpoint, PvmNoTask, 0, "there is no user-level process");
    return error;
}

/* Flushing. ------------------------------------------------------------------------------------ */

static const char gone[] = "it has ended, or its host is gone";

static int checkpoint_tell_all(struct checkpoint *checkpoint, enum park_kind kind,
                               const void *bytes, size_t size)
{
    for (int i = 0; i < checkpoint->count; i++)
        if (!park_say(checkpoint->list[i].connection, kind, bytes, size))
            return checkpoint_fail(checkpoint, PvmNoTask, checkpoint->list[i].tid, gone);
    return PvmOk;
}

/* Hears that one has all that was sent to it. */
static int checkpoint_hear_flushed(struct checkpoint *checkpoint, const struct standing *standing)
{
    struct park_word word;
    void *bytes;
    bool flushed = park_hear(standing->connection, &word, &bytes) && word.kind == PARK_FLUSHED;
    free(bytes);
    return flushed ? PvmOk : checkpoint_fail(checkpoint, PvmNoTask, standing->tid, gone);
}

/* Any of them may end meanwhile, and then others would wait for it. */
static int checkpoint_await_flushed(struct checkpoint *checkpoint, struct pollfd *set)
{
    int left = checkpoint->count, error = PvmOk;
    for (int i = 0; i < checkpoint->count; i++)
        set[i] = (struct pollfd){.fd = checkpoint->list[i].connection, .events = POLLIN};
    while (left > 0 && error == PvmOk) {
        if (poll(set, (nfds_t)checkpoint->count, DOOR_PATIENCE) <= 0)
            return checkpoint_fail(checkpoint, PvmSysErr, 0, "messages do not come");
        for (int i = 0; i < checkpoint->count && error == PvmOk; i++)
            if (set[i].revents != 0) {
                error = checkpoint_hear_flushed(checkpoint, &checkpoint->list[i]);
                set[i].fd = -1;
                left--;
            }
    }
    return error;
}

/* `words` are a number and the tids of all. */
static int checkpoint_flush(struct checkpoint *checkpoint, const int *words)
{
    size_t count = (size_t)checkpoint->count;
    struct pollfd *set = calloc(count, sizeof *set);
    if (!set)
        return checkpoint_fail(checkpoint, PvmNoMem, 0, strerror(ENOMEM));
    int error = checkpoint_tell_all(checkpoint, PARK_FLUSH, words, (count + 1) * sizeof *words);
    if (error == PvmOk)
        error = checkpoint_await_flushed(checkpoint, set);
    free(set);
    return error;
}

/* Entries of the mailbox. ---------------------------------------------------------------------- */

static int entry_put(struct checkpoint *checkpoint, struct standing *standing, const char *name,
                     int index, int flags)
{
    struct message *message;
    struct luggage *luggage = &standing->entries;
    if (mailbox_get(checkpoint->task, name, index, PvmMboxDefault, &message) < 0)
        return checkpoint_fail(checkpoint, PvmNotFound, standing->tid,
                               "its entry in the mailbox cannot be read");
    luggage_put_int(luggage, 1);
    luggage_put_text(luggage, name);
    luggage_put_int(luggage, index);
    luggage_put_int(luggage, flags);
    luggage_put_message(luggage, message);
    message_free(message);
    return PvmOk;
}

/* All that those own who stand still: so nobody changes them. */
static int checkpoint_take_entries(struct checkpoint *checkpoint)
{
    struct pvmmboxinfo *list;
    int count, error = pvm_getmboxinfo("*", &count, &list);
    if (error < 0)
        return checkpoint_fail(checkpoint, error, 0, "the mailbox cannot be read");
    error = PvmOk;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < list[i].mi_nentries && error == PvmOk; j++) {
            struct standing *owner = checkpoint_find(checkpoint, list[i].mi_owners[j]);
            if (owner)
                error = entry_put(checkpoint, owner, list[i].mi_name, list[i].mi_indices[j],
                                  list[i].mi_flags[j]);
        }
    for (int i = 0; i < checkpoint->count; i++)
        luggage_put_int(&checkpoint->list[i].entries, 0);
    return error;
}

/* Writing. ------------------------------------------------------------------------------------- */

static void checkpoint_put_process(struct checkpoint *checkpoint, const struct standing *standing)
{
    struct file_process process = {
        .tid = standing->tid, .region = standing->said.region, .stack = standing->said.stack};
    struct pvmhostinfo *hosts;
    int count;
    snprintf(process.name, sizeof process.name, "%s", standing->name);
    if (pvm_config(&count, NULL, &hosts) == PvmOk)
        for (int i = 0; i < count; i++)
            if (hosts[i].hi_tid == standing->host)
                snprintf(process.host, sizeof process.host, "%s", hosts[i].hi_name);
    writer_add(&checkpoint->writer, SECTION_PROCESS, &process, sizeof process);
    writer_add(&checkpoint->writer, SECTION_ENTRIES, standing->entries.bytes,
               standing->entries.size);
}

/* A section of what comes until the connection ends. False if not all has come. */
static bool checkpoint_put_cargo(struct checkpoint *checkpoint, int connection)
{
    static const char whole[] = PARK_WHOLE;
    char block[65536 + sizeof whole];
    size_t kept = 0; /* the last bytes that have come, which may be the end */
    ssize_t size;
    writer_open(&checkpoint->writer, SECTION_CARGO);
    while ((size = recv(connection, block + kept, sizeof block - kept, 0)) > 0 ||
           (size < 0 && errno == EINTR)) {
        kept += size > 0 ? (size_t)size : 0;
        if (kept <= sizeof whole)
            continue;
        writer_put(&checkpoint->writer, block, kept - sizeof whole);
        memmove(block, block + kept - sizeof whole, sizeof whole);
        kept = sizeof whole;
    }
    writer_close(&checkpoint->writer);
    return size == 0 && kept == sizeof whole && memcmp(block, whole, sizeof whole) == 0;
}

/* Writes what comes in a word of this kind. */
static int checkpoint_put_word(struct checkpoint *checkpoint, const struct standing *standing,
                               enum park_kind kind, const char *section)
{
    struct park_word word;
    void *bytes;
    int error = PvmOk;
    if (!park_hear(standing->connection, &word, &bytes))
        error = checkpoint_fail(checkpoint, PvmNoTask, standing->tid, gone);
    else if (word.kind != kind)
        error = checkpoint_fail(checkpoint, PvmDenied, standing->tid, bytes);
    else if (section)
        writer_add(&checkpoint->writer, section, bytes, word.size);
    free(bytes);
    return error;
}

static int checkpoint_put(struct checkpoint *checkpoint, const struct standing *standing)
{
    if (!park_say(standing->connection, PARK_WRITE, NULL, 0))
        return checkpoint_fail(checkpoint, PvmNoTask, standing->tid, gone);
    int error = checkpoint_put_word(checkpoint, standing, PARK_RECORD, SECTION_RECORD);
    if (error == PvmOk)
        error = checkpoint_put_word(checkpoint, standing, PARK_TRAITS, SECTION_TRAITS);
    if (error == PvmOk)
        error = checkpoint_put_word(checkpoint, standing, PARK_CARGO, NULL);
    if (error == PvmOk && !checkpoint_put_cargo(checkpoint, standing->connection))
        error = checkpoint_fail(checkpoint, PvmNoTask, standing->tid, gone);
    return error;
}

static int checkpoint_put_all(struct checkpoint *checkpoint)
{
    struct file_begin begin = {.version = FILE_VERSION, .count = (uint32_t)checkpoint->count};
    struct utsname name;
    int error = PvmOk;
    if (uname(&name) == 0)
        snprintf(begin.machine, sizeof begin.machine, "%.63s", name.machine);
    snprintf(begin.release, sizeof begin.release, "%s", VERSION);
    writer_add(&checkpoint->writer, SECTION_BEGIN, &begin, sizeof begin);
    for (int i = 0; i < checkpoint->count && error == PvmOk; i++) {
        checkpoint_put_process(checkpoint, &checkpoint->list[i]);
        error = checkpoint_put(checkpoint, &checkpoint->list[i]);
        checkpoint->result->bytes = checkpoint->writer.bytes;
        if (checkpoint->result->progress)
            checkpoint->result->progress(checkpoint->result, i + 1, checkpoint->count);
    }
    writer_add(&checkpoint->writer, SECTION_END, NULL, 0);
    return error;
}

/* All. ----------------------------------------------------------------------------------------- */

/* All run on. */
static void checkpoint_let_go(struct checkpoint *checkpoint)
{
    for (int i = 0; i < checkpoint->count; i++) {
        if (checkpoint->list[i].connection >= 0)
            close(checkpoint->list[i].connection);
        free(checkpoint->list[i].entries.bytes);
    }
    free(checkpoint->list);
    door_close(&checkpoint->door);
}

/* They stand still: `words` are a number and the tids of all. */
static int checkpoint_settle(struct checkpoint *checkpoint, checkpoint_hinders *hinders, int *words)
{
    words[0] = checkpoint->number;
    for (int i = 0; i < checkpoint->count; i++)
        words[i + 1] = checkpoint->list[i].tid;
    int error = checkpoint_take_entries(checkpoint);
    if (error == PvmOk && hinders(words + 1, checkpoint->count, checkpoint->result))
        error = PvmDenied;
    return error == PvmOk ? checkpoint_flush(checkpoint, words) : error;
}

static int checkpoint_write_all(struct checkpoint *checkpoint, const int *tids, int count,
                                checkpoint_hinders *hinders)
{
    int error = checkpoint_stop_all(checkpoint, tids, count);
    if (error < 0)
        return error;
    int *words = calloc((size_t)checkpoint->count + 1, sizeof *words);
    error = words ? checkpoint_settle(checkpoint, hinders, words)
                  : checkpoint_fail(checkpoint, PvmNoMem, 0, strerror(ENOMEM));
    free(words);
    return error == PvmOk ? checkpoint_put_all(checkpoint) : error;
}

int checkpoint_write(const char *path, const int *tids, int count, checkpoint_hinders *hinders,
                     struct checkpoint_result *result)
{
    struct checkpoint checkpoint = {.task = caller_self()->task, .result = result};
    if (pvm_mytid() < 0)
        return PvmSysErr;
    if (getrandom(&checkpoint.number, sizeof checkpoint.number, GRND_NONBLOCK) < 0 ||
        !door_open(&checkpoint.door, checkpoint.task->endpoint.host, SOMAXCONN))
        return checkpoint_fail(&checkpoint, PvmOutOfRes, 0, "there can be no connections");
    writer_begin(&checkpoint.writer, path);
    int error = checkpoint.writer.error ? PvmNoFile
                                        : checkpoint_write_all(&checkpoint, tids, count, hinders);
    result->processes = checkpoint.count;
    checkpoint_let_go(&checkpoint);
    int number = writer_end(&checkpoint.writer, error == PvmOk);
    result->bytes = checkpoint.writer.bytes;
    if (number != 0)
        return checkpoint_fail(&checkpoint, PvmNoFile, 0, strerror(number));
    return error;
}
