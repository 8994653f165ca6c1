/*
 * The pingpong on PVM. P1 spawns P2, which is this program with --answer; the work itself stands
 * in exchange.c and serve.c, the ways to share the library in version.c. Uses nothing but pvm3.h
 * and so runs on any libpvm3; the versions that need more than 3.4 are there when pvm3.h says so.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pvm3.h>

#include "exchange.h"
#include "fail.h"
#include "measure.h"
#include "serve.h"

/* Tags beside those of enum link_kind. */
enum {
    PINGPONG_TAG_EXIT = 100, /* from the pvmd: the other process has ended */
    PINGPONG_TAG_FAILURE,    /* P2's last words, a text */
    PINGPONG_TAG_END,        /* P1: P2 may end */
};

struct pingpong {
    int peer;
    /* GETFDS: an eventfd of ours, by which T1 wakes T2; and all that T2 waits on, ours first. */
    struct pollfd wake;
    struct pollfd *watched;
    nfds_t watched_count;
};

static int pingpong_check(int result, const char *what)
{
    if (result < 0)
        fail("%s: %s", what, pvm_strerror());
    return result;
}

static void pingpong_send(struct link *link, int kind, const void *bytes, size_t size)
{
    const struct pingpong *pingpong = link->system;
    pingpong_check(pvm_initsend(PvmDataRaw), "cannot make a send buffer");
    pingpong_check(pvm_pkbyte((char *)bytes, (int)size, 1), "cannot pack a payload");
    pingpong_check(pvm_send(pingpong->peer, kind), "cannot send");
}

static void pingpong_unpack(const struct pingpong *pingpong, int buffer,
                            struct link_message *message)
{
    int bytes, tag, from;
    pingpong_check(buffer, "cannot receive");
    pingpong_check(pvm_bufinfo(buffer, &bytes, &tag, &from), "cannot look at a message");
    if (tag == PINGPONG_TAG_EXIT)
        fail("the other process, t%x, ended before its work was done", (unsigned)pingpong->peer);
    if (from != pingpong->peer)
        fail("unexpected message with tag %d from t%x", tag, (unsigned)from);
    if ((size_t)bytes > message->capacity)
        fail("a message of %d bytes came, which is longer than --size", bytes);
    pingpong_check(pvm_upkbyte((char *)message->bytes, bytes, 1), "cannot unpack a message");
    if (tag == PINGPONG_TAG_FAILURE)
        fail("P2 failed: %.*s", bytes, (const char *)message->bytes);
    message->kind = tag;
    message->size = (size_t)bytes;
}

static void pingpong_receive(struct link *link, struct link_message *message)
{
    pingpong_unpack(link->system, pvm_recv(-1, -1), message);
}

static bool pingpong_receive_until(struct link *link, struct link_message *message,
                                   int64_t deadline_ns)
{
    int64_t left_us = (deadline_ns - measure_clock_ns()) / 1000;
    if (left_us < 0)
        left_us = 0;
    struct timeval timeout = {.tv_sec = left_us / 1000000, .tv_usec = left_us % 1000000};
    int buffer = pvm_trecv(-1, -1, &timeout);
    if (buffer == 0)
        return false;
    pingpong_unpack(link->system, buffer, message);
    return true;
}

static bool pingpong_probe(struct link *link)
{
    (void)link;
    return pingpong_check(pvm_probe(-1, -1), "cannot look for messages") > 0;
}

static void pingpong_watch(struct link *link)
{
    struct pingpong *pingpong = link->system;
    int *descriptors;
    nfds_t count = (nfds_t)pingpong_check(pvm_getfds(&descriptors), "cannot get descriptors") + 1;
    if (count > pingpong->watched_count) {
        pingpong->watched = realloc(pingpong->watched, count * sizeof *pingpong->watched);
        if (!pingpong->watched)
            fail("no memory to watch %lu descriptors", (unsigned long)count);
        pingpong->watched[0] = pingpong->wake;
    }
    for (nfds_t i = 1; i < count; i++)
        pingpong->watched[i] = (struct pollfd){.fd = descriptors[i - 1], .events = POLLIN};
    pingpong->watched_count = count;
}

static void pingpong_wait(struct link *link)
{
    struct pingpong *pingpong = link->system;
    uint64_t wakes;
    while (poll(pingpong->watched, pingpong->watched_count, -1) < 0)
        if (errno != EINTR)
            fail("cannot wait for messages: %s", strerror(errno));
    if (pingpong->watched[0].revents && read(pingpong->wake.fd, &wakes, sizeof wakes) < 0)
        fail("cannot read the wake-up: %s", strerror(errno));
}

static void pingpong_wake(struct link *link)
{
    struct pingpong *pingpong = link->system;
    const uint64_t one = 1;
    int *descriptors;
    nfds_t count = (nfds_t)pingpong_check(pvm_getfds(&descriptors), "cannot get descriptors") + 1;
    if (!pingpong_probe(link) && count == pingpong->watched_count)
        return;
    if (write(pingpong->wake.fd, &one, sizeof one) < 0)
        fail("cannot wake T2: %s", strerror(errno));
}

