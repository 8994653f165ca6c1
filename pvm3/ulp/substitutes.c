/* substitutes.c - the substitutes, and the tables that name them. */
#include "ulp/substitutes.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pvm3.h>

#include "ulp/blocking_calls.h"
#include "ulp/command_calls.h"
#include "ulp/entry.h"
#include "ulp/environment.h"
#include "ulp/file_calls.h"
#include "ulp/heap_calls.h"
#include "ulp/language_files.h"
#include "ulp/machine.h"
#include "ulp/memory_calls.h"
#include "ulp/new_calls.h"
#include "ulp/option_calls.h"
#include "ulp/receive_calls.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* The end. ------------------------------------------------------------------------------------- */

static int own_cxa_atexit(void (*function)(void *argument), void *argument, void *object)
{
    (void)object;
    return ulp_at_exit(room_owner(), function, argument);
}

static int own_atexit(void (*function)(void))
{
    void (*untyped)(void *argument) = NULL;
    *(void **)&untyped = *(void **)&function;
    return ulp_at_exit(room_owner(), untyped, NULL);
}

static void own_cxa_finalize(void *object)
{
    (void)object;
    ulp_run_exits(room_owner());
}

__attribute__((noreturn)) static void own_assert_fail(const char *claim, const char *file,
                                                      unsigned line, const char *function)
{
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "",
            claim);
    ulp_abort();
}

/* Fortran's stop, which ends in a library. */
__attribute__((noreturn)) static void own_stop(const char *kind, const char *text, size_t length,
                                               int status)
{
    if (length > 0)
        fprintf(stderr, "%s %.*s\n", kind, (int)length, text);
    ulp_exit(status);
}

__attribute__((noreturn)) static void own_stop_string(const char *text, size_t length, bool quiet)
{
    own_stop("STOP", text, quiet || !text ? 0 : length, 0);
}

__attribute__((noreturn)) static void own_error_stop_string(const char *text, size_t length,
                                                            bool quiet)
{
    own_stop("ERROR STOP", text, quiet || !text ? 0 : length, 1);
}

__attribute__((noreturn)) static void own_stop_numeric(int code, bool quiet)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%d", code);
    own_stop("STOP", text, quiet ? 0 : (size_t)length, code);
}

__attribute__((noreturn)) static void own_error_stop_numeric(int code, bool quiet)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%d", code);
    own_stop("ERROR STOP", text, quiet ? 0 : (size_t)length, code);
}

/* Its own file. -------------------------------------------------------------------------------- */

/* Its own file is that of the program, not pvmulp. */
static ssize_t own_readlink(const char *path, char *text, size_t size)
{
    const struct ulp *ulp = room_owner();
    if (strcmp(path, "/proc/self/exe") != 0 || !ulp)
        return readlink(path, text, size);
    size_t length = strlen(ulp->source->path);
    length = length < size ? length : size;
    memcpy(text, ulp->source->path, length);
    return (ssize_t)length;
}

static ssize_t own_readlink_checked(const char *path, char *text, size_t size, size_t room)
{
    if (size > room)
        ulp_abort();
    return own_readlink(path, text, size);
}

/* State that the C library keeps. -------------------------------------------------------------- */

static int32_t own_random_bits(void)
{
    int32_t value;
    random_r(&room_owner()->random, &value);
    return value;
}

static int own_rand(void)
{
    return own_random_bits();
}

static long own_random(void)
{
    return own_random_bits();
}

static void own_srandom(unsigned seed)
{
    srandom_r(seed, &room_owner()->random);
}

static double own_drand48(void)
{
    double value;
    drand48_r(&room_owner()->drand48, &value);
    return value;
}

static long own_lrand48(void)
{
    long value;
    lrand48_r(&room_owner()->drand48, &value);
    return value;
}

static long own_mrand48(void)
{
    long value;
    mrand48_r(&room_owner()->drand48, &value);
    return value;
}

static void own_srand48(long seed)
{
    srand48_r(seed, &room_owner()->drand48);
}

static char *own_strtok(char *text, const char *separators)
{
    return strtok_r(text, separators, &room_owner()->strtok);
}

/* Signals. ------------------------------------------------------------------------------------- */

/* What a program blocks is blocked while it runs. */
static int own_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    int error = pthread_sigmask(how, set, before);
    if (error == 0 && set)
        own_program_keep_mask();
    return error;
}

static int own_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    errno = own_sigmask(how, set, before);
    return errno == 0 ? 0 : -1;
}

