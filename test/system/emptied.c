/*
 * What do other threads find of a message that was received, while its thread waits for the next
 * one? It is freed then: no call finds its id until that names the next one, which it does unless
 * another thread uses its buffer. Prints a line that names each failure.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 100, DATA, NEXT };
static int me, failures;

static void expect(const char *what, int seen, int wanted)
{
    if (seen == wanted)
        return;
    printf("%s: %d, not %d\n", what, seen, wanted);
    failures++;
}

static void give(int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    expect("pvm_send", pvm_send(me, tag), PvmOk);
}

static int first_id, next_id, next_value; /* of the receiver */

static void *receive_twice(void *argument)
{
    give(DATA, 1);
    first_id = pvm_recv(me, DATA);
    give(NEXT, 2); /* from now on the other thread looks */
    next_id = pvm_recv(me, DATA);
    pvm_upkint(&next_value, 1, 1);
    return argument;
}

static void look_for_freed(int id)
{
    expect("pvm_bufinfo", pvm_bufinfo(id, NULL, NULL, NULL), PvmNoSuchBuf);
    expect("pvm_setrbuf", pvm_setrbuf(id), PvmNoSuchBuf);
    expect("pvm_setsbuf", pvm_setsbuf(id), PvmNoSuchBuf);
    expect("pvm_freebuf", pvm_freebuf(id), PvmNoSuchBuf);
}

/* With `used` this thread unpacks the first message, too. */
static void round_of(int used)
{
    pthread_t receiver;
    int value = 0;
    if (pthread_create(&receiver, NULL, receive_twice, NULL) != 0)
        exit(EXIT_FAILURE);
    pvm_freebuf(pvm_recv(me, NEXT));
    if (used)
        pvm_setrbuf(first_id); /* unless it is freed already */
    while (pvm_bufinfo(first_id, NULL, NULL, NULL) == PvmOk)
        continue;
    look_for_freed(first_id);
    expect("pvm_upkint", pvm_upkint(&value, 1, 1), PvmNoBuf);
    give(DATA, 3);
    pthread_join(receiver, NULL);
    expect("the second message", next_value, 3);
    expect("its id", next_id, first_id);
    pvm_freebuf(pvm_setrbuf(0));
}

int main(void)
{
    me = pvm_mytid();
    pvm_setopt(PvmAutoErr, 0);
    for (int i = 0; i < ROUNDS; i++)
        round_of(i % 2);
    pvm_exit();
    return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
