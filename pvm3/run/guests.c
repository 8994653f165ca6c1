/* guests.c - spawning, and finding the processes. */
#include "run/guests.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/program.h"
#include "run/protocol.h"

static void guests_set(const struct words *settings)
{
    for (int i = 0; i < settings->count; i++) {
        char *name = memory_text("%s", settings->items[i]), *value = strchr(name, '=');
        *value++ = '\0';
        setenv(name, value, 1);
        free(name);
    }
}

/* Their processes get the variables of pvmrun, and those that were asked for. */
static void guests_export(const struct run *run)
{
    char *names = memory_text("PVM_RUN");
    if (!run->job.hides_parent)
        setenv("PVM_RUN", "1", 1);
    for (int i = 0; i < run->job.part_count; i++)
        guests_set(&run->job.parts[i].settings);
    for (char **variable = environ; *variable; variable++) {
        if (program_is_given(*variable))
            continue;
        char *longer = memory_text("%s:%.*s", names, (int)strcspn(*variable, "="), *variable);
        free(names);
        names = longer;
    }
    setenv("PVM_EXPORT", names, 1);
    free(names);
}

/*
 * What is spawned, to be freed: a program, or a function of one: main, unless the user names
 * another. NULL when there is no such program: then why, to be freed.
 */
static char *guests_name(const struct job *job, const struct part *part, char **why)
{
    const char *word = part->words.items[0];
    const char *function = job->tasks == TASKS_THREADS ? strrchr(word, ':') : NULL;
    int status, length = function ? (int)(function - word) : (int)strlen(word);
    char *program = memory_text("%.*s", length, word);
    char *path = program_find(program, getenv("PATH"), why, &status);
    char *whole = path ? realpath(path, NULL) : NULL, *name = NULL;
    if (whole && job->tasks == TASKS_THREADS)
        name = memory_text("%s%s", whole, function ? function : ":main");
    else if (whole)
        name = memory_text("%s", whole);
    free(program);
    free(path);
    free(whole);
    return name;
}

static void guests_add_holder(struct run *run, int tid)
{
    for (int i = 0; i < run->holder_count; i++)
        if (run->holders[i] == tid)
            return;
    run->holders = memory_resize(run->holders, (size_t)run->holder_count + 1, sizeof *run->holders);
    run->holders[run->holder_count++] = tid;
    pvm_notify(PvmTaskExit, TAG_HOLDER_GONE, 1, &tid);
}

static bool guests_is_rank(const struct run *run, int tid)
{
    for (int i = 0; i < run->size; i++)
        if (run->ranks[i].tid == tid)
            return true;
    return false;
}

static const char *guests_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Is this the name of a process that holds ranks? */
static bool guests_are_in(const struct run *run, const char *program)
{
    if (run->job.tasks == TASKS_ULPS)
        return strcmp(guests_base(program), "pvmulp") == 0;
    for (int i = 0; i < run->job.part_count; i++) {
        const char *word = guests_base(run->job.parts[i].words.items[0]);
        size_t length = strcspn(word, ":");
        if (strncmp(guests_base(program), word, length) == 0 &&
            guests_base(program)[length] == '\0')
            return true;
    }
    return false;
}

/*
 * The processes on a host, on which some tasks have just been started. They stay when their tasks
 * have ended: if there is none it has been killed.
 */
static void guests_find_holders(struct run *run, const struct host *host)
{
    struct pvmtaskinfo *tasks;
    int count, found = 0;
    if (pvm_tasks(host->tid, &count, &tasks) < 0)
        return;
    for (int i = 0; i < count; i++)
        if (!guests_is_rank(run, tasks[i].ti_tid) && guests_are_in(run, tasks[i].ti_a_out)) {
            guests_add_holder(run, tasks[i].ti_tid);
            found++;
        }
    run->lacks_holder = run->lacks_holder || found == 0;
}

static void guests_explain(const struct run *run, const struct host *host, int code)
{
    const char *why = "the log of its pvmd says why";
    if (code == PvmNoFile && run->job.tasks == TASKS_ULPS)
        why = "pvmulp is not where its pvmd looks for programs";
    else if (code == PvmNoFile)
        why =
            "a program for threads is linked with -rdynamic, and its main calls PVM or MPI before "
            "all else: see pvmrun(1)";
    fprintf(stderr, "pvmrun: cannot start tasks on %s: %s\n", host->name, why);
}

static void guests_began(struct run *run, int first, const int *tids, int count)
{
    for (int i = 0; i < count; i++) {
        run->ranks[first + i].tid = tids[i];
        run->ranks[first + i].state = RANK_RUNS;
        run->ranks[first + i].tells_status = run->job.tasks == TASKS_ULPS;
    }
    if (count > 0)
        pvm_notify(PvmTaskExit, TAG_TASK_GONE, count, tids);
}

/* Ranks first to first + count - 1, which are of one part and on one host. */
static bool guests_spawn_some(struct run *run, int first, int count, const char *name)
{
    const struct rank *rank = &run->ranks[first];
    const struct part *part = &run->job.parts[rank->part];
    int flag = PvmTaskHost | (run->job.tasks == TASKS_ULPS ? PvmTaskUlp : PvmTaskThread) |
               (run->job.hides_parent ? PvmNoSpawnParent : 0);
    char *here = getcwd(NULL, 0);
    char *where = memory_text("%s:%s", rank->host->name, part->folder ? part->folder : here);
    int *tids = memory_resize(NULL, (size_t)count, sizeof *tids);
    pvm_setcontext(PvmBaseContext);
    int started = pvm_spawn(name, part->words.items + 1, flag, where, count, tids);
    pvm_setcontext(run->context);
    guests_began(run, first, tids, started);
    if (started > 0)
        guests_find_holders(run, rank->host);
    if (started < count)
        guests_explain(run, rank->host, started < 0 ? started : tids[started]);
    free(tids);
    free(where);
    free(here);
    return started == count;
}

/* How many ranks from one on are of the same part and host. */
static int guests_alike(const struct run *run, int first)
{
    int end = first;
    while (end < run->size && run->ranks[end].host == run->ranks[first].host &&
           run->ranks[end].part == run->ranks[first].part)
        end++;
    return end - first;
}

static bool guests_spawn_alike(struct run *run, int first, int count)
{
    char *why = NULL;
    char *name = guests_name(&run->job, &run->job.parts[run->ranks[first].part], &why);
    bool started = name && guests_spawn_some(run, first, count, name);
    if (!name)
        fprintf(stderr, "pvmrun: %s\n", why ? why : "the program has no path");
    free(name);
    free(why);
    return started;
}

bool guests_spawn(struct run *run)
{
    bool started = true;
    guests_export(run);
    pvm_setopt(PvmOutputTid, run->machine.tid);
    pvm_setopt(PvmOutputContext, run->context);
    pvm_setopt(PvmOutputCode, TAG_PRINTED);
    for (int first = 0, count; started && first < run->size; first += count) {
        count = guests_alike(run, first);
        started = guests_spawn_alike(run, first, count);
    }
    return started;
}

void guests_end(const struct rank *rank)
{
    pvm_kill(rank->tid);
}

void guests_kill(const struct run *run)
{
    for (int i = 0; i < run->holder_count; i++)
        pvm_sendsig(run->holders[i], SIGKILL);
}

bool guests_are_lost(const struct run *run)
{
    for (int i = 0; i < run->holder_count; i++)
        if (pvm_pstat(run->holders[i]) != 0)
            return true;
    return run->lacks_holder;
}
