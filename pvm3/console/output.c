/* output.c - columns are those of 3.4.6, which scripts read. */
#include "console/output.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of libpvm3, in no header of 3.4.6. */
extern char *pvm_errlist[];
extern int pvm_nerr;

const char *error_text(int code)
{
    return code <= 0 && code > -pvm_nerr ? pvm_errlist[-code] : "Unknown Error";
}

int tid_parse(const char *text)
{
    char *end;
    if (*text == 't')
        text++;
    if (!isxdigit((unsigned char)*text))
        return 0;
    unsigned long value = strtoul(text, &end, 16);
    return *end || value > UINT_MAX ? 0 : (int)value;
}

bool number_parse(const char *command, const char *text, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 0);
    if (end == text || *end || errno || value > UINT_MAX || value < INT_MIN) {
        printf("%s: \"%s\" is not a number\n", command, text);
        return false;
    }
    *number = (int)value;
    return true;
}

void task_header_print(bool full)
{
    printf("%24s%9s", "HOST", "TID");
    if (full)
        printf("%9s%7s", "PTID", "PID");
    printf("%10s COMMAND\n", "FLAG 0x");
}

/* The flags in hexadecimal, and the letters of those that have one, from the highest down. */
static void flags_format(char *text, size_t size, int flags)
{
    static const struct {
        int flag;
        char letter;
    } letters[] = {{0x400, 'T'}, {0x200, 'H'}, {0x100, 'R'}, {0x20, 's'},
                   {0x10, 'o'},  {0x8, 'a'},   {0x4, 'c'},   {0x2, 'f'}};
    int used = snprintf(text, size, "%x", (unsigned)flags);
    char separator = '/';
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (!(flags & letters[i].flag))
            continue;
        used += snprintf(text + used, size - (size_t)used, "%c%c", separator, letters[i].letter);
        separator = ',';
    }
}

static void tid_print(int tid, int console_tid)
{
    if (tid == console_tid)
        printf(" %8s", "(cons)");
    else if (tid == 0)
        printf(" %8s", "-");
    else
        printf(" %8x", (unsigned)tid);
}

void task_print(const struct pvmtaskinfo *task, const char *host, int console_tid, bool full)
{
    char flags[32];
    flags_format(flags, sizeof flags, task->ti_flag);
    printf("%24s", host);
    tid_print(task->ti_tid, console_tid);
    if (full) {
        tid_print(task->ti_ptid, console_tid);
        printf(" %6d", task->ti_pid);
    }
    printf(" %9s %-12s\n", flags, task->ti_a_out && *task->ti_a_out ? task->ti_a_out : "-");
}
