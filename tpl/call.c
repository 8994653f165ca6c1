/* call.c - requests made, and the answers that come. */
#include <limits.h>
#include <stdlib.h>

#include "node.h"

static struct tpl_future **bucket_of(struct tpl *node, int id)
{
    return &node->futures[(unsigned)id % BUCKETS];
}

static void future_settle(struct tpl_future *future, int result)
{
    future->ready = true;
    future->result = result;
    pthread_cond_broadcast(&future->arrival);
    node_rest(future->node);
}

/* No answer finds it any more. */
static void future_free(struct tpl_future *future)
{
    struct tpl_future **link = bucket_of(future->node, future->id);
    while (*link != future)
        link = &(*link)->next;
    *link = future->next;
    peer_let_go(future->peer);
    pthread_cond_destroy(&future->arrival);
    tpl_free(future->answer);
    free(future);
}

static struct tpl_message *answer_new(const struct letter *letter)
{
    struct tpl_message *answer = calloc(1, sizeof *answer);
    if (answer)
        *answer = (struct tpl_message){.from = {letter->peer, TPL_POOL},
                                       .kind = letter->kind,
                                       .size = letter->size,
                                       .data = letter->data};
    return answer;
}

/* What a peer may say of a call; whatever else one says is a refusal. */
static int result_of(const struct letter *letter)
{
    switch (letter->result) {
    case TPL_OK:
    case TPL_NO_MEMORY:
    case TPL_NOT_FOUND:
    case TPL_CANCELLED:
    case TPL_STOPPED:
        return letter->result;
    default:
        return TPL_REFUSED;
    }
}

/* The window has room again even if nobody waits for the answer any more. */
void futures_take_answer(struct tpl *node, const struct letter *letter)
{
    struct peer *peer = peer_find(node, letter->peer);
    struct tpl_future *future = *bucket_of(node, letter->id);
    while (future && (future->id != letter->id || future->peer != peer))
        future = future->next;
    if (peer)
        peer_give_room(peer, TPL_POOL, 1);
    if (!future || future->ready) {
        free(letter->data);
        return;
    }
    int result = result_of(letter);
    future->answer = result == TPL_OK ? answer_new(letter) : NULL;
    if (!future->answer)
        free(letter->data);
    future_settle(future, result == TPL_OK && !future->answer ? TPL_NO_MEMORY : result);
}

void futures_fail(struct tpl *node, const struct peer *peer, int result)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct tpl_future *future = node->futures[i]; future; future = future->next)
            if (!future->ready && (!peer || future->peer == peer))
                future_settle(future, result);
}

/* Frees the futures that the program has neither awaited nor cancelled. */
void futures_free(struct tpl *node)
{
    for (int i = 0; i < BUCKETS; i++)
        while (node->futures[i])
            future_free(node->futures[i]);
}

static struct tpl_future *future_new(struct tpl *node, struct peer *peer)
{
    struct tpl_future *future = calloc(1, sizeof *future);
    if (!future)
        return NULL;
    if (++node->last_future <= 0)
        node->last_future = 1;
    future->node = node;
    future->peer = peer_hold(peer);
    future->id = node->last_future;
    condition_start(&future->arrival);
    future->next = *bucket_of(node, future->id);
    *bucket_of(node, future->id) = future;
    node_busy(node);
    return future;
}

/* The peer is held. */
static int ask_peer(struct tpl *node, struct peer *peer, int kind, const void *data, size_t size,
                    const struct timespec *deadline, struct tpl_future **future)
{
    int result = peer_take_room(node, peer, TPL_POOL, deadline);
    if (result < 0)
        return result;
    if (future && (*future = future_new(node, peer)) == NULL) {
        peer_give_room(peer, TPL_POOL, 1);
        return TPL_NO_MEMORY;
    }
    const struct letter letter = {.type = LETTER_REQUEST,
                                  .peer = peer->tid,
                                  .from = inbox_number(node),
                                  .id = future ? (*future)->id : 0,
                                  .kind = kind,
                                  .window = node->options.window,
                                  .size = size};
    peer->sent++;
    result = node_send(node, &letter, data);
    if (result == TPL_OK)
        return result;
    peer->sent--;
    node->reported = false;
    peer_give_room(peer, TPL_POOL, 1);
    if (!future)
        return result;
    if (!(*future)->ready)
        future_settle(*future, result);
    future_free(*future);
    *future = NULL;
    return result;
}

static int ask(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size,
               const struct timespec *deadline, struct tpl_future **future)
{
    struct peer *peer = peer_get(node, to.tid);
    if (!peer)
        return TPL_NO_MEMORY;
    peer_hold(peer);
    int result = ask_peer(node, peer, kind, data, size, deadline, future);
    peer_let_go(peer);
    return result;
}

static int ask_and_unlock(struct tpl *node, struct tpl_address to, int kind, const void *data,
                          size_t size, const struct timespec *deadline, struct tpl_future **future)
{
    if (future)
        *future = NULL;
    if (!node || to.tid <= 0 || size > INT_MAX || (size > 0 && !data))
        return TPL_BAD;
    node_come(node);
    int result = ask(node, to, kind, data, size, deadline, future);
    node_go(node);
    return result;
}

int tpl_ask(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size,
            struct tpl_future **future)
{
    return ask_and_unlock(node, to, kind, data, size, NULL, future);
}

int tpl_await(struct tpl_future *future, const struct timespec *deadline,
              struct tpl_message **answer)
{
    if (answer)
        *answer = NULL;
    if (!future)
        return TPL_BAD;
    struct tpl *node = future->node;
    bool in_time = true;
    node_come(node);
    while (!future->ready && in_time)
        in_time = node_sleep(node, &future->arrival, deadline);
    int result = future->ready ? future->result : TPL_LATE;
    if (future->ready) {
        if (answer) {
            *answer = future->answer;
            future->answer = NULL;
        }
        future_free(future);
    }
    node_go(node);
    return result;
}

bool tpl_is_ready(struct tpl_future *future)
{
    struct tpl *node = future->node;
    node_lock(node);
    bool ready = future->ready;
    node_unlock(node);
    return ready;
}

void tpl_cancel(struct tpl_future *future)
{
    struct tpl *node = future->node;
    node_lock(node);
    if (!future->ready) {
        node_post(node, &(struct letter){
                            .type = LETTER_CANCEL, .peer = future->peer->tid, .id = future->id});
        future_settle(future, TPL_CANCELLED);
    }
    future_free(future);
    node_unlock(node);
}

int tpl_call(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size,
             const struct timespec *deadline, struct tpl_message **answer)
{
    struct tpl_future *future;
    if (answer)
        *answer = NULL;
    if (!node)
        return TPL_BAD;
    node_come(node); /* from here on, as the node stays between the steps */
    node_unlock(node);
    int result = ask_and_unlock(node, to, kind, data, size, deadline, &future);
    if (result == TPL_OK) {
        result = tpl_await(future, deadline, answer);
        if (result == TPL_LATE)
            tpl_cancel(future);
    }
    node_lock(node);
    node_go(node);
    return result;
}
