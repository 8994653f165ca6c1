/* Many threads of a task use the library at once, and all that they get is checked.
 *
 * usage: threads AREA COUNT [ROUNDS]
 *   exchange   COUNT threads send to COUNT receivers of the same task, each ROUNDS messages of all
 *              sizes
 *   peers HEX  as exchange, but to the receivers of another task, which runs "threads receive"
 *   receive    prints "tid HEX", and receives what a task that runs "peers" sends
 *   interrupt  one thread receives; COUNT others interrupt it, send to it, and let it go on, ROUNDS
 *              times
 *   standing   an interrupted receiver does not take a message that is there before it may go on
 *   early      an interrupt waits for a receiver, if none is in a receive
 *   select     one thread waits in select on pvm_getfds, while another leads in pvm_recv, and COUNT
 *              others look for messages of theirs: it wakes for each of its own, ROUNDS times
 *   pack       COUNT threads pack, send, receive, and unpack buffers of their own
 * Prints "checked N" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "fail.h"

enum { MOST_THREADS = 32, SIZES = 7, FIRST_TAG = 1000, READY = 5, STOP = 6 };

static const int sizes[SIZES] = {0, 1, 10, 1000, 1006, 1007, 20000};
static int thread_count, rounds, peer;
static atomic_int checked;

static void run_all(void *(*first)(void *), void *(*second)(void *))
{
    static int numbers[MOST_THREADS];
    pthread_t threads[2 * MOST_THREADS];
    int count = 0;

    for (int i = 0; i < thread_count; i++) {
        numbers[i] = i;
        if (first)
            pthread_create(&threads[count++], NULL, first, &numbers[i]);
        if (second)
            pthread_create(&threads[count++], NULL, second, &numbers[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* ---- messages: who sent it, its place in the order, and contents that follow from both ---- */

static void message_send(int to, int tag, int sender, int place)
{
    int size = sizes[(sender + place) % SIZES];
    int *values = malloc(((size_t)size + 1) * sizeof *values);

    for (int i = 0; i < size; i++)
        values[i] = sender * 1000003 + place * 101 + i;
    pvm_initsend(place % 2 ? PvmDataDefault : PvmDataRaw);
    pvm_pkint(&sender, 1, 1);
    pvm_pkint(&place, 1, 1);
    pvm_pkint(values, size, 1);
    expect("send", pvm_send(to, tag), 0);
    free(values);
}

/* Check the active receive buffer; gives the sender. next[sender] is the place that must come. */
static int message_check(int *next)
{
    int sender, place;

    expect("unpack of the sender", pvm_upkint(&sender, 1, 1), 0);
    expect("unpack of the place", pvm_upkint(&place, 1, 1), 0);
    if (sender < 0 || sender >= MOST_THREADS)
        fail("no such sender: %d", sender);
    expect("place in the order", place, next[sender]++);
    int size = sizes[(sender + place) % SIZES];
    int *values = malloc(((size_t)size + 1) * sizeof *values);
    expect("unpack of the contents", pvm_upkint(values, size, 1), 0);
    for (int i = 0; i < size; i++)
        expect("a value", values[i], sender * 1000003 + place * 101 + i);
    expect("unpack behind the end", pvm_upkint(values, 1, 1), PvmNoData);
    free(values);
    atomic_fetch_add(&checked, 1);
    return sender;
}

/* ---- exchange, peers, receive ---- */

static void *send_to_all(void *number)
{
    int me = *(int *)number;

    for (int place = 0; place < rounds; place++)
        for (int receiver = 0; receiver < thread_count; receiver++)
            message_send(peer, FIRST_TAG + receiver, me, place);
    return NULL;
}

static void *receive_from_all(void *number)
{
    int next[MOST_THREADS] = {0}, tag = FIRST_TAG + *(int *)number;

    for (int i = 0; i < rounds * thread_count; i++) {
        if (pvm_recv(-1, tag) <= 0)
            fail("receive fails");
        message_check(next);
    }
    return NULL;
}

/* ---- interrupt ---- */

static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

static void *interrupt_and_send(void *number)
{
    int me = *(int *)number;

    for (int place = 0; place < rounds; place++) {
        pthread_mutex_lock(&sending);
        expect("interrupt", pvm_interrupt_recv(), 0);
        message_send(peer, FIRST_TAG, me, place);
        expect("resume", pvm_resume_recv(), 0);
        pthread_mutex_unlock(&sending);
    }
    return NULL;
}

/* One receiver for all; the message under STOP keeps it in a receive until all have resumed it. */
static void *receive_interrupted(void *unused)
{
    int next[MOST_THREADS] = {0}, tag = 0;

    (void)unused;
    while (tag != STOP) {
        int buffer = pvm_recv(-1, -1);
        if (buffer <= 0)
            fail("receive gives %d", buffer);
        pvm_bufinfo(buffer, NULL, &tag, NULL);
        if (tag == FIRST_TAG)
            message_check(next);
    }
    for (int i = 0; i < thread_count; i++)
        expect("messages of a sender", next[i], rounds);
    return NULL;
}

static void interrupt(void)
{
    pthread_t receiver;

    pthread_create(&receiver, NULL, receive_interrupted, NULL);
    run_all(interrupt_and_send, NULL);
    pvm_initsend(PvmDataDefault);
    pvm_send(peer, STOP);
    pthread_join(receiver, NULL);
}

/* ---- standing, early ---- */

static atomic_int received, about_to_receive;

static void *receive_once(void *unused)
{
    (void)unused;
    atomic_store(&about_to_receive, 1);
    if (pvm_recv(-1, FIRST_TAG) <= 0)
        fail("receive fails");
    atomic_store(&received, 1);
    return NULL;
}