#ifdef PVM_THREADSAFE
static void pingpong_interrupt(void)
{
    pingpong_check(pvm_interrupt_recv(), "cannot interrupt the receiver");
}

static void pingpong_resume(void)
{
    pingpong_check(pvm_resume_recv(), "cannot resume the receiver");
}
#endif

static const struct version *const pingpong_versions[] = {
    &version_poll,
    &version_getfds,
#ifdef PVM_THREADSAFE
    &version_qts,
    &version_ts,
#endif
    NULL,
};

static const struct link pingpong_link = {
    .send = pingpong_send,
    .receive = pingpong_receive,
    .receive_until = pingpong_receive_until,
    .probe = pingpong_probe,
#ifdef PVM_THREADSAFE
    .interrupt = pingpong_interrupt,
    .resume = pingpong_resume,
#endif
    .watch = pingpong_watch,
    .wait = pingpong_wait,
    .wake = pingpong_wake,
};

static void pingpong_enrol(const struct options *options)
{
    int quiet = pvm_setopt(PvmAutoErr, 0); /* every error is reported here, once */
    if (pvm_mytid() < 0)
        fail("no pvmd answers (%s); start one (pvmd, or the console pvm) with the same PVM_TMP and "
             "PVM_VMID", pvm_strerror());
    pingpong_check(quiet, "cannot set the error option");
    if (options->direct)
        pingpong_check(pvm_setopt(PvmRoute, PvmRouteDirect), "cannot ask for the direct route");
}

/* Tells this process when the other one ends. */
static void pingpong_pair(struct pingpong *pingpong, int peer)
{
    pingpong->peer = peer;
    pingpong_check(pvm_notify(PvmTaskExit, PINGPONG_TAG_EXIT, 1, &peer),
                   "cannot ask to be told when the other process ends");
}

static int pingpong_spawn(int argc, char **argv)
{
    char path[4096];
    int tid;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        fail("cannot find out where this program is: %s", strerror(errno));
    path[length] = '\0';

    char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
    if (!arguments)
        fail("no memory for %d arguments", argc);
    arguments[0] = "--answer"; /* in place of the program's name */
    memcpy(arguments + 1, argv + 1, ((size_t)argc - 1) * sizeof *arguments);
    if (pvm_spawn(path, arguments, PvmTaskDefault, "", 1, &tid) != 1)
        fail("cannot spawn P2 from %s: error %d of pvm_spawn", path, tid);
    free(arguments);
    return tid;
}

/* P2 has left the virtual machine when this returns. It does not leave by itself: the pvmd's word
 * of its end may be faster than what it sent on a direct route. */
static void pingpong_see_off(struct link *link)
{
    pingpong_send(link, PINGPONG_TAG_END, "", 1);
    pingpong_check(pvm_recv(-1, PINGPONG_TAG_EXIT), "cannot wait for the end of P2");
}

static void pingpong_run(const struct options *options, struct link *link, int argc, char **argv)
{
    struct pingpong *pingpong = link->system;
    struct link_message ready = link_message_create(0);
    pingpong->wake = (struct pollfd){.fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN};
    if (pingpong->wake.fd < 0)
        fail("cannot make an eventfd: %s", strerror(errno));
    pingpong_pair(pingpong, pingpong_spawn(argc, argv));
    link->receive(link, &ready);
    free(ready.bytes);

    struct link_pair links = {link, link};
    printf("PVM %s: P1 is t%x, P2 is t%x\n", pvm_version(), (unsigned)pvm_mytid(),
           (unsigned)pingpong->peer);
    if (options->serve)
        serve_run(options, links);
    else
        exchange_run(options, links);
    pingpong_see_off(link);
    free(pingpong->watched);
    close(pingpong->wake.fd);
}

static void pingpong_tell_parent(void *context, const char *text)
{
    (void)context;
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte((char *)text, (int)strlen(text), 1);
    pvm_send(pvm_parent(), PINGPONG_TAG_FAILURE);
}

static void pingpong_answer(const struct options *options, struct link *link)
{
    struct link_message end = link_message_create(0);
    pingpong_pair(link->system, pingpong_check(pvm_parent(), "--answer: P1 has to spawn this"));
    fail_listen(pingpong_tell_parent, NULL);
    link->send(link, LINK_READY, "", 1);
    if (options->serve)
        serve_answer(options, link);
    else
        exchange_answer(options, link);
    link->receive(link, &end);
    free(end.bytes);
}

int main(int argc, char **argv)
{
    struct options options;
    struct pingpong pingpong = {0};
    struct link link = pingpong_link;
    link.system = &pingpong;

    options_parse(&options, &(struct options_offer){pingpong_versions, true}, argc, argv);
    if (!options.answer)
        options_confine(&options);
    pingpong_enrol(&options);
    if (options.answer)
        pingpong_answer(&options, &link);
    else
        pingpong_run(&options, &link, argc, argv);
    pvm_exit();
    return 0;
}
