/*
 * The pingpong on ZeroMQ, as a yardstick, in the natural code (TS): a ZeroMQ socket belongs to
 * one thread, so T1 pushes on its own socket while T2 blocks on another. P2 is a child process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.h>

#include "exchange.h"
#include "fail.h"
#include "measure.h"
#include "serve.h"

/* A thread's sockets; T1 has no `pull`. On the wire the kind follows the payload, as one byte. */
struct pingpong_zmq {
    void *push;
    void *pull;
};

struct pingpong_zmq_address {
    char text[64];
};

/* In the abstract name space of local sockets, so nothing is left in the file system. */
static struct pingpong_zmq_address pingpong_zmq_address_of(pid_t p1, const char *process)
{
    struct pingpong_zmq_address address;
    snprintf(address.text, sizeof address.text, "ipc://@pingpong-%d-%s", (int)p1, process);
    return address;
}

static void pingpong_zmq_check(int result, const char *what)
{
    if (result < 0)
        fail("%s: %s", what, zmq_strerror(zmq_errno()));
}

static void *pingpong_zmq_open(void *context, int type, struct pingpong_zmq_address address)
{
    const int unlimited = 0;
    void *socket = zmq_socket(context, type);
    if (!socket)
        fail("cannot make a ZeroMQ socket: %s", zmq_strerror(zmq_errno()));
    zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &unlimited, sizeof unlimited);
    if (type == ZMQ_PULL)
        pingpong_zmq_check(zmq_bind(socket, address.text), "cannot bind");
    else
        pingpong_zmq_check(zmq_connect(socket, address.text), "cannot connect");
    return socket;
}

static void pingpong_zmq_send(struct link *link, int kind, const void *bytes, size_t size)
{
    const struct pingpong_zmq *zmq = link->system;
    zmq_msg_t frame;
    pingpong_zmq_check(zmq_msg_init_size(&frame, size + 1), "cannot allocate a payload");
    memcpy(zmq_msg_data(&frame), bytes, size);
    ((unsigned char *)zmq_msg_data(&frame))[size] = (unsigned char)kind;
    pingpong_zmq_check(zmq_msg_send(&frame, zmq->push, 0), "cannot send");
}

/* False only with ZMQ_DONTWAIT, when there is nothing. */
static bool pingpong_zmq_take(struct pingpong_zmq *zmq, struct link_message *message, int flags)
{
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    if (zmq_msg_recv(&frame, zmq->pull, flags) < 0) {
        if (flags != ZMQ_DONTWAIT || zmq_errno() != EAGAIN)
            fail("cannot receive: %s", zmq_strerror(zmq_errno()));
        return false;
    }
    const unsigned char *bytes = zmq_msg_data(&frame);
    message->size = zmq_msg_size(&frame) - 1;
    if (message->size > message->capacity)
        fail("a message of %zu bytes came, which is longer than --size", message->size);
    memcpy(message->bytes, bytes, message->size);
    message->kind = bytes[message->size];
    zmq_msg_close(&frame);
    return true;
}

static void pingpong_zmq_receive(struct link *link, struct link_message *message)
{
    pingpong_zmq_take(link->system, message, 0);
}

static bool pingpong_zmq_receive_until(struct link *link, struct link_message *message,
                                       int64_t deadline_ns)
{
    struct pingpong_zmq *zmq = link->system;
    struct pollfd news = {.events = POLLIN};
    size_t size = sizeof news.fd;
    zmq_getsockopt(zmq->pull, ZMQ_FD, &news.fd, &size);
    while (!pingpong_zmq_take(zmq, message, ZMQ_DONTWAIT)) {
        int64_t left_ns = deadline_ns - measure_clock_ns();
        if (left_ns <= 0)
            return false;
        struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        ppoll(&news, 1, &left, NULL);
    }
    return true;
}

static const struct version *const pingpong_zmq_versions[] = {&version_ts, NULL};

static const struct link pingpong_zmq_link = {
    .send = pingpong_zmq_send,
    .receive = pingpong_zmq_receive,
    .receive_until = pingpong_zmq_receive_until,
};

static void pingpong_zmq_work(const struct options *options, struct link_pair links)
{
    if (options->serve)
        serve_run(options, links);
    else
        exchange_run(options, links);
}

static void *pingpong_zmq_watch(void *child)
{
    int status;
    if (waitpid(*(pid_t *)child, &status, 0) < 0)
        fail("cannot wait for P2: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("P2 ended before its work was done");
    return NULL;
}

static void pingpong_zmq_run(const struct options *options, pid_t p2)
{
    struct pingpong_zmq_address address1 = pingpong_zmq_address_of(getpid(), "p1");
    struct pingpong_zmq_address address2 = pingpong_zmq_address_of(getpid(), "p2");
    void *context = zmq_ctx_new();
    struct pingpong_zmq t1 = {0};
    struct pingpong_zmq t2 = {.pull = pingpong_zmq_open(context, ZMQ_PULL, address1)};
    struct link link1 = pingpong_zmq_link, link2 = pingpong_zmq_link;
    link1.system = &t1;
    link2.system = &t2;

    pthread_t watcher;
    struct link_message ready = link_message_create(0);
    if (pthread_create(&watcher, NULL, pingpong_zmq_watch, &p2) != 0)
        fail("cannot start a thread that waits for P2");
    pingpong_zmq_receive(&link2, &ready);
    free(ready.bytes);
    /* Not earlier: ZeroMQ tries again only after 100 ms when nobody listens yet. */
    t1.push = pingpong_zmq_open(context, ZMQ_PUSH, address2);
    t2.push = pingpong_zmq_open(context, ZMQ_PUSH, address2);

    printf("ZeroMQ %d.%d.%d: P2 is process %d\n", ZMQ_VERSION_MAJOR, ZMQ_VERSION_MINOR,
           ZMQ_VERSION_PATCH, (int)p2);
    pingpong_zmq_work(options, (struct link_pair){&link1, &link2});
    pthread_join(watcher, NULL);
    zmq_close(t1.push);
    zmq_close(t2.push);
    zmq_close(t2.pull);
    zmq_ctx_term(context);
}

static void pingpong_zmq_answer(const struct options *options, pid_t p1)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no P2 without its P1 ... */
    if (getppid() != p1)
        fail("P1 has ended"); /* ... even when that was faster */
    void *context = zmq_ctx_new();
    struct pingpong_zmq zmq;
    zmq.pull = pingpong_zmq_open(context, ZMQ_PULL, pingpong_zmq_address_of(p1, "p2"));
    zmq.push = pingpong_zmq_open(context, ZMQ_PUSH, pingpong_zmq_address_of(p1, "p1"));
    struct link link = pingpong_zmq_link;
    link.system = &zmq;

    pingpong_zmq_send(&link, LINK_READY, "", 1);
    if (options->serve)
        serve_answer(options, &link);
    else
        exchange_answer(options, &link);
    zmq_close(zmq.push);
    zmq_close(zmq.pull);
    zmq_ctx_term(context);
}

int main(int argc, char **argv)
{
    struct options options;
    options_parse(&options, &(struct options_offer){pingpong_zmq_versions, false}, argc, argv);
    pid_t p1 = getpid();
    pid_t p2 = fork();
    if (p2 < 0)
        fail("cannot start P2: %s", strerror(errno));
    if (p2 == 0) {
        pingpong_zmq_answer(&options, p1);
    } else {
        options_confine(&options);
        pingpong_zmq_run(&options, p2);
    }
    return 0;
}
