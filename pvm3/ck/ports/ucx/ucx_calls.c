/* ucx_calls.c - finds libucp, and keeps it from what a guest in a program should not do. */
#include "ck/ports/ucx/ucx_calls.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* The name says which interface it has, whatever the version. */
#define UCX_LIBRARY "libucp.so.0"

/* Where UCX would print the stack of a program that fails. */
static const int ucx_signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE};
#define UCX_SIGNALS (sizeof ucx_signals / sizeof *ucx_signals)

/* Settings that UCX reads while it is loaded: it does not put hooks into functions of libc. */
static char ucx_no_hooks[] = "UCX_MEM_EVENTS=n";

/* The environment with these settings, as long as the library is being loaded. */
static void *ucx_open_without_hooks(void)
{
    char **before = environ;
    size_t count = 0;
    while (before && before[count])
        count++;
    char **with = calloc(count + 2, sizeof *with);
    if (!with)
        return NULL;
    with[0] = ucx_no_hooks;
    for (size_t i = 0; i < count; i++)
        with[i + 1] = before[i];
    environ = with;
    void *library = dlopen(UCX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    environ = before;
    free(with);
    return library;
}

/* Loading the library sets signal handlers, which are the program's to set. */
static void *ucx_open(void)
{
    struct sigaction before[UCX_SIGNALS];
    for (size_t i = 0; i < UCX_SIGNALS; i++)
        sigaction(ucx_signals[i], NULL, &before[i]);
    void *library = ucx_open_without_hooks();
    for (size_t i = 0; i < UCX_SIGNALS; i++)
        sigaction(ucx_signals[i], &before[i], NULL);
    return library;
}

/* UCX does not print what goes wrong, which the port finds out, unless the user asks for it. */
static void ucx_quieten(void *library)
{
    ucs_status_t (*set)(const char *, const char *) = NULL;
    *(void **)&set = dlsym(library, "ucs_global_opts_set_value");
    if (set && !getenv("UCX_LOG_LEVEL"))
        set("LOG_LEVEL", "FATAL");
}

/* False if the library lacks one of them. */
static bool ucx_find(void *library, struct ucx_calls *calls)
{
#define UCX_FIND(name)                                                                             \
    if ((*(void **)&calls->name = dlsym(library, "ucp_" #name)) == NULL)                           \
        return false;
    UCX_CALLS(UCX_FIND)
#undef UCX_FIND
    return true;
}

const char *ucx_calls_load(struct ucx_calls *calls)
{
    /* A child of fork has the library, but not the thread by which it connects. */
    static pid_t user;
    if (user != 0 && user != getpid())
        return "its process is a child of one that uses it";
    void *library = ucx_open();
    if (!library)
        return UCX_LIBRARY " is not installed";
    user = getpid();
    ucx_quieten(library);
    return ucx_find(library, calls) ? NULL : UCX_LIBRARY " is too old";
}
