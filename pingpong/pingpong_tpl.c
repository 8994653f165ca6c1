/*
 * The pingpong on TPL, on the ground that the version names. P1 and P2 are the two nodes of a
 * program. Messages go from thread to thread: P1's T2 is its main thread, P2 has no other. In
 * compute and serve P1's main thread is T1, P2 makes calls, and a handler answers them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>
#include <tpl.h>

#include "exchange.h"
#include "fail.h"
#include "measure.h"
#include "serve.h"

/* How many requests may be unanswered before P2 waits with the next: that is seconds, so never. */
#define PINGPONG_TPL_REQUESTS 8192
#define PINGPONG_TPL_WINDOW   0x7fff /* the widest that TPL has */

/* Kinds of messages beside those of enum link_kind. */
enum {
    PINGPONG_TPL_LOST = 100, /* from this process: the other one has ended */
    PINGPONG_TPL_FAILURE,    /* P2's last words, a text */
};

/* P2: a call that has not been awaited yet. */
struct pingpong_tpl_call {
    struct pingpong_tpl_call *next;
    struct tpl_future *future;
};

struct pingpong_tpl {
    struct tpl *node;
    struct tpl_address peer; /* the main thread of the other process */
    bool calls;              /* P2 in compute and serve: what it sends are calls */
    struct pingpong_tpl_call *first, **last;
    void (*check)(void *context, const struct link_message *message); /* P1, for the handler */
    void *check_context;
};

static void pingpong_tpl_check(int result, const char *what)
{
    if (result < 0)
        fail("%s: %s", what, tpl_strerror(result));
}

static void pingpong_tpl_call(struct pingpong_tpl *tpl, int kind, const void *bytes, size_t size)
{
    struct tpl_address pool = {tpl->peer.tid, TPL_POOL};
    struct pingpong_tpl_call *call = calloc(1, sizeof *call);
    if (!call)
        fail("no memory for a call");
    pingpong_tpl_check(tpl_ask(tpl->node, pool, kind, bytes, size, &call->future), "cannot call");
    *tpl->last = call;
    tpl->last = &call->next;
}

/* To a process that has ended nothing is sent: who receives is told, behind its last words. */
static void pingpong_tpl_send(struct link *link, int kind, const void *bytes, size_t size)
{
    struct pingpong_tpl *tpl = link->system;
    if (tpl->calls && kind == LINK_DATA) {
        pingpong_tpl_call(tpl, kind, bytes, size);
        return;
    }
    int result = tpl_send(tpl->node, tpl->peer, kind, bytes, size);
    if (result != TPL_DEAD)
        pingpong_tpl_check(result, "cannot send");
}

static void pingpong_tpl_take(struct tpl_message *taken, struct link_message *message)
{
    if (taken->kind == PINGPONG_TPL_LOST)
        fail("the other process ended before its work was done");
    if (taken->size > message->capacity)
        fail("a message of %zu bytes came, which is longer than --size", taken->size);
    if (taken->kind == PINGPONG_TPL_FAILURE)
        fail("P2 failed: %.*s", (int)taken->size, (const char *)taken->data);
    memcpy(message->bytes, taken->data, taken->size);
    message->kind = taken->kind;
    message->size = taken->size;
    tpl_free(taken);
}

/* The answer to the oldest call, or a message if there is no call; false if neither is in time. */
static bool pingpong_tpl_get(struct link *link, struct link_message *message,
                             const struct timespec *deadline)
{
    struct pingpong_tpl *tpl = link->system;
    struct pingpong_tpl_call *call = tpl->first;
    struct tpl_message *taken;
    int result = call ? tpl_await(call->future, deadline, &taken)
                      : tpl_receive(tpl->node, TPL_ANY, deadline, &taken);
    if (result == TPL_LATE)
        return false;
    pingpong_tpl_check(result, "cannot receive");
    pingpong_tpl_take(taken, message);
    if (call) {
        tpl->first = call->next;
        if (!tpl->first)
            tpl->last = &tpl->first;
        free(call);
    }
    return true;
}

static void pingpong_tpl_receive(struct link *link, struct link_message *message)
{
    pingpong_tpl_get(link, message, NULL);
}

static bool pingpong_tpl_receive_until(struct link *link, struct link_message *message,
                                       int64_t deadline_ns)
{
    struct timespec deadline = {.tv_sec = deadline_ns / 1000000000,
                                .tv_nsec = deadline_ns % 1000000000};
    return pingpong_tpl_get(link, message, &deadline);
}

static void pingpong_tpl_serve(struct link *link,
                               void (*check)(void *context, const struct link_message *),
                               void *context)
{
    struct pingpong_tpl *tpl = link->system;
    tpl->check = check;
    tpl->check_context = context;
}

/* The handler. */
static void pingpong_tpl_handle(struct tpl_request *request, void *argument)
{
    const struct pingpong_tpl *tpl = argument;
    const struct link_message message = {
        .kind = request->kind, .size = request->size, .bytes = request->data};
    tpl->check(tpl->check_context, &message);
    int result = tpl_answer(request, LINK_DATA, request->data, request->size);
    if (result != TPL_DEAD)
        pingpong_tpl_check(result, "cannot answer");
}

