/* helpers.c - small functions in no header that programs of 3.4.6 call. */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/public.h"
#include "lib/variables.h"

#ifndef PVM_RSH_DEFAULT
#define PVM_RSH_DEFAULT "/usr/bin/ssh"
#endif

int pvmgetclock(struct timeval *clock)
{
    return gettimeofday(clock, NULL);
}

int pvmsleep(int seconds)
{
    return (int)sleep((unsigned)seconds);
}

int pvmputenv(char *assignment)
{
    struct task *task = caller_self()->task;
    variables_hold(task);
    int result = strchr(assignment, '=') ? putenv(assignment) : -1;
    variables_let_go(task);
    return result;
}

int pvmstrtoi(char *text)
{
    return (int)strtol(text, NULL, 0);
}

int pvmxtoi(char *text)
{
    return (int)strtoul(text, NULL, 16);
}

char *pvmgetrsh(void)
{
    return (char *)variables_get(caller_self()->task, "PVM_RSH", PVM_RSH_DEFAULT);
}

char *pvmgettmp(void)
{
    return (char *)variables_temporary_folder(caller_self()->task);
}

int tev_begin(int kind, int entry_exit)
{
    (void)kind;
    (void)entry_exit;
    return 0;
}

int tev_fin(void)
{
    return 0;
}
