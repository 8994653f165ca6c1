/*
 * lpvmcall.c - threads as callers of libpvm3: each has its own active buffers and context. With the
 * public functions that wait, and the one that ends waiting; calls.c has the others.
 */
#include "forward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lpvmwait.h"

#include <rpc/types.h>
#include <rpc/xdr.h>

#include "pmsg.h"

#include <pvmtev.h>

#include "lpvm.h"

struct pmsg *midtobuf(int buffer);
int umbuf_free(struct pmsg *message);

__thread struct caller this_caller;

static struct caller *callers; /* of all threads that ever called */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* ends callers */

static bool group; /* a thread is in a call of libgpvm3, be it that it waits there */
static pthread_cond_t group_left = PTHREAD_COND_INITIALIZER;

static void caller_end(void *caller)
{
    struct caller **link = &callers;
    bool outermost = critical_enter();
    if (pvmsbuf)
        umbuf_free(pvmsbuf);
    if (pvmrbuf && pvmrbuf != pvmsbuf)
        umbuf_free(pvmrbuf);
    while (*link != caller)
        link = &(*link)->next;
    *link = this_caller.next;
    free(this_caller.descriptors);
    this_caller = (struct caller){0};
    critical_leave(outermost);
}

static void caller_start(void)
{
    if (pthread_key_create(&key, caller_end) != 0)
        abort();
}

/* The context of a task is that of its parent, which libpvm3 knows from the environment. */
static void caller_join(void)
{
    const char *inherited = getenv("PVMCTX");
    pthread_once(&once, caller_start);
    pthread_setspecific(key, &this_caller);
    this_caller.known = true;
    this_caller.context = inherited ? (int)strtol(inherited, NULL, 0) : PvmBaseContext;
    this_caller.next = callers;
    callers = &this_caller;
}

bool section_enter(void)
{
    bool outermost = critical_enter();
    if (!this_caller.known)
        caller_join();
    return outermost;
}

void section_leave(bool outermost, bool received)
{
    (void)received;
    critical_leave(outermost);
}

bool section_enter_group(void)
{
    bool outermost = section_enter();
    while (outermost && group)
        pthread_cond_wait(&group_left, &critical_section.lock);
    group = group || outermost;
    return outermost;
}

void section_leave_group(bool outermost)
{
    if (outermost) {
        group = false;
        pthread_cond_signal(&group_left);
    }
    section_leave(outermost, true);
}

void section_forget_buffer(int buffer)
{
    struct pmsg *message = midtobuf(buffer);
    struct caller *caller;
    for (caller = callers; caller && message; caller = caller->next) {
        caller->send = caller->send == message ? NULL : caller->send;
        caller->receive = caller->receive == message ? NULL : caller->receive;
    }
}

int section_descriptors(int **descriptors)
{
    FIND_NEXT(pvm_getfds)
    int *found;
    int count = next(&found);
    if (count <= 0 || !descriptors)
        return count;
    int *copy = realloc(this_caller.descriptors, (size_t)count * sizeof *copy);
    if (!copy)
        return PvmNoMem;
    memcpy(copy, found, (size_t)count * sizeof *copy);
    this_caller.descriptors = *descriptors = copy;
    return count;
}

REMOTE(pvm_recv, (int tid, int tag), (tid, tag))
REMOTE(pvm_trecv, (int tid, int tag, struct timeval *limit), (tid, tag, limit))
REMOTE(pvm_precv,
       (int tid, int tag, void *items, int count, int type, int *from, int *with, int *size),
       (tid, tag, items, count, type, from, with, size))
REMOTE(pvm_recvinfo, (char *name, int index, int flags), (name, index, flags))

/* Leaving ends the waits of other threads: they would wait as another task. */
PUBLIC int pvm_exit(void)
{
    bool outermost = section_enter();
    FIND_NEXT(pvm_exit)
    wait_abandon(PvmSysErr);
    bool before = critical_section.kept;
    critical_section.kept = true;
    int result = next();
    critical_section.kept = before;
    section_leave(outermost, false);
    return result;
}
