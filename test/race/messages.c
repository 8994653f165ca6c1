/*
 * messages.c - many threads of one task send, receive in every way, and interrupt each other, all
 * at once.
 *
 * The task sends to itself through the pvmd. Message n of a sender carries n and bytes that follow
 * from it. Receivers of all kinds share the messages: each must arrive exactly once, whole, and
 * those of one sender with one tag in order. Run under ThreadSanitizer and Helgrind; exits 0 when
 * all is well, 1 with a line that says what is not.
 *
 * usage: messages [messages of each sender]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

enum { SENDERS = 4, RECEIVERS = 4, SIZES = 5, END_TAG = 1000, ANY = -1 };

/* Bytes in a message: below, at and beyond a fragment. */
static const int sizes[SIZES] = {0, 8, 4020, 4032, 20000};

static int own_tid;
static int messages_each = 500;
static atomic_int received_total;
static atomic_int stop;

static void fail(const char *what, int number)
{
    fprintf(stderr, "messages: %s (%d)\n", what, number);
    exit(EXIT_FAILURE);
}

static char byte_of(int number, int at)
{
    return (char)(number * 31 + at);
}

static void *send_all(void *argument)
{
    int tag = (int)(size_t)argument;
    static _Thread_local char bytes[20000];
    for (int number = 0; number < messages_each; number++) {
        int size = sizes[number % SIZES];
        for (int i = 0; i < size; i++)
            bytes[i] = byte_of(number, i);
        int encoding = number % 3 == 0   ? PvmDataDefault
                       : number % 3 == 1 ? PvmDataRaw
                                         : PvmDataInPlace;
        if (pvm_initsend(encoding) < 0 || pvm_pkint(&number, 1, 1) < 0 ||
            pvm_pkint(&size, 1, 1) < 0 || pvm_pkbyte(bytes, size, 1) < 0 ||
            pvm_send(own_tid, tag) < 0)
            fail("sending failed", number);
    }
    return NULL;
}

/*
 * Checks the active receive buffer, and its number unless `expected` is ANY. False when it was the
 * sign to end.
 */
static int take(int bufid, int expected)
{
    static _Thread_local char bytes[20000];
    int tag, number, size;
    if (pvm_bufinfo(bufid, NULL, &tag, NULL) < 0)
        fail("pvm_bufinfo failed", bufid);
    if (tag == END_TAG)
        return 0;
    if (pvm_upkint(&number, 1, 1) < 0 || pvm_upkint(&size, 1, 1) < 0)
        fail("no number in a message of tag", tag);
    if (number < 0 || number >= messages_each || size != sizes[number % SIZES])
        fail("a number or size that nobody sent", number);
    if (expected != ANY && number != expected)
        fail("out of order", number);
    if (pvm_upkbyte(bytes, size, 1) < 0)
        fail("a message was cut off", number);
    for (int i = 0; i < size; i++)
        if (bytes[i] != byte_of(number, i))
            fail("wrong bytes in message", number);
    atomic_fetch_add(&received_total, 1);
    return 1;
}

/* Receives the messages of one tag and checks their order. */
static void *receive_tag(void *argument)
{
    int tag = (int)(size_t)argument;
    for (int expected = 0; expected < messages_each; expected++) {
        int bufid = pvm_recv(own_tid, tag);
        if (bufid < 0)
            fail("pvm_recv failed", bufid);
        if (!take(bufid, expected))
            fail("a sign to end with the tag of a sender", tag);
    }
    return NULL;
}

/* Receives anything, in a way that depends on the thread, until told to end. */
static void *receive_any(void *argument)
{
    int way = (int)(size_t)argument;
    for (int going = 1; going;) {
        struct timeval timeout = {0, 2000};
        int bufid = way == 0 ? pvm_recv(-1, -1) : pvm_trecv(-1, -1, way == 1 ? &timeout : NULL);
        if (bufid < 0)
            fail("a receive failed", bufid);
        if (bufid > 0)
            going = take(bufid, ANY);
    }
    return NULL;
}

static void *look_around(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        int bufid = pvm_probe(-1, END_TAG + 1);
        if (bufid < 0)
            fail("pvm_probe failed", bufid);
        bufid = pvm_nrecv(-1, END_TAG + 1);
        if (bufid != 0)
            fail("pvm_nrecv found what nobody sent", bufid);
        int other = pvm_mkbuf(PvmDataDefault);
        if (pvm_freebuf(other) < 0 || pvm_mytid() != own_tid)
            fail("a simple call failed", other);
        sched_yield();
    }
    return NULL;
}

/* Stops receives for the time of a send, as programs written to the paper do. */
static void *interrupt(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        if (pvm_interrupt_recv() < 0)
            fail("pvm_interrupt_recv failed", 0);
        pvm_initsend(PvmDataDefault);
        if (pvm_resume_recv() < 0)
            fail("pvm_resume_recv failed", 0);
        sched_yield();
    }
    return NULL;
}

static pthread_t start(void *(*run)(void *), int argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void *)(size_t)argument) != 0)
        fail("no thread", argument);
    return thread;
}

static void send_empty(int tag)
{
    if (pvm_initsend(PvmDataDefault) < 0 || pvm_send(own_tid, tag) < 0)
        fail("sending failed", tag);
}

/* Half of the senders are received by tag and in order, the others by whoever is first. */
int main(int argc, char **argv)
{
    pthread_t senders[SENDERS], by_tag[SENDERS / 2], anyone[RECEIVERS], looker, interrupter;
    if (argc > 1)
        messages_each = atoi(argv[1]);
    own_tid = pvm_mytid();
    if (own_tid < 0)
        fail("no pvmd", own_tid);
    looker = start(look_around, 0);

    for (int i = 0; i < SENDERS / 2; i++)
        by_tag[i] = start(receive_tag, i);
    interrupter = start(interrupt, 0);
    for (int i = 0; i < SENDERS / 2; i++)
        senders[i] = start(send_all, i);
    for (int i = 0; i < SENDERS / 2; i++) {
        pthread_join(senders[i], NULL);
        pthread_join(by_tag[i], NULL);
    }

    for (int i = 0; i < RECEIVERS; i++)
        anyone[i] = start(receive_any, i % 3);
    for (int i = SENDERS / 2; i < SENDERS; i++)
        senders[i] = start(send_all, i);
    for (int i = SENDERS / 2; i < SENDERS; i++)
        pthread_join(senders[i], NULL);
    for (int i = 0; i < RECEIVERS; i++)
        send_empty(END_TAG);
    for (int i = 0; i < RECEIVERS; i++)
        pthread_join(anyone[i], NULL);

    /* The interrupter ends on a receive that is there for it to stop. */
    atomic_store(&stop, 1);
    pthread_join(looker, NULL);
    pthread_t last = start(receive_any, 0);
    pthread_join(interrupter, NULL);
    send_empty(END_TAG);
    pthread_join(last, NULL);

    if (atomic_load(&received_total) != SENDERS * messages_each)
        fail("messages were lost or doubled", atomic_load(&received_total));
    if (pvm_exit() < 0)
        fail("pvm_exit failed", 0);
    printf("%d messages, each once, whole and in order\n", SENDERS * messages_each);
    return EXIT_SUCCESS;
}
