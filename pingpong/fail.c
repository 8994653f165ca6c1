#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void (*fail_listener)(void *context, const char *text);
static void *fail_context;

void fail_listen(void (*listener)(void *context, const char *text), void *context)
{
    fail_listener = listener;
    fail_context = context;
}

void fail(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
    void (*listener)(void *, const char *) = fail_listener;
    fail_listener = NULL; /* a listener that fails itself must not come back here for ever */
    if (listener)
        listener(fail_context, text);
    _exit(EXIT_FAILURE);
}
