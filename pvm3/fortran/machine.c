/* machine.c - the virtual machine as a whole. */
#include "fortran/text.h"

#include <pvm3.h>

/* The words of `text`, which are cut apart there, and a NULL behind them. Returns how many. */
static int machine_words(char *text, char **words)
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

void pvmfstartpvmd(char *arguments, int *block, int *info, text_length arguments_length)
{
    char *text = text_copy(arguments, arguments_length);
    /* No more words than every other character, and the NULL. */
    char **words = calloc(text_size(arguments_length) / 2 + 2, sizeof *words);
    if (text && words)
        *info = pvm_start_pvmd(machine_words(text, words), words, *block);
    else
        *info = PvmNoMem;
    free(words);
    free(text);
}

void pvmfhalt(int *info)
{
    *info = pvm_halt();
}

/* Add or delete the one host. Returns its status. */
static int machine_change(int (*call)(char *const *hosts, int count, int *status), char *host,
                          text_length length)
{
    char name[TEXT_ROOM], *names[] = {name};
    int status = PvmBadParam;
    if (!text_take(name, host, length))
        return PvmBadParam;
    int result = call(names, 1, &status);
    return result < 0 ? result : status;
}

void pvmfaddhost(char *host, int *info, text_length host_length)
{
    *info = machine_change(pvm_addhosts, host, host_length);
}

void pvmfdelhost(char *host, int *info, text_length host_length)
{
    *info = machine_change(pvm_delhosts, host, host_length);
}

void pvmfmstat(char *host, int *status, text_length host_length)
{
    char name[TEXT_ROOM];
    *status = text_take(name, host, host_length) ? pvm_mstat(name) : PvmBadParam;
}

void pvmftidtohost(int *tid, int *dtid)
{
    *dtid = pvm_tidtohost(*tid);
}

void pvmfarchcode(char *arch, int *code, text_length arch_length)
{
    char name[TEXT_ROOM];
    *code = text_take(name, arch, arch_length) ? pvm_archcode(name) : PvmBadParam;
}

void pvmfhostsync(int *host, int *clock_seconds, int *clock_microseconds, int *delta_seconds,
                  int *delta_microseconds, int *info)
{
    struct timeval clock = {0}, delta = {0};
    *info = pvm_hostsync(*host, &clock, &delta);
    *clock_seconds = (int)clock.tv_sec;
    *clock_microseconds = (int)clock.tv_usec;
    *delta_seconds = (int)delta.tv_sec;
    *delta_microseconds = (int)delta.tv_usec;
}
