/* lookup.c - one child for a list of names. */
#include "daemon/lookup.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/signals.h"

#define CHILD_OUTPUT 3

uint32_t lookup_address(const char *name)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found;
    if (getaddrinfo(name, NULL, &wanted, &found) != 0)
        return 0;
    uint32_t address = ntohl(((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr.s_addr);
    freeaddrinfo(found);
    return address;
}

/*
 * The child holds nothing of the daemon's open: a link that is closed meanwhile must be closed for
 * its task.
 */
static void __attribute__((noreturn))
lookup_answer(int output, const char *const *names, size_t count)
{
    signals_restore();
    if (output != CHILD_OUTPUT)
        dup2(output, CHILD_OUTPUT);
    close_range(CHILD_OUTPUT + 1, ~0U, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t address = lookup_address(names[i]);
        if (write(CHILD_OUTPUT, &address, sizeof address) != (ssize_t)sizeof address)
            break;
    }
    _exit(0);
}

static void lookup_run_done(struct loop_work *work)
{
    struct lookup *lookup = LIST_OWNER(work, struct lookup, end);
    lookup->done(lookup);
}

static void lookup_end(struct lookup *lookup)
{
    loop_close(lookup->loop, &lookup->source);
    loop_timer_cancel(&lookup->deadline);
    loop_defer(lookup->loop, &lookup->end);
}

static void lookup_expire(struct loop_timer *timer)
{
    struct lookup *lookup = LIST_OWNER(timer, struct lookup, deadline);
    log_write("the resolver did not answer within %d seconds", LOOKUP_SECONDS);
    kill(lookup->child, SIGKILL);
    lookup_end(lookup);
}

static void lookup_handle(struct loop_source *source, uint32_t events)
{
    struct lookup *lookup = LIST_OWNER(source, struct lookup, source);
    size_t all = lookup->count * sizeof *lookup->addresses;
    ssize_t size =
        read(source->fd, (char *)lookup->addresses + lookup->answered, all - lookup->answered);
    (void)events;
    if (size > 0)
        lookup->answered += (size_t)size;
    if (size <= 0 || lookup->answered == all)
        lookup_end(lookup);
}

bool lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names, size_t count,
                  void (*done)(struct lookup *))
{
    int ends[2];
    *lookup = (struct lookup){.loop = loop, .count = count, .done = done};
    loop_source_start(&lookup->source, lookup_handle);
    loop_timer_start(&lookup->deadline, lookup_expire);
    loop_work_start(&lookup->end, lookup_run_done);
    lookup->addresses = calloc(count, sizeof *lookup->addresses);
    if (!lookup->addresses || pipe2(ends, O_CLOEXEC) < 0)
        return false;
    if (loop_watch(loop, &lookup->source, ends[0], EPOLLIN) < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    lookup->child = fork();
    if (lookup->child == 0)
        lookup_answer(ends[1], names, count);
    close(ends[1]);
    if (lookup->child < 0)
        return false;
    loop_timer_set(loop, &lookup->deadline, LOOKUP_SECONDS * 1000);
    return true;
}

void lookup_finish(struct lookup *lookup)
{
    loop_close(lookup->loop, &lookup->source);
    loop_timer_cancel(&lookup->deadline);
    loop_work_cancel(&lookup->end);
    free(lookup->addresses);
}
