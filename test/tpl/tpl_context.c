/*
 * tpl_context.c - does a receive of the program's take what TPL sends?
 *
 * usage: tpl_context      two nodes; the first prints "good" at its end
 *
 * Node 1 makes a request, then sends a message of its own with PVM. Node 0 holds TPL off meanwhile,
 * and receives anything from anybody.
 */
#include <sched.h>

#include <pvm3.h>
#include <tpl.h>

#include "tpl_check.h"

#define ROUNDS 20

enum { COUNT = 1 }; /* the service */
enum { GO_TAG = 1, MARK_TAG };

static struct tpl *node;
static int handled;

static void count(struct tpl_request *request, void *argument)
{
    (void)argument;
    tpl_enter(node); /* another thread of TPL may be amid a call in TPL's context */
    CHECK(pvm_getcontext() == PvmBaseContext);
    tpl_leave(node);
    handled++;
    GIVES(tpl_answer(request, 0, NULL, 0), TPL_OK);
}

static void send_with_pvm(int tid, int tag)
{
    CHECK(pvm_initsend(PvmDataDefault) > 0 && pvm_send(tid, tag) == 0);
}

/* Between tpl_enter and tpl_leave. What comes first has this tag, whatever else is on its way. */
static bool receive_any(int tag)
{
    int buffer = pvm_nrecv(-1, -1), size, got;
    if (buffer == 0)
        return false;
    CHECK(buffer > 0 && pvm_bufinfo(buffer, &size, &got, NULL) == 0);
    CHECK(got == tag);
    return true;
}

static void be_node_0(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        tpl_enter(node);
        send_with_pvm(tpl_address(node, 1, TPL_POOL).tid, GO_TAG);
        while (!receive_any(MARK_TAG))
            ;
        tpl_leave(node);
    }
}

static void be_node_1(void)
{
    const struct tpl_address other = tpl_address(node, 0, TPL_POOL);
    for (int i = 0; i < ROUNDS; i++) {
        bool told;
        do {
            sched_yield();
            tpl_enter(node);
            told = receive_any(GO_TAG);
            tpl_leave(node);
        } while (!told);
        GIVES(tpl_ask(node, other, COUNT, NULL, 0, NULL), TPL_OK);
        tpl_enter(node);
        send_with_pvm(other.tid, MARK_TAG);
        tpl_leave(node);
    }
}

int main(void)
{
    const struct tpl_service services[] = {{.kind = COUNT, .handler = count, .in_order = true},
                                           {.handler = NULL}};
    const struct tpl_options options = {
        .nodes = 2, .program = "tpl_context", .services = services};
    GIVES(tpl_start(&node, &options), TPL_OK);
    const int number = tpl_number(node);
    if (number == 0)
        be_node_0();
    else
        be_node_1();
    GIVES(tpl_finish(node), TPL_OK);
    CHECK(handled == (number == 0 ? ROUNDS : 0));
    puts("good");
    fflush(stdout);
    pvm_exit();
    return 0;
}