/* The main thread hears of it behind what the other process said before. */
static void pingpong_tpl_lose(struct tpl *node, int number, void *argument)
{
    struct tpl_address here = tpl_address(node, tpl_number(node), TPL_MAIN);
    (void)number, (void)argument;
    pingpong_tpl_check(tpl_send(node, here, PINGPONG_TPL_LOST, NULL, 0),
                       "the other process ended before its work was done");
}

static const struct version *const pingpong_tpl_versions[] = {
    &version_tpl_safe,
    &version_tpl_interrupt,
    &version_tpl_getfds,
    NULL,
};

static enum tpl_ground pingpong_tpl_ground(const struct version *version)
{
    if (version == &version_tpl_safe)
        return TPL_GROUND_SAFE;
    return version == &version_tpl_interrupt ? TPL_GROUND_INTERRUPT : TPL_GROUND_GETFDS;
}

static const struct link pingpong_tpl_link = {
    .send = pingpong_tpl_send,
    .receive = pingpong_tpl_receive,
    .receive_until = pingpong_tpl_receive_until,
};

/* Both processes do this. The services and the link are to stay until the end. */
static void pingpong_tpl_start(const struct options *options, struct pingpong_tpl *tpl,
                               const struct tpl_service *services, char **arguments)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        fail("cannot find out where this program is: %s", strerror(errno));
    path[length] = '\0';
    long window = options->serve ? PINGPONG_TPL_REQUESTS : options->window;
    struct tpl_options wanted = {
        .nodes = 2,
        .program = path,
        .arguments = arguments,
        .flags = PvmTaskDefault,
        .services = options->serve && !options->answer ? services : NULL,
        .workers = 1, /* T2: requests are answered one after the other */
        .window = (int)(window < PINGPONG_TPL_WINDOW ? window : PINGPONG_TPL_WINDOW),
        .ground = pingpong_tpl_ground(options->version),
        .lost = pingpong_tpl_lose,
    };
    int result = tpl_start(&tpl->node, &wanted);
    if (result == TPL_BAD)
        fail("libpvm3 does not have what %s stands on", options->version->name);
    pingpong_tpl_check(result, "cannot start the two nodes");
    tpl->peer = tpl_address(tpl->node, options->answer ? 0 : 1, TPL_MAIN);
    tpl->calls = options->serve && options->answer;
    tpl->last = &tpl->first;
}

static void pingpong_tpl_enrol(const struct options *options)
{
    int quiet = pvm_setopt(PvmAutoErr, 0); /* every error is reported here, once */
    if (pvm_mytid() < 0)
        fail("no pvmd answers (%s); start one (pvmd, or the console pvm) with the same PVM_TMP and "
             "PVM_VMID",
             pvm_strerror());
    if (quiet < 0)
        fail("cannot set the error option: %s", pvm_strerror());
    if (options->direct && pvm_setopt(PvmRoute, PvmRouteDirect) < 0)
        fail("cannot ask for the direct route: %s", pvm_strerror());
    if ((pvm_parent() > 0) != options->answer)
        fail(options->answer ? "--answer: P1 has to spawn this" : "P1 must not be spawned");
}

static void pingpong_tpl_tell(void *context, const char *text)
{
    struct pingpong_tpl *tpl = context;
    tpl_send(tpl->node, tpl->peer, PINGPONG_TPL_FAILURE, text, strlen(text));
}

static void pingpong_tpl_run(const struct options *options, struct link *link)
{
    struct link_pair links = {link, link};
    const struct pingpong_tpl *tpl = link->system;
    printf("TPL on PVM %s: P1 is t%x, P2 is t%x\n", pvm_version(),
           (unsigned)tpl_address(tpl->node, 0, TPL_MAIN).tid, (unsigned)tpl->peer.tid);
    if (options->serve) {
        link->serve = pingpong_tpl_serve;
        serve_run(options, links);
    } else {
        exchange_run(options, links);
    }
}

static void pingpong_tpl_answer(const struct options *options, struct link *link)
{
    fail_listen(pingpong_tpl_tell, link->system);
    if (options->serve)
        serve_answer(options, link);
    else
        exchange_answer(options, link);
}

int main(int argc, char **argv)
{
    struct options options;
    struct pingpong_tpl tpl = {0};
    struct link link = pingpong_tpl_link;
    const struct tpl_service services[] = {
        {.kind = LINK_DATA, .handler = pingpong_tpl_handle, .argument = &tpl, .in_order = true},
        {.handler = NULL}};
    link.system = &tpl;

    options_parse(&options, &(struct options_offer){pingpong_tpl_versions, true}, argc, argv);
    if (!options.answer)
        options_confine(&options);
    pingpong_tpl_enrol(&options);
    argv[0] = "--answer"; /* in place of the program's name: what P2 is told */
    pingpong_tpl_start(&options, &tpl, services, argv);
    if (options.answer)
        pingpong_tpl_answer(&options, &link);
    else
        pingpong_tpl_run(&options, &link);
    pingpong_tpl_check(tpl_finish(tpl.node), "the other process did not end well");
    pvm_exit();
    return 0;
}
