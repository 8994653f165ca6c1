/* restart.c - from a file to processes that run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/control.h"
#include "core/tid.h"
#include "lib/calls/checkpoint.h"
#include "lib/calls/checkpoint_file.h"
#include "lib/link/host_list.h"
#include "lib/link/pvmd_link.h"
#include "lib/spawn/door.h"
#include "lib/spawn/park.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

/* A process of the file. */
struct comer {
    struct file_process process;
    void *entries, *record, *traits;
    size_t entries_size, record_size, traits_size;
    long cargo; /* where in the file */
    uint64_t cargo_size;
    const struct pvmhostinfo *host; /* where it is to live */
    bool claimed;                   /* the pvmds expect it */
    int connection;                 /* -1: none yet */
};

struct restart {
    struct task *task;
    FILE *file;
    struct comer *list;
    int count;
    struct pvmhostinfo *hosts;
    int *loads; /* how many come to each host */
    int host_count;
    struct checkpoint_result *result;
};

static int restart_fail(struct restart *restart, int error, int tid, const char *why)
{
    restart->result->tid = tid;
    snprintf(restart->result->why, sizeof restart->result->why, "%s", why);
    return error;
}

/* Reading. ------------------------------------------------------------------------------------- */

/* Its bytes, in memory of the caller (free). */
static const char *restart_read(struct restart *restart, const char *name, void **bytes,
                                size_t *size)
{
    struct section section = {.size = 0};
    *bytes = NULL;
    const char *why = section_read(restart->file, name, &section);
    *size = section.size;
    return why ? why : section_get(restart->file, &section, false, bytes);
}

/* Bytes of a size that is known. */
static const char *restart_read_exactly(struct restart *restart, const char *name, void *into,
                                        size_t wanted)
{
    void *bytes;
    size_t size;
    const char *why = restart_read(restart, name, &bytes, &size);
    if (!why && size != wanted)
        why = "the file is damaged, or another release has written it";
    if (!why)
        memcpy(into, bytes, wanted);
    free(bytes);
    return why;
}

static const char *restart_read_comer(struct restart *restart, struct comer *comer)
{
    struct section section;
    void *none;
    const char *why =
        restart_read_exactly(restart, SECTION_PROCESS, &comer->process, sizeof comer->process);
    if (!why)
        why = restart_read(restart, SECTION_ENTRIES, &comer->entries, &comer->entries_size);
    if (!why)
        why = restart_read(restart, SECTION_RECORD, &comer->record, &comer->record_size);
    if (!why)
        why = restart_read(restart, SECTION_TRAITS, &comer->traits, &comer->traits_size);
    if (!why)
        why = section_read(restart->file, SECTION_CARGO, &section);
    if (why)
        return why;
    comer->cargo = ftell(restart->file);
    comer->cargo_size = section.size;
    return section_get(restart->file, &section, true, &none);
}

/* Whether the file is for this kind of machine. NULL, or why not, which is good until the next call. */
static const char *restart_compare(const struct file_begin *begin)
{
    static char text[256];
    struct utsname name = {.machine = ""};
    uname(&name);
    if (begin->version != FILE_VERSION ||
        strncmp(begin->release, VERSION, sizeof begin->release) != 0)
        snprintf(text, sizeof text, "release %.63s of PVM has written the file", begin->release);
    else if (strncmp(begin->machine, name.machine, sizeof begin->machine) != 0)
        snprintf(text, sizeof text, "the file is for processors of another kind: %.63s",
                 begin->machine);
    else
        return NULL;
    return text;
}

/* The list has room for so many, all of which are in the file. */
static const char *restart_read_all(struct restart *restart)
{
    struct file_begin begin;
    struct section section;
    const char *why = restart_read_exactly(restart, SECTION_BEGIN, &begin, sizeof begin);
    if (!why)
        why = restart_compare(&begin);
    if (!why && !(restart->list = calloc((size_t)begin.count + 1, sizeof *restart->list)))
        why = "no memory";
    while (!why && restart->count < (int)begin.count) {
        struct comer *comer = &restart->list[restart->count++];
        comer->connection = -1;
        why = restart_read_comer(restart, comer);
    }
    return why ? why : section_read(restart->file, SECTION_END, &section);
}

/* Hosts. --------------------------------------------------------------------------------------- */

static int restart_find_host(const struct restart *restart, const char *name)
{
    for (int i = 0; i < restart->host_count; i++)
        if (strcmp(restart->hosts[i].hi_name, name) == 0)
            return i;
    return -1;
}

