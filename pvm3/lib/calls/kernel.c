/* kernel.c - what another interface than PVM asks of the kernel, in its own contexts. */
#include "lib/calls/kernel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ck/base/cancel.h"
#include "ck/requests/request.h"
#include "core/control.h"
#include "core/encode.h"
#include "core/one_copy.h"
#include "core/signature.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"
#include "lib/task/variables.h"

_Static_assert(KERNEL_CONTEXTS == TASK_OTHER_CONTEXTS, "receipts are for these contexts");
_Static_assert(KERNEL_ORDERS == TASK_ORDERS, "orders are in this context");
_Static_assert(KERNEL_ANY_SOURCE == PATTERN_ANY_SOURCE, "sources go to the kernel as they are");
_Static_assert(KERNEL_ANY_TAG == PATTERN_ANY, "tags go to the kernel as they are");

/* The context of events: nothing is ever sent there. */
#define KERNEL_EVENTS 0x7fffffff

/* From this size on a receive lends its memory: then one copy may be cheaper than two. */
#define KERNEL_LENDS ((size_t)1 << ONE_COPY_LEAST_BITS)

/* The encoding of a failure, which has no bytes. Messages with bytes are in the sender's own. */
#define KERNEL_FAILURE MESSAGE_XDR

/* How many posts a thread waits for without taking memory. */
#define KERNEL_FEW 16

struct kernel_post {
    struct request *request;
    struct message message; /* of a send */
    bool sends;
};

/* The task of the calling thread. A receive of PVM may have left its sleeps cancellable. */
static struct task *kernel_task(void)
{
    struct caller *caller = caller_self();
    caller->cancellable = caller->holds_late = false;
    return caller->task;
}

/* Likewise, of a thread that may be called back from its wait until kernel_end_wait. */
static struct task *kernel_begin_wait(void)
{
    struct task *task = kernel_task();
    caller_self()->may_return = true;
    return task;
}

static void kernel_end_wait(void)
{
    caller_self()->may_return = false;
}

static int kernel_result(int result)
{
    switch (result) {
    case CK_NO_MEMORY:
        return KERNEL_NO_MEMORY;
    case CK_PEER_OVER:
        return KERNEL_OVER;
    case CK_CANCELLED:
        return KERNEL_CANCELLED;
    case CK_RECALLED:
        return KERNEL_RECALLED;
    default:
        return result < 0 ? KERNEL_LOST : result;
    }
}

static struct pattern kernel_pattern(const struct kernel_match *match)
{
    return (struct pattern){.source = match->source, .tag = match->tag, .context = match->context};
}

/* The task. ------------------------------------------------------------------------------------ */

int kernel_enrol(void)
{
    HOLD_OFF_CANCELLATION;
    return pvmd_link_enrol(kernel_task()) < 0 ? KERNEL_LOST : 0;
}

bool kernel_is_enrolled(void)
{
    return pvmd_link_is_enrolled(kernel_task());
}

bool kernel_shares_process(void)
{
    return kernel_task()->is_thread;
}

/* Whether enrolment would not end the process, as it does where root has not been let in. */
static bool kernel_may_enrol(struct task *task)
{
    return geteuid() != 0 || variables_find(task, "PVM_ALLOW_ROOT");
}

int kernel_enrol_or_stay(void)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    if (kernel_may_enrol(task))
        pvmd_link_try(task);
    return pvmd_link_is_enrolled(task) || task->steps->stay(task) == 0 ? 0 : KERNEL_LOST;
}

uint32_t kernel_address(void)
{
    return kernel_task()->endpoint.own;
}

void kernel_recall(bool recall)
{
    HOLD_OFF_CANCELLATION;
    endpoint_recall(&kernel_task()->endpoint, RECALL_WAITS, recall);
}

void kernel_serve(kernel_carry_out *carry_out)
{
    HOLD_OFF_CANCELLATION;
    atomic_store(&kernel_task()->other_orders, carry_out);
}

/* The end of other tasks. ---------------------------------------------------------------------- */

