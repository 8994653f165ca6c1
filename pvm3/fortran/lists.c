/*
 * lists.c - lists of which a Fortran program is told one entry a call.
 *
 * libpvm3 has one list of each kind for the task and renews it at every call; a cycle needs one
 * that stays. So a thread has copies of its own, each in one piece of memory: the array and behind
 * it what its pointers lead to. They are freed at the next cycle, or when the thread ends.
 */
#include <pthread.h>

#include <pvm3.h>

#include "fortran/text.h"

enum list { HOSTS, TASKS, MAILBOXES, LISTS };

struct cycle {
    void *entries; /* NULL: none is underway */
    int count;
    int next;
    int formats; /* of hosts: how many data formats they have */
};

/*
 * Ask libpvm3 for its list about something, and give a copy of it to the cycle, which has none.
 * Returns 0 or an error.
 */
typedef int (*renewal)(struct cycle *cycle, const void *about);

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t cycles_key;
/* Held while a list of libpvm3 is renewed and copied; handlers that run meanwhile may want one. */
static pthread_mutex_t renewing;

static void cycles_free(void *memory)
{
    struct cycle *cycles = memory;
    for (int i = 0; i < LISTS; i++)
        free(cycles[i].entries);
    free(cycles);
}

static void cycles_prepare(void)
{
    pthread_mutexattr_t recursive;
    pthread_key_create(&cycles_key, cycles_free);
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&renewing, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

/* The calling thread's cycles, one for each list, or NULL without memory. */
static struct cycle *cycles_of_thread(void)
{
    pthread_once(&prepared, cycles_prepare);
    struct cycle *cycles = pthread_getspecific(cycles_key);
    if (!cycles) {
        cycles = calloc(LISTS, sizeof *cycles);
        if (cycles && pthread_setspecific(cycles_key, cycles) != 0) {
            free(cycles);
            cycles = NULL;
        }
    }
    return cycles;
}

static void cycle_end(struct cycle *cycle)
{
    free(cycle->entries);
    *cycle = (struct cycle){0};
}

/*
 * Go on to the next entry of the thread's list, or begin anew: behind the last one, and when
 * *number is -1. Behind the last mailbox name PvmNotFound comes first. Returns the place of the
 * entry in *cycle, PvmNotFound when the new list is empty, or another error.
 */
static int cycle_next(enum list list, const int *number, renewal renew, const void *about,
                      struct cycle **cycle)
{
    struct cycle *cycles = cycles_of_thread();
    if (!cycles)
        return PvmNoMem;
    *cycle = &cycles[list];
    const bool over = (*cycle)->next == (*cycle)->count;
    if (over && (*cycle)->entries && list == MAILBOXES && *number != -1) {
        cycle_end(*cycle);
        return PvmNotFound;
    }
    if (over || *number == -1) {
        pthread_mutex_lock(&renewing);
        cycle_end(*cycle);
        int result = renew(*cycle, about);
        pthread_mutex_unlock(&renewing);
        if (result < 0)
            return result;
    }
    return (*cycle)->count > 0 ? (*cycle)->next++ : PvmNotFound;
}

static int renew_hosts(struct cycle *cycle, const void *about)
{
    struct pvmhostinfo *hosts;
    int count, formats;
    (void)about;
    int result = pvm_config(&count, &formats, &hosts);
    if (result < 0)
        return result;
    size_t size = (size_t)count * sizeof *hosts + 1;
    for (int i = 0; i < count; i++)
        size += strlen(hosts[i].hi_name) + strlen(hosts[i].hi_arch) + 2;
    struct pvmhostinfo *copy = malloc(size);
    if (!copy)
        return PvmNoMem;
    char *end = (char *)(copy + count);
    for (int i = 0; i < count; i++) {
        copy[i] = hosts[i];
        copy[i].hi_name = end;
        copy[i].hi_arch = stpcpy(end, hosts[i].hi_name) + 1;
        end = stpcpy(copy[i].hi_arch, hosts[i].hi_arch) + 1;
    }
    *cycle = (struct cycle){.entries = copy, .count = count, .formats = formats};
    return 0;
}

void pvmfconfig(int *nhost, int *narch, int *dtid, char *name, char *arch, int *speed, int *info,
                text_length name_length, text_length arch_length)
{
    struct cycle *cycle;
    int place = cycle_next(HOSTS, nhost, renew_hosts, NULL, &cycle);
    if (place >= 0) {
        const struct pvmhostinfo *host = (struct pvmhostinfo *)cycle->entries + place;
        *nhost = cycle->count;
        *narch = cycle->formats;
        *dtid = host->hi_tid;
        text_give(name, name_length, host->hi_name);
        text_give(arch, arch_length, host->hi_arch);
        *speed = host->hi_speed;
    }
    *info = place < 0 ? place : 1;
}

static int renew_tasks(struct cycle *cycle, const void *about)
{
    struct pvmtaskinfo *tasks;
    int count;
    int result = pvm_tasks(*(const int *)about, &count, &tasks);
    if (result < 0)
        return result;
    size_t size = (size_t)count * sizeof *tasks + 1;
    for (int i = 0; i < count; i++)
        size += strlen(tasks[i].ti_a_out) + 1;
    struct pvmtaskinfo *copy = malloc(size);
    if (!copy)
        return PvmNoMem;
    char *end = (char *)(copy + count);
    for (int i = 0; i < count; i++) {
        copy[i] = tasks[i];
        copy[i].ti_a_out = end;
        end = stpcpy(end, tasks[i].ti_a_out) + 1;
    }
    *cycle = (struct cycle){.entries = copy, .count = count};
    return 0;
}

void pvmftasks(int *where, int *ntask, int *tid, int *ptid, int *dtid, int *flag, char *aout,
               int *info, text_length aout_length)
{
    struct cycle *cycle;
    int place = cycle_next(TASKS, ntask, renew_tasks, where, &cycle);
    if (place >= 0) {
        const struct pvmtaskinfo *task = (struct pvmtaskinfo *)cycle->entries + place;
        *ntask = cycle->count;
        *tid = task->ti_tid;
        *ptid = task->ti_ptid;
        *dtid = task->ti_host;
        *flag = task->ti_flag;
        text_give(aout, aout_length, task->ti_a_out);
    }
    *info = place < 0 ? place : 1;
}

static int *copy_numbers(int **end, const int *numbers, int count)
{
    int *copy = *end;
    memcpy(copy, numbers, (size_t)count * sizeof *copy);
    *end += count;
    return copy;
}

static int renew_mailboxes(struct cycle *cycle, const void *about)
{
    struct pvmmboxinfo *names;
    int count, numbers = 0;
    int result = pvm_getmboxinfo((char *)about, &count, &names);
    if (result < 0)
        return result;
    size_t size = (size_t)count * sizeof *names + 1;
    for (int i = 0; i < count; i++) {
        size += strlen(names[i].mi_name) + 1;
        numbers += 3 * names[i].mi_nentries;
    }
    struct pvmmboxinfo *copy = malloc(size + (size_t)numbers * sizeof(int));
    if (!copy)
        return PvmNoMem;
    int *number = (int *)(copy + count);
    char *end = (char *)(number + numbers);
    for (int i = 0; i < count; i++) {
        copy[i] = names[i];
        copy[i].mi_indices = copy_numbers(&number, names[i].mi_indices, names[i].mi_nentries);
        copy[i].mi_owners = copy_numbers(&number, names[i].mi_owners, names[i].mi_nentries);
        copy[i].mi_flags = copy_numbers(&number, names[i].mi_flags, names[i].mi_nentries);
        copy[i].mi_name = end;
        end = stpcpy(end, names[i].mi_name) + 1;
    }
    *cycle = (struct cycle){.entries = copy, .count = count};
    return 0;
}

void pvmfgetmboxinfo(char *pattern, char *name, int *nclasses, int *nentries, int *indices,
                     int *owners, int *flags, int *info, text_length pattern_length,
                     text_length name_length)
{
    char about[TEXT_ROOM];
    struct cycle *cycle;
    if (!text_take(about, pattern, pattern_length)) {
        *info = PvmBadParam;
        return;
    }
    int place = cycle_next(MAILBOXES, nclasses, renew_mailboxes, about, &cycle);
    if (place >= 0) {
        const struct pvmmboxinfo *found = (struct pvmmboxinfo *)cycle->entries + place;
        const size_t size = (size_t)found->mi_nentries * sizeof(int);
        *nclasses = cycle->count;
        *nentries = found->mi_nentries;
        memcpy(indices, found->mi_indices, size);
        memcpy(owners, found->mi_owners, size);
        memcpy(flags, found->mi_flags, size);
        text_give(name, name_length, found->mi_name);
    }
    *info = place < 0 ? place : 1;
}
