/* awaited.c - a receive with a timeout, and questions to the pvmd between two of them. */
#include "groups/awaited.h"

#include <stdbool.h>
#include <sys/time.h>

#include <pvm3.h>

enum { LONGEST_PATIENCE = 32 }; /* seconds */

static bool any_ended(const int *tids, int count)
{
    for (int i = 0; i < count; i++)
        if (pvm_pstat(tids[i]) == PvmNoTask)
            return true;
    return false;
}

int awaited_receive(int source, int tag, const int *watched, int count)
{
    struct timeval patience = {.tv_sec = 1};
    bool ended = false;
    int buffer;

    /* The last message of a member that has ended may still be underway: so there is one more wait. */
    while ((buffer = pvm_trecv(source, tag, &patience)) == 0 && !ended) {
        ended = any_ended(watched, count);
        if (!ended && patience.tv_sec < LONGEST_PATIENCE)
            patience.tv_sec *= 2;
    }
    return buffer == 0 ? PvmNoTask : buffer;
}
