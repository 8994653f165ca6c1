/* ulp.c - from a file to a program that runs, and to its end. */
#include "ulp/ulp.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "ulp/departure.h"
#include "ulp/entry.h"
#include "ulp/environment.h"
#include "ulp/heap.h"
#include "ulp/heap_calls.h"
#include "ulp/layout.h"
#include "ulp/machine.h"
#include "ulp/new_calls.h"
#include "ulp/option_calls.h"
#include "ulp/room.h"
#include "ulp/run_status.h"
#include "ulp/substitutes.h"

/* All that are loaded, for debuggers. */
static struct ulp *ulps;
static pthread_mutex_t ulps_lock = PTHREAD_MUTEX_INITIALIZER;

static void ulps_add(struct ulp *ulp)
{
    pthread_mutex_lock(&ulps_lock);
    ulp->next = ulps;
    ulps = ulp;
    pthread_mutex_unlock(&ulps_lock);
}

static void ulps_remove(const struct ulp *ulp)
{
    pthread_mutex_lock(&ulps_lock);
    struct ulp **place = &ulps;
    while (*place && *place != ulp)
        place = &(*place)->next;
    if (*place)
        *place = ulp->next;
    pthread_mutex_unlock(&ulps_lock);
}

/* Loading. ------------------------------------------------------------------------------------- */

static bool ulp_has_size(const void *found, size_t size)
{
    Dl_info library;
    const Elf64_Sym *symbol = NULL;
    return dladdr1(found, &library, (void **)(void *)&symbol, RTLD_DL_SYMENT) != 0 && symbol &&
           symbol->st_size == size;
}

/* Looks for a symbol among the substitutes, then in the libraries. */
static void *ulp_search(const struct image_symbol *symbol, const char **why)
{
    void *found = substitutes_find(symbol, why);
    if (found || *why)
        return found;
    if (!room_owner()->source->stays)
        room_owner()->source->stays = departure_hindrance(symbol->name);
    room_owner()->source->drops |= strcmp(symbol->name, "madvise") == 0;
    if (symbol->version)
        found = dlvsym(RTLD_DEFAULT, symbol->name, symbol->version);
    if (!found)
        found = dlsym(RTLD_DEFAULT, symbol->name);
    if (found && symbol->room && !ulp_has_size(found, symbol->size)) {
        *why = "the library has changed the size of this variable: compile the program anew";
        return NULL;
    }
    return found;
}

/* Where the program finds a symbol. */
static void *ulp_find(const struct image_symbol *symbol, const char **why)
{
    struct program *source = room_owner()->source;
    void *found = substitutes_variable(symbol);
    if (found)
        return found;
    found = program_recall(source, symbol);
    if (found)
        return found;
    found = ulp_search(symbol, why);
    if (found)
        program_remember(source, symbol, found);
    return found;
}

/* NULL, or why not. One thread at a time: libraries begin, and streams of C++ with them. */
static const char *ulp_open_all(struct ulp *ulp)
{
    const char *name;
    layout_open_groups();
    for (size_t at = 0; (name = image_next_library(&ulp->image, &at)) != NULL;)
        if (!dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
            snprintf(ulp->text, sizeof ulp->text, "%s", dlerror());
            return ulp->text;
        }
    substitutes_prepare();
    new_calls_know_libraries();
    ulp->source->opened = true;
    return NULL;
}

/* The libraries of the program become ones of the process, and stay. NULL, or why not. */
static const char *ulp_open_libraries(struct ulp *ulp)
{
    static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&opening);
    const char *why = ulp->source->opened ? NULL : ulp_open_all(ulp);
    pthread_mutex_unlock(&opening);
    return why;
}

static const char *ulp_link(struct ulp *ulp)
{
    const char *name = NULL, *why = image_link(&ulp->image, ulp_find, &name);
    if (!why || !name)
        return why;
    snprintf(ulp->text, sizeof ulp->text, "%s: %s", name, why);
    return ulp->text;
}

/* Functions of libgcc, which finds the way of an exception or of a thread that ends. */
static void (*frames_register)(void *frames), (*frames_deregister)(void *frames);

