/* children.c - copies of the program, words, and the end. */
#define _GNU_SOURCE
#include "children.h"

#include <dirent.h>
#include <errno.h>
#include <pvm3.h>
#include <stdio.h>

void start(char *role, int count, int number, int *tids)
{
    char text[16];
    char *words[] = {role, text, NULL};
    snprintf(text, sizeof text, "%d", number);
    /* By its name: tests that run beside this one may have made the program anew. */
    expect("spawn",
           pvm_spawn(program_invocation_short_name, words, PvmTaskDefault, "", count, tids), count);
}

void say(int to, int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    expect("send", pvm_send(to, tag), 0);
}

int hear(int from, int tag)
{
    int value;
    if (pvm_recv(from, tag) < 0 || pvm_upkint(&value, 1, 1) < 0)
        fail("nothing is said");
    return value;
}

int descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}