/* Asks the pvmd for events of the ends of tasks, or not to send them. */
static int kernel_ask(struct task *task, int what, const uint32_t *tasks, int count)
{
    int others = 0;
    for (int i = 0; i < count; i++)
        others += tasks[i] != task->endpoint.own;
    if (others == 0)
        return 0;
    struct message *request = control_new(TM_NOTIFY, PvmBaseContext, 0);
    control_put_int(request, what);
    control_put_int(request, CONTROL_CONTEXT_TC);
    control_put_int(request, CONTROL_DEATH);
    control_put_int(request, others);
    for (int i = 0; i < count; i++)
        if (tasks[i] != task->endpoint.own)
            control_put_int(request, (int32_t)tasks[i]);
    return pvmd_link_order(task, request) < 0 ? KERNEL_LOST : 0;
}

int kernel_watch(const uint32_t *tasks, int count, kernel_told *told)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    if (!pvmd_link_is_enrolled(task))
        return KERNEL_LOST;
    atomic_store(&task->other_told, told);
    return kernel_ask(task, PvmTaskExit, tasks, count);
}

void kernel_leave(uint32_t task)
{
    HOLD_OFF_CANCELLATION;
    struct task *own = kernel_task();
    struct message *message = control_new(CONTROL_FAREWELL, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, (int32_t)own->endpoint.own);
    const struct parcel parcel = {message, task};
    if (message) {
        message->header.destination = task;
        endpoint_send(&own->endpoint, &parcel, true);
    }
    message_free(message);
}

void kernel_unwatch(const uint32_t *tasks, int count)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    if (pvmd_link_is_enrolled(task))
        kernel_ask(task, PvmTaskExit | PvmNotifyCancel, tasks, count);
}

static int kernel_add_case(const struct kernel_despair *despair, int32_t context)
{
    const struct hopeless_case added = {despair->number, despair->source, context};
    return kernel_result(endpoint_despair(&kernel_task()->endpoint, &added));
}

int kernel_despair(const struct kernel_despair *despair)
{
    HOLD_OFF_CANCELLATION;
    bool named = despair->source != KERNEL_ANY_SOURCE;
    int result = kernel_add_case(despair, despair->context);
    return result == 0 && named ? kernel_add_case(despair, TASK_RECEIPTS) : result;
}

void kernel_hope(int number)
{
    HOLD_OFF_CANCELLATION;
    endpoint_hope(&kernel_task()->endpoint, number);
}

/* Sending. ------------------------------------------------------------------------------------- */

/* Appends the bytes, straight to the memory that the message goes out from. */
static int kernel_pack_body(struct message *message, const struct kernel_letter *letter)
{
    for (size_t done = 0; done < letter->size;) {
        size_t granted;
        unsigned char *room = message_reserve(message, letter->size - done, 1, &granted);
        if (!room)
            return KERNEL_NO_MEMORY;
        if (letter->memory)
            memcpy(room, (const char *)letter->memory + done, granted);
        else
            letter->pack(letter->from, done, room, granted);
        message_commit(message, granted);
        done += granted;
    }
    return 0;
}

/* The message of a letter. 0, or KERNEL_NO_MEMORY; message_finish in either case. */
static int kernel_compose(struct task *task, struct message *message,
                          const struct kernel_letter *letter)
{
    bool lies = letter->memory && !letter->copied;
    uint32_t encoding = letter->failure ? KERNEL_FAILURE
                        : lies          ? MESSAGE_IN_PLACE
                                        : signature_native();
    message_init(message, encoding, MESSAGE_FRAGMENT_DEFAULT);
    message->header.tag = letter->tag;
    message->header.context = letter->context;
    message->header.destination = letter->destination;
    if (letter->size == 0 || letter->failure)
        return 0;
    if (lies)
        return message_append_memory(message, letter->memory, letter->size) < 0 ? KERNEL_NO_MEMORY
                                                                                : 0;
    message->maker = task->endpoint.engine->maker;
    return kernel_pack_body(message, letter);
}

int kernel_send(const struct kernel_letter *letter)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    struct message message;
    int result = kernel_compose(task, &message, letter);
    if (result == 0) {
        const struct parcel parcel = {&message, letter->destination};
        result = kernel_result(endpoint_send(&task->endpoint, &parcel, true));
    }
    message_finish(&message);
    return result;
}

/* Receiving. ----------------------------------------------------------------------------------- */

