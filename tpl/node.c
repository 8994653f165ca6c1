/* node.c - a process as a part of a program: its beginning and its end. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

#define WINDOW      64
#define WINDOW_MOST 0x7fff
#define PATIENCE    60 /* seconds */

/* Two nodes would take each other's messages, as both have the tid of the process. */
static atomic_flag process_is_node = ATOMIC_FLAG_INIT;

const char *tpl_strerror(int result)
{
    static const char *const words[] = {
        "success",
        "an argument makes no sense",
        "out of memory",
        "no pvmd, or it is lost",
        "there is none of this name or kind",
        "the peer's process has ended",
        "the deadline has passed",
        "the call was cancelled",
        "the request was refused",
        "the program is over",
        "the program was stopped",
        "not all nodes could be started",
        "the process is a node already: call tpl_finish first",
        "a spawned process did not become a node: it has to call tpl_start",
    };
    const int count = (int)(sizeof words / sizeof words[0]);
    if (result > 0)
        return words[0];
    return result > -count ? words[-result] : "an unknown error";
}

struct timespec tpl_after(long milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

/* What lock.c calls, which stands below all that a node is made of. ---------------------------- */

static void node_wake_all(struct tpl *node)
{
    pthread_cond_broadcast(&node->changed);
    inboxes_wake(node);
    for (int i = 0; i < BUCKETS; i++)
        for (struct peer *peer = node->peers[i]; peer; peer = peer->next)
            peer_wake(peer);
}

static void node_tell_end(struct tpl *node)
{
    futures_fail(node, NULL, node->ended);
    if (node->ended != TPL_OVER)
        pool_stop(node);
    node_wake_all(node);
}

static const struct node_hooks node_hooks = {over_report_if_idle, node_tell_end};

/* The beginning. ------------------------------------------------------------------------------- */

static bool options_are_good(const struct tpl_options *options)
{
    return options->nodes >= 1 && options->nodes <= NODES_MOST && options->workers >= 0 &&
           options->window >= 0 && options->window <= WINDOW_MOST && options->patience >= 0 &&
           (options->nodes == 1 || options->program);
}

static struct tpl *node_new(const struct tpl_options *options)
{
    struct tpl *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->options = *options;
    if (node->options.window == 0)
        node->options.window = WINDOW;
    node->hooks = &node_hooks;
    node->judge = -1;
    struct timespec now; /* answers to a former node of this process are none to this one's calls */
    clock_gettime(CLOCK_REALTIME, &now);
    node->last_future = (int)(now.tv_nsec & 0x3fffffff);
    node->last_outgoing = &node->outgoing;
    pthread_mutex_init(&node->lock, NULL);
    condition_start(&node->changed);
    return node;
}

static void node_free(struct tpl *node)
{
    over_free(node);
    pool_free(node);
    futures_free(node);
    peers_free(node);
    inboxes_free(node);
    free(node->nodes);
    pthread_cond_destroy(&node->changed);
    pthread_mutex_destroy(&node->lock);
    free(node);
}

/* The other nodes have joined, or will not. */
static bool node_is_settled(const struct tpl *node)
{
    bool all = true;
    for (int i = 1; i < node->count; i++) {
        const struct peer *peer = node->nodes[i];
        if (peer->dead && !peer->joined)
            return true;
        all = all && peer->joined;
    }
    return all || node->ended;
}

/* Waits until the processes that were spawned are nodes; with the lock. */
static int node_await_joined(struct tpl *node)
{
    const int patience = node->options.patience ? node->options.patience : PATIENCE;
    struct timespec deadline = tpl_after(0);
    deadline.tv_sec += patience;
    bool in_time = true;
    while (!node_is_settled(node) && in_time)
        in_time = node_sleep(node, &node->changed, &deadline);
    if (node->ended)
        return node->ended;
    for (int i = 1; i < node->count; i++)
        if (!node->nodes[i]->joined)
            return TPL_NOT_NODES;
    return TPL_OK;
}

/*
 * Ends processes that were spawned. With the lock, which is given back meanwhile: on the ground of
 * interrupts a call of PVM waits until the receiving thread receives, and that may want the lock.
 */
static void node_kill(struct tpl *node, const int *tids, int count)
{
    pthread_mutex_unlock(&node->lock);
    for (int i = 0; i < count; i++)
        ground_kill(&node->ground, tids[i]);
    pthread_mutex_lock(&node->lock);
}

/* Starts the other nodes and tells them of each other; with the lock. */
static int node_spawn(struct tpl *node)
{
    int count = node->options.nodes;
    int *tids = malloc((size_t)count * sizeof *tids);
    if (!tids)
        return TPL_NO_MEMORY;
    tids[0] = node->ground.tid;
    pthread_mutex_unlock(&node->lock);
    int started = count > 1 ? ground_spawn(&node->ground, &node->options, tids + 1) : 0;
    pthread_mutex_lock(&node->lock);
    int result = started < count - 1 ? TPL_NOT_SPAWNED : TPL_OK;
    if (result == TPL_OK && !node_learn(node, tids, count))
        result = TPL_NO_MEMORY;
    for (int i = 1; result == TPL_OK && i < count; i++) {
        uint32_t *words = malloc((size_t)count * sizeof *words);
        for (int j = 0; words && j < count; j++)
            words[j] = htonl((uint32_t)tids[j]);
        if (!words)
            result = TPL_NO_MEMORY;
        else
            node_post(node, &(struct letter){.type = LETTER_NODES,
                                             .peer = tids[i],
                                             .size = (size_t)count * sizeof *words,
                                             .data = words});
    }
    if (result == TPL_OK)
        result = node_await_joined(node);
    if (result < 0)
        node_kill(node, tids + 1, started);
    free(tids);
    return result;
}

/* Waits for what the parent says; with the lock. */
static int node_await_nodes(struct tpl *node, int tid)
{
    struct peer *parent = peer_get(node, tid);
    if (!parent)
        return TPL_NO_MEMORY;
    peer_hold(parent);
    while (node->count == 0 && !node->ended && !parent->dead)
        node_sleep(node, &node->changed, NULL);
    peer_let_go(parent);
    if (node->count > 0)
        return TPL_OK;
    return node->ended ? node->ended : TPL_DEAD;
}

static void node_withdraw_names(struct tpl *node)
{
    struct name *name;
    while ((name = node->names) != NULL) {
        node->names = name->next;
        if (node->ended != TPL_NO_PVM)
            ground_withdraw(&node->ground, name->text);
        free(name);
    }
}

/* The receiving thread ends, and with it all that the node is. What came is answered before. */
static void node_close(struct tpl *node)
{
    node_withdraw_names(node);
    pool_end(node);
    node_lock(node);
    peers_tell_of_end(node);
    while (node->flushing)
        node_sleep(node, &node->changed, NULL);
    node_unlock(node);
    if (node->options.signals) {
        pthread_kill(node->signals, SIGTERM);
        pthread_join(node->signals, NULL);
    }
    ground_send(&node->ground, &(struct letter){.type = LETTER_WAKE, .peer = node->ground.tid},
                NULL);
    pthread_join(node->receiver, NULL);
    inboxes_free_buffers(node);
    ground_finish(&node->ground);
    node_free(node);
}

static void block_signals(bool all, sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (all)
        sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* A signal stops the program; the one that tpl_finish sends ends the thread. */
static void *node_await_signals(void *argument)
{
    struct tpl *node = argument;
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigwait(&set, &number);
    tpl_stop(node);
    return NULL;
}

/* TPL's own threads get no signals but the ones that they wait for. */
static int node_begin(struct tpl *node)
{
    sigset_t before;
    if (node->options.signals)
        block_signals(false, NULL);
    block_signals(true, &before);
    bool begun = pthread_create(&node->receiver, NULL, node_receive, node) == 0;
    if (begun && node->options.signals &&
        pthread_create(&node->signals, NULL, node_await_signals, node) != 0)
        node->options.signals = false;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun ? TPL_OK : TPL_NO_MEMORY;
}

static int node_join(struct tpl *node)
{
    node_lock(node);
    int result = node->parent ? node_await_nodes(node, node->parent) : node_spawn(node);
    if (result < 0)
        node_end(node, result);
    node_unlock(node);
    return result;
}

static int node_start(struct tpl **started, const struct tpl_options *options)
{
    struct tpl *node = node_new(options);
    if (!node || pthread_key_create(&node->here, NULL) != 0) {
        free(node);
        return TPL_NO_MEMORY;
    }
    *started = node; /* for handlers, which may run before this returns */
    int result = pool_start(node);
    if (result == TPL_OK)
        result = ground_start(&node->ground, options->ground);
    const bool grounded = result == TPL_OK;
    if (result == TPL_OK && options->nodes > 1) /* before anything comes */
        node->parent = ground_parent(&node->ground);
    if (result == TPL_OK && !inbox_open(node)) /* before anything comes: TPL_MAIN is the first */
        result = TPL_NO_MEMORY;
    if (result == TPL_OK)
        result = node_begin(node);
    if (result == TPL_OK) {
        result = node_join(node);
        if (result < 0)
            node_close(node);
    } else {
        if (grounded)
            ground_finish(&node->ground);
        node_free(node);
    }
    return result;
}

int tpl_start(struct tpl **started, const struct tpl_options *options)
{
    if (!started)
        return TPL_BAD;
    *started = NULL;
    if (!options || !options_are_good(options))
        return TPL_BAD;
    if (atomic_flag_test_and_set(&process_is_node))
        return TPL_EXISTS;
    int result = node_start(started, options);
    if (result < 0) {
        *started = NULL;
        atomic_flag_clear(&process_is_node);
    }
    return result;
}

int tpl_count(const struct tpl *node)
{
    return node->count;
}

int tpl_number(const struct tpl *node)
{
    return node->number;
}

struct tpl_address tpl_address(const struct tpl *node, int number, int thread)
{
    if (number < 0 || number >= node->count)
        return (struct tpl_address){TPL_BAD, thread};
    return (struct tpl_address){node->nodes[number]->tid, thread};
}

bool tpl_is_alive(struct tpl *node, int number)
{
    node_lock(node);
    bool alive = number >= 0 && number < node->count && !node->nodes[number]->dead;
    node_unlock(node);
    return alive;
}

enum tpl_ground tpl_ground(const struct tpl *node)
{
    return node->ground.kind;
}

/* The end. ------------------------------------------------------------------------------------- */

void tpl_stop(struct tpl *node)
{
    node_lock(node);
    for (int i = 0; !node->ended && i < node->count; i++)
        if (i != node->number)
            node_post(node, &(struct letter){.type = LETTER_STOP, .peer = node->nodes[i]->tid});
    node_end(node, TPL_STOPPED);
    node_unlock(node);
}

int tpl_run(struct tpl *node)
{
    if (!node)
        return TPL_BAD;
    node_lock(node);
    while (!node->ended)
        node_sleep(node, &node->changed, NULL);
    int result = node->ended;
    node_unlock(node);
    return result;
}

int tpl_finish(struct tpl *node)
{
    if (!node)
        return TPL_BAD;
    node_lock(node);
    node_rest(node);
    while (!node->ended || (node->ended == TPL_OVER && !node->leaving) || node->inside > 0)
        node_sleep(node, &node->changed, NULL);
    int result = node->ended == TPL_OVER ? TPL_OK : node->ended;
    node_unlock(node);
    node_close(node);
    atomic_flag_clear(&process_is_node);
    return result;
}

/* Names, and PVM beside TPL. ------------------------------------------------------------------- */

/* Remembers what is to be withdrawn. */
static int node_note_name(struct tpl *node, const char *text)
{
    struct name *name = node->names;
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    if (name)
        return TPL_OK;
    name = malloc(sizeof *name + strlen(text) + 1);
    if (!name)
        return TPL_NO_MEMORY;
    strcpy(name->text, text);
    name->next = node->names;
    node->names = name;
    return TPL_OK;
}

int tpl_publish(struct tpl *node, const char *name)
{
    if (!node || !name || !*name)
        return TPL_BAD;
    int result = ground_publish(&node->ground, name);
    if (result < 0)
        return result;
    node_lock(node);
    result = node_note_name(node, name);
    node_unlock(node);
    return result;
}

int tpl_find(struct tpl *node, const char *name, struct tpl_address *address)
{
    int tid = node && address && name && *name ? ground_find(&node->ground, name) : TPL_BAD;
    if (tid < 0)
        return tid;
    node_lock(node);
    struct peer *peer = peer_find(node, tid);
    if (peer)
        peer->gone = false; /* it would have withdrawn the name */
    node_unlock(node);
    *address = (struct tpl_address){tid, TPL_POOL};
    return TPL_OK;
}

void tpl_enter(struct tpl *node)
{
    ground_enter(&node->ground);
}

void tpl_leave(struct tpl *node)
{
    ground_leave(&node->ground);
}
