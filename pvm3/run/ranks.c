/* ranks.c - what ranks are called. */
#include "run/ranks.h"

#include <stdio.h>

const char *rank_name(const struct run *run, int number, char name[RANK_NAME_SIZE])
{
    int world = run->ranks[number].world;
    int own = number - run->worlds[world].first;
    if (world == 0)
        snprintf(name, RANK_NAME_SIZE, "%d", own);
    else
        snprintf(name, RANK_NAME_SIZE, "%d:%d", world, own);
    return name;
}
