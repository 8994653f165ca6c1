/*
 * stress.c - sixteen threads of three tasks send, receive, probe, interrupt and handle messages in
 * every way at once, while the routes between them change, and account for every message.
 *
 * Each task has two senders and three receivers, one of them an interrupter besides. A sender has
 * four streams to each task, its own included: one that is received by exact source and tag, one
 * by wildcards in a context of its own, one as arrays, and one that a message handler takes. The
 * messages of a stream are numbered, and sent by whatever call and in whatever encoding comes next;
 * each must arrive once, in order, and with its bytes. After a round of messages a sender closes
 * every stream with a mark and waits until all have been acknowledged, so that nothing piles up.
 *
 * usage: stress TASK SECONDS    TASK 0, 1 and 2 are to run at once
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pvm3.h>

enum { TASKS = 3, SENDERS_EACH = 2, SENDERS = TASKS * SENDERS_EACH, ROUND = 60 };
enum stream { EXACT, WILD, ARRAY, HANDLED, STREAMS };
enum kind { PLAIN, MARK, END };
enum { TAG_EXACT = 100, TAG_WILD = 200, TAG_ARRAY = 300, TAG_HANDLED = 400, TAG_ACK = 500 };
enum { TAG_NEVER = 1000, TAG_LAST, WILD_CONTEXT = 4711, ANY = -1 };
enum { LARGEST = 200000 };

/* What stands at the start of every message, as integers. */
struct head {
    int sender;
    int stream;
    int kind;
    int seed;          /* the bytes follow from it */
    int size;          /* how many there are */
    int number[TASKS]; /* by the task that it is for; one message may be for several */
};

#define HEAD_INTS ((int)(sizeof(struct head) / sizeof(int)))

/* A message as pvm_psend and pvm_precv have it. */
struct record {
    struct head head;
    char bytes[LARGEST];
};

/* What a receiver knows of the streams that it takes. */
struct account {
    int next[SENDERS];
    int ended; /* streams that were closed for good */
};

static int own_task;
static int tids[TASKS];
static time_t deadline;
static struct account handled; /* handlers run one at a time */
static atomic_int handled_ended, sent, received, stop;

static void fail(const char *what, int number)
{
    printf("stress: task %d: %s (%d)\n", own_task, what, number);
    fflush(stdout);
    _Exit(EXIT_FAILURE);
}

static int check(int result, const char *call)
{
    if (result < 0)
        fail(call, result);
    return result;
}

#define CHECK(call) check((call), #call)

static char byte_of(int seed, int at)
{
    return (char)(seed * 31 + at * 7);
}

/* Senders. ------------------------------------------------------------------------------------- */

struct sender {
    int id;
    unsigned random;
    int number[STREAMS][TASKS];
    struct record record;
};

static int sender_choose(struct sender *me, int limit)
{
    return rand_r(&me->random) % limit;
}

static int sender_size(struct sender *me)
{
    switch (sender_choose(me, 20)) {
    case 0:
        return 4000 + sender_choose(me, 40);
    case 1:
        return sender_choose(me, 20000);
    case 2:
        return sender_choose(me, 10) ? 0 : LARGEST;
    default:
        return sender_choose(me, 200);
    }
}

static int tag_of(const struct head *head)
{
    static const int tags[] = {TAG_EXACT, TAG_WILD, TAG_ARRAY, TAG_HANDLED};
    return tags[head->stream] + (head->stream == EXACT ? head->sender : 0);
}

static void pack(struct record *record, int encoding)
{
    CHECK(pvm_initsend(encoding));
    CHECK(pvm_pkint((int *)&record->head, HEAD_INTS, 1));
    CHECK(pvm_pkbyte(record->bytes, record->head.size, 1));
}

/* An array is what the receiver of arrays expects: as in memory. */
static int sender_encoding(struct sender *me)
{
    return me->record.head.stream == ARRAY ? 1 + sender_choose(me, 2) : sender_choose(me, 3);
}

static void sender_fill(struct sender *me, int stream, int kind)
{
    struct head *head = &me->record.head;
    *head = (struct head){me->id, stream, kind, sender_choose(me, 1000), sender_size(me), {0}};
    for (int i = 0; i < head->size; i++)
        me->record.bytes[i] = byte_of(head->seed, i);
}

static void sender_send(struct sender *me, int task, int stream, int kind)
{
    struct head *head = &me->record.head;
    sender_fill(me, stream, kind);
    head->number[task] = me->number[stream][task]++;
    if (sender_choose(me, 3) == 0) {
        CHECK(pvm_psend(tids[task], tag_of(head), &me->record, (int)sizeof *head + head->size,
                        PVM_BYTE));
    } else {
        pack(&me->record, sender_encoding(me));
        CHECK(pvm_send(tids[task], tag_of(head)));
    }
    atomic_fetch_add(&sent, 1);
}