/* The calling thread, which is the only one of the program, is run by the system from now on. */
static void end_carrying(struct ulp *ulp)
{
    own_program_end_carrying();
    ulp->fiber = NULL;
}

/* The working folder, and the mask for new files. ----------------------------------------------- */

/* The system keeps them for a thread, if it is asked to. From now on this one runs the program. */
static bool own_folder(void)
{
    struct ulp *ulp = room_owner();
    if (ulp_has_process(ulp) || ulp->own_folder)
        return true;
    if (atomic_load(&ulp->others) > 0) {
        errno = EBUSY;
        return false;
    }
    end_carrying(ulp);
    ulp->own_folder = unshare(CLONE_FS) == 0;
    return ulp->own_folder;
}

static int own_chdir(const char *path)
{
    return own_folder() ? chdir(path) : -1;
}

static int own_fchdir(int folder)
{
    return own_folder() ? fchdir(folder) : -1;
}

static mode_t own_umask(mode_t mask)
{
    own_folder();
    return umask(mask);
}

/* Threads. ------------------------------------------------------------------------------------- */

struct own_thread {
    struct ulp *ulp;
    void *(*function)(void *argument);
    void *argument;
};

static void own_thread_end(void *memory)
{
    struct own_thread *thread = memory;
    atomic_fetch_sub(&thread->ulp->others, 1);
    free(thread);
}

static void *own_thread_run(void *memory)
{
    struct own_thread *thread = memory;
    void *result;
    room_set_owner(thread->ulp);
    image_start_thread(&thread->ulp->image, machine_thread_pointer());
    pvm_getsbuf(); /* with its first call it belongs to the task, also for what it prints */
    pthread_cleanup_push(own_thread_end, thread);
    result = thread->function(thread->argument);
    pthread_cleanup_pop(1);
    return result;
}

static int own_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                              void *(*function)(void *argument), void *argument)
{
    struct own_thread *thread = malloc(sizeof *thread);
    if (!thread)
        return EAGAIN;
    *thread = (struct own_thread){room_owner(), function, argument};
    end_carrying(thread->ulp); /* who waits for the other by means of the system holds up nobody */
    atomic_fetch_add(&thread->ulp->others, 1);
    int error = pthread_create(handle, attributes, own_thread_run, thread);
    if (error != 0)
        own_thread_end(thread);
    return error;
}

/* Tables. -------------------------------------------------------------------------------------- */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name;
    void *function;
} substitutes[] = {
    {"__libc_start_main", (void *)ulp_start_main},
    {"exit", (void *)ulp_exit},
    {"_exit", (void *)ulp_exit_now},
    {"_Exit", (void *)ulp_exit_now},
    {"abort", (void *)ulp_abort},
    {"__assert_fail", (void *)own_assert_fail},
    {"atexit", (void *)own_atexit},
    {"__cxa_atexit", (void *)own_cxa_atexit},
    {"__cxa_finalize", (void *)own_cxa_finalize},
    {"readlink", (void *)own_readlink},
    {"__readlink_chk", (void *)own_readlink_checked},
    {"rand", (void *)own_rand},
    {"srand", (void *)own_srandom},
    {"random", (void *)own_random},
    {"srandom", (void *)own_srandom},
    {"drand48", (void *)own_drand48},
    {"lrand48", (void *)own_lrand48},
    {"mrand48", (void *)own_mrand48},
    {"srand48", (void *)own_srand48},
    {"strtok", (void *)own_strtok},
    {"pthread_sigmask", (void *)own_sigmask},
    {"sigprocmask", (void *)own_sigprocmask},
    {"chdir", (void *)own_chdir},
    {"fchdir", (void *)own_fchdir},
    {"umask", (void *)own_umask},
    {"pthread_create", (void *)own_pthread_create},
    {"_gfortran_stop_string", (void *)own_stop_string},
    {"_gfortran_stop_numeric", (void *)own_stop_numeric},
    {"_gfortran_error_stop_string", (void *)own_error_stop_string},
    {"_gfortran_error_stop_numeric", (void *)own_error_stop_numeric},
};

static const char shared_process[] = "it replaces its process, which has other tasks";
static const char started_elsewhere[] =
    "a library starts threads for it, which would lack its variables";
static const char shared_rights[] = "it changes the rights of its process, which has other tasks";
static const char shared_state[] = "it keeps its place in a variable of the C library";

