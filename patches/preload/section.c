/* section.c - the lock, whose state is in the library, and how threads wait outside of it. */
#include "next.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

struct pmsg; /* of libpvm3: a message */

int mesg_input(struct pmsg *message);

/* Variable of libpvm3, 1 outside of it: while it is 0 calls are not traced, and those that need no pvmd look for none. */
extern int pvmtoplvl __attribute__((weak));

enum { MOST_DESCRIPTORS = 1024 };

/* A thread, with what was its own in the library when another one became the current one. */
struct caller {
    int inside; /* calls of the library that it is in */
    int group;  /* 1 when the outermost of them is one of libgpvm3, else 0 */
    int send;
    int receive;
    int context;
    int context_of_group; /* the one in which it called libgpvm3 */
    int *descriptors;     /* what pvm_getfds gave it */
    int cancelling;       /* its state of cancellation, which is held off inside */
    bool known;
    struct caller *next;
};

static struct {
    pthread_mutex_t
        turn; /* held by the next one to get the lock: nobody is passed again and again */
    pthread_mutex_t lock;
    pthread_once_t once;
    pthread_key_t key;       /* ends callers */
    struct caller *callers;  /* of all threads that ever called */
    struct caller *current;  /* whose buffers and context are in the library */
    struct waiter *first;    /* those that wait, in order */
    struct waiter *leader;   /* or NULL */
    pthread_cond_t receiver; /* there is one that can be stopped */
    bool group;              /* a thread is in a call of libgpvm3, be it that it waits there */
    pthread_cond_t group_left;
    unsigned long stops;     /* how often one has been */
    unsigned long messages;  /* how many libpvm3 has taken in */
    bool missed;             /* an attempt has not seen all of them */
    int bell;
    bool asleep;  /* the leader is in poll, on the first of these and the descriptors behind it */
    int watching; /* how many descriptors those are */
    struct pollfd polled[MOST_DESCRIPTORS + 1];
    ino_t files[MOST_DESCRIPTORS + 1]; /* what they stood for when the leader went to sleep */
} section = {.turn = PTHREAD_MUTEX_INITIALIZER,
             .lock = PTHREAD_MUTEX_INITIALIZER,
             .once = PTHREAD_ONCE_INIT,
             .receiver = PTHREAD_COND_INITIALIZER,
             .group_left = PTHREAD_COND_INITIALIZER};

static _Thread_local struct caller self;

static _Noreturn void section_fail(const char *what, const char *why)
{
    fprintf(stderr, "libpvm3threads: %s: %s\n", what, why);
    abort();
}

void *section_next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        section_fail(name, "no library behind this one has it: load libpvm3threads before libpvm3");
    return function;
}

static void section_lock(void)
{
    pthread_mutex_lock(&section.turn);
    pthread_mutex_lock(&section.lock);
    pthread_mutex_unlock(&section.turn);
}

/* Callers. ------------------------------------------------------------------------------------- */

static void caller_end(void *caller);

static void section_start(void)
{
    if (!&pvmtoplvl)
        section_fail("there is no libpvm3",
                     "link it, with -Wl,--no-as-needed, behind libpvm3threads");
    section.bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (section.bell < 0)
        section_fail("eventfd", strerror(errno));
    if (pthread_key_create(&section.key, caller_end) != 0)
        section_fail("pthread_key_create", "there are too many keys");
}

/* The context of a task is that of its parent, which libpvm3 knows from the environment. */
static void caller_join(void)
{
    const char *inherited = getenv("PVMCTX");
    self.known = true;
    self.context = inherited ? (int)strtol(inherited, NULL, 0) : PvmBaseContext;
    self.next = section.callers;
    section.callers = &self;
    pthread_setspecific(section.key, &self);
}

static void section_switch(struct caller *caller)
{
    struct caller *before = section.current;
    if (before == caller)
        return;
    section.current = caller;
    int level = pvmtoplvl;
    pvmtoplvl = 0;
    int buffers[] = {pvm_setsbuf(0), pvm_setrbuf(0)};
    int context = pvm_setcontext(caller->context);
    if (before) {
        before->send = buffers[0];
        before->receive = buffers[1];
        before->context = context;
    }
    pvm_setsbuf(caller->send);
    pvm_setrbuf(caller->receive);
    pvmtoplvl = level;
}

