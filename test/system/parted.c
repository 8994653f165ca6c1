/* Do messages stay as they were sent when their sender, or a receiver, leaves the machine?
 *
 * usage: parted WAY ENCODING ROUTE
 *
 * A sender gives messages of several sizes to three tasks, alone and as a multicast. One has unpacked the first half,
 * one has put its messages aside, and one has not received any. Then the sender leaves by the WAY: it `exits` and packs,
 * `enrols` anew and sends, `forks` and both send, or is `killed`. Or `receivers` leave and enrol anew, and the sender
 * sends to them. Or all receivers have `children` by fork, and the sender enrols anew. Then everything is read to its
 * end. Prints "checked N", or what is wrong with the exit status 1.
 */
#include "children.h"
#include <pvm3.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { RECEIVERS = 3, MOST = 100000, SPOILS = 12, WARM = 4, ENROLMENTS = 3 };
enum { SETTING = 1, WARMING, WARMED, ALONE, TOGETHER, STANDS, LEAVE, SPOIL, SPOILT, CHECK, DONE };

static const int sizes[] = {1, 40, 100, 1000, 10000, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct setting {
    int way; /* its first letter; 'x' for "exits" */
    int encoding;
    int route;
    int coordinator;
    int receivers[RECEIVERS];
};
static struct setting now;
static int values[MOST];
static int checked;

static void hear_setting(void)
{
    if (pvm_recv(pvm_parent(), SETTING) < 0 ||
        pvm_upkint((int *)&now, sizeof now / sizeof(int), 1) < 0)
        fail("no setting");
    if (now.route)
        pvm_setopt(PvmRoute, PvmRouteDirect);
}

/* Packs `size` values; other seeds are other contents. */
static void pack(int size, int seed)
{
    for (int i = 0; i < size; i++)
        values[i] = seed + i;
    pvm_initsend(now.encoding);
    expect("pack", pvm_pkint(values, size, 1), 0);
}

static void check_part(int from, int to, int seed)
{
    expect("unpack", pvm_upkint(values, to - from, 1), 0);
    for (int i = from; i < to; i++)
        if (values[i - from] != seed + i)
            fail("element %d of %d is %d, not %d", i, to, values[i - from], seed + i);
    checked++;
}

static int alone(int place)
{
    return 1000000 * (place + 1);
}

static int together(int place)
{
    return -1000000 * (place + 1);
}

static int packed[SIZES][2]; /* the sender's buffers */

/* Packs other values, in the same buffers at first, and sends them to the receivers, if any: returns how many. */
static int spoil(const int *receivers)
{
    for (int place = 0; place < SIZES; place++)
        for (int i = 0; i < 2 && packed[place][i]; i++) {
            expect("set buffer", pvm_setsbuf(packed[place][i]), 0);
            pack(sizes[place], 7);
            packed[place][i] = 0;
            pvm_setsbuf(0);
        }
    for (int turn = 0; turn < SPOILS; turn++)
        for (int place = 0; place < SIZES; place++) {
            pack(sizes[place], 7 * turn);
            for (int i = 0; receivers && i < RECEIVERS; i++)
                expect("send", pvm_send(receivers[i], SPOIL), 0);
        }
    return receivers ? SPOILS * SIZES : 0;
}

/* The sender. ---------------------------------------------------------------------------------- */

static void warm_up(void)
{
    for (int turn = 0; turn < WARM; turn++)
        for (int i = 0; i < RECEIVERS; i++) {
            pack(turn % 2 ? 1 : 10000, turn);
            expect("send", pvm_send(now.receivers[i], WARMING), 0);
            hear(now.receivers[i], WARMED);
        }
}

static void fork_and_spoil(void)
{
    fflush(stdout);
    pid_t child = fork();
    pvm_mytid();
    say(now.coordinator, SPOILT, spoil(now.receivers));
    pvm_exit();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void sender(void)
{
    hear_setting();
    warm_up();
    for (int place = 0; place < SIZES; place++) {
        pack(sizes[place], alone(place));
        for (int i = 0; i < RECEIVERS; i++)
            expect("send", pvm_send(now.receivers[i], ALONE), 0);
        packed[place][0] = pvm_setsbuf(0);
        pack(sizes[place], together(place));
        expect("multicast", pvm_mcast(now.receivers, RECEIVERS, TOGETHER), 0);
        packed[place][1] = pvm_setsbuf(0);
    }
    hear(now.coordinator, LEAVE);
    if (now.way == 'k')
        raise(SIGKILL);
    if (now.way == 'f') {
        fork_and_spoil();
        return;
    }
    int spoils = 0;
    if (now.way == 'r') {
        pvm_recv(now.coordinator, SETTING);
        pvm_upkint(now.receivers, RECEIVERS, 1);
        spoils += spoil(now.receivers);
    }
    for (int i = 0; i < ENROLMENTS && now.way != 'r'; i++) {
        pvm_exit();
        spoils += spoil(now.way == 'x' ? NULL : now.receivers);
    }
    say(now.coordinator, SPOILT, spoils);
    pvm_exit();
}

/* A receiver. ---------------------------------------------------------------------------------- */

static int kept[SIZES][2];

/* Receives both messages of each size, and unpacks a half. */
static void take(void)
{
    for (int place = 0; place < SIZES; place++) {
        pvm_recv(-1, ALONE);
        check_part(0, sizes[place] / 2, alone(place));
        kept[place][0] = pvm_setrbuf(0);
        pvm_recv(-1, TOGETHER);
        kept[place][1] = pvm_setrbuf(0);
    }
}

static void check_kept(void)
{
    for (int place = 0; place < SIZES; place++) {
        pvm_setrbuf(kept[place][0]);
        check_part(sizes[place] / 2, sizes[place], alone(place));
        pvm_freebuf(pvm_setrbuf(kept[place][1]));
        check_part(0, sizes[place], together(place));
        pvm_freebuf(kept[place][1]);
    }
}

static void check_queued(void)
{
    for (int place = 0; place < SIZES; place++) {
        pvm_recv(-1, TOGETHER);
        check_part(0, sizes[place], together(place));
        pvm_recv(-1, ALONE);
        check_part(0, sizes[place], alone(place));
    }
}

/* A child of a receiver, which checks what the receiver has kept when the receiver says so. */
struct child {
    pid_t process;
    int pipe[2];
};

static void child_start(struct child *child, bool keeps)
{
    char byte;
    if (pipe(child->pipe) < 0 || (child->process = fork()) < 0)
        fail("no child");
    if (child->process > 0)
        return;
    close(child->pipe[1]);
    if (read(child->pipe[0], &byte, 1) != 0)
        fail("the pipe is broken");
    checked = 0;
    if (keeps)
        check_kept();
    _exit(checked);
}

static void child_end(struct child *child)
{
    int status;
    close(child->pipe[1]);
    if (waitpid(child->process, &status, 0) < 0 || !WIFEXITED(status))
        fail("the child ended with status %d", status);
    checked += WEXITSTATUS(status);
}

static void receiver(int number)
{
    int parent = pvm_parent();
    struct child child;
    hear_setting();
    for (int turn = 0; turn < WARM; turn++) {
        int bufid = pvm_recv(-1, WARMING), from;
        pvm_bufinfo(bufid, NULL, NULL, &from);
        say(from, WARMED, 0);
    }
    bool takes = number == 0 || now.way == 'r';
    if (takes)
        take();
    else if (number == 1)
        while (!pvm_probe(-1, TOGETHER)) /* lets in what has come, which stays queued */
            usleep(1000);
    if (now.way == 'c')
        child_start(&child, takes);
    if (now.way == 'r')
        pvm_exit();
    say(parent, STANDS, number);
    int spoils = hear(parent, CHECK);
    for (; spoils > 0; spoils--)
        pvm_recv(-1, SPOIL);
    if (takes)
        check_kept();
    else
        check_queued();
    if (now.way == 'c')
        child_end(&child);
    say(parent, DONE, checked);
    pvm_exit();
}

/* The coordinator. ----------------------------------------------------------------------------- */

static void tell_setting(int to)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint((int *)&now, sizeof now / sizeof(int), 1);
    expect("send", pvm_send(to, SETTING), 0);
}

static void coordinate(void)
{
    int sender, spoils = 0;
    now.coordinator = pvm_mytid();
    for (int i = 0; i < RECEIVERS; i++) {
        start("receiver", 1, i, &now.receivers[i]);
        tell_setting(now.receivers[i]);
    }
    start("sender", 1, 0, &sender);
    tell_setting(sender);
    for (int i = 0; i < RECEIVERS; i++) {
        int tid, number;
        int bufid = pvm_recv(-1, STANDS);
        pvm_upkint(&number, 1, 1);
        pvm_bufinfo(bufid, NULL, NULL, &tid);
        now.receivers[number] = tid;
    }
    if (now.way == 'k')
        pvm_notify(PvmTaskExit, SPOILT, 1, &sender);
    say(sender, LEAVE, 0);
    if (now.way == 'r') {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(now.receivers, RECEIVERS, 1);
        pvm_send(sender, SETTING);
    }
    for (int words = now.way == 'f' ? 2 : 1; words > 0; words--) {
        int heard = hear(-1, SPOILT);
        spoils += now.way == 'k' ? 0 : heard;
    }
    for (int i = 0; i < RECEIVERS; i++)
        say(now.receivers[i], CHECK, spoils);
    for (int i = 0; i < RECEIVERS; i++)
        checked += hear(now.receivers[i], DONE);
    printf("checked %d\n", checked);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        const char *way = argv[1];
        now.way = strcmp(way, "exits") == 0 ? 'x' : way[0];
        now.encoding = atoi(argv[2]);
        now.route = atoi(argv[3]);
        coordinate();
    } else if (strcmp(argv[1], "sender") == 0) {
        sender();
    } else {
        receiver(atoi(argv[2]));
    }
    pvm_exit();
    return 0;
}