static const struct {
    const char *name, *why;
} refused[] = {
    {"chroot", shared_rights},
    {"execle", shared_process},
    {"fexecve", shared_process},
    {"vfork", shared_process},
    {"daemon", shared_process},
    {"quick_exit", shared_process},
    {"setuid", shared_rights},
    {"seteuid", shared_rights},
    {"setreuid", shared_rights},
    {"setresuid", shared_rights},
    {"setgid", shared_rights},
    {"setegid", shared_rights},
    {"setregid", shared_rights},
    {"setresgid", shared_rights},
    {"setgroups", shared_rights},
    {"initstate", shared_state},
    {"setstate", shared_state},
    {"seed48", shared_state},
    {"lcong48", shared_state},
    {"on_exit", shared_state},
    {"getopt", shared_state},
    {"__posix_getopt", shared_state},
    {"getopt_long", shared_state},
    {"getopt_long_only", shared_state},
    {"at_quick_exit", shared_state},
    {"_ZNSt6locale6globalERKS_", "it changes the locale of C++, which all tasks share"},
    {"GOMP_parallel", started_elsewhere},
    {"thrd_create", started_elsewhere},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
     started_elsewhere},
};

/*
 * Variables of which a copy serves: what the copy refers to is the same, or it never changes. Those
 * of C++ are streams, and what the language says of types.
 */
static const char *const copies[] = {
    "stdin",     "stdout",    "stderr",    "pvm_errlist", "pvm_nerr",      "_ZSt3cin",
    "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "pvmtevinfo",  "pvmtevdidlist", "_ZSt7nothrow",
};

static const char *const copied_kinds[] = {"_ZTI", "_ZTV", "_ZTS"};

static bool copy_serves(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(copies); i++)
        if (strcmp(name, copies[i]) == 0)
            return true;
    for (size_t i = 0; i < COUNT_OF(copied_kinds); i++)
        if (strncmp(name, copied_kinds[i], strlen(copied_kinds[i])) == 0)
            return true;
    return false;
}

/* A variable that each program has; `*place` is where whoever keeps it finds it. */
static void *own_variable(const struct image_symbol *symbol, void **place, size_t size)
{
    void *own = *place;
    bool sound = symbol->size == size && (uintptr_t)symbol->room % size == 0;
    if (symbol->room && sound)
        *place = symbol->room;
    return symbol->room && !sound ? NULL : own;
}

static void *substitute_function(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(substitutes); i++)
        if (strcmp(name, substitutes[i].name) == 0)
            return substitutes[i].function;
    void *(*const finders[])(const char *name) = {
        file_call_find,     language_file_find, command_call_find, environment_call_find,
        heap_call_find,     memory_call_find,   new_call_find,     option_call_find,
        blocking_call_find, receive_call_find};
    void *found = NULL;
    for (size_t i = 0; i < COUNT_OF(finders) && !found; i++)
        found = finders[i](name);
    return found;
}

static const char *why_refused(const struct image_symbol *symbol)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        if (strcmp(symbol->name, refused[i].name) == 0)
            return refused[i].why;
    if (symbol->room && !copy_serves(symbol->name))
        return "it has this variable of a library for itself, which all tasks share: compile it "
               "with -fPIC";
    return NULL;
}

void *substitutes_variable(const struct image_symbol *symbol)
{
    struct ulp *ulp = room_owner();
    if (strcmp(symbol->name, "pvm_errno") == 0)
        return own_variable(symbol, (void **)&ulp->program.error, sizeof *ulp->program.error);
    if (strcmp(symbol->name, "pvmmytid") == 0)
        return own_variable(symbol, (void **)&ulp->program.tid, sizeof *ulp->program.tid);
    size_t size;
    void **place = options_variable(ulp->options, symbol->name, &size);
    if (place)
        return own_variable(symbol, place, size);
    if (environment_is(symbol->name))
        return own_variable(symbol, (void **)&ulp->environment->place,
                            sizeof *ulp->environment->place);
    return NULL;
}

void *substitutes_find(const struct image_symbol *symbol, const char **why)
{
    void *found = substitute_function(symbol->name);
    *why = found ? NULL : why_refused(symbol);
    return found;
}

/* The streams of C++ that a program copies are to be ready. */
void substitutes_prepare(void)
{
    static unsigned char place[16];
    void (*make_ready)(void *memory) = NULL;
    *(void **)&make_ready = dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev");
    if (make_ready)
        make_ready(place);
}