/* To both other tasks: pvm_mcast leaves the own one out. */
static void sender_multicast(struct sender *me, int stream)
{
    struct head *head = &me->record.head;
    sender_fill(me, stream, PLAIN);
    for (int task = 0; task < TASKS; task++)
        if (task != own_task)
            head->number[task] = me->number[stream][task]++;
    pack(&me->record, sender_encoding(me));
    CHECK(pvm_mcast(tids, TASKS, tag_of(head)));
    atomic_fetch_add(&sent, TASKS - 1);
}

/* Every stream to every task is closed, and each is acknowledged. */
static void sender_close(struct sender *me, int kind)
{
    for (int stream = 0; stream < STREAMS; stream++) {
        pvm_setcontext(stream == WILD ? WILD_CONTEXT : PvmBaseContext);
        for (int task = 0; task < TASKS; task++)
            sender_send(me, task, stream, kind);
    }
    pvm_setcontext(PvmBaseContext);
    for (int i = 0; i < STREAMS * TASKS; i++)
        CHECK(pvm_recv(tids[i % TASKS], TAG_ACK + me->id));
}

static void *send_all(void *argument)
{
    struct sender *me = calloc(1, sizeof *me);
    if (!me)
        fail("no memory", 0);
    me->id = own_task * SENDERS_EACH + (int)(size_t)argument;
    me->random = (unsigned)me->id + 1;
    while (time(NULL) < deadline) {
        for (int i = 0; i < ROUND; i++) {
            int stream = sender_choose(me, STREAMS);
            pvm_setcontext(stream == WILD ? WILD_CONTEXT : PvmBaseContext);
            if (sender_choose(me, 4) == 0)
                sender_multicast(me, stream);
            else
                sender_send(me, sender_choose(me, TASKS), stream, PLAIN);
        }
        sender_close(me, MARK);
    }
    sender_close(me, END);
    free(me);
    return NULL;
}

/* Receivers. ----------------------------------------------------------------------------------- */

static void acknowledge(const struct head *head)
{
    CHECK(pvm_psend(tids[head->sender / SENDERS_EACH], TAG_ACK + head->sender, NULL, 0, PVM_BYTE));
}

static void take(struct account *account, const struct head *head, const char *bytes, int stream,
                 int tid)
{
    if (head->sender < 0 || head->sender >= SENDERS || head->stream != stream)
        fail("a message that nobody sent", head->sender);
    if (tid != tids[head->sender / SENDERS_EACH])
        fail("a message from another task than it says", tid);
    if (head->number[own_task] != account->next[head->sender]++)
        fail("a message lost, doubled or out of order", head->number[own_task]);
    for (int i = 0; i < head->size; i++)
        if (bytes[i] != byte_of(head->seed, i))
            fail("wrong bytes in a message", head->number[own_task]);
    atomic_fetch_add(&received, 1);
    account->ended += head->kind == END;
}

/* Takes the active receive buffer. */
static void take_buffer(struct account *account, int stream, int bufid)
{
    struct head head;
    int tid;
    CHECK(pvm_bufinfo(bufid, NULL, NULL, &tid));
    CHECK(pvm_upkint((int *)&head, HEAD_INTS, 1));
    if (head.size < 0 || head.size > LARGEST)
        fail("a size that nobody sent", head.size);
    char *bytes = malloc((size_t)head.size + 1);
    if (!bytes)
        fail("no memory", head.size);
    CHECK(pvm_upkbyte(bytes, head.size, 1));
    take(account, &head, bytes, stream, tid);
    free(bytes);
    if (head.kind != PLAIN) {
        pvm_setcontext(PvmBaseContext);
        acknowledge(&head);
    }
}

static int handle(int bufid)
{
    take_buffer(&handled, HANDLED, bufid);
    atomic_store(&handled_ended, handled.ended);
    return 0;
}

/* A message of one sender if there is one soon. */
static int receive_one(int tid, int tag, int turn)
{
    struct timeval soon = {0, 1000};
    switch (turn % 3) {
    case 0:
        return pvm_nrecv(tid, tag);
    case 1:
        return pvm_trecv(tid, tag, &soon);
    default:
        return pvm_probe(tid, tag) > 0 ? pvm_recv(tid, tag) : 0;
    }
}

