/* tasks.c - enrolling and leaving, and what is done with tasks. */
#include "fortran/text.h"

#include <pvm3.h>

void pvmfmytid(int *tid)
{
    *tid = pvm_mytid();
}

void pvmfexit(int *info)
{
    *info = pvm_exit();
}

void pvmfparent(int *tid)
{
    *tid = pvm_parent();
}

void pvmfsiblings(int *ntids, int *index, int *tid)
{
    int *tids;
    *ntids = pvm_siblings(&tids);
    *tid = *index >= 0 && *index < *ntids ? tids[*index] : PvmNoTask;
}

void pvmfspawn(char *task, int *flag, char *where, int *ntask, int *tids, int *numt,
               text_length task_length, text_length where_length)
{
    char file[TEXT_ROOM], place[TEXT_ROOM];
    if (text_take(file, task, task_length) && text_take(place, where, where_length))
        *numt = pvm_spawn(file, NULL, *flag, strcmp(place, "*") == 0 ? NULL : place, *ntask, tids);
    else
        *numt = PvmBadParam;
}

/* The function of Fortran has no arguments: it does not look at those that it is called with. */
void pvmfregister(char *name, int (*function)(void), int *info, text_length name_length)
{
    char text[TEXT_ROOM];
    int (*task)(int, char **) = (int (*)(int, char **))(void (*)(void))function;
    *info = text_take(text, name, name_length) ? pvm_register(text, task) : PvmBadParam;
}

void pvmfmigrate(int *tid, int *host, int *info)
{
    *info = pvm_migrate(*tid, *host);
}

void pvmfkill(int *tid, int *info)
{
    *info = pvm_kill(*tid);
}

void pvmfsendsig(int *tid, int *signum, int *info)
{
    *info = pvm_sendsig(*tid, *signum);
}

void pvmfpstat(int *tid, int *status)
{
    *status = pvm_pstat(*tid);
}

void pvmfnotify(int *what, int *tag, int *count, int *tids, int *info)
{
    *info = pvm_notify(*what, *tag, *count, tids);
}
