/*
 * tpl_parcels.c - messages to several threads, and messages that PVM has packed: do they come whole,
 * once, and in order?
 *
 * usage: tpl_parcels multicast
 *        tpl_parcels packed       three nodes each; each prints "good" at its end
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <pvm3.h>
#include <tpl.h>

#include "tpl_check.h"

#define NODES  3
#define ROUNDS 100
#define WINDOW 2
#define MOST   100000 /* numbers in a packed message */

enum { MULTICAST = 1, SINGLE, PACKED, KEPT };

static struct tpl *node;
static double numbers[MOST], got[MOST];

static struct tpl_message *receive(int kind)
{
    struct tpl_message *message;
    GIVES(tpl_receive(node, TPL_ANY, NULL, &message), TPL_OK);
    CHECK(message->kind == kind);
    return message;
}

static void receive_number(int kind, int number)
{
    struct tpl_message *message = receive(kind);
    CHECK(message->buffer == 0 && message->size == sizeof number);
    CHECK(memcmp(message->data, &number, sizeof number) == 0);
    tpl_free(message);
}

static void all_main(struct tpl_address *to)
{
    for (int i = 0; i < NODES; i++)
        to[i] = tpl_address(node, i, TPL_MAIN);
}

/* Node 1 is named twice, and gets it twice. */
static void send_to_many(void)
{
    struct tpl_address to[NODES + 2];
    all_main(to);
    to[NODES] = to[1];
    to[NODES + 1] = tpl_address(node, 2, 99); /* nobody */
    GIVES(tpl_multicast(node, to, 0, 0, NULL, 0), TPL_BAD);
    GIVES(tpl_multicast(NULL, to, 1, 0, NULL, 0), TPL_BAD);
    GIVES(tpl_multicast(node, &(struct tpl_address){to[1].tid, TPL_POOL}, 1, 0, NULL, 0), TPL_BAD);
    for (int i = 0; i < ROUNDS; i++) {
        GIVES(tpl_multicast(node, to, NODES + 2, MULTICAST, &i, sizeof i), TPL_OK);
        GIVES(tpl_send(node, to[1], SINGLE, &i, sizeof i), TPL_OK);
        receive_number(MULTICAST, i);
    }
}

static void receive_many(void)
{
    const bool twice = tpl_number(node) == 1;
    for (int i = 0; i < ROUNDS; i++) {
        receive_number(MULTICAST, i);
        if (twice) {
            receive_number(MULTICAST, i);
            receive_number(SINGLE, i);
        }
    }
}

/* How many numbers message i has, and how it is encoded. */
static int count_of(int i)
{
    return i % 10 == 0 ? MOST : i;
}

static int pack(int i)
{
    int count = count_of(i);
    tpl_enter(node);
    int buffer = pvm_mkbuf(i % 2 ? PvmDataRaw : PvmDataDefault);
    int before = pvm_setsbuf(buffer);
    CHECK(pvm_pkint(&count, 1, 1) == 0 && pvm_pkdouble(numbers, count, 1) == 0);
    CHECK(pvm_pkstr("end") == 0);
    pvm_setsbuf(before);
    tpl_leave(node);
    return buffer;
}

static void forget(int buffer)
{
    tpl_enter(node);
    CHECK(pvm_freebuf(buffer) == 0);
    tpl_leave(node);
}

static void receive_packed(int i)
{
    char end[10];
    int count = -1;
    struct tpl_message *message = receive(PACKED);
    CHECK(message->buffer > 0 && message->size == 0);
    tpl_enter(node);
    int before = pvm_setrbuf(message->buffer);
    CHECK(pvm_upkint(&count, 1, 1) == 0 && count == count_of(i));
    CHECK(pvm_upkdouble(got, count, 1) == 0 && pvm_upkstr(end) == 0 && strcmp(end, "end") == 0);
    CHECK(memcmp(numbers, got, (size_t)count * sizeof *numbers) == 0);
    pvm_setrbuf(before);
    tpl_leave(node);
    tpl_free(message);
}

/* One who retires has a packed message, which is not lost to the library. */
static void *retire(void *argument)
{
    const struct tpl_address here = tpl_here(node);
    GIVES(tpl_send_packed(node, &here, 1, PACKED, *(int *)argument), TPL_OK);
    tpl_retire(node);
    return NULL;
}

/* The same buffer is sent again and again. */
static void send_packed(void)
{
    struct tpl_address to[NODES], nobody = tpl_address(node, 0, 99);
    pthread_t thread;
    all_main(to);
    for (int i = 0; i < ROUNDS; i++) {
        int buffer = pack(i);
        GIVES(tpl_send_packed(node, to, NODES, PACKED, buffer), TPL_OK);
        GIVES(tpl_send(node, to[1], SINGLE, &i, sizeof i), TPL_OK);
        receive_packed(i);
        GIVES(tpl_send_packed(node, &to[2], 1, PACKED, buffer), TPL_OK);
        GIVES(tpl_send_packed(node, &nobody, 1, PACKED, buffer), TPL_OK);
        CHECK(pthread_create(&thread, NULL, retire, &buffer) == 0);
        pthread_join(thread, NULL);
        forget(buffer);
    }
    GIVES(tpl_send_packed(node, &to[1], 1, PACKED, 99999), TPL_BAD); /* there never was one */
    GIVES(tpl_send_packed(node, to, 1, PACKED, 0), TPL_BAD);
    GIVES(tpl_send_packed(node, to, 1, PACKED, -1), TPL_BAD);
}

static void receive_all_packed(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        receive_packed(i);
        if (tpl_number(node) == 1)
            receive_number(SINGLE, i);
        else
            receive_packed(i);
    }
}

/* One message is received and kept until the node has ended, one stays in the inbox. */
static struct tpl_message *keep(void)
{
    const struct tpl_address here = tpl_here(node);
    int buffer = pack(1);
    GIVES(tpl_send_packed(node, &here, 1, KEPT, buffer), TPL_OK);
    GIVES(tpl_send_packed(node, &here, 1, KEPT, buffer), TPL_OK);
    forget(buffer);
    struct tpl_message *message = receive(KEPT);
    CHECK(message->buffer > 0);
    return message;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    const bool packed = strcmp(argv[1], "packed") == 0;
    const struct tpl_options options = {
        .nodes = NODES, .program = "tpl_parcels", .arguments = argv + 1, .window = WINDOW};
    for (int i = 0; i < MOST; i++)
        numbers[i] = i / 3.0;
    GIVES(tpl_start(&node, &options), TPL_OK);
    if (tpl_number(node) > 0)
        (packed ? receive_all_packed : receive_many)();
    else
        (packed ? send_packed : send_to_many)();
    struct tpl_message *kept = packed ? keep() : NULL;
    GIVES(tpl_finish(node), TPL_OK);
    CHECK(!kept || kept->buffer == 0);
    tpl_free(kept);
    puts("good");
    fflush(stdout);
    pvm_exit();
    return 0;
}
