/*
 * carried.c - user-level processes that share one processor.
 *
 * usage: carried turns ROUNDS   two answer each other, which needs hardly any switch by the system
 *        carried computes FILE  one computes until another ends it
 *        carried nrecv          one polls for a message until another has sent it
 *        carried WAY FILE       one waits outside PVM for what another does: reads, selects, polls,
 *                               stream, locks, queue, child
 * Prints ok. It is the children, too: number 0, which waits, and number 1.
 */
#include <fcntl.h>
#include <poll.h>
#include <pvm3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "numbers.h"

enum { OTHER = 1, TURN, READY, DONE };

static int other, parent;

static int descriptor_of(const char *path, int flags)
{
    int descriptor = open(path, flags, 0600);
    expect("open", descriptor >= 0, 1);
    return descriptor;
}

/* Turns. --------------------------------------------------------------------------------------- */

static void take_turns(int number, int rounds)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < rounds; i++) {
        if (number == 0)
            send_number(other, TURN, i);
        expect("turn", receive_number(other, TURN), i);
        if (number == 1)
            send_number(other, TURN, i);
    }
    getrusage(RUSAGE_SELF, &after);
#ifndef __SANITIZE_THREAD__ /* whose own threads wait for each other */
    expect("few switches", after.ru_nvcsw - before.ru_nvcsw < rounds / 10, 1);
#endif
}

/* Computing. ----------------------------------------------------------------------------------- */

/* Shared memory, so that neither needs a call to see it. */
static void compute_or_end(int number, const char *path)
{
    int descriptor = descriptor_of(path, O_RDWR | O_CREAT);
    expect("ftruncate", ftruncate(descriptor, sizeof(atomic_int)), 0);
    atomic_int *over = mmap(NULL, sizeof *over, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (number == 1)
        atomic_store(over, receive_number(other, TURN));
    else
        send_number(other, TURN, 1);
    while (!atomic_load_explicit(over, memory_order_relaxed))
        ;
}

static void poll_or_send(int number)
{
    if (number == 1)
        send_number(other, TURN, receive_number(other, TURN));
    else
        send_number(other, TURN, 1);
    while (number == 0 && pvm_nrecv(other, TURN) == 0)
        ;
}

/* Waiting outside PVM. ------------------------------------------------------------------------- */

static void await_byte(const char *way, int descriptor)
{
    struct pollfd set = {.fd = descriptor, .events = POLLIN};
    fd_set readable;
    char byte;
    FD_ZERO(&readable);
    FD_SET(descriptor, &readable);
    if (strcmp(way, "selects") == 0)
        expect("select", select(descriptor + 1, &readable, NULL, NULL, NULL), 1);
    if (strcmp(way, "polls") == 0)
        expect("poll", poll(&set, 1, -1), 1);
    if (strcmp(way, "stream") == 0)
        expect("fgetc", fgetc(fdopen(descriptor, "r")), 'x');
    else
        expect("read", read(descriptor, &byte, 1), 1);
}

static void through_pipe(int number, const char *way, const char *path)
{
    mkfifo(path, 0600);
    int descriptor = descriptor_of(path, O_RDWR);
    if (number == 0)
        await_byte(way, descriptor);
    else
        expect("write", write(descriptor, "x", 1), 1);
}

/* Number 1 has the lock when the other wants it, and gives it up then. */
static void by_lock(int number, const char *path)
{
    int descriptor = descriptor_of(path, O_RDWR | O_CREAT);
    if (number == 1)
        expect("flock", flock(descriptor, LOCK_EX), 0);
    if (number == 1)
        send_number(other, READY, 0);
    else
        receive_number(other, READY);
    if (number == 0) {
        send_number(other, READY, 0);
        expect("flock", flock(descriptor, LOCK_EX), 0);
    } else {
        receive_number(other, READY);
    }
    close(descriptor);
}

struct letter {
    long type;
    char text[8];
};

static void by_queue(int number, const char *path)
{
    close(descriptor_of(path, O_RDWR | O_CREAT));
    int queue = msgget(ftok(path, 1), IPC_CREAT | 0600);
    struct letter letter = {1, "letter"};
    if (number == 0) {
        expect("msgrcv", msgrcv(queue, &letter, sizeof letter.text, 0, 0), sizeof letter.text);
        msgctl(queue, IPC_RMID, NULL);
    } else {
        expect("msgsnd", msgsnd(queue, &letter, sizeof letter.text, 0), 0);
    }
}

/* A child that ends when the other has written. */
static void by_child(int number, const char *path)
{
    int status;
    char byte;
    mkfifo(path, 0600);
    int descriptor = descriptor_of(path, O_RDWR);
    if (number == 1) {
        expect("write", write(descriptor, "x", 1), 1);
        return;
    }
    pid_t child = fork();
    if (child == 0)
        _exit(read(descriptor, &byte, 1) == 1 ? 7 : 8);
    expect("waitpid", waitpid(child, &status, 0), child);
    expect("status", WEXITSTATUS(status), 7);
}

/* ---------------------------------------------------------------------------------------------- */

static void be_child(int number, const char *scene, const char *detail)
{
    parent = pvm_parent();
    other = receive_number(parent, OTHER);
    if (strcmp(scene, "turns") == 0)
        take_turns(number, atoi(detail));
    else if (strcmp(scene, "computes") == 0)
        compute_or_end(number, detail);
    else if (strcmp(scene, "nrecv") == 0)
        poll_or_send(number);
    else if (strcmp(scene, "locks") == 0)
        by_lock(number, detail);
    else if (strcmp(scene, "queue") == 0)
        by_queue(number, detail);
    else if (strcmp(scene, "child") == 0)
        by_child(number, detail);
    else
        through_pipe(number, scene, detail);
    if (number == 0)
        send_number(other, DONE, 0);
    else
        receive_number(other, DONE); /* what it has open stays so long */
    send_number(parent, DONE, number);
    pvm_exit();
}

int main(int argc, char **argv)
{
    int tids[2];
    char numbers[2][2] = {"0", "1"};
    const char *scene = argc > 1 ? argv[1] : "";
    if (argc > 3) {
        be_child(atoi(argv[3]), scene, argv[2]);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        char *words[] = {argv[1], argc > 2 ? argv[2] : "-", numbers[i], NULL};
        expect("pvm_spawn", pvm_spawn("carried", words, PvmTaskUlp, NULL, 1, &tids[i]), 1);
    }
    for (int i = 0; i < 2; i++)
        send_number(tids[i], OTHER, tids[1 - i]);
    for (int i = 0; i < 2; i++)
        receive_number(-1, DONE);
    puts("ok");
    pvm_exit();
    return 0;
}
