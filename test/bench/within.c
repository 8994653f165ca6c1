/* What does a message cost between two threads of one process?
 *
 * usage: within BYTES MESSAGES BATCHES FIRST SECOND
 *
 * Both threads are one task: each sends to it and receives by a tag of its own. FIRST and SECOND
 * are the processors that the two run on. Needs a library that threads may share. Prints a line
 *     @batch ns=TIME sleeps=NUMBER
 * for each batch but a first one, with the time of a message one way, and how often the first
 * thread slept.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <pvm3.h>

#include "batch.h"

enum { MOST_BYTES = 1 << 20, THERE = 1, BACK = 2 };

static int bytes, messages, batches, tid, second;

static void check(int result)
{
    if (result < 0)
        exit(1);
}

static void send_data(char *data, int tag)
{
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte(data, bytes, 1);
    check(pvm_send(tid, tag));
}

static void receive_data(char *data, int tag)
{
    check(pvm_recv(tid, tag));
    check(pvm_upkbyte(data, bytes, 1));
}

static void *answer(void *data)
{
    batch_pin(second);
    for (int i = 0; i < (1 + batches) * messages; i++) {
        receive_data(data, THERE);
        send_data(data, BACK);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static char data[2][MOST_BYTES];
    pthread_t other;
    if (argc != 6)
        return 2;
    bytes = atoi(argv[1]);
    messages = atoi(argv[2]);
    batches = atoi(argv[3]);
    second = atoi(argv[5]);
    tid = pvm_mytid();
    check(tid);
    if (bytes < 0 || bytes > MOST_BYTES || pthread_create(&other, NULL, answer, data[1]) != 0)
        return 2;
    batch_pin(atoi(argv[4]));
    for (int batch = 0; batch <= batches; batch++) {
        int64_t begin = batch_now();
        long slept = batch_sleeps();
        for (int i = 0; i < messages; i++) {
            send_data(data[0], THERE);
            receive_data(data[0], BACK);
        }
        if (batch > 0)
            batch_tell((batch_now() - begin) / 2, batch_sleeps() - slept, messages);
    }
    pthread_join(other, NULL);
    pvm_exit();
    return 0;
}
