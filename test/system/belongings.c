/*
 * belongings.c - a task takes along what the library keeps of it: messages that nobody has received,
 * buffers amid packing and unpacking, handlers, options. With the library of tasks.py.
 *
 * Prints "same" if all is as it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "tasks.h"

enum { LONG = 30000, NUMBERS = 6 };
enum { FIRST = 1, SECOND, THIRD, PROBED, HALF, PACKED, IN_PLACE, HANDLED, FOREIGN, NOISE, REFUSED };

static int handled, context, array[NUMBERS], large[LONG];

static int on_handled(int buffer)
{
    int number;
    pvm_upkint(&number, 1, 1);
    handled += number;
    return buffer;
}

static int matches(int buffer, int tid, int tag)
{
    int length, its_tag, its_source;
    (void)tid;
    pvm_bufinfo(buffer, &length, &its_tag, &its_source);
    return its_tag == tag && tag != REFUSED;
}

static void send_numbers(int tag, int first, int count)
{
    pvm_initsend(PvmDataDefault);
    for (int i = 0; i < count; i++)
        pvm_pkint(&(int){first + i}, 1, 1);
    expect("a send", pvm_send(pvm_mytid(), tag), PvmOk);
}

/* The active receive buffer holds these next, and is at its end then. */
static void expect_numbers(int first, int count)
{
    int number;
    for (int i = 0; i < count; i++) {
        expect("unpacking", pvm_upkint(&number, 1, 1), PvmOk);
        expect("a number", number, first + i);
    }
    int before = pvm_setopt(PvmAutoErr, 0);
    expect("unpacking behind the end", pvm_upkint(&number, 1, 1), PvmNoData);
    pvm_setopt(PvmAutoErr, before);
}

static void receive_numbers(int tag, int first, int count)
{
    if (pvm_recv(-1, tag) < 0)
        fail("no message with tag %d", tag);
    expect_numbers(first, count);
}

/* What the task had before, by id or by number. */
static struct {
    int packed, received, half, probed, own_handler, foreign_handler, in_place;
} ids;

/* Memory that moves along; nobody gives any of it back here. */
static union {
    char bytes[4096];
    long aligned;
} room;
static size_t room_used;

static void *allocate(size_t size)
{
    void *memory = room.bytes + room_used;
    room_used += (size + sizeof room.aligned - 1) / sizeof room.aligned * sizeof room.aligned;
    return room_used <= sizeof room ? memory : NULL;
}

static bool is_in_room(const void *memory)
{
    return (const char *)memory >= room.bytes && (const char *)memory < room.bytes + room_used;
}

/* Lists that the program has got stay where they are. */
static struct pvmhostinfo *hosts;
static int *siblings, host_count;

static void get_lists(void)
{
    tasks_allocate_by(allocate);
    expect("pvm_config", pvm_config(&host_count, NULL, &hosts), PvmOk);
    expect("pvm_siblings", pvm_siblings(&siblings), 1);
    if (!is_in_room(hosts) || !is_in_room(hosts->hi_name) || !is_in_room(siblings))
        fail("a list lies elsewhere");
}

static void expect_lists(void)
{
    int *again;
    expect("hosts", host_count, 1);
    expect("a host", hosts->hi_tid, pvm_tidtohost(pvm_mytid()));
    expect("its name", (long)strlen(hosts->hi_name), (long)strlen("vm"));
    expect("pvm_siblings", pvm_siblings(&again), 1);
    if (again != siblings)
        fail("the siblings lie elsewhere");
}

static void get_messages(void)
{
    send_numbers(FIRST, 10, NUMBERS);
    send_numbers(PROBED, 20, 1);
    for (int i = 0; i < LONG; i++)
        large[i] = i;
    pvm_initsend(PvmDataRaw);
    pvm_pkint(large, LONG, 1);
    pvm_send(pvm_mytid(), SECOND);
    int before = pvm_setcontext(context = pvm_newcontext());
    send_numbers(FIRST, 30, 2);
    pvm_setcontext(before);
    send_numbers(THIRD, 40, 1);
    if ((ids.probed = pvm_probe(-1, PROBED)) <= 0)
        fail("nothing to probe");
}

