/* awaited.c - waits that are known to the task, and a message handler for the ends of members. */
#include "groups/awaited.h"

#include <stdlib.h>
#include <sys/time.h>

#include <pvm3.h>

enum { LONGEST_PATIENCE = 32 }; /* seconds */

/* Of libpvm3 of ours alone (lib/calls/stand_in.h). */
int stand_in_deliver(int source, int tag, int number);
#pragma weak stand_in_deliver

/* On a libpvm3 of 3.4.6. ------------------------------------------------------------------------ */

static bool any_ended(const int *tids, int count)
{
    for (int i = 0; i < count; i++)
        if (pvm_pstat(tids[i]) == PvmNoTask)
            return true;
    return false;
}

static int receive_asking(int source, int tag, const int *watched, int count)
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

/* On one of ours. ------------------------------------------------------------------------------- */

static int compare_tids(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* The place of a tid among those of which the pvmd will tell, or NULL. With the mutex. */
static int *find_noticed(const struct known *known, int tid)
{
    return known->noticed_count == 0 ? NULL
                                     : bsearch(&tid, known->noticed, (size_t)known->noticed_count,
                                               sizeof tid, compare_tids);
}

/* With the mutex. False without memory. */
static bool add_noticed(struct known *known, int tid)
{
    size_t count = (size_t)known->noticed_count;
    int *noticed = realloc(known->noticed, (count + 1) * sizeof *noticed);
    if (!noticed)
        return false;
    known->noticed = noticed;
    for (; count > 0 && noticed[count - 1] > tid; count--)
        noticed[count] = noticed[count - 1];
    noticed[count] = tid;
    known->noticed_count++;
    return true;
}

static void drop_noticed(struct known *known, int tid)
{
    int *place = find_noticed(known, tid), *last = known->noticed + known->noticed_count - 1;
    if (!place)
        return;
    for (; place < last; place++)
        *place = place[1];
    known->noticed_count--;
}

static bool wait_watches(const struct known_wait *wait, int tid)
{
    for (int i = 0; i < wait->count; i++)
        if (wait->watched[i] == tid)
            return true;
    return false;
}

/* A wait that is to be told, which is so no more; or false. */
static bool take_due(int self, struct known_wait *due)
{
    bool found = false;
    known_lock();
    const struct known *known = known_find(self);
    struct known_wait *wait = known ? known->waits : NULL;
    while (wait && !wait->due)
        wait = wait->next;
    if (wait) {
        *due = *wait;
        found = true;
        wait->due = false;
    }
    known_unlock();
    return found;
}

/* The message handler for the end of a member. */
static int member_gone(int buffer)
{
    int tid = 0, self = pvm_mytid();
    struct known_wait due;

    (void)buffer;
    if (pvm_upkint(&tid, 1, 1) < 0)
        return 0;
    known_lock();
    struct known *known = known_find(self);
    if (known)
        drop_noticed(known, tid);
    for (struct known_wait *wait = known ? known->waits : NULL; wait; wait = wait->next)
        wait->due = wait->due || wait_watches(wait, tid);
    known_unlock();
    while (take_due(self, &due))
        stand_in_deliver(due.source, due.tag, due.number);
    return 0;
}

/* The wait of a call, made at its first. NULL without memory. */
static struct known_wait *wait_of(struct groups_call *call)
{
    if (!call->wait)
        call->wait = groups_call_room(call, sizeof *call->wait);
    return call->wait;
}

/*
 * Has the pvmd tell of the ends of those that the wait watches, of each once. If one has ended
 * already, word of it comes at once.
 */
static void notice_ends(const struct groups_call *call, const struct known_wait *wait)
{
    struct known *known = call->known;
    for (int i = 0; i < wait->count; i++) {
        int tid = wait->watched[i];
        known_lock();
        bool asks = tid != call->tid && !find_noticed(known, tid) && add_noticed(known, tid);
        bool first = asks && !known->noticing;
        known->noticing = known->noticing || first;
        known_unlock();
        if (first)
            pvm_addmhf(-1, TAG_MEMBER_GONE, GROUPS_CONTEXT, member_gone);
        if (asks)
            pvm_notify(PvmTaskExit, TAG_MEMBER_GONE, 1, &tid);
    }
}

/* The number of a stand-in; 0: it is a message. */
static int stand_in_number(int buffer)
{
    struct pvmminfo info;
    return pvm_getminfo(buffer, &info) < 0 ? 0 : info.wid;
}

/* A message, or the stand-in of this number; others are passed over. 0 when time is up. */
static int receive_either(const struct known_wait *wait, int stand_in, const struct timeval *limit)
{
    int buffer, number = 0;
    do {
        buffer = limit ? pvm_trecv(wait->source, wait->tag, (struct timeval *)limit)
                       : pvm_recv(wait->source, wait->tag);
        number = buffer > 0 ? stand_in_number(buffer) : 0;
    } while (number != 0 && number != stand_in);
    return buffer;
}

/* The last message of a member that has ended may still be underway: so there is one more wait. */
static int receive_watching(const struct known_wait *wait)
{
    const struct timeval last_wait = {.tv_sec = 1};
    int buffer = receive_either(wait, wait->number, NULL);
    if (buffer <= 0 || stand_in_number(buffer) == 0)
        return buffer;
    buffer = receive_either(wait, 0, &last_wait);
    return buffer == 0 ? PvmNoTask : buffer;
}

static int receive_noticing(struct groups_call *call, struct known_wait *wait)
{
    known_lock();
    known_add_wait(call->thread, wait);
    known_unlock();
    notice_ends(call, wait);
    int buffer = receive_watching(wait);
    known_lock();
    known_remove_wait(call->thread, wait);
    known_unlock();
    return buffer;
}

int awaited_receive(struct groups_call *call, int source, int tag, const int *watched, int count)
{
    if (!stand_in_deliver)
        return receive_asking(source, tag, watched ? watched : &source, count);
    struct known_wait *wait = wait_of(call);
    if (!wait)
        return PvmNoMem;
    *wait = (struct known_wait){
        .source = source, .tag = tag, .watched = watched ? watched : &wait->source, .count = count};
    return receive_noticing(call, wait);
}
