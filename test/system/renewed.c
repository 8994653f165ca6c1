/*
 * Which id does a message have that is begun anew, in a process that has had threads? One of two by
 * turns, and the other one is good for nothing, also for a thread that has used the last message.
 * Prints a line that names each failure.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200 };
static int failures;

static void expect(const char *what, int seen, int wanted)
{
    if (seen == wanted)
        return;
    printf("%s: %d, not %d\n", what, seen, wanted);
    failures++;
}

/* A new message of so many ints. */
static int begin(int count)
{
    static int values[ROUNDS + 1];
    int id = pvm_initsend(PvmDataDefault);
    pvm_pkint(values, count, 1);
    return id;
}

static int length_of(int id)
{
    int length;
    int error = pvm_bufinfo(id, &length, NULL, NULL);
    return error < 0 ? error : length;
}

static void ids_take_turns(void)
{
    int before = begin(1), id = begin(2);
    for (int round = 0; round < ROUNDS; round++) {
        int next = begin(round);
        expect("the id before the last", next, before);
        expect("length of a new message", length_of(next), 4 * round);
        expect("length of the last one", length_of(id), PvmNoSuchBuf);
        expect("pvm_getsbuf", pvm_getsbuf(), next);
        before = id;
        id = next;
    }
    expect("pvm_freebuf of the id before", pvm_freebuf(before), PvmNoSuchBuf);
    expect("pvm_freebuf", pvm_freebuf(id), PvmOk);
    expect("pvm_freebuf again", pvm_freebuf(id), PvmNoSuchBuf);
    expect("pvm_getsbuf", pvm_getsbuf(), 0);
    int kept[2] = {pvm_mkbuf(PvmDataRaw), pvm_mkbuf(PvmDataRaw)}; /* both are free again */
    expect("ids that are given again", (kept[0] == id || kept[0] == before) + kept[0] + kept[1],
           1 + id + before);
    pvm_freebuf(kept[0]);
    pvm_freebuf(kept[1]);
}

static pthread_barrier_t turn;
static int shared_id;

static void *use_shared(void *argument)
{
    pthread_barrier_wait(&turn);
    expect("pvm_setsbuf of the other's", pvm_setsbuf(shared_id), 0);
    pthread_barrier_wait(&turn); /* the other begins a new message */
    pthread_barrier_wait(&turn);
    expect("what is left to this one", length_of(shared_id), PvmNoSuchBuf);
    expect("pvm_getsbuf", pvm_getsbuf(), 0);
    return argument;
}

/* As in 3.4.6 pvm_initsend frees the active buffer, here also for another thread that uses it. */
static void used_one_is_freed(void)
{
    pthread_t thread;
    begin(1);
    shared_id = begin(3);
    if (pthread_create(&thread, NULL, use_shared, NULL) != 0)
        exit(EXIT_FAILURE);
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    int id = begin(5);
    if (id == shared_id)
        expect("id of the new message", id, -1);
    expect("length of the new message", length_of(id), 20);
    pthread_barrier_wait(&turn);
    pthread_join(thread, NULL);
    pvm_freebuf(pvm_setsbuf(0));
}

static _Atomic int newest, at_work; /* `newest` is 0 before there is one */

static void *free_newest(void *argument)
{
    while (at_work) {
        int id = newest;
        int result = id ? pvm_freebuf(id) : PvmNoSuchBuf;
        if (result != PvmOk)
            expect("pvm_freebuf by another thread", result, PvmNoSuchBuf);
    }
    return argument;
}

/* Another thread frees what this one begins, at any moment. */
static void freed_at_any_moment(void)
{
    pthread_t thread;
    int most = 0;
    at_work = 1;
    if (pthread_create(&thread, NULL, free_newest, NULL) != 0)
        exit(EXIT_FAILURE);
    for (int round = 0; round < 20 * ROUNDS; round++) {
        int id = pvm_initsend(PvmDataDefault), length = length_of(id);
        newest = id;
        if (id <= 0 || (length != 0 && length != PvmNoSuchBuf))
            expect("length of a new message", length, 0);
        most = id > most ? id : most;
    }
    at_work = 0;
    pthread_join(thread, NULL);
    if (most > 10)
        expect("the largest id", most, 10);
}

int main(void)
{
    if (pvm_mytid() < 0 || pthread_barrier_init(&turn, NULL, 2) != 0)
        return EXIT_FAILURE;
    pvm_setopt(PvmAutoErr, 0); /* most of the calls are to fail */
    pthread_t thread; /* has nothing to do: from now on this is a process that has had threads */
    if (pthread_create(&thread, NULL, free_newest, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return EXIT_FAILURE;
    ids_take_turns();
    used_one_is_freed();
    freed_at_any_moment();
    pvm_exit();
    return failures > 0;
}
