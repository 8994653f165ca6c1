/* A process that waits: in blocking receives beside an idle thread, or by polling, for comparison.
 *
 * usage: idle recv [THREADS]     that many threads (1) block in pvm_recv, each for a tag of its own
 *        idle trecv              blocks in pvm_trecv with a limit of an hour
 *        idle poll               calls pvm_nrecv and sleeps for a millisecond, again and again
 * Prints "tid HEX" before it waits. A message under tag 100 + i ends the i-th receiver; when all
 * have ended it prints "woken" and ends. One more thread does nothing all the time.
 */
#include <pthread.h>
#include <pvm3.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_TAG = 100, MOST_THREADS = 16 };

static sem_t done;

static void *nothing(void *unused)
{
    (void)unused;
    while (sem_wait(&done) != 0)
        continue;
    return NULL;
}

static void *receive(void *tag)
{
    if (pvm_recv(-1, *(int *)tag) <= 0)
        exit(1);
    return NULL;
}

static void receive_all(int count)
{
    pthread_t threads[MOST_THREADS];
    int tags[MOST_THREADS];

    for (int i = 0; i < count; i++) {
        tags[i] = FIRST_TAG + i;
        if (i > 0)
            pthread_create(&threads[i], NULL, receive, &tags[i]);
    }
    receive(&tags[0]);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void poll_for_it(void)
{
    struct timespec little = {0, 1000000};
    while (pvm_nrecv(-1, FIRST_TAG) == 0)
        nanosleep(&little, NULL);
}

int main(int argc, char **argv)
{
    struct timeval hour = {3600, 0};
    pthread_t idle;
    int count = argc > 2 ? atoi(argv[2]) : 1;

    if (argc < 2 || count < 1 || count > MOST_THREADS)
        return 2;
    sem_init(&done, 0, 0);
    pthread_create(&idle, NULL, nothing, NULL);
    printf("tid %x\n", (unsigned)pvm_mytid());
    fflush(stdout);
    if (strcmp(argv[1], "poll") == 0)
        poll_for_it();
    else if (strcmp(argv[1], "trecv") == 0)
        pvm_trecv(-1, FIRST_TAG, &hour);
    else
        receive_all(count);
    sem_post(&done);
    pthread_join(idle, NULL);
    printf("woken\n");
    pvm_exit();
    return 0;
}
