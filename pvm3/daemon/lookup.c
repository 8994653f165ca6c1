/* lookup.c - one child for a list of names. */
#include "daemon/lookup.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/signals.h"

#define CHILD_OUTPUT 3

/* Threads of the child: names that may be asked for at the same time. */
#define CHILD_THREADS 64

#define ANSWERS_AT_ONCE 64

/* What the child writes, in one piece and without padding. */
struct lookup_answer {
    uint32_t index;
    uint32_t address;
};

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
        if (write(CHILD_OUTPUT, &answer, sizeof answer) != (ssize_t)sizeof answer)
            break;
    }
    return NULL;
}

/*
 * The child holds nothing of the daemon's open: a link that is closed meanwhile must be closed for
 * its task.
 */
static void __attribute__((noreturn))
lookup_answer(int output, const struct lookup *lookup, const char *const *names)
{
    struct lookup_job job = {.lookup = lookup, .names = names};
    pthread_t threads[CHILD_THREADS];
    size_t count = 0;
    signals_restore();
    if (output != CHILD_OUTPUT)
        dup2(output, CHILD_OUTPUT);
    close_range(CHILD_OUTPUT + 1, ~0U, 0);
    while (count < CHILD_THREADS && count + 1 < lookup->unknown &&
           pthread_create(&threads[count], NULL, lookup_work, &job) == 0)
        count++;
    lookup_work(&job);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    _exit(0);
}

/* ---------------------------------------------------------------------------------------------- */

/* The child lives while its end of the pipe is open. */
static void lookup_kill(const struct lookup *lookup)
{
    if (lookup->source.fd >= 0 && lookup->child > 0)
        kill(lookup->child, SIGKILL);
}

static void lookup_run_news(struct loop_work *work)
{
    struct lookup *lookup = LIST_OWNER(work, struct lookup, news);
    lookup->progress(lookup);
}

static void lookup_close(struct lookup *lookup)
{
    loop_close(lookup->loop, &lookup->source);
    loop_timer_cancel(&lookup->deadline);
}

/* Those that have not been answered have no address. */
static void lookup_end(struct lookup *lookup)
{
    for (size_t i = 0; i < lookup->count; i++)
        lookup->names[i].known = true;
    lookup->unknown = 0;
    lookup_close(lookup);
    loop_defer(lookup->loop, &lookup->news);
}

static void lookup_expire(struct loop_timer *timer)
{
    struct lookup *lookup = LIST_OWNER(timer, struct lookup, deadline);
    log_write("the resolver did not answer for %zu hosts within %d seconds", lookup->unknown,
              LOOKUP_SECONDS);
    lookup_kill(lookup);
    lookup_end(lookup);
}

static void lookup_take(struct lookup *lookup, const struct lookup_answer *answer)
{
    lookup->names[answer->index] = (struct looked_up){true, answer->address};
    lookup->unknown--;
    loop_defer(lookup->loop, &lookup->news);
}

/* Answers are written in one piece each, and read so: the pipe never holds a part of one. */
static void lookup_handle(struct loop_source *source, uint32_t events)
{
    struct lookup *lookup = LIST_OWNER(source, struct lookup, source);
    struct lookup_answer answers[ANSWERS_AT_ONCE];
    ssize_t size = read(source->fd, answers, sizeof answers);
    (void)events;
    for (ssize_t i = 0; i < size / (ssize_t)sizeof answers[0]; i++)
        lookup_take(lookup, &answers[i]);
    if (size <= 0 || lookup->unknown == 0)
        lookup_end(lookup);
}

/* Those that are numbers in dots. */
static void lookup_read_numbers(struct lookup *lookup, const char *const *names)
{
    for (size_t i = 0; i < lookup->count; i++) {
        uint32_t address = lookup_resolve(names[i], AI_NUMERICHOST);
        bool known = address != 0 || *names[i] == '\0';
        lookup->names[i] = (struct looked_up){known, address};
        lookup->unknown += !known;
    }
}

static bool lookup_fork(struct lookup *lookup, const char *const *names)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    if (loop_watch(lookup->loop, &lookup->source, ends[0], EPOLLIN) < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    lookup->child = fork();
    if (lookup->child == 0)
        lookup_answer(ends[1], lookup, names);
    close(ends[1]);
    loop_timer_set(lookup->loop, &lookup->deadline, LOOKUP_SECONDS * 1000);
    return lookup->child > 0;
}

bool lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names, size_t count,
                  void (*progress)(struct lookup *))
{
    *lookup = (struct lookup){.loop = loop, .count = count, .progress = progress};
    loop_source_start(&lookup->source, lookup_handle);
    loop_timer_start(&lookup->deadline, lookup_expire);
    loop_work_start(&lookup->news, lookup_run_news);
    lookup->names = calloc(count, sizeof *lookup->names);
    if (!lookup->names)
        return false;
    lookup_read_numbers(lookup, names);
    loop_defer(loop, &lookup->news);
    return lookup->unknown == 0 || lookup_fork(lookup, names);
}

void lookup_finish(struct lookup *lookup)
{
    lookup_kill(lookup);
    lookup_close(lookup);
    loop_work_cancel(&lookup->news);
    free(lookup->names);
}