static void section_note_context(void)
{
    int level = pvmtoplvl;
    pvmtoplvl = 0;
    self.context = pvm_getcontext();
    pvmtoplvl = level;
}

/* A message handler may have changed it. */
static void section_set_context(const struct caller *caller)
{
    int level = pvmtoplvl;
    pvmtoplvl = 0;
    pvm_setcontext(caller->context);
    pvmtoplvl = level;
}

static void caller_end(void *caller)
{
    struct caller **link = &section.callers;
    (void)caller;
    bool outermost = section_enter();
    int level = pvmtoplvl;
    pvmtoplvl = 0;
    int buffers[] = {pvm_getsbuf(), pvm_getrbuf()};
    for (int i = 0; i < 2; i++)
        if (buffers[i] > 0)
            pvm_freebuf(buffers[i]);
    pvmtoplvl = level;
    while (*link != &self)
        link = &(*link)->next;
    *link = self.next;
    section.current = NULL;
    free(self.descriptors);
    self.known = false;
    section_leave(outermost, false);
}

void section_forget_buffer(int buffer)
{
    for (struct caller *caller = section.callers; caller; caller = caller->next) {
        caller->send = caller->send == buffer ? 0 : caller->send;
        caller->receive = caller->receive == buffer ? 0 : caller->receive;
    }
}

/* Waiters. ------------------------------------------------------------------------------------- */