static int restart_choose_host(const struct restart *restart)
{
    int best = 0;
    for (int i = 1; i < restart->host_count; i++)
        if (restart->loads[i] < restart->loads[best])
            best = i;
    return best;
}

/* The hosts where they lived have theirs; the others go where the fewest are. */
static int restart_place(struct restart *restart)
{
    int formats;
    restart->host_count = host_list_ask(restart->task, &restart->hosts, &formats);
    if (restart->host_count <= 0 ||
        !(restart->loads = calloc((size_t)restart->host_count, sizeof *restart->loads)))
        return restart_fail(restart, PvmSysErr, 0, "the pvmd does not tell which hosts there are");
    for (int known = 1; known >= 0; known--)
        for (int i = 0; i < restart->count; i++) {
            struct comer *comer = &restart->list[i];
            int host = restart_find_host(restart, comer->process.host);
            if ((host >= 0) != known)
                continue;
            host = known ? host : restart_choose_host(restart);
            restart->loads[host]++;
            comer->host = &restart->hosts[host];
        }
    return PvmOk;
}

/* Expecting. ----------------------------------------------------------------------------------- */

static const char *restart_why_not_expected(int error)
{
    switch (error) {
    case PvmAlready:
        return "its tid is in use";
    case PvmOutOfRes:
        return "its region of addresses is in use";
    case PvmNotImpl:
        return "the pvmd of its host, or of the host where it was born, cannot take it";
    case PvmNoHost:
    case PvmHostFail:
        return "its host has left the virtual machine";
    default:
        return "the pvmds do not take it";
    }
}

static int restart_claim(struct restart *restart, struct comer *comer)
{
    struct message *request = pvmd_link_request(CONTROL_REVIVE);
    control_put_int(request, comer->host->hi_tid);
    control_put_bytes(request, comer->record, comer->record_size);
    int error = pvmd_link_ask(restart->task, request);
    comer->claimed = error == PvmOk;
    if (error == PvmOk)
        return PvmOk;
    return restart_fail(restart, error, comer->process.tid, restart_why_not_expected(error));
}

/* Whether it has arrived; if not, it does not any more. */
static int restart_settle(const struct restart *restart, struct comer *comer)
{
    struct message *request = pvmd_link_request(CONTROL_REVIVED);
    control_put_int(request, comer->process.tid);
    comer->claimed = false;
    return pvmd_link_ask(restart->task, request);
}

/* Sending. ------------------------------------------------------------------------------------- */

static const char *restart_why_nobody(int error)
{
    switch (error) {
    case PvmOutOfRes:
        return "its addresses are taken there";
    case PvmDSysErr:
        return "that host does not reach this one by TCP";
    case PvmNoFile:
        return "pvmulp is not there";
    default:
        return "no thread could be started there";
    }
}

static bool comer_put_block(const struct comer *comer, const void *bytes, size_t size)
{
    const uint64_t length = size;
    return door_put(comer->connection, &length, sizeof length) &&
           door_put(comer->connection, bytes, size);
}

/* NULL, or why the other side is not content; it is in `word`. */
static const char *comer_hear(const struct comer *comer, struct arrival_word *word)
{
    if (!door_get(comer->connection, word, sizeof *word))
        return "the connection to it has ended";
    word->why[sizeof word->why - 1] = '\0';
    return word->content ? NULL : word->why;
}

static bool restart_put_cargo(const struct restart *restart, const struct comer *comer)
{
    char block[65536];
    uint64_t rest = comer->cargo_size;
    bool put = fseek(restart->file, comer->cargo, SEEK_SET) == 0;
    while (put && rest > 0) {
        size_t part = rest < sizeof block ? (size_t)rest : sizeof block;
        put = fread(block, 1, part, restart->file) == part &&
              door_put(comer->connection, block, part);
        rest -= part;
    }
    return put;
}

static int restart_send(struct restart *restart, struct comer *comer)
{
    struct arrival_word word;
    char text[sizeof restart->result->why];
    const char *why = "the connection to it has ended";
    if (comer_put_block(comer, comer->traits, comer->traits_size))
        why = comer_hear(comer, &word);
    if (!why && !restart_put_cargo(restart, comer))
        why = "the connection to it has ended";
    if (!why)
        why = comer_hear(comer, &word);
    if (!why)
        return PvmOk;
    snprintf(text, sizeof text, "on %.60s: %s", comer->host->hi_name, why);
    return restart_fail(restart, PvmDenied, comer->process.tid, text);
}