static void kernel_note(struct kernel_arrival *arrival, const struct message *message)
{
    if (arrival)
        *arrival =
            (struct kernel_arrival){message->header.source, message->header.tag, message->length,
                                    message->header.encoding == KERNEL_FAILURE};
}

/* Unpacks piece by piece where the message lies. */
static void kernel_unpack_body(const struct message *message, const struct kernel_room *room)
{
    struct cursor cursor = {0, 0};
    const unsigned char *from;
    size_t available, done = 0;
    while (done < room->size && (from = message_peek(message, &cursor, &available)) != NULL) {
        size_t size = available < room->size - done ? available : room->size - done;
        room->unpack(room->to, done, from, size);
        cursor.offset += size;
        done += size;
    }
}

static void kernel_put(const struct message *message, const struct kernel_room *room)
{
    struct cursor cursor = {0, 0};
    if (!room || room->size == 0)
        return;
    if (!room->memory)
        kernel_unpack_body(message, room);
    else if (!message_is_at(message, room->memory))
        encode_take_bytes(message, &cursor, room->memory, room->size);
}

int kernel_receive(const struct kernel_match *match, const struct kernel_room *room,
                   struct kernel_arrival *arrival)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_begin_wait();
    const struct pattern pattern = kernel_pattern(match);
    struct message *message;
    int result =
        room->memory && room->size >= KERNEL_LENDS
            ? endpoint_receive_into(&task->endpoint, &pattern, room->memory, room->size, &message)
            : endpoint_receive(&task->endpoint, &pattern, NULL, &message);
    kernel_end_wait();
    if (result < 0)
        return kernel_result(result);
    kernel_note(arrival, message);
    kernel_put(message, room);
    buffer_drop_message(task, message);
    return 0;
}

static int kernel_see(void *context, struct message *message)
{
    kernel_note(context, message);
    return 1;
}

int kernel_probe(const struct kernel_match *match, struct kernel_arrival *arrival)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    const struct pattern pattern = kernel_pattern(match);
    return kernel_result(endpoint_probe(&task->endpoint, &pattern, kernel_see, arrival));
}

int kernel_claim(const struct kernel_match *match, struct message **message,
                 struct kernel_arrival *arrival)
{
    HOLD_OFF_CANCELLATION;
    const struct pattern pattern = kernel_pattern(match);
    int result = endpoint_claim(&kernel_task()->endpoint, &pattern, message);
    if (result < 0 || !*message)
        return kernel_result(result);
    kernel_note(arrival, *message);
    return 1;
}

void kernel_accept(struct message *message, const struct kernel_room *room)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    endpoint_accept(&task->endpoint, message);
    kernel_put(message, room);
    buffer_drop_message(task, message);
}

/* What is posted. ------------------------------------------------------------------------------ */

static void kernel_free(struct kernel_post *post)
{
    request_free(post->request);
    if (post->sends)
        message_finish(&post->message);
    free(post);
}

/* Posts the send. What the system has at once need not be kept: then there is no request. */
static int kernel_post_message(struct task *task, struct kernel_post *post,
                               const struct kernel_letter *letter, bool synchronous)
{
    const struct parcel parcel = {&post->message, letter->destination};
    int result = kernel_compose(task, &post->message, letter);
    if (result < 0)
        return result;
    if (!synchronous)
        return kernel_result(request_try_send(&task->endpoint, &parcel, &post->request));
    do
        post->message.header.wait = atomic_fetch_add(&task->next_wait, 1) + 1;
    while (post->message.header.wait == 0);
    const struct pattern receipt = {.source = letter->destination,
                                    .tag = PATTERN_ANY,
                                    .context = TASK_RECEIPTS,
                                    .wait = post->message.header.wait};
    return kernel_result(
        request_post_call(&task->endpoint, &parcel, true, &receipt, &post->request));
}

int kernel_post_send(const struct kernel_letter *letter, bool synchronous,
                     struct kernel_post **posted)
{
    HOLD_OFF_CANCELLATION;
    struct kernel_post *post = malloc(sizeof *post);
    *posted = NULL;
    if (!post)
        return KERNEL_NO_MEMORY;
    post->request = NULL;
    post->sends = true;
    int result = kernel_post_message(kernel_task(), post, letter, synchronous);
    if (result == 0 && post->request)
        *posted = post;
    if (!*posted)
        kernel_free(post);
    return result;
}

