/* helpers.c - small functions in no header that programs of 3.4.6 call. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "ck/base/cancel.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/process.h"
#include "lib/task/public.h"
#include "lib/task/variables.h"
#include "places.h"

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
    if (!assignment || *assignment == '=' || !strchr(assignment, '='))
        return -1;
    variables_hold(task);
    int result = putenv(assignment);
    variables_let_go(task);
    return result;
}

/* The digits at the start of `text`; what is beyond the bits of an int is lost. */
static int helper_number(const char *text, unsigned base)
{
    unsigned value = 0;
    for (; isxdigit((unsigned char)*text); text++) {
        unsigned digit =
            (unsigned)(isdigit((unsigned char)*text) ? *text - '0'
                                                     : tolower((unsigned char)*text) - 'a' + 10);
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    return (int)value;
}

/* Only decimal numbers may have a sign or blanks before them. */
int pvmstrtoi(char *text)
{
    if (*text != '0')
        return (int)strtol(text, NULL, 10);
    return text[1] == 'x' || text[1] == 'X' ? helper_number(text + 2, 16) : helper_number(text, 8);
}

int pvmxtoi(char *text)
{
    bool marked = *text == '0' && (text[1] == 'x' || text[1] == 'X');
    return helper_number(marked ? text + 2 : text, 16);
}

char *pvmgetrsh(void)
{
    const char *standard = access(PVM_DEFAULT_SHELL, X_OK) == 0 ? PVM_DEFAULT_SHELL : "ssh";
    return (char *)variables_get(caller_self()->task, "PVM_RSH", standard);
}

char *pvmgettmp(void)
{
    return (char *)variables_temporary_folder(caller_self()->task);
}

/* A name that a program has no room for ends it: there is no way to tell of an error. */
char *pvmtmpnam(char *buf)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    char path[ENVIRONMENT_PATH_SIZE];
    if (!pvmd_link_temporary_name(task, path) || strlen(path) >= PVMTMPNAMLEN) {
        task_print(task, "pvmtmpnam(): PVM_TMP is too long for a name of %d bytes",
                   PVMTMPNAMLEN - 1);
        exit(EXIT_FAILURE);
    }
    if (buf)
        return strcpy(buf, path);
    lock_acquire(&task->results.lock);
    strcpy(task->results.temporary_name, path);
    lock_release(&task->results.lock);
    return task->results.temporary_name;
}

/* 3.4.6 counts what its own allocator gave out, and the packaged one gave out nothing by it. */
void i_dump(int how)
{
    (void)how;
    task_print(caller_self()->task, "i_dump() 0 bytes total");
}