static void frames_prepare(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return;
    *(void **)&frames_register = dlsym(library, "__register_frame");
    *(void **)&frames_deregister = dlsym(library, "__deregister_frame");
}

/* From now on that way can lead through the program. */
static void ulp_register_frames(const struct ulp *ulp)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, frames_prepare);
    if (frames_register && ulp->frames)
        frames_register(ulp->frames);
}

static void ulp_deregister_frames(const struct ulp *ulp)
{
    if (frames_deregister && ulp->frames)
        frames_deregister(ulp->frames);
}

/* Where its image is to lie: in its region, which it does without if there is no room. */
static void *ulp_place(struct ulp *ulp, size_t span)
{
    void *place = ulp->region ? region_place(ulp->region, span) : NULL;
    if (!place)
        ulp->region = NULL;
    return place;
}

/* NULL, or why it cannot run. */
static const char *ulp_map(struct ulp *ulp, const char *path)
{
    const char *why = program_use(&ulp->source, path);
    if (why)
        return why;
    const struct program_file *file = &ulp->source->file;
    why = image_map(&ulp->image, file, ulp_place(ulp, file->span));
    if (!why && !room_has(ulp->image.tls, file->tls.p_memsz, file->tls.p_align))
        why = "it has more thread-local variables than there is room for";
    return why ? why : ulp_open_libraries(ulp);
}

/* NULL, or why it cannot run. */
static const char *ulp_load(struct ulp *ulp, const char *path)
{
    const char *why = ulp_map(ulp, path);
    if (!why && ulp->region)
        ulp->heap = heap_begin(ulp->region);
    if (!why && (!(ulp->environment = environment_begin(ulp->heap)) ||
                 !(ulp->options = options_begin(ulp->heap))))
        why = strerror(ENOMEM);
    if (!why)
        why = ulp_link(ulp);
    if (!why && !image_entry(&ulp->image))
        why = "damaged";
    return why;
}

/* Running. ------------------------------------------------------------------------------------- */

/* In its region, if there is one that can have it. */
static struct ulp *ulp_make(void)
{
    struct region *region = region_of_thread();
    struct ulp *ulp = region ? region_place(region, sizeof *ulp) : NULL;
    if (ulp && region_open((unsigned char *)ulp, region->rest - REGION_GUARD))
        ulp->region = region;
    else
        ulp = calloc(1, sizeof *ulp);
    return ulp;
}

/* What it has of this process. */
static void ulp_settle(struct ulp *ulp)
{
    ulp->thread = pthread_self();
    ulp->fiber = own_program_fiber();
    ulp->pid = getpid();
    ulp->alone = ulp->pid == gettid();
    pthread_mutex_init(&ulp->lock, NULL);
    files_start(&ulp->files);
}

/* By pvm_exit: the status with which it ends later is nobody's business. */
static void ulp_leave_machine(void)
{
    run_status_tell(environment_call_get("PVM_RUN"), EXIT_SUCCESS);
}

static struct ulp *ulp_new(void)
{
    struct ulp *ulp = ulp_make();
    if (!ulp)
        return NULL;
    ulp_settle(ulp);
    ulp->program = (struct own_program){.error = &ulp->error,
                                        .tid = &ulp->tid,
                                        .exit = ulp_exit,
                                        .abort = ulp_abort,
                                        .leave = ulp_leave_machine,
                                        .allocate = heap_call_malloc,
                                        .getenv = environment_call_get,
                                        .setenv = environment_call_set};
    ulp->tid = -1;
    room_set_owner(ulp);
    initstate_r(1, ulp->random_state, sizeof ulp->random_state, &ulp->random);
    return ulp;
}

/*
 * Runs when main has returned, and when the thread ends before that. If threads of the program
 * still run, the program stays in memory, and its region with it.
 */
