/*
 * The pingpong on a pair of local sockets, as a yardstick: what the system itself gives to two
 * processes, without any library. A socket may be used by all threads (TS). P2 is a child process.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"
#include "fail.h"
#include "measure.h"
#include "serve.h"

/* Each packet is a message: its kind as one byte, and the payload. */
static void pingpong_sockets_send(struct link *link, int kind, const void *bytes, size_t size)
{
    unsigned char kind_byte = (unsigned char)kind;
    struct iovec parts[] = {{&kind_byte, 1}, {(void *)bytes, size}};
    const struct msghdr packet = {.msg_iov = parts, .msg_iovlen = 2};
    if (sendmsg(*(int *)link->system, &packet, MSG_NOSIGNAL) < 0)
        fail("cannot send: %s", strerror(errno));
}

static void pingpong_sockets_receive(struct link *link, struct link_message *message)
{
    unsigned char kind;
    struct iovec parts[] = {{&kind, 1}, {message->bytes, message->capacity}};
    struct msghdr packet = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t length = recvmsg(*(int *)link->system, &packet, 0);
    if (length < 0)
        fail("cannot receive: %s", strerror(errno));
    if (length == 0)
        fail("the other process has ended");
    if (packet.msg_flags & MSG_TRUNC)
        fail("a message came that is longer than --size");
    message->kind = kind;
    message->size = (size_t)length - 1;
}

static bool pingpong_sockets_receive_until(struct link *link, struct link_message *message,
                                           int64_t deadline_ns)
{
    struct pollfd news = {.fd = *(int *)link->system, .events = POLLIN};
    int64_t left_ns = deadline_ns - measure_clock_ns();
    left_ns = left_ns > 0 ? left_ns : 0;
    struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    int ready = ppoll(&news, 1, &left, NULL);
    if (ready < 0)
        fail("cannot wait: %s", strerror(errno));
    if (ready == 0)
        return false;
    pingpong_sockets_receive(link, message);
    return true;
}

static const struct version *const pingpong_sockets_versions[] = {&version_ts, NULL};

static void pingpong_sockets_run(const struct options *options, struct link *link, pid_t p2)
{
    int status;
    struct link_message ready = link_message_create(0);
    pingpong_sockets_receive(link, &ready);
    free(ready.bytes);
    printf("sockets: P2 is process %d\n", (int)p2);
    if (options->serve)
        serve_run(options, (struct link_pair){link, link});
    else
        exchange_run(options, (struct link_pair){link, link});
    if (waitpid(p2, &status, 0) < 0)
        fail("cannot wait for P2: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("P2 ended before its work was done");
}

static void pingpong_sockets_answer(const struct options *options, struct link *link)
{
    pingpong_sockets_send(link, LINK_READY, "", 1);
    if (options->serve)
        serve_answer(options, link);
    else
        exchange_answer(options, link);
}

int main(int argc, char **argv)
{
    struct options options;
    int ends[2];
    options_parse(&options, &(struct options_offer){pingpong_sockets_versions, false}, argc, argv);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        fail("cannot make a pair of sockets: %s", strerror(errno));
    pid_t p2 = fork();
    if (p2 < 0)
        fail("cannot start P2: %s", strerror(errno));
    int *mine = &ends[p2 == 0];
    close(ends[p2 != 0]);
    struct link link = {
        .send = pingpong_sockets_send,
        .receive = pingpong_sockets_receive,
        .receive_until = pingpong_sockets_receive_until,
        .system = mine,
    };
    if (p2 == 0) {
        pingpong_sockets_answer(&options, &link);
    } else {
        options_confine(&options);
        pingpong_sockets_run(&options, &link, p2);
    }
    return 0;
}
