/* doorman.c - accepting connections of other daemons. */
#include "daemon/post/doorman.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/frame.h"
#include "core/link_word.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/post_room.h"

#define VISITORS_MOST  32    /* at once; another one takes the place of the oldest */
#define VISIT_MOST     10000 /* milliseconds */
#define ACCEPT_AT_ONCE 16
#define HELLO_SIZE     (FRAME_HEADER_SIZE + LINK_WORD_SIZE)

struct visitor {
    struct list node;
    struct doorman *doorman;
    struct loop_source source;
    struct loop_work removal;
    struct loop_timer patience;
    struct sockaddr_in from;
    unsigned char hello[HELLO_SIZE];
    size_t size;
};

static void visitor_remove(struct loop_work *work)
{
    free(LIST_OWNER(work, struct visitor, removal));
}

/* Its socket is closed, unless that has been taken from it. */
static void visitor_leave(struct visitor *visitor)
{
    struct loop *loop = &visitor->doorman->daemon->loop;
    visitor->doorman->count--;
    list_remove(&visitor->node);
    loop_timer_cancel(&visitor->patience);
    loop_close(loop, &visitor->source);
    loop_defer(loop, &visitor->removal);
}

static void doorman_complain(struct doorman *doorman, const struct sockaddr_in *from,
                             const char *reason)
{
    complain(&doorman->daemon->complaints, 0, "a connection from %s:%u is closed: %s",
             inet_ntoa(from->sin_addr), ntohs(from->sin_port), reason);
}

static void visitor_refuse(struct visitor *visitor, const char *reason)
{
    doorman_complain(visitor->doorman, &visitor->from, reason);
    visitor_leave(visitor);
}

static void visitor_lose_patience(struct loop_timer *timer)
{
    visitor_refuse(LIST_OWNER(timer, struct visitor, patience),
                   "it does not say which daemon it is");
}

static void visitor_take_hello(struct visitor *visitor)
{
    struct daemon *daemon = visitor->doorman->daemon;
    const struct doorman_offers *offers = visitor->doorman->offers;
    struct frame frame;
    struct link_word word;
    frame_decode(&frame, visitor->hello);
    if (frame.flags != LINK_FLAG || frame.length != LINK_WORD_SIZE ||
        !link_word_decode(&word, visitor->hello + FRAME_HEADER_SIZE, LINK_WORD_SIZE) ||
        !offers->expects(daemon, frame.source, &word)) {
        visitor_refuse(visitor, "it does not know the secret");
        return;
    }
    int fd = loop_release(&daemon->loop, &visitor->source);
    visitor_leave(visitor);
    offers->accept(daemon, frame.source, fd);
}

static void visitor_handle(struct loop_source *source, uint32_t events)
{
    struct visitor *visitor = LIST_OWNER(source, struct visitor, source);
    (void)events;
    ssize_t size =
        recv(source->fd, visitor->hello + visitor->size, HELLO_SIZE - visitor->size, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        visitor_refuse(visitor, "it ended before it said which daemon it is");
        return;
    }
    visitor->size += (size_t)size;
    if (visitor->size == HELLO_SIZE)
        visitor_take_hello(visitor);
}

/* NULL, or why nobody from there is let in. */
static const char *doorman_judge(const struct doorman *doorman, const struct sockaddr_in *from)
{
    return doorman->offers->awaits(doorman->daemon, ntohl(from->sin_addr.s_addr))
               ? NULL
               : "no daemon there was asked to connect";
}

static void doorman_let_in(struct doorman *doorman, int fd, const struct sockaddr_in *from)
{
    struct daemon *daemon = doorman->daemon;
    const char *wrong = doorman_judge(doorman, from);
    struct visitor *visitor = wrong ? NULL : calloc(1, sizeof *visitor);
    if (wrong)
        doorman_complain(doorman, from, wrong);
    if (!visitor) {
        close(fd);
        return;
    }
    if (doorman->count == VISITORS_MOST)
        visitor_refuse(LIST_OWNER(doorman->visitors.next, struct visitor, node),
                       "it says nothing, and others wait");
    visitor->doorman = doorman;
    visitor->from = *from;
    loop_source_start(&visitor->source, visitor_handle);
    loop_work_start(&visitor->removal, visitor_remove);
    loop_timer_start(&visitor->patience, visitor_lose_patience);
    if (loop_watch(&daemon->loop, &visitor->source, fd, EPOLLIN) < 0) {
        log_write("cannot watch a connection of another daemon: %s", strerror(errno));
        close(fd);
        free(visitor);
        return;
    }
    list_append(&doorman->visitors, &visitor->node);
    doorman->count++;
    loop_timer_set(&daemon->loop, &visitor->patience, VISIT_MOST);
}

static void doorman_handle(struct loop_source *source, uint32_t events)
{
    struct doorman *doorman = LIST_OWNER(source, struct doorman, source);
    (void)events;
    for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
        struct sockaddr_in from = {0};
        socklen_t size = sizeof from;
        int fd = accept4(source->fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            doorman_let_in(doorman, fd, &from);
        } else if (errno == EMFILE || errno == ENFILE) {
            log_write("no descriptor for a connection of another daemon: no more are made");
            loop_close(&doorman->daemon->loop, source);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

void doorman_start(struct doorman *doorman, struct daemon *daemon,
                   const struct doorman_offers *offers)
{
    *doorman = (struct doorman){.daemon = daemon, .offers = offers};
    loop_source_start(&doorman->source, doorman_handle);
    list_start(&doorman->visitors);
}

void doorman_finish(struct doorman *doorman)
{
    LIST_FOR_EACH(node, &doorman->visitors)
    visitor_leave(LIST_OWNER(node, struct visitor, node));
    loop_close(&doorman->daemon->loop, &doorman->source);
}

/* At that port, or at any if it is 0. The port, 0 with errno. */
static uint16_t doorman_listen(int fd, uint32_t address, uint16_t port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
    socklen_t size = sizeof at;
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) < 0 || listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) < 0)
        return 0;
    return ntohs(at.sin_port);
}

uint16_t doorman_port(struct doorman *doorman)
{
    const struct host *own = hosts_own(&doorman->daemon->post->hosts);
    if (doorman->port != 0)
        return doorman->source.fd >= 0 ? doorman->port : 0;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    uint16_t port = fd >= 0 ? doorman_listen(fd, own->address, own->port) : 0;
    if (fd >= 0 && port == 0)
        port = doorman_listen(fd, own->address, 0);
    if (port != 0 && loop_watch(&doorman->daemon->loop, &doorman->source, fd, EPOLLIN) == 0) {
        doorman->port = port;
        return port;
    }
    log_write("cannot open a port for other daemons: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return 0;
}
