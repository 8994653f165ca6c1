/* lookup.c - one child for a list of names. */
#include "daemon/hosts/lookup.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/log.h"

/* Threads of the child: names that may be asked for at the same time. */
#define CHILD_THREADS 64

/* What the child writes, in one piece and without padding. */
struct lookup_answer {
    uint32_t index;
    uint32_t address;
};

_Static_assert(INQUIRY_PIECE % sizeof(struct lookup_answer) == 0, "answers are read whole");

static uint32_t lookup_resolve(const char *name, int flags)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM, .ai_flags = flags};
    struct addrinfo *found;
    if (getaddrinfo(name, NULL, &wanted, &found) != 0)
        return 0;
    uint32_t address = ntohl(((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr.s_addr);
    freeaddrinfo(found);
    return address;
}

uint32_t lookup_address(const char *name)
{
    return lookup_resolve(name, 0);
}

/* The child. ----------------------------------------------------------------------------------- */

struct lookup_job {
    const struct lookup *lookup;
    const char *const *names;
    int output;
    _Atomic size_t next;
};

static void *lookup_work(void *argument)
{
    struct lookup_job *job = argument;
    size_t index;
    while ((index = atomic_fetch_add(&job->next, 1)) < job->lookup->count) {
        if (job->lookup->names[index].known)
            continue;
        const struct lookup_answer answer = {(uint32_t)index, lookup_address(job->names[index])};
        if (write(job->output, &answer, sizeof answer) != (ssize_t)sizeof answer)
            break;
    }
    return NULL;
}

static void lookup_answer(int output, void *argument)
{
    struct lookup_job *job = argument;
    pthread_t threads[CHILD_THREADS];
    size_t count = 0;
    job->output = output;
    while (count < CHILD_THREADS && count + 1 < job->lookup->unknown &&
           pthread_create(&threads[count], NULL, lookup_work, job) == 0)
        count++;
    lookup_work(job);
    while (count > 0)
        pthread_join(threads[--count], NULL);
}

/* ---------------------------------------------------------------------------------------------- */

static void lookup_run_news(struct loop_work *work)
{
    struct lookup *lookup = LIST_OWNER(work, struct lookup, news);
    lookup->progress(lookup);
}

/* Names without an answer have no address. */
static void lookup_ended(struct inquiry *inquiry, bool in_time)
{
    struct lookup *lookup = LIST_OWNER(inquiry, struct lookup, inquiry);
    if (!in_time)
        log_write("the resolver did not answer for %zu hosts within %d seconds", lookup->unknown,
                  LOOKUP_SECONDS);
    for (size_t i = 0; i < lookup->count; i++)
        lookup->names[i].known = true;
    lookup->unknown = 0;
    loop_defer(inquiry->loop, &lookup->news);
}

/* Answers are written in one piece each: the pipe never holds a part of one. */
static void lookup_take(struct inquiry *inquiry, const void *piece, size_t size)
{
    struct lookup *lookup = LIST_OWNER(inquiry, struct lookup, inquiry);
    struct lookup_answer answers[INQUIRY_PIECE / sizeof(struct lookup_answer)];
    memcpy(answers, piece, size);
    for (size_t i = 0; i < size / sizeof answers[0]; i++) {
        lookup->names[answers[i].index] = (struct looked_up){true, answers[i].address};
        lookup->unknown--;
    }
    if (lookup->unknown == 0)
        inquiry_end(inquiry);
    loop_defer(inquiry->loop, &lookup->news);
}

/* Reads the addresses of names that are numbers in dots. */
static void lookup_read_numbers(struct lookup *lookup, const char *const *names)
{
    for (size_t i = 0; i < lookup->count; i++) {
        uint32_t address = lookup_resolve(names[i], AI_NUMERICHOST);
        bool known = address != 0 || *names[i] == '\0';
        lookup->names[i] = (struct looked_up){known, address};
        lookup->unknown += !known;
    }
}

bool lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names, size_t count,
                  void (*progress)(struct lookup *))
{
    *lookup = (struct lookup){.count = count, .progress = progress};
    inquiry_prepare(&lookup->inquiry, loop, lookup_take, lookup_ended);
    loop_work_start(&lookup->news, lookup_run_news);
    lookup->names = calloc(count, sizeof *lookup->names);
    if (!lookup->names)
        return false;
    lookup_read_numbers(lookup, names);
    loop_defer(loop, &lookup->news);
    struct lookup_job job = {.lookup = lookup, .names = names};
    return lookup->unknown == 0 ||
           inquiry_start(&lookup->inquiry, LOOKUP_SECONDS, lookup_answer, &job);
}

void lookup_finish(struct lookup *lookup)
{
    inquiry_end(&lookup->inquiry);
    loop_work_cancel(&lookup->news);
    free(lookup->names);
}