/* How a receive is posted. */
typedef int kernel_receiving(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                             size_t size, struct request **request);

static int kernel_post(kernel_receiving *receiving, const struct pattern *pattern,
                       const struct kernel_room *room, struct kernel_post **posted)
{
    struct kernel_post *post = malloc(sizeof *post);
    bool lends = room && room->memory && room->size >= KERNEL_LENDS;
    *posted = NULL;
    if (!post)
        return KERNEL_NO_MEMORY;
    post->sends = false;
    int result =
        kernel_result(receiving(&kernel_task()->endpoint, pattern, lends ? room->memory : NULL,
                                lends ? room->size : 0, &post->request));
    if (result < 0)
        free(post);
    else
        *posted = post;
    return result;
}

int kernel_post_receive(const struct kernel_match *match, const struct kernel_room *room,
                        struct kernel_post **post)
{
    HOLD_OFF_CANCELLATION;
    const struct pattern pattern = kernel_pattern(match);
    return kernel_post(request_post_accepting, &pattern, room, post);
}

int kernel_post_claim(const struct kernel_match *match, struct kernel_post **post)
{
    HOLD_OFF_CANCELLATION;
    const struct pattern pattern = kernel_pattern(match);
    return kernel_post(request_post_receive, &pattern, NULL, post);
}

int kernel_post_event(struct kernel_post **post)
{
    HOLD_OFF_CANCELLATION;
    const struct pattern nothing = {
        .source = kernel_task()->endpoint.own, .tag = 0, .context = KERNEL_EVENTS};
    return kernel_post(request_post_receive, &nothing, NULL, post);
}

void kernel_raise(struct kernel_post *event)
{
    kernel_cancel(event);
}

void kernel_stand_by(struct kernel_post *event)
{
    HOLD_OFF_CANCELLATION;
    kernel_task();
    request_stand_by(event->request);
}

bool kernel_test(struct kernel_post *post)
{
    HOLD_OFF_CANCELLATION;
    kernel_task();
    return request_test(post->request);
}

int kernel_wait(struct kernel_post *post)
{
    HOLD_OFF_CANCELLATION;
    kernel_begin_wait();
    bool done = request_wait(post->request, NULL);
    kernel_end_wait();
    return done ? 0 : KERNEL_RECALLED;
}

/* With `requests`, which has room for all. */
static int kernel_wait_for(struct kernel_post *const *posts, int count, struct request **requests)
{
    for (int i = 0; i < count; i++)
        requests[i] = posts[i] ? posts[i]->request : NULL;
    return kernel_result(request_wait_any(requests, count, NULL));
}

int kernel_wait_any(struct kernel_post *const *posts, int count)
{
    HOLD_OFF_CANCELLATION;
    struct request *few[KERNEL_FEW];
    kernel_task();
    if (count <= KERNEL_FEW)
        return kernel_wait_for(posts, count, few);
    struct request **many = malloc((size_t)count * sizeof *many);
    int found = many ? kernel_wait_for(posts, count, many) : KERNEL_NO_MEMORY;
    free(many);
    return found;
}

int kernel_finish(struct kernel_post *post, const struct kernel_room *room,
                  struct kernel_arrival *arrival)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    int result = kernel_result(request_result(post->request));
    struct message *message = NULL;
    if (result == 0 && !post->sends) {
        message = request_take_last(post->request);
        post->request = NULL;
    }
    if (message) {
        kernel_note(arrival, message);
        kernel_put(message, room);
        buffer_drop_message(task, message);
    }
    kernel_free(post);
    return result;
}

int kernel_finish_claim(struct kernel_post *post, struct message **message,
                        struct kernel_arrival *arrival)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = kernel_task();
    int result = kernel_result(request_result(post->request));
    struct message *claimed = result == 0 ? request_claim(post->request) : NULL;
    if (claimed)
        kernel_note(arrival, claimed);
    if (claimed && !message)
        endpoint_give_back(&task->endpoint, claimed);
    else if (claimed)
        *message = claimed;
    kernel_free(post);
    return result;
}

bool kernel_cancel(struct kernel_post *post)
{
    HOLD_OFF_CANCELLATION;
    kernel_task();
    return request_cancel(post->request);
}
