/* option_calls.c - what the C library knows is changed around each call. */
#include "ulp/option_calls.h"

#include <dlfcn.h>
#include <getopt.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "ulp/calls.h"
#include "ulp/heap.h"
#include "ulp/heap_calls.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* What the C library keeps from one call to the next. */
struct progress {
    int index, errors, letter; /* as optind, opterr and optopt are behind a call */
    char *argument;            /* as optarg */
    int begun;
    char *rest;              /* of the word that is being read */
    int order;               /* 0, 1 or 2: what is done with words that are no options */
    int passed, passed_last; /* such words */
};

struct options {
    /* The variables, for a program that has no room of its own for them, and where it has them. */
    char *optarg;
    int optind, opterr, optopt;
    char **optarg_place;
    int *optind_place, *opterr_place, *optopt_place;
    struct progress progress;
};

/* Held around each call. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* That of the C library; NULL: it has not been found. */
static struct progress *progress;

struct options *options_begin(struct heap *heap)
{
    struct options *fresh = heap_call_take(heap, sizeof *fresh, HEAP_ALIGNMENT);
    if (!fresh)
        return NULL;
    *fresh = (struct options){.optind = 1, .opterr = 1, .optopt = '?'};
    fresh->optarg_place = &fresh->optarg;
    fresh->optind_place = &fresh->optind;
    fresh->opterr_place = &fresh->opterr;
    fresh->optopt_place = &fresh->optopt;
    return fresh;
}

void **options_variable(struct options *options, const char *name, size_t *size)
{
    const struct {
        const char *name;
        void *place;
    } numbers[] = {{"optind", (void *)&options->optind_place},
                   {"opterr", (void *)&options->opterr_place},
                   {"optopt", (void *)&options->optopt_place}};
    *size = sizeof options->optarg;
    if (strcmp(name, "optarg") == 0)
        return (void **)(void *)&options->optarg_place;
    *size = sizeof options->optind;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return numbers[i].place;
    return NULL;
}

/* Finding it. ---------------------------------------------------------------------------------- */

/* What is looked for, and how often it has been found. */
struct wanted {
    const void *library;
    struct progress seen;
    int times;
};

static bool is_wanted(const struct progress *here, const struct progress *seen)
{
    return here->rest == seen->rest && here->index == seen->index && here->errors == seen->errors &&
           !here->argument && here->begun == 1 && here->order >= 0 && here->order <= 2 &&
           here->passed == seen->passed && here->passed_last == seen->passed_last;
}

static void look_in(struct wanted *wanted, unsigned char *memory, size_t size)
{
    for (size_t at = 0; at + sizeof(struct progress) <= size; at += _Alignof(struct progress)) {
        struct progress *here = (struct progress *)(void *)(memory + at);
        if (is_wanted(here, &wanted->seen)) {
            progress = here;
            wanted->times++;
        }
    }
}

/* Looks at the variables of one library, if it is the wanted one. */
static int look_at(struct dl_phdr_info *information, size_t size, void *memory)
{
    struct wanted *wanted = memory;
    (void)size;
    if ((const void *)information->dlpi_addr != wanted->library)
        return 0;
    for (int i = 0; i < information->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &information->dlpi_phdr[i];
        uintptr_t first = (information->dlpi_addr + part->p_vaddr + 7) & ~(uintptr_t)7;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W))
            look_in(wanted, (unsigned char *)first,
                    information->dlpi_addr + part->p_vaddr + part->p_memsz - first);
    }
    return 1;
}

/* With the lock. */
static void find_progress(void)
{
    Dl_info library;
    char word[] = "-ab", *words[] = {word, word, NULL};
    const struct progress seen = {
        .index = 1, .errors = opterr, .rest = word + 2, .passed = 1, .passed_last = 1};
    struct wanted wanted = {.seen = seen};
    void *function = dlsym(RTLD_NEXT, "getopt");
    if (!function || !dladdr(function, &library))
        return;
    wanted.library = library.dli_fbase;
    optind = 0; /* it begins anew */
    if (getopt(2, words, "ab") == 'a')
        dl_iterate_phdr(look_at, &wanted);
    if (wanted.times != 1)
        progress = NULL;
}

/* The calls. ----------------------------------------------------------------------------------- */

static struct options *options_enter(void)
{
    struct options *own = room_owner()->options;
    pthread_mutex_lock(&lock);
    optarg = *own->optarg_place;
    optind = *own->optind_place;
    opterr = *own->opterr_place;
    optopt = *own->optopt_place;
    *progress = own->progress;
    return own;
}

static void options_leave(struct options *own)
{
    *own->optarg_place = optarg;
    *own->optind_place = optind;
    *own->opterr_place = opterr;
    *own->optopt_place = optopt;
    own->progress = *progress;
    pthread_mutex_unlock(&lock);
}

/* Defines own_NAME. */
#define OPTIONS(name, parameters, arguments)                                                       \
    static int own_##name parameters                                                               \
    {                                                                                              \
        struct options *own = options_enter();                                                     \
        int result = name arguments;                                                               \
        options_leave(own);                                                                        \
        return result;                                                                             \
    }

/* What getopt is for programs that ask for POSIX alone. */
int __posix_getopt(int count, char *const *words, const char *letters);

OPTIONS(getopt, (int count, char *const *words, const char *letters), (count, words, letters))
OPTIONS(__posix_getopt, (int count, char *const *words, const char *letters),
        (count, words, letters))
OPTIONS(getopt_long,
        (int count, char *const *words, const char *letters, const struct option *options,
         int *index),
        (count, words, letters, options, index))
OPTIONS(getopt_long_only,
        (int count, char *const *words, const char *letters, const struct option *options,
         int *index),
        (count, words, letters, options, index))

static const struct call calls[] = {
    {"getopt", (void *)own_getopt},
    {"__posix_getopt", (void *)own___posix_getopt},
    {"getopt_long", (void *)own_getopt_long},
    {"getopt_long_only", (void *)own_getopt_long_only},
};

void *option_call_find(const char *name)
{
    void *found = call_find(calls, sizeof calls / sizeof *calls, name);
    if (!found)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!progress)
        find_progress();
    pthread_mutex_unlock(&lock);
    return progress ? found : NULL;
}
