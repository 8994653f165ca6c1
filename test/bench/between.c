/* How fast does data go from a task on one host to a task on another one, and how soon does a
 * short message come?
 *
 * usage: between sink                                   prints its tid, takes everything until it is told to end
 *        between send|psend TID ROUNDS COUNT BYTES      bulk data: COUNT messages a round, packed raw or in place
 *        between ask TID COUNT                          short messages and their answers, while others do what they do
 *        between state TID COUNT                        asks whether the task is there (pvm_pstat)
 *        between end TID                                tells the sink
 *        between listen [HOW] | between pour ADDRESS PORT ROUNDS COUNT BYTES [HOW]
 *                                                      the same over a TCP connection without PVM; with HOW, copy or
 *                                                      splice, through a process on each side that only passes on
 *
 * Prints a line "@KIND nanoseconds" for each round or question; "listen" prints its port first.
 */
#define _GNU_SOURCE /* splice */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BULK = 1, ANSWER, END, MOST = 16 << 20 };
enum { COPIED = 64 << 10, SPLICED = 1 << 20 }; /* bytes that are passed on at a time */

static char data[MOST];

static void fail(const char *what)
{
    fprintf(stderr, "between: %s\n", what);
    exit(1);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void told(const char *kind, int64_t begin)
{
    printf("@%s %lld\n", kind, (long long)(now() - begin));
}

static void sink(void)
{
    printf("%x\n", (unsigned)pvm_mytid());
    fflush(stdout);
    for (;;) {
        int bytes, tag, source;
        if (pvm_bufinfo(pvm_recv(-1, -1), &bytes, &tag, &source) < 0)
            fail("cannot receive");
        if (tag == END)
            return;
        if (bytes > 0)
            pvm_upkbyte(data, bytes, 1);
        if (tag == ANSWER) {
            pvm_initsend(PvmDataRaw);
            pvm_send(source, ANSWER);
        }
    }
}

/* An empty message behind all others, and its answer. */
static void ask(int peer)
{
    pvm_initsend(PvmDataRaw);
    if (pvm_send(peer, ANSWER) < 0 || pvm_recv(peer, ANSWER) < 0)
        fail("no answer");
}

static void bulk(int peer, int rounds, int count, int bytes, int packed)
{
    for (int round = 0; round < rounds; round++) {
        int64_t begin = now();
        for (int i = 0; i < count; i++) {
            if (packed) {
                pvm_initsend(PvmDataRaw);
                pvm_pkbyte(data, bytes, 1);
            }
            if ((packed ? pvm_send(peer, BULK) : pvm_psend(peer, BULK, data, bytes, PVM_BYTE)) < 0)
                fail("cannot send");
        }
        ask(peer);
        told("bulk", begin);
    }
}

static void questions(int peer, int count, int state)
{
    for (int i = 0; i < count; i++) {
        int64_t begin = now();
        if (state)
            pvm_pstat(peer);
        else
            ask(peer);
        told("ask", begin);
    }
}

static void give(int fd, size_t size)
{
    while (size > 0) {
        ssize_t some = write(fd, data, size < MOST ? size : MOST);
        if (some <= 0)
            fail("cannot write");
        size -= (size_t)some;
    }
}

/* What has come, with one copy in and one out. False at its end. */
static bool copy_on(int from, int to)
{
    ssize_t size = read(from, data, COPIED);
    if (size > 0)
        give(to, (size_t)size);
    return size > 0;
}

/* The same by way of a pipe, which holds references to the system's own pages. */
static bool splice_on(int from, int to, const int pipe[2])
{
    ssize_t size = splice(from, NULL, pipe[1], NULL, SPLICED, 0);
    for (ssize_t left = size; left > 0;) {
        ssize_t some = splice(pipe[0], NULL, to, NULL, (size_t)left, 0);
        if (some <= 0)
            fail("cannot splice");
        left -= some;
    }
    return size > 0;
}

static void pass_on(int one, int other, bool copied)
{
    struct pollfd ends[2] = {{.fd = one, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    int between[2];
    bool open = pipe(between) == 0 && fcntl(between[1], F_SETPIPE_SZ, SPLICED) >= 0;
    while (open && poll(ends, 2, -1) > 0)
        for (int i = 0; i < 2 && open; i++)
            if (ends[i].revents)
                open = copied ? copy_on(ends[i].fd, ends[1 - i].fd)
                              : splice_on(ends[i].fd, ends[1 - i].fd, between);
}

/* A process of its own stands before the connection, as a pvmd does, unless `how` is NULL. */
static int behind_another(int connection, const char *how)
{
    int pair[2];
    if (!how)
        return connection;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        fail("cannot make a socket");
    if (fork() == 0) {
        close(pair[0]);
        pass_on(pair[1], connection, strcmp(how, "copy") == 0);
        _exit(0);
    }
    close(pair[1]);
    close(connection);
    return pair[0];
}

/* Takes what comes; every round begins with its size, and one byte is its answer. */
static void listen_here(const char *how)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 1) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        fail("cannot listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int peer = behind_another(accept(fd, NULL, NULL), how);
    uint64_t left;
    while (recv(peer, &left, sizeof left, MSG_WAITALL) == sizeof left) {
        while (left > 0) {
            ssize_t some = read(peer, data, left < 1 << 20 ? left : 1 << 20);
            if (some <= 0)
                fail("cannot read");
            left -= (uint64_t)some;
        }
        give(peer, 1);
    }
}

static void pour(const char *host, int port, int rounds, int count, int bytes, const char *how)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, host, &address.sin_addr);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        fail("cannot connect");
    fd = behind_another(fd, how);
    for (int round = 0; round < rounds; round++) {
        uint64_t size = (uint64_t)count * (uint64_t)bytes;
        int64_t begin = now();
        if (write(fd, &size, sizeof size) != sizeof size)
            fail("cannot write");
        for (int i = 0; i < count; i++)
            give(fd, (size_t)bytes);
        if (read(fd, data, 1) != 1)
            fail("cannot read");
        told("bulk", begin);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int number[5] = {0};
    for (int i = 3; i < argc && i < 8; i++)
        number[i - 3] = atoi(argv[i]);
    int peer = argc > 2 ? (int)strtoul(argv[2], NULL, 16) : 0;
    memset(data, 1, sizeof data);
    if (strcmp(what, "listen") == 0)
        listen_here(argc > 2 ? argv[2] : NULL);
    else if (strcmp(what, "pour") == 0)
        pour(argv[2], number[0], number[1], number[2], number[3], argc > 7 ? argv[7] : NULL);
    else if (strcmp(what, "sink") == 0)
        sink();
    else if (strcmp(what, "send") == 0 || strcmp(what, "psend") == 0)
        bulk(peer, number[0], number[1], number[2], what[0] == 's');
    else if (strcmp(what, "ask") == 0 || strcmp(what, "state") == 0)
        questions(peer, number[0], what[0] == 's');
    else if (strcmp(what, "end") == 0) {
        pvm_initsend(PvmDataRaw);
        pvm_send(peer, END);
    } else
        fail("what?");
    if (what[0] != 'l' && strcmp(what, "pour") != 0)
        pvm_exit();
    return 0;
}
