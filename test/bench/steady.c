/* What does a message cost two tasks of a host, or two threads of a task, once it goes on and on?
 *
 * usage: steady ask BYTES MESSAGES BATCHES       one task sends, the other answers with as much
 *        steady threads BYTES MESSAGES BATCHES   the same of two threads of one task
 *        steady asleep BYTES MESSAGES BATCHES    one task sends when the other one sleeps
 *
 * Prints a line for each side of each batch,
 *     @batch side=first|second messages=N allocations=N copied=BYTES
 * of which messages are those sent and received, and copied the bytes that memcpy and its like
 * copied. The counts of threads are those of both. Each batch of a side stands between two calls of
 * close that fail, for strace: their argument is -(1000 + 2 * batch + end).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <pvm3.h>
#include <sys/wait.h>

#include "counts.h"
#include "pipes.h"

enum { MOST_BYTES = 1 << 20, DATA = 1, ANSWER = 2, MARKS = 1000 };

static int bytes, messages, batches;

static void send_data(int to, int tag, char *data)
{
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte(data, bytes, 1);
    if (pvm_send(to, tag) < 0)
        fail("cannot send");
}

static void receive_data(int from, int tag, char *data)
{
    if (pvm_recv(from, tag) < 0 || pvm_upkbyte(data, bytes, 1) < 0)
        fail("cannot receive");
}

struct tally {
    long allocations, copied;
};

static void begin(int batch, struct tally *tally)
{
    *tally = (struct tally){allocations, copied};
    close(-(MARKS + 2 * batch));
}

static void end(int batch, const struct tally *tally, const char *side)
{
    close(-(MARKS + 2 * batch + 1));
    long made = allocations - tally->allocations, moved = copied - tally->copied;
    printf("@batch side=%s messages=%d allocations=%ld copied=%ld\n", side, messages, made, moved);
    fflush(stdout);
}

static void first(int other, const char *side)
{
    static char data[MOST_BYTES];
    for (int batch = 0; batch < batches; batch++) {
        struct tally tally;
        begin(batch, &tally);
        for (int i = 0; i < messages; i++) {
            send_data(other, DATA, data);
            receive_data(other, ANSWER, data);
        }
        end(batch, &tally, side);
    }
}

static void second(int other, const char *side)
{
    static char data[MOST_BYTES];
    for (int batch = 0; batch < batches; batch++) {
        struct tally tally;
        begin(batch, &tally);
        for (int i = 0; i < messages; i++) {
            receive_data(other, DATA, data);
            send_data(other, ANSWER, data);
        }
        end(batch, &tally, side);
    }
}

/* The receiver confirms each message, so it can only be asleep in its wait for the next one. */
static void send_to_sleeper(int other, pid_t pid, int received)
{
    static char data[MOST_BYTES];
    for (int batch = 0; batch < batches; batch++) {
        struct tally tally;
        await_sleep(pid);
        begin(batch, &tally);
        send_data(other, DATA, data);
        end(batch, &tally, "first");
        get(received);
    }
}

static void sleep_and_receive(int other, int received)
{
    static char data[MOST_BYTES];
    for (int batch = 0; batch < batches; batch++) {
        struct tally tally;
        begin(batch, &tally);
        receive_data(other, DATA, data);
        end(batch, &tally, "second");
        put(received, batch);
    }
}

static void *first_thread(void *unused)
{
    first(pvm_mytid(), "first");
    return unused;
}

static void run_threads(void)
{
    pthread_t thread;
    if (pvm_mytid() < 0 || pthread_create(&thread, NULL, first_thread, NULL) != 0)
        fail("cannot start");
    second(pvm_mytid(), "second");
    pthread_join(thread, NULL);
    pvm_exit();
}

static void run_tasks(int asleep)
{
    int there[2], back[2], status;
    if (pipe(there) < 0 || pipe(back) < 0)
        fail("no pipes");
    pid_t child = fork();
    if (child < 0)
        fail("cannot fork");
    put(child ? there[1] : back[1], pvm_mytid());
    int other = get(child ? back[0] : there[0]);
    if (asleep && child)
        send_to_sleeper(other, child, back[0]);
    else if (asleep)
        sleep_and_receive(other, back[1]);
    else if (child)
        first(other, "first");
    else
        second(other, "second");
    pvm_exit();
    if (child && (waitpid(child, &status, 0) != child || status != 0))
        fail("the other task failed");
}

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: steady ask|threads|asleep BYTES MESSAGES BATCHES");
    bytes = atoi(argv[2]);
    messages = atoi(argv[3]);
    batches = atoi(argv[4]);
    if (bytes < 0 || bytes > MOST_BYTES)
        fail("too many bytes");
    if (strcmp(argv[1], "threads") == 0)
        run_threads();
    else
        run_tasks(strcmp(argv[1], "asleep") == 0);
    return 0;
}
