/* recording.c - a collector, and the signals that end it. */
#include "tools/recording.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <pvm3.h>

#include "tools/live.h"
#include "tracing/collect.h"
#include "tracing/wait.h"

enum { TAG_EVENTS = 666, TAG_OUTPUT, TAG_HOST_ADDED, TAG_HOST_DELETED };

/* What the collector finds. -------------------------------------------------------------------- */

static void record_keep(struct recording *recording, struct record *record)
{
    *recording->last = record;
    recording->last = &record->next;
}

static void record_print(struct recording *recording, struct record *record)
{
    clock_correct_next(&recording->clocks, record);
    live_print(record);
    record_free(record);
}

static void on_record(void *owner, int source, struct record *record)
{
    struct recording *recording = owner;
    (void)source;
    if (record->layout->event == TEV_ENDTASK && record_integer(record, "TID", 0) == recording->tid)
        recording->status = (int)record_integer(record, "TST", -1);
    if (recording->live)
        record_print(recording, record);
    else
        record_keep(recording, record);
}

static void on_line(void *owner, int tid, const char *text, size_t length)
{
    const struct recording *recording = owner;
    (void)tid;
    if (!text || recording->live)
        return;
    fwrite(text, 1, length, stdout);
    putchar('\n');
}

static void on_begun(void *owner, int tid)
{
    struct recording *recording = owner;
    size_t size = (size_t)(recording->count + 1) * sizeof *recording->tids;
    recording->tids = record_allocate(recording->tids, size);
    recording->tids[recording->count++] = tid;
}

static void on_ended(void *owner, int tid)
{
    struct recording *recording = owner;
    for (int i = 0; i < recording->count; i++)
        if (recording->tids[i] == tid)
            recording->tids[i--] = recording->tids[--recording->count];
}

static const struct collector_owner functions = {on_record, on_line, on_begun, on_ended};

/* Of libpvm3, in no header of 3.4.6. */
extern char *pvm_errlist[];
extern int pvm_nerr;

static const char *error_text(int code)
{
    return code <= 0 && code > -pvm_nerr ? pvm_errlist[-code] : "Unknown Error";
}

/* The virtual machine. ------------------------------------------------------------------------- */

static bool machine_enter(struct recording *recording)
{
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmResvTids, 1);
    int result = pvm_start_pvmd(0, NULL, 1);
    recording->started = result >= 0;
    int tid = pvm_mytid();
    if (tid < 0) {
        fprintf(stderr, "pvmtrace: no virtual machine runs, and none could be started: %s\n",
                error_text(result < 0 && result != PvmDupHost ? result : tid));
        return false;
    }
    pvm_setopt(PvmNoReset, 1);
    pvm_setopt(PvmTraceTid, tid);
    pvm_setopt(PvmTraceCode, TAG_EVENTS);
    pvm_setopt(PvmTraceContext, 0);
    pvm_setopt(PvmTraceBuffer, recording->buffer);
    pvm_setopt(PvmTraceOptions, PvmTraceFull);
    pvm_setopt(PvmOutputTid, tid);
    pvm_setopt(PvmOutputCode, TAG_OUTPUT);
    pvm_setopt(PvmOutputContext, 0);
    pvm_settmask(PvmTaskChild, recording->mask);
    return true;
}

static void hosts_update(struct collector *collector)
{
    int count;
    struct pvmhostinfo *hosts;
    collector_update_hosts(collector);
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    for (int i = 0; i < count; i++) {
        int tid = hosts[i].hi_tid;
        pvm_notify(PvmHostDelete, TAG_HOST_DELETED, 1, &tid);
    }
}

/*
 * Starts the program on this host, in this folder. A path is one of this folder; a name is looked
 * for where tasks are looked for.
 */
static bool program_start(struct recording *recording)
{
    char folder[PATH_MAX], path[PATH_MAX], where[PATH_MAX + 8];
    char **program = recording->program;
    char *file = program[0];
    if (strchr(file, '/') && realpath(file, path))
        file = path;
    snprintf(where, sizeof where, ".:%s", getcwd(folder, sizeof folder) ? folder : "/");
    int result =
        pvm_spawn(file, program + 1, PvmTaskHost | PvmNoSpawnParent, where, 1, &recording->tid);
    if (result == 1)
        return true;
    int error = result < 0 ? result : recording->tid;
    fprintf(stderr, "pvmtrace: %s cannot be started: %s\n", program[0], error_text(error));
    if (error == PvmNoFile)
        fprintf(stderr, "  programs are looked for in PVM_PATH of the pvmd, see pvmd(1); a name"
                        " with a slash is a path\n");
    return false;
}

/* Takes all messages that are there. False when the pvmd is lost. */
static bool messages_take(struct collector *collector)
{
    int buffer, bytes, tag, source;
    while ((buffer = pvm_nrecv(-1, -1)) > 0) {
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        if (tag == TAG_EVENTS)
            collector_take_events(collector, buffer);
        else if (tag == TAG_OUTPUT)
            collector_take_output(collector);
        else if (tag == TAG_HOST_ADDED)
            hosts_update(collector);
        else if (tag == TAG_HOST_DELETED)
            collector_update_hosts(collector);
    }
    fflush(stdout);
    return buffer == 0;
}

/* Signals: the first one ends the tasks, the second one the recording. ------------------------- */

static int signals_open(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* True when it is enough. */
static bool signals_take(const struct recording *recording, int fd, bool *stopped)
{
    struct signalfd_siginfo told;
    if (read(fd, &told, sizeof told) != (ssize_t)sizeof told)
        return false;
    if (*stopped)
        return true;
    *stopped = true;
    for (int i = 0; i < recording->count; i++)
        pvm_kill(recording->tids[i]);
    return false;
}

/* Gathers until all tasks have ended. */
static void recording_gather(struct recording *recording, struct collector *collector, int signals)
{
    bool stopped = false;
    while (messages_take(collector) && !collector_is_idle(collector))
        if (wait_for(signals) && signals_take(recording, signals, &stopped))
            break;
    if (!collector_is_idle(collector))
        fprintf(stderr, "pvmtrace: the trace ends before its tasks have ended\n");
}

bool recording_run(struct recording *recording)
{
    struct collector collector;
    recording->first = NULL;
    recording->last = &recording->first;
    recording->status = -1;
    int signals = signals_open();
    if (!machine_enter(recording))
        return false;
    collector_start(&collector, &recording->decoder, &functions, recording);
    pvm_notify(PvmHostAdd, TAG_HOST_ADDED, -1, NULL);
    hosts_update(&collector);
    bool running = program_start(recording);
    if (running) {
        collector_expect(&collector, recording->tid);
        recording_gather(recording, &collector, signals);
    }
    collector_finish(&collector);
    close(signals);
    return running;
}

void recording_finish(struct recording *recording)
{
    while (recording->first) {
        struct record *next = recording->first->next;
        record_free(recording->first);
        recording->first = next;
    }
    decode_end(&recording->decoder);
    clock_free(recording->clocks);
    free(recording->tids);
    if (recording->started)
        pvm_halt(); /* SIGTERM, which that brings, is still blocked */
    else
        pvm_exit();
}