/* It comes to its host, and waits there. */
static int restart_bring(struct restart *restart, struct comer *comer)
{
    const struct file_process *process = &comer->process;
    char text[sizeof restart->result->why];
    uint32_t holder;
    int connection = own_program_knock((uint32_t)comer->host->hi_tid, (unsigned)process->region,
                                       process->stack, &holder);
    if (connection >= 0) {
        comer->connection = connection;
        return restart_send(restart, comer);
    }
    snprintf(text, sizeof text, "on %.60s: %s", comer->host->hi_name,
             restart_why_nobody(connection));
    return restart_fail(restart, connection, process->tid, text);
}

static int restart_bring_all(struct restart *restart)
{
    int error = PvmOk;
    for (int i = 0; i < restart->count && error == PvmOk; i++)
        error = restart_claim(restart, &restart->list[i]);
    for (int i = 0; i < restart->count && error == PvmOk; i++) {
        error = restart_bring(restart, &restart->list[i]);
        restart->result->bytes += restart->list[i].cargo_size;
        if (restart->result->progress)
            restart->result->progress(restart->result, i + 1, restart->count);
    }
    for (int i = 0; i < restart->count && error == PvmOk; i++)
        if (restart_settle(restart, &restart->list[i]) != PvmOk)
            error = restart_fail(restart, PvmNoTask, restart->list[i].process.tid,
                                 "it has ended, or its host is gone");
    return error;
}

/* All. ----------------------------------------------------------------------------------------- */

static int restart_revive(struct restart *restart, const struct comer *comer, const int *tids)
{
    struct arrival_word word;
    const char *why = "the connection to it has ended";
    if (comer_put_block(comer, tids, (size_t)restart->count * sizeof *tids) &&
        comer_put_block(comer, comer->record, comer->record_size) &&
        comer_put_block(comer, comer->entries, comer->entries_size))
        why = comer_hear(comer, &word);
    return why ? restart_fail(restart, PvmDenied, comer->process.tid, why) : PvmOk;
}

/* All get what the pvmds have of them. */
static int restart_revive_all(struct restart *restart)
{
    int *tids = calloc((size_t)restart->count + 1, sizeof *tids), error = PvmOk;
    if (!tids)
        return restart_fail(restart, PvmNoMem, 0, strerror(ENOMEM));
    for (int i = 0; i < restart->count; i++)
        tids[i] = restart->list[i].process.tid;
    for (int i = 0; i < restart->count && error == PvmOk; i++)
        error = restart_revive(restart, &restart->list[i], tids);
    free(tids);
    return error;
}

/* Who has heard it runs; so nothing fails any more. */
static int restart_run_all(const struct restart *restart)
{
    const struct park_word word = {.kind = PARK_RUN};
    for (int i = 0; i < restart->count; i++)
        door_put(restart->list[i].connection, &word, sizeof word);
    return PvmOk;
}

/* Those that wait and have not been told to run end. */
static void restart_end(struct restart *restart)
{
    for (int i = 0; i < restart->count; i++) {
        struct comer *comer = &restart->list[i];
        if (comer->connection >= 0)
            close(comer->connection);
        if (comer->claimed)
            restart_settle(restart, comer);
        free(comer->entries);
        free(comer->record);
        free(comer->traits);
    }
    free(restart->list);
    free(restart->loads);
    host_list_free(restart->hosts, restart->host_count);
}

static int restart_from(struct restart *restart)
{
    const char *why = restart_read_all(restart);
    int error = why ? restart_fail(restart, PvmBadMsg, 0, why) : restart_place(restart);
    if (error == PvmOk)
        error = restart_bring_all(restart);
    if (error == PvmOk)
        error = restart_revive_all(restart);
    if (error == PvmOk)
        error = restart_run_all(restart);
    return error;
}

int checkpoint_restart(const char *path, struct checkpoint_result *result)
{
    struct restart restart = {.task = caller_self()->task, .result = result};
    if (pvm_mytid() < 0)
        return PvmSysErr;
    restart.file = fopen(path, "rbe");
    if (!restart.file)
        return restart_fail(&restart, PvmNoFile, 0, strerror(errno));
    int error = restart_from(&restart);
    result->processes = restart.count;
    result->bytes = fseek(restart.file, 0, SEEK_END) == 0 ? (uint64_t)ftell(restart.file) : 0;
    restart_end(&restart);
    fclose(restart.file);
    return error;
}
