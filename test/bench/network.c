/*
 * network.c - two tasks on two hosts, or two processes with a TCP connection: messages of one size
 * there and back, and many of them one way, for network.py.
 *
 * usage: network answer [direct]             prints its tid; gives back what it is asked
 *        network ask TID COUNT SIZE [direct]  prints nanoseconds there and back, "@ NS" each
 *        network pour TID ROUNDS COUNT SIZE [direct]  prints nanoseconds of each round
 *        network end TID                      the one that answers ends
 *        network listen                       prints its port; the same over TCP
 *        network tcp-ask ADDRESS PORT COUNT SIZE
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST (16 << 20)

enum { ASK = 1, BULK, END };

static char data[MOST];

static void fail(const char *what)
{
    fprintf(stderr, "network: %s\n", what);
    exit(1);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Over PVM. ------------------------------------------------------------------------------------ */

static void answer(void)
{
    printf("%x\n", pvm_mytid());
    fflush(stdout);
    for (;;) {
        int bytes, tag, source, id = pvm_recv(-1, -1);
        if (id < 0 || pvm_bufinfo(id, &bytes, &tag, &source) < 0)
            fail("cannot receive");
        if (tag == END)
            return;
        pvm_upkbyte(data, bytes, 1);
        if (tag == ASK && pvm_psend(source, ASK, data, bytes, PVM_BYTE) < 0)
            fail("cannot answer");
    }
}

static void ask_once(int peer, int size)
{
    int source, tag, bytes;
    if (pvm_psend(peer, ASK, data, size, PVM_BYTE) < 0 ||
        pvm_precv(peer, ASK, data, size, PVM_BYTE, &source, &tag, &bytes) < 0)
        fail("no answer");
}

static void ask(int peer, int count, int size)
{
    for (int i = 0; i < count; i++) {
        int64_t begin = now();
        ask_once(peer, size);
        printf("@ %lld\n", (long long)(now() - begin));
    }
}

static void pour(int peer, int rounds, int count, int size)
{
    for (int round = 0; round < rounds; round++) {
        int64_t begin = now();
        for (int i = 0; i < count; i++)
            if (pvm_psend(peer, BULK, data, size, PVM_BYTE) < 0)
                fail("cannot send");
        ask_once(peer, 1);
        printf("@ %lld\n", (long long)(now() - begin));
    }
}

/* Over TCP. ------------------------------------------------------------------------------------ */

static void give(int fd, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t some = write(fd, data + done, size - done);
        if (some <= 0)
            fail("cannot write");
        done += (size_t)some;
    }
}

static void tune(int fd)
{
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void listen_here(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 1) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) < 0)
        fail("cannot listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    uint32_t size;
    int peer = accept(fd, NULL, NULL);
    tune(peer);
    if (recv(peer, &size, sizeof size, MSG_WAITALL) != sizeof size)
        fail("cannot read");
    while (recv(peer, data, size, MSG_WAITALL) == (ssize_t)size)
        give(peer, size);
}

static void tcp_ask(const char *host, int port, int count, int size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    uint32_t bytes = (uint32_t)size;
    inet_pton(AF_INET, host, &address.sin_addr);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        fail("cannot connect");
    tune(fd);
    if (write(fd, &bytes, sizeof bytes) != sizeof bytes)
        fail("cannot write");
    for (int i = 0; i < count; i++) {
        int64_t begin = now();
        give(fd, bytes);
        if (recv(fd, data, bytes, MSG_WAITALL) != (ssize_t)bytes)
            fail("cannot read");
        printf("@ %lld\n", (long long)(now() - begin));
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int number[4] = {0};
    for (int i = 3; i < argc && i < 7; i++)
        number[i - 3] = atoi(argv[i]);
    if (strcmp(what, "listen") == 0) {
        listen_here();
        return 0;
    }
    if (strcmp(what, "tcp-ask") == 0 && argc > 5) {
        tcp_ask(argv[2], number[0], number[1], number[2]);
        return 0;
    }
    int peer = argc > 2 ? (int)strtoul(argv[2], NULL, 16) : 0;
    if (strcmp(argv[argc - 1], "direct") == 0)
        pvm_setopt(PvmRoute, PvmRouteDirect);
    if (strcmp(what, "answer") == 0)
        answer();
    else if (strcmp(what, "ask") == 0)
        ask(peer, number[0], number[1]);
    else if (strcmp(what, "pour") == 0)
        pour(peer, number[0], number[1], number[2]);
    else if (strcmp(what, "end") == 0) {
        pvm_initsend(PvmDataRaw);
        pvm_send(peer, END);
    }
    pvm_exit();
    return 0;
}