static void *receive_exact(void *unused)
{
    (void)unused;
    struct account account = {0};
    for (int turn = 0; account.ended < SENDERS; turn++) {
        int sender = turn % SENDERS;
        int bufid =
            CHECK(receive_one(tids[sender / SENDERS_EACH], TAG_EXACT + sender, turn / SENDERS));
        if (bufid > 0)
            take_buffer(&account, EXACT, bufid);
    }
    return NULL;
}

static void *receive_wild(void *unused)
{
    (void)unused;
    struct account account = {0};
    for (int turn = 0; account.ended < SENDERS; turn++) {
        struct timeval soon = {0, 10000};
        pvm_setcontext(WILD_CONTEXT);
        int bufid = CHECK(turn % 3 == 0   ? pvm_recv(ANY, ANY)
                          : turn % 3 == 1 ? pvm_trecv(ANY, ANY, &soon)
                                          : pvm_trecv(ANY, TAG_WILD, NULL));
        if (bufid > 0)
            take_buffer(&account, WILD, bufid);
    }
    return NULL;
}

static void *receive_arrays(void *unused)
{
    (void)unused;
    struct account account = {0};
    struct record *record = malloc(sizeof *record);
    if (!record)
        fail("no memory", 0);
    while (account.ended < SENDERS) {
        int tid, tag, size;
        CHECK(pvm_precv(ANY, TAG_ARRAY, record, sizeof *record, PVM_BYTE, &tid, &tag, &size));
        if (size != (int)sizeof record->head + record->head.size)
            fail("a message of another size", size);
        take(&account, &record->head, record->bytes, ARRAY, tid);
        if (record->head.kind != PLAIN)
            acknowledge(&record->head);
    }
    free(record);
    return NULL;
}

/* The others. ---------------------------------------------------------------------------------- */

/* Stops receives for the time of a send, as programs written to the paper do. */
static void *interrupt(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        CHECK(pvm_interrupt_recv());
        CHECK(pvm_psend(tids[0], TAG_NEVER, NULL, 0, PVM_BYTE));
        CHECK(pvm_resume_recv());
        CHECK(pvm_nrecv(ANY, TAG_NEVER));
        sched_yield();
    }
    return NULL;
}

static void *receive_last(void *unused)
{
    (void)unused;
    CHECK(pvm_recv(ANY, TAG_LAST));
    return NULL;
}

static pthread_t start(void *(*run)(void *), int argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void *)(size_t)argument) != 0)
        fail("no thread", argument);
    return thread;
}

/* Changes the route and takes contexts until the senders are done and all is handled. */
static void meddle(void)
{
    for (int turn = 0; atomic_load(&handled_ended) < SENDERS; turn++) {
        struct timeval soon = {0, 20000};
        CHECK(pvm_setopt(PvmRoute, turn % 2 ? PvmRouteDirect : PvmDontRoute + turn / 2 % 2));
        CHECK(pvm_trecv(ANY, TAG_LAST, &soon));
        CHECK(pvm_freecontext(CHECK(pvm_newcontext())));
    }
}

/* Puts the own tid under a name in the mailbox, and waits for those of all. */
static void meet(char *name)
{
    CHECK(pvm_insert(name, own_task, pvm_mytid()));
    for (int task = 0; task < TASKS; task++) {
        CHECK(pvm_recvinfo(name, task, PvmMboxWaitForInfo));
        CHECK(pvm_upkint(&tids[task], 1, 1));
    }
}

int main(int argc, char **argv)
{
    pthread_t senders[SENDERS_EACH], receivers[3], interrupter = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: stress TASK SECONDS\n");
        return EXIT_FAILURE;
    }
    own_task = atoi(argv[1]);
    CHECK(pvm_addmhf(ANY, TAG_HANDLED, PvmBaseContext, handle));
    meet("stress");
    meet("stress, and knows the others");
    deadline = time(NULL) + atoi(argv[2]);
    receivers[0] = start(receive_exact, 0);
    receivers[1] = start(receive_wild, 0);
    receivers[2] = start(receive_arrays, 0);
    for (int i = 0; i < SENDERS_EACH; i++)
        senders[i] = start(send_all, i);
    if (own_task == 0)
        interrupter = start(interrupt, 0);
    meddle();
    for (int i = 0; i < SENDERS_EACH; i++)
        pthread_join(senders[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(receivers[i], NULL);
    if (own_task == 0) { /* the interrupter ends on a receive that is there for it to stop */
        atomic_store(&stop, 1);
        pthread_t last = start(receive_last, 0);
        pthread_join(interrupter, NULL);
        CHECK(pvm_psend(tids[0], TAG_LAST, NULL, 0, PVM_BYTE));
        pthread_join(last, NULL);
    }
    CHECK(pvm_exit());
    printf("%d sent, %d received\n", sent, received);
    return EXIT_SUCCESS;
}
