/* How many messages a call that does not wait lets in.
 *
 * Started with arguments, the program is the peer. For each byte in the first FIFO, it sends its
 * parent messages with the tags 1 to COUNT, and writes a byte to the second one once they all have
 * come to the socket of the parent. So the parent makes no call meanwhile.
 */
#include "observe.h"
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { COUNT = 10, LONGEST = 4032 };

static char bytes[LONGEST], asked[200], answered[200];
static int asks, answers; /* of the FIFOs */
static int child;
static const int sizes[] = {8, 0, 200, 4000, LONGEST};

static int peer(void)
{
    int parent = pvm_parent(), out = open(answered, O_WRONLY), in = open(asked, O_RDONLY);
    unsigned char which;

    while (read(in, &which, 1) == 1 && which < sizeof sizes / sizeof *sizes) {
        for (int tag = 1; tag <= COUNT; tag++) {
            pvm_initsend(PvmDataDefault);
            pvm_pkbyte(bytes, sizes[which], 1);
            pvm_send(parent, tag);
        }
        for (int i = 0; i < 20; i++) /* the daemon answers when it has passed them on */
            pvm_config(NULL, NULL, NULL);
        if (write(out, "", 1) != 1)
            break;
    }
    pvm_exit();
    return 0;
}

/* Returns when messages of that size are there and no others. */
static void bring(unsigned char which)
{
    char byte;

    for (int vain = 0; vain < 100; vain++)
        if (pvm_nrecv(-1, -1) > 0)
            vain = 0;
    if (write(asks, &which, 1) != 1 || read(answers, &byte, 1) != 1)
        printf("no byte came\n");
}

/* Calls until one finds the message, and prints which. */
static void count_calls(const char *what, int tag, int (*call)(int tid, int tag))
{
    int calls = 1;

    while (calls < 1000 && call(-1, tag) <= 0)
        calls++;
    printf("%s: call %d finds tag %d\n", what, calls, tag);
}

static int receive_in_no_time(int tid, int tag)
{
    struct timeval none = {0, 0};
    return pvm_trecv(tid, tag, &none);
}

static void calls_see(void)
{
    AREA("calls");
    bring(0);
    count_calls("nrecv", COUNT, pvm_nrecv);
    count_calls("nrecv", 1, pvm_nrecv);
    bring(0);
    count_calls("probe", COUNT, pvm_probe);
    bring(0);
    count_calls("trecv", COUNT, receive_in_no_time);
    bring(0);
    SEE(pvm_nrecv(-1, 2) > 0);
    SEE(pvm_nrecv(-1, 1) > 0);
    SEE(pvm_nrecv(-1, 2) > 0);
    bring(0);
    SEE(pvm_nrecv(-1, 3) > 0);
    SEE(pvm_nrecv(-1, 1) > 0);
    SEE(pvm_probe(-1, 3) > 0);
    SEE(pvm_nrecv(-1, 3) > 0);
}

static void sizes_see(void)
{
    AREA("sizes");
    for (unsigned char i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char what[30];
        snprintf(what, sizeof what, "%d bytes", sizes[i]);
        bring(i);
        count_calls(what, COUNT, pvm_nrecv);
    }
}

/* What a call that waits lets in first. */
static void waits_see(void)
{
    AREA("after calls that wait");
    bring(0);
    pvm_recv(-1, 4);
    count_calls("recv of 4", COUNT, pvm_nrecv);
    bring(0);
    pvm_recv(-1, -1);
    count_calls("recv of any", COUNT, pvm_nrecv);
}

static int is_readable(void)
{
    struct timeval none = {0, 0};
    int *descriptors, count = pvm_getfds(&descriptors);
    fd_set set;

    FD_ZERO(&set);
    for (int i = 0; i < count; i++)
        FD_SET(descriptors[i], &set);
    return count > 0 ? select(FD_SETSIZE, &set, NULL, NULL, &none) : count;
}

/* The tag of the message that a receive of any gets. */
static int first_tag(void)
{
    int tag = 0;

    pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, NULL);
    return tag;
}

/* What sends let in: each one message, a multicast to others, too. */
static void sends_see(void)
{
    int own = pvm_mytid();

    AREA("after sends");
    pvm_initsend(PvmDataDefault);
    bring(0);
    SEE(pvm_notify(PvmTaskExit, 99, 1, &child));
    SEE(pvm_notify(PvmTaskExit, 99, 1, &child));
    count_calls("two requests", COUNT, pvm_nrecv);
    bring(0);
    SEE(pvm_send(child, 98));
    count_calls("a send", COUNT, pvm_nrecv);
    bring(0);
    SEE(pvm_mcast(&child, 1, 97));
    count_calls("a multicast", COUNT, pvm_nrecv);
    SEE(pvm_send(child, 98));
    bring(0);
    SEE(pvm_mcast(&own, 1, 97));
    count_calls("a multicast to nobody", COUNT, pvm_nrecv);
    SEE(pvm_bufinfo(pvm_getsbuf(), NULL, &own, NULL));
    SEE(own);
    bring(0);
    SEE(pvm_send(pvm_mytid(), COUNT + 1));
    SEE(first_tag());
    SEE(pvm_recv(-1, COUNT + 1) > 0);
}

static int handled[COUNT + 1], runs;

static int note(int buffer)
{
    return pvm_bufinfo(buffer, NULL, &handled[runs++], NULL);
}

static void let_run(int most)
{
    while (runs < most)
        pvm_probe(-1, 99);
    runs = 0;
}

/* Handlers run in sends, too, and an own message is handled behind those that came before. */
static void handlers_see(void)
{
    AREA("handlers");
    pvm_initsend(PvmDataDefault);
    SEE(pvm_addmhf(-1, -1, 0, note) > 0);
    bring(0);
    SEE(pvm_send(child, 98));
    SEE(runs > 0);
    let_run(COUNT);
    bring(0);
    SEE(pvm_send(pvm_mytid(), COUNT + 1));
    let_run(COUNT + 1);
    for (int i = 0; i <= COUNT; i++)
        SEE(handled[i]);
}

/* One that waits for its descriptors is woken for each message, and not when all are taken. */
static void descriptors_see(void)
{
    int received = 0;

    AREA("descriptors");
    bring(0);
    while (received <= COUNT && is_readable() > 0)
        received += pvm_nrecv(-1, -1) > 0;
    SEE(received);
    SEE(is_readable());
}

int main(int argc, char **argv)
{
    char *arguments[] = {asked, answered, NULL};

    observe();
    snprintf(asked, sizeof asked, "%s", argc == 3 ? argv[1] : "");
    snprintf(answered, sizeof answered, "%s", argc == 3 ? argv[2] : "");
    if (argc == 3)
        return peer();
    snprintf(asked, sizeof asked, "%s/asked", getenv("PVM_TMP"));
    snprintf(answered, sizeof answered, "%s/answered", getenv("PVM_TMP"));
    mkfifo(asked, 0600);
    mkfifo(answered, 0600);
    asks = open(asked, O_RDWR);
    answers = open(answered, O_RDWR);
    SEE(pvm_spawn("letting", arguments, PvmTaskDefault, "", 1, &child));
    calls_see();
    sizes_see();
    waits_see();
    sends_see();
    descriptors_see();
    handlers_see();
    if (write(asks, "\377", 1) != 1)
        printf("no end\n");
    unlink(asked);
    unlink(answered);
    pvm_exit();
    return 0;
}
