/* How fast does data go from a task on one host to a task on another one, and how soon does a short message come?
 *
 * usage: between sink                                   prints its tid, takes everything until it is told to end
 *        between send|psend TID ROUNDS COUNT BYTES      bulk data: COUNT messages a round, packed raw or in place
 *        between ask TID COUNT                          short messages and their answers, while others do what they do
 *        between state TID COUNT                        asks whether the task is there (pvm_pstat)
 *        between end TID                                tells the sink
 *        between listen | between pour ADDRESS PORT ROUNDS COUNT BYTES       the same over a TCP connection without PVM
 *
 * Prints a line "@KIND nanoseconds" for each round or question; "listen" prints its port first.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BULK = 1, ANSWER, END, MOST = 16 << 20 };

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

/* Takes what comes; every round begins with its size, and one byte is its answer. */
static void listen_here(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 1) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        fail("cannot listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int peer = accept(fd, NULL, NULL);
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

static void pour(const char *host, int port, int rounds, int count, int bytes)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, host, &address.sin_addr);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        fail("cannot connect");
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
        listen_here();
    else if (strcmp(what, "pour") == 0)
        pour(argv[2], number[0], number[1], number[2], number[3]);
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
