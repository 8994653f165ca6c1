/*
 * rendezvous_threads.c - two threads take long arrays of another task in pvm_precv, straight into their
 * memory, while a third one interrupts them and the first one receives short messages.
 *
 * Each array must come once, whole and in order. Run under ThreadSanitizer and Helgrind; exits 0
 * when all is well, 1 with a line that says what is not.
 *
 * usage: rendezvous_threads SETTING ARRAYS     PVM_ONE_COPY, and how many each sends
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

enum { THREADS = 2, LONGEST = 1 << 20, SHORT_TAG = 10, BYE = 11 };

/* Bytes: most of these are worth a rendezvous. */
static const int sizes[] = {LONGEST, 1000, 600000, LONGEST, 512 << 10};

static int peer, arrays;
static atomic_bool stop;

static void check(int is_so, const char *what, int number)
{
    if (is_so)
        return;
    fprintf(stderr, "rendezvous: %s (%d)\n", what, number);
    exit(EXIT_FAILURE);
}

static int size_of(int number)
{
    return sizes[number % (int)(sizeof sizes / sizeof *sizes)];
}

static void *send_arrays(void *tag)
{
    char *bytes = malloc(LONGEST);
    for (int number = 0; number < arrays; number++) {
        memset(bytes, number, (size_t)size_of(number));
        check(pvm_psend(peer, *(int *)tag, bytes, size_of(number), PVM_BYTE) == 0, "psend", number);
    }
    free(bytes);
    return NULL;
}

static void *receive_arrays(void *tag)
{
    char *bytes = malloc(LONGEST);
    for (int number = 0; number < arrays; number++) {
        int size;
        check(pvm_precv(peer, *(int *)tag, bytes, LONGEST, PVM_BYTE, NULL, NULL, &size) == 0,
              "precv", number);
        check(size == size_of(number), "length", size);
        for (int i = 0; i < size; i += 97)
            check(bytes[i] == (char)number, "contents", number);
    }
    free(bytes);
    return NULL;
}

static void *interrupt(void *nothing)
{
    while (!atomic_load(&stop)) {
        check(pvm_interrupt_recv() == 0, "interrupt", 0);
        check(pvm_resume_recv() == 0, "resume", 0);
    }
    pvm_initsend(PvmDataDefault);
    check(pvm_send(pvm_mytid(), BYE) == 0, "send", 0);
    return nothing;
}

static void begin(pthread_t *threads, int *tags, void *(*work)(void *))
{
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i + 1;
        check(pthread_create(&threads[i], NULL, work, &tags[i]) == 0, "thread", i);
    }
}

static void join(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void send_all(void)
{
    pthread_t threads[THREADS];
    int tags[THREADS];
    peer = pvm_parent();
    begin(threads, tags, send_arrays);
    for (int number = 0; number < arrays; number++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&number, 1, 1);
        check(pvm_send(peer, SHORT_TAG) == 0, "send", number);
    }
    join(threads);
}

static void receive_all(char *path, char **words)
{
    pthread_t threads[THREADS], interrupter;
    int tags[THREADS], got;
    check(pvm_spawn(path, words, PvmTaskDefault, NULL, 1, &peer) == 1, "spawn", peer);
    begin(threads, tags, receive_arrays);
    check(pthread_create(&interrupter, NULL, interrupt, NULL) == 0, "thread", THREADS);
    for (int number = 0; number < arrays; number++) {
        check(pvm_recv(peer, SHORT_TAG) > 0, "receive", number);
        pvm_upkint(&got, 1, 1);
        check(got == number, "order", got);
    }
    join(threads);
    atomic_store(&stop, true);
    check(pvm_recv(-1, BYE) > 0, "receive", 0);
    pthread_join(interrupter, NULL);
}

int main(int argc, char **argv)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    check(argc > 2 && setenv("PVM_ONE_COPY", argv[1], 1) == 0, "words", argc);
    arrays = atoi(argv[2]);
    check(length > 0 && pvm_mytid() > 0, "enrolment", 0);
    if (pvm_parent() > 0)
        send_all();
    else
        receive_all(path, argv + 1);
    pvm_exit();
    return EXIT_SUCCESS;
}
