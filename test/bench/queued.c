/* What does a receive cost beside messages that nobody has asked for?
 *
 * usage: queued QUEUED ROUNDS
 *
 * Three tasks: one sends QUEUED messages under many tags, which the first takes in and leaves; one
 * sends, for each measured receive, a message under a tag of its own. When the library has that the
 * receive is timed: of source and tag, of the source, of the tag, or of anything, which gets the
 * first of those left. Prints a line for each,
 *     @queued class=NAME ns=TIME
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pipes.h"

enum { WANTED = 1, LAST = 2, FIRST_TAG = 100, TAGS = 1000 };
enum { ONE = -1, END = -2 }; /* what else a sender is asked for */

static const struct class
{
    const char *name;
    int named_source, named_tag;
} classes[] = {{"both", 1, 1}, {"source", 1, 0}, {"tag", 0, 1}, {"neither", 0, 0}};

enum { CLASSES = sizeof classes / sizeof *classes };

static void send_one(int to, int tag)
{
    pvm_initsend(PvmDataRaw);
    pvm_pkint(&tag, 1, 1);
    if (pvm_send(to, tag) < 0)
        fail("cannot send");
}

/* Sends what the first task asks for: so many messages to be left, or ONE that is wanted. */
static void run_sender(int from, int to)
{
    put(to, pvm_mytid());
    int receiver = get(from);
    for (int count = get(from); count != END; count = get(from)) {
        for (int i = 0; i < count; i++)
            send_one(receiver, FIRST_TAG + i % TAGS);
        if (count == ONE)
            send_one(receiver, WANTED);
        send_one(receiver, LAST);
    }
}

struct sender {
    int to, from, tid;
};

/* Three tasks, of which this is the first, so the fork comes before the library. */
static struct sender start(void)
{
    int down[2], up[2];
    if (pipe(down) < 0 || pipe(up) < 0)
        fail("no pipe");
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child == 0) {
        close(down[1]);
        close(up[0]);
        run_sender(down[0], up[1]);
        pvm_exit();
        exit(0);
    }
    close(down[0]);
    close(up[1]);
    return (struct sender){down[1], up[0], get(up[0])};
}

static void await_messages(const struct sender *sender, int count)
{
    put(sender->to, count);
    if (pvm_recv(sender->tid, LAST) < 0)
        fail("cannot receive");
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void measure(const struct class *class, const struct sender *wanted)
{
    int bytes, tag, source;
    await_messages(wanted, ONE);
    int64_t begin = now();
    int buffer = pvm_recv(class->named_source ? wanted->tid : -1, class->named_tag ? WANTED : -1);
    int64_t end = now();
    if (pvm_bufinfo(buffer, &bytes, &tag, &source) < 0)
        fail("cannot receive");
    int right = tag == WANTED && source == wanted->tid;
    if (!right && (class->named_source || class->named_tag))
        fail("received what was not asked for");
    if (!right && pvm_recv(wanted->tid, WANTED) < 0)
        fail("the wanted message is gone");
    printf("@queued class=%s ns=%lld\n", class->name, (long long)(end - begin));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage: queued QUEUED ROUNDS");
    struct sender crowd = start(), wanted = start();
    put(crowd.to, pvm_mytid());
    put(wanted.to, pvm_mytid());
    await_messages(&crowd, atoi(argv[1]));
    for (int round = 0; round < atoi(argv[2]); round++)
        for (int class = 0; class < CLASSES; class ++)
            measure(&classes[class], &wanted);
    put(crowd.to, END);
    put(wanted.to, END);
    while (wait(NULL) > 0)
        continue;
    pvm_exit();
    return 0;
}