static void ulp_free(void *memory)
{
    struct ulp *ulp = memory;
    own_program_set(NULL);
    room_set_owner(NULL);
    if (atomic_load(&ulp->others) > 0) {
        if (ulp->region)
            ulp->region->stays = true;
        return;
    }
    if (ulp->pre_copy && ulp->pid == getpid()) /* a child of fork has no such thread */
        pre_copy_abandon(ulp->pre_copy);
    files_finish(&ulp->files);
    ulps_remove(ulp);
    ulp_deregister_frames(ulp);
    image_unmap(&ulp->image);
    if (ulp->source)
        program_leave(ulp->source);
    ulp_forget_exits(ulp);
    pthread_mutex_destroy(&ulp->lock);
    struct region *region = region_of(ulp);
    if (region)
        region_empty(region);
    else
        free(ulp);
}

/* A copy of the words in the region; or the words, if there is no region or it is full. */
static char **ulp_own_words(const struct ulp *ulp, int count, char **words)
{
    size_t size = ((size_t)count + 1) * sizeof *words;
    for (int i = 0; i < count; i++)
        size += strlen(words[i]) + 1;
    char **copy = ulp->heap ? heap_take(ulp->heap, size, HEAP_ALIGNMENT) : NULL;
    if (!copy)
        return words;
    char *text = (char *)(copy + count + 1);
    for (int i = 0; i < count; i++) {
        copy[i] = text;
        text = stpcpy(text, words[i]) + 1;
    }
    copy[count] = NULL;
    return copy;
}

/* It is about to run. */
static void ulp_begin(struct ulp *ulp)
{
    ulp->frames = image_frames(&ulp->image);
    ulp_register_frames(ulp);
    ulps_add(ulp);
    own_program_set(&ulp->program);
}

static int ulp_run_loaded(struct ulp *ulp, int count, char **words)
{
    image_start_thread(&ulp->image, machine_thread_pointer());
    ulp_begin(ulp);
    ulp->count = count;
    ulp->words = ulp_own_words(ulp, count, words);
    ulp_enter(ulp);
    ulp_call_main(ulp);
    return ulp->status;
}

/* The exit status, or EXIT_CANNOT_RUN. */
static int ulp_load_and_run(struct ulp *ulp, const char *path, int count, char **words)
{
    const char *why = ulp_load(ulp, path);
    if (!why)
        return ulp_run_loaded(ulp, count, words);
    fprintf(stderr, "pvmulp: %s: %s\n", path, why);
    return EXIT_CANNOT_RUN;
}

/* Runs the program, which is freed whichever way the thread ends. */
static void ulp_run_guarded(struct ulp *ulp, const char *path, int count, char **words, int *status)
{
    pthread_cleanup_push(ulp_free, ulp);
    *status = ulp_load_and_run(ulp, path, count, words);
    pthread_cleanup_pop(1);
}

int ulp_run(const char *path, int count, char **words)
{
    int status = EXIT_CANNOT_RUN;
    struct ulp *ulp = ulp_new();
    if (ulp)
        ulp_run_guarded(ulp, path, count, words, &status);
    else
        fprintf(stderr, "pvmulp: %s: no memory\n", path);
    return status;
}

/* Arriving. ------------------------------------------------------------------------------------ */

bool ulp_receive(void (*arrive)(struct ulp *ulp, int connection), int connection)
{
    struct ulp *ulp = ulp_new();
    if (!ulp)
        return false;
    pthread_cleanup_push(ulp_free, ulp);
    arrive(ulp, connection);
    pthread_cleanup_pop(1);
    return true;
}

const char *ulp_expect(struct ulp *ulp, const char *path)
{
    const char *why = ulp_map(ulp, path);
    if (!why && !ulp->region)
        why = "it has no region there";
    return why;
}

void ulp_take_over(struct ulp *ulp, const struct ulp *here)
{
    ulp->next = NULL;
    ulp->source = here->source;
    ulp->region = here->region;
    ulp->image.file = &here->source->file;
    ulp->pre_copy = NULL;
    heap_keep_pages(ulp->heap, false);
    atomic_init(&ulp->others, 0);
    ulp_settle(ulp);
    option_call_find("getopt"); /* what it keeps is found here, too */
    image_protect(&ulp->image);
    ulp_begin(ulp);
}

bool ulp_may_suspend(uintptr_t instruction)
{
    const struct ulp *ulp = room_owner();
    return ulp && image_has(&ulp->image, instruction);
}