static void get_buffers(void)
{
    send_numbers(HALF, 50, NUMBERS);
    ids.half = pvm_recv(-1, HALF);
    int number;
    pvm_upkint(&number, 1, 1);
    pvm_upkint(&number, 1, 1);
    ids.in_place = pvm_mkbuf(PvmDataInPlace);
    pvm_setsbuf(ids.in_place);
    pvm_pkint(array, NUMBERS, 1);
    pvm_setsbuf(0);
    pvm_freebuf(pvm_mkbuf(PvmDataDefault));
    ids.packed = pvm_initsend(PvmDataDefault);
    for (int i = 0; i < 3; i++)
        pvm_pkint(&(int){60 + i}, 1, 1);
}

static void set_options(void)
{
    ids.foreign_handler =
        pvm_addmhf(-1, FOREIGN, pvm_getcontext(), (int (*)(int))dlsym(RTLD_DEFAULT, "abs"));
    ids.own_handler = pvm_addmhf(-1, HANDLED, pvm_getcontext(), on_handled);
    pvm_setopt(PvmFragSize, 2048);
    pvm_setopt(PvmShowTids, 0);
    pvm_setopt(PvmRoute, PvmDontRoute);
    pvm_setopt(PvmAutoErr, 2);
    pvm_recvf(matches);
}

static void expect_options(void)
{
    expect("PvmFragSize", pvm_getopt(PvmFragSize), 2048);
    expect("PvmShowTids", pvm_getopt(PvmShowTids), 0);
    expect("PvmRoute", pvm_getopt(PvmRoute), PvmDontRoute);
    expect("PvmAutoErr", pvm_setopt(PvmAutoErr, 1), 2);
    send_numbers(REFUSED, 0, 1);
    if (pvm_nrecv(-1, REFUSED) != 0 || pvm_recvf(NULL) != matches)
        fail("the matcher of pvm_recvf is gone");
    receive_numbers(REFUSED, 0, 1);
}

static void expect_handlers(void)
{
    send_numbers(HANDLED, 7, 1);
    send_numbers(NOISE, 0, 1);
    receive_numbers(NOISE, 0, 1);
    expect("what was handled", handled, 7);
    expect("pvm_delmhf", pvm_delmhf(ids.own_handler), PvmOk);
    send_numbers(FOREIGN, 80, 1); /* that of a library is gone, and its id is free */
    receive_numbers(FOREIGN, 80, 1);
    pvm_setopt(PvmAutoErr, 0);
    expect("pvm_delmhf of another one", pvm_delmhf(ids.foreign_handler), PvmNotFound);
    pvm_setopt(PvmAutoErr, 1);
}

static void expect_buffers(void)
{
    expect("the send buffer", pvm_getsbuf(), ids.packed);
    expect("the receive buffer", pvm_getrbuf(), ids.half);
    expect_numbers(52, NUMBERS - 2);
    for (int i = 3; i < NUMBERS; i++)
        pvm_pkint(&(int){60 + i}, 1, 1);
    pvm_send(pvm_mytid(), PACKED);
    receive_numbers(PACKED, 60, NUMBERS);
    for (int i = 0; i < NUMBERS; i++)
        array[i] = 70 + i;
    pvm_setsbuf(ids.in_place);
    pvm_send(pvm_mytid(), IN_PLACE);
    receive_numbers(IN_PLACE, 70, NUMBERS);
}

static void expect_messages(void)
{
    int length, tag, source;
    expect("pvm_bufinfo", pvm_bufinfo(ids.probed, &length, &tag, &source), PvmOk);
    expect("the tag of what was probed", tag, PROBED);
    if (pvm_recv(-1, -1) < 0)
        fail("no first message");
    expect_numbers(10, NUMBERS);
    expect("the id of what was probed", pvm_recv(-1, -1), ids.probed);
    expect_numbers(20, 1);
    memset(large, 0, sizeof large);
    pvm_recv(-1, -1);
    pvm_upkint(large, LONG, 1);
    for (int i = 0; i < LONG; i++)
        expect("an item", large[i], i);
    receive_numbers(-1, 40, 1);
    expect("the rest", pvm_nrecv(-1, -1), 0);
    int before = pvm_setcontext(context);
    receive_numbers(-1, 30, 2);
    pvm_setcontext(before);
}

int main(void)
{
    if (tasks_begin() < 0 || pvm_mytid() < 0)
        fail("no task");
    get_lists();
    get_messages();
    get_buffers();
    set_options();
    for (int turn = 0; turn < 3; turn++)
        expect("packing and unpacking", tasks_repack(), 0);
    expect_buffers();
    expect_options();
    expect_handlers();
    expect_messages();
    expect_lists();
    tasks_allocate_by(NULL);
    printf("same\n");
    tasks_end();
    return 0;
}