static void section_ring(void)
{
    const uint64_t one = 1;
    while (write(section.bell, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static void waiter_wake(struct waiter *waiter)
{
    if (section.leader == waiter)
        section_ring();
    else
        sem_post(&waiter->wake);
}

static void waiter_unlink(struct waiter *waiter)
{
    struct waiter **link = &section.first;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
}

static void waiter_finish(struct waiter *waiter, int result)
{
    waiter_unlink(waiter);
    waiter->result = result;
    waiter->done = true;
    waiter_wake(waiter);
}

/* libpvm3 calls it with each message that it takes in. */
PUBLIC int mesg_input(struct pmsg *message)
{
    FIND_NEXT(mesg_input)
    section.messages++;
    return next(message);
}

static bool waiter_try(struct waiter *waiter)
{
    section_switch(waiter->caller);
    pvmtoplvl = waiter->level;
    int result = waiter->attempt(waiter);
    section_set_context(waiter->caller);
    if (result != 0)
        waiter_finish(waiter, result);
    return result != 0;
}

/* Makes the attempts of all. Messages that a later one took in may be for the first that failed. */
static void section_serve(void)
{
    struct waiter *next;
    const int level = pvmtoplvl;
    unsigned long seen = 0;
    bool failed = false;
    for (struct waiter *waiter = section.first; waiter; waiter = next) {
        next = waiter->next;
        if (waiter->stopped || waiter_try(waiter) || failed)
            continue;
        failed = true;
        seen = section.messages;
    }
    section.missed = failed && seen != section.messages;
    pvmtoplvl = level;
}

void section_abandon(int result)
{
    while (section.first)
        waiter_finish(section.first, result);
}

/* How many descriptors are to be watched: none when all who wait are stopped. */
static int section_find_descriptors(int **descriptors)
{
    struct waiter *waiter = section.first;
    while (waiter && waiter->stopped)
        waiter = waiter->next;
    if (!waiter)
        return 0;
    int level = pvmtoplvl;
    pvmtoplvl = 0;
    int count = pvm_getfds(descriptors);
    pvmtoplvl = level;
    if (count > MOST_DESCRIPTORS)
        section_fail("pvm_getfds", "there are too many direct routes");
    return count;
}

static ino_t file_of(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

/* A route may have been closed, and another one been opened under its number. */
static bool section_watches(int descriptor)
{
    for (int i = 1; i <= section.watching; i++)
        if (section.polled[i].fd == descriptor)
            return section.files[i] == file_of(descriptor);
    return false;
}

/* The leader sleeps, but has missed a message, or a descriptor that has come meanwhile. */
static bool section_sleeps_too_deep(void)
{
    int *descriptors;
    if (!section.asleep || section.missed)
        return section.asleep;
    int count = section_find_descriptors(&descriptors);
    for (int i = 0; i < count; i++)
        if (!section_watches(descriptors[i]))
            return true;
    return false;
}

bool section_enter(void)
{
    if (self.inside++ > 0)
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &self.cancelling);
    pthread_once(&section.once, section_start);
    section_lock();
    if (!self.known)
        caller_join();
    section_switch(&self);
    section_note_context();
    return true;
}

void section_leave(bool outermost, bool received)
{
    if (outermost && received) {
        section_set_context(&self);
        section_serve();
        if (section_sleeps_too_deep())
            section_ring();
    }
    self.inside--;
    if (!outermost)
        return;
    pthread_mutex_unlock(&section.lock);
    pthread_setcancelstate(self.cancelling, NULL);
}

/* Around the sleep of a receive, outside of the section: that is a point of cancellation. */
static void waiter_let_cancel(const struct waiter *waiter, bool may)
{
    if (waiter->interruptible && self.inside == 1)
        pthread_setcancelstate(may ? self.cancelling : PTHREAD_CANCEL_DISABLE, NULL);
}

bool section_enter_group(void)
{
    bool outermost = section_enter();
    if (!outermost)
        return false;
    while (section.group)
        pthread_cond_wait(&section.group_left, &section.lock);
    section.group = true;
    section_switch(&self); /* others have called meanwhile */
    self.group = 1;
    self.context_of_group = self.context;
    return true;
}

/* The context is that of before, whichever one libgpvm3 last waited in. */
void section_leave_group(bool outermost)
{
    if (outermost) {
        section.group = false;
        pthread_cond_signal(&section.group_left);
        self.group = 0;
        self.context = self.context_of_group;
    }
    section_leave(outermost, true);
}

bool section_may_wait(void)
{
    return self.inside == 1 + self.group;
}

/* Others are in the section until section_return, at a level of their own. */
static void section_part(void)
{
    pvmtoplvl = 1;
    pthread_mutex_unlock(&section.lock);
}

static void section_return(const struct waiter *waiter)
{
    section_lock();
    pvmtoplvl = waiter->level;
}

/* How long until the deadline; NULL without one. */
static struct timespec *time_left(const struct timespec *deadline, struct timespec *left)
{
    if (!deadline)
        return NULL;
    clock_gettime(CLOCK_MONOTONIC, left);
    left->tv_sec = deadline->tv_sec - left->tv_sec;
    left->tv_nsec = deadline->tv_nsec - left->tv_nsec;
    if (left->tv_nsec < 0) {
        left->tv_sec--;
        left->tv_nsec += 1000000000;
    }
    if (left->tv_sec < 0)
        *left = (struct timespec){0, 0};
    return left;
}

/* True when the deadline has passed. */
static bool waiter_lead(struct waiter *waiter, const struct timespec *deadline)
{
    static const struct timespec none;
    struct timespec left;
    int *descriptors;
    uint64_t rung;
    section.leader = waiter;
    section.watching = section_find_descriptors(&descriptors);
    if (section.watching < 0) {
        section_abandon(section.watching);
        return false;
    }
    section.polled[0] = (struct pollfd){.fd = section.bell, .events = POLLIN};
    for (int i = 0; i < section.watching; i++) {
        section.polled[i + 1] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
        section.files[i + 1] = file_of(descriptors[i]);
    }
    section.asleep = true;
    nfds_t count = (nfds_t)section.watching + 1;
    const struct timespec *limit = section.missed ? &none : time_left(deadline, &left);
    section_part();
    waiter_let_cancel(waiter, true);
    int ready = ppoll(section.polled, count, limit, NULL);
    waiter_let_cancel(waiter, false);
    section_return(waiter);
    section.asleep = false;
    if (ready > 0 && section.polled[0].revents)
        ready -= read(section.bell, &rung, sizeof rung) > 0;
    if (ready > 0 || section.missed)
        section_serve();
    return ready == 0 && deadline && time_left(deadline, &left)->tv_sec == 0 && left.tv_nsec == 0;
}

static bool waiter_follow(struct waiter *waiter, const struct timespec *deadline)
{
    section_part();
    waiter_let_cancel(waiter, true);
    int result = deadline ? sem_clockwait(&waiter->wake, CLOCK_MONOTONIC, deadline)
                          : sem_wait(&waiter->wake);
    bool late = result < 0 && errno == ETIMEDOUT;
    waiter_let_cancel(waiter, false);
    section_return(waiter);
    return late;
}

/* Ends the wait, inside. Another thread leads, if one waits. */
static void waiter_end(struct waiter *waiter)
{
    if (!waiter->done)
        waiter_unlink(waiter);
    if (section.leader == waiter)
        section.leader = NULL;
    if (!section.leader && section.first)
        sem_post(&section.first->wake);
    sem_destroy(&waiter->wake);
}

/* The thread is cancelled in its sleep, outside. A message that it was given is lost with it. */
static void waiter_vanish(void *argument)
{
    struct waiter *waiter = argument;
    section_lock();
    if (section.leader == waiter)
        section.asleep = false;
    waiter_end(waiter);
    self.inside = 0;
    pthread_mutex_unlock(&section.lock);
}

static void waiter_wait(struct waiter *waiter)
{
    bool late = false;
    while (!waiter->done && (waiter->stopped || !late)) {
        const struct timespec *deadline = waiter->stopped ? NULL : waiter->deadline;
        if (section_sleeps_too_deep())
            section_ring();
        late = section.leader && section.leader != waiter ? waiter_follow(waiter, deadline)
                                                          : waiter_lead(waiter, deadline);
    }
}

int section_wait(struct waiter *waiter)
{
    struct waiter **link = &section.first;
    while (*link)
        link = &(*link)->next;
    *link = waiter;
    waiter->caller = &self;
    waiter->level = pvmtoplvl;
    section_note_context(); /* libgpvm3 has one of its own */
    sem_init(&waiter->wake, 0, 0);
    section_serve();
    if (!waiter->done && waiter->interruptible)
        pthread_cond_broadcast(&section.receiver);
    pthread_cleanup_push(waiter_vanish, waiter);
    waiter_wait(waiter);
    pthread_cleanup_pop(0);
    waiter_end(waiter);
    section_switch(&self);
    return waiter->result;
}

int section_descriptors(int **descriptors)
{
    int *found;
    int count = pvm_getfds(&found);
    if (count <= 0 || !descriptors)
        return count;
    int *copy = realloc(self.descriptors, (size_t)count * sizeof *copy);
    if (!copy)
        return PvmNoMem;
    memcpy(copy, found, (size_t)count * sizeof *copy);
    self.descriptors = *descriptors = copy;
    return count;
}

/* Interrupts. ---------------------------------------------------------------------------------- */

void section_stop_receiver(void)
{
    struct waiter *waiter = NULL;
    while (!waiter) {
        waiter = section.first;
        while (waiter && (!waiter->interruptible || waiter->stopped))
            waiter = waiter->next;
        if (!waiter)
            pthread_cond_wait(&section.receiver, &section.lock);
    }
    section_switch(&self); /* others have called meanwhile */
    waiter->stopped = ++section.stops;
}

bool section_resume_receiver(void)
{
    struct waiter *oldest = NULL;
    for (struct waiter *waiter = section.first; waiter; waiter = waiter->next)
        if (waiter->stopped && (!oldest || waiter->stopped < oldest->stopped))
            oldest = waiter;
    if (!oldest)
        return false;
    oldest->stopped = 0;
    if (oldest->deadline)
        waiter_wake(oldest);
    pthread_cond_broadcast(&section.receiver);
    return true;
}