static void standing(void)
{
    for (int round = 0; round < rounds; round++) {
        pthread_t receiver;
        atomic_store(&received, 0);
        pthread_create(&receiver, NULL, receive_once, NULL);
        expect("interrupt", pvm_interrupt_recv(), 0);
        pvm_initsend(PvmDataDefault);
        pvm_send(peer, FIRST_TAG);
        pvm_send(peer, READY);
        if (pvm_recv(peer, READY) <= 0) /* both have arrived, for they keep their order */
            fail("the interrupting thread cannot receive");
        expect("the message is still there", pvm_probe(peer, FIRST_TAG) > 0, 1);
        expect("taken while interrupted", atomic_load(&received), 0);
        expect("resume", pvm_resume_recv(), 0);
        pthread_join(receiver, NULL);
        expect("taken after that", atomic_load(&received), 1);
        atomic_fetch_add(&checked, 1);
    }
}

static void *interrupt_early(void *unused)
{
    (void)unused;
    expect("interrupt", pvm_interrupt_recv(), 0);
    expect("a receiver was there", atomic_load(&about_to_receive), 1);
    pvm_initsend(PvmDataDefault);
    pvm_send(peer, FIRST_TAG);
    expect("resume", pvm_resume_recv(), 0);
    return NULL;
}

static void early(void)
{
    for (int round = 0; round < rounds; round++) {
        pthread_t interrupter;
        atomic_store(&about_to_receive, 0);
        pthread_create(&interrupter, NULL, interrupt_early, NULL);
        receive_once(NULL);
        pthread_join(interrupter, NULL);
        atomic_fetch_add(&checked, 1);
    }
}

/* ---- select ---- */

static atomic_int stopped;

static void *lead(void *unused)
{
    if (pvm_recv(-1, STOP) <= 0)
        fail("receive fails");
    atomic_store(&stopped, 1);
    return unused;
}

static void *look_for_nothing(void *unused)
{
    while (!atomic_load(&stopped))
        expect("a message that nobody sends", pvm_nrecv(-1, READY), 0);
    return unused;
}

/* Waits until a descriptor of the library is readable. */
static void select_once(void)
{
    struct timeval limit = {40, 0};
    fd_set readable;
    int *descriptors, highest = 0, count = pvm_getfds(&descriptors);

    FD_ZERO(&readable);
    for (int i = 0; i < count; i++) {
        FD_SET(descriptors[i], &readable);
        highest = descriptors[i] > highest ? descriptors[i] : highest;
    }
    if (select(highest + 1, &readable, NULL, NULL, &limit) <= 0)
        fail("select does not see a message that has come");
}

static void select_messages(void)
{
    pthread_t leader, lookers[MOST_THREADS];

    pthread_create(&leader, NULL, lead, NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_create(&lookers[i], NULL, look_for_nothing, NULL);
    for (int round = 0; round < rounds; round++) {
        pvm_initsend(PvmDataDefault);
        pvm_send(peer, FIRST_TAG);
        while (pvm_nrecv(peer, FIRST_TAG) == 0)
            select_once();
        atomic_fetch_add(&checked, 1);
    }
    pvm_send(peer, STOP);
    pthread_join(leader, NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_join(lookers[i], NULL);
}

/* ---- pack ---- */

static void *pack_alone(void *number)
{
    int me = *(int *)number, next[MOST_THREADS] = {0};

    for (int place = 0; place < rounds; place++) {
        int own = pvm_mkbuf(PvmDataDefault);
        if (own <= 0 || pvm_setsbuf(own) < 0)
            fail("no buffer of its own");
        message_send(peer, FIRST_TAG + me, me, place);
        struct timeval limit = {50, 0};
        if (pvm_trecv(peer, FIRST_TAG + me, &limit) <= 0)
            fail("trecv fails");
        expect("sender", message_check(next), me);
        expect("nothing else", pvm_nrecv(-1, FIRST_TAG + me), 0);
        expect("probe", pvm_probe(-1, FIRST_TAG + me), 0);
    }
    return NULL;
}

static void stop_unknown(const char *area)
{
    fprintf(stderr, "threads: no such area: %s\n", area);
    exit(2);
}

int main(int argc, char **argv)
{
    const char *area = argc > 2 ? argv[1] : "";
    int second = strcmp(area, "peers") == 0;

    peer = pvm_mytid();
    if (second)
        peer = (int)strtoul(argv[2], NULL, 16);
    thread_count = argc > 2 + second ? atoi(argv[2 + second]) : 0;
    rounds = argc > 3 + second ? atoi(argv[3 + second]) : 1;
    if (thread_count < 1 || thread_count > MOST_THREADS)
        stop_unknown(area);
    printf("tid %x\n", (unsigned)pvm_mytid());
    fflush(stdout);
    if (strcmp(area, "exchange") == 0)
        run_all(send_to_all, receive_from_all);
    else if (second)
        run_all(send_to_all, NULL);
    else if (strcmp(area, "receive") == 0)
        run_all(receive_from_all, NULL);
    else if (strcmp(area, "interrupt") == 0)
        interrupt();
    else if (strcmp(area, "standing") == 0)
        standing();
    else if (strcmp(area, "early") == 0)
        early();
    else if (strcmp(area, "select") == 0)
        select_messages();
    else if (strcmp(area, "pack") == 0)
        run_all(pack_alone, NULL);
    else
        stop_unknown(area);
    printf("checked %d\n", atomic_load(&checked));
    pvm_exit();
    return 0;
}
