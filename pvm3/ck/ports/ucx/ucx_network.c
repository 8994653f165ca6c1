/* ucx_network.c - the worker: how it is made, and what it receives. */
#include "ck/ports/ucx/ucx_network.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/xdr.h"

/* Rounds of the worker in one look. */
#define UCX_ROUNDS 64

/* A body of up to this many bytes goes into the message itself, and is one fragment. */
#define UCX_SHORT 208u

/* One of up to this many bytes is copied, too; a longer one stays where UCX has it. */
#define UCX_COPIED 1024u

/* Where Linux lists adapters that programs use past the kernel. */
#define UCX_ADAPTERS "/sys/class/infiniband"

int ucx_network_make(struct engine *engine, enum network setting)
{
    struct ucx_network *network = calloc(1, sizeof *network);
    if (!network)
        return -ENOMEM;
    network->engine = engine;
    network->setting = setting;
    network->descriptor = network->alarm = -1;
    network->arrived_end = &network->arrived;
    lock_init(&network->lock, LOCK_NETWORK);
    engine->far_part = network;
    return 0;
}

/* Receiving. ----------------------------------------------------------------------------------- */

/* A body where UCX has put it. */
struct ucx_chunk {
    struct chunk chunk;
    struct ucx_network *network;
};

static void ucx_chunk_dispose(struct chunk *chunk)
{
    struct ucx_chunk *kept = (struct ucx_chunk *)(void *)chunk;
    struct ucx_network *network = kept->network;
    lock_acquire(&network->lock);
    if (network->worker)
        network->calls.am_data_release(network->worker, chunk->data);
    lock_release(&network->lock);
    free(kept);
}

static struct chunk *ucx_chunk_keep(struct ucx_network *network, void *data, size_t length)
{
    struct ucx_chunk *kept = malloc(sizeof *kept);
    if (!kept)
        return NULL;
    kept->network = network;
    kept->chunk = (struct chunk){
        .foreign = true, .dispose = ucx_chunk_dispose, .data = data, .capacity = length};
    atomic_init(&kept->chunk.references, 1);
    return &kept->chunk;
}

/*
 * Gives a piece its body, which is what is behind the header in `data`. `keep` says that it may
 * stay there, and then whether it does. False without memory.
 */
static bool ucx_fill(struct ucx_network *network, struct message *piece, unsigned char *data,
                     size_t size, bool *keep)
{
    const size_t length = size - UCX_HEADER_SIZE;
    size_t fragment = xdr_load(data + FRAME_HEADERS_SIZE + 4);
    unsigned char *body = data + UCX_HEADER_SIZE;
    *keep = *keep && length > UCX_COPIED;
    struct chunk *chunk = *keep ? ucx_chunk_keep(network, data, size) : chunk_new(length);
    if (!chunk) {
        *keep = false;
        return false;
    }
    if (!*keep)
        body = memcpy(chunk->data, body, length);
    bool filled = fragment > 0 ? message_append_run(piece, chunk, body, length, fragment) == 0
                               : message_append(piece, chunk, body, length) == 0;
    if (*keep && !filled) { /* UCX frees the body itself */
        *keep = false;
        free(chunk);
    } else {
        chunk_release(chunk);
    }
    return filled;
}

static bool ucx_fill_short(struct message *piece, const void *data, size_t length)
{
    unsigned char *room = message_append_room(piece, length);
    if (room)
        memcpy(room, data, length);
    return room;
}

static struct message *ucx_piece(struct ucx_network *network, const unsigned char *header)
{
    struct frame frame;
    struct message *piece =
        message_new_from(&network->engine->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    if (!piece)
        return NULL;
    frame_decode(&frame, header);
    frame_decode_message(&piece->header, frame.source, header + FRAME_HEADER_SIZE);
    piece->header.source = frame.source;
    piece->header.destination = frame.destination;
    ucx_arrival_mark(piece, frame.flags, xdr_load(header + FRAME_HEADERS_SIZE));
    return piece;
}

/* With the lock, by ucx_network_progress. What does not fit in memory is lost, as elsewhere. */
static ucs_status_t ucx_receive(void *owner, const void *header, size_t header_size, void *data,
                                size_t size, const ucp_am_recv_param_t *param)
{
    struct ucx_network *network = owner;
    bool keep = param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA && size > UCX_HEADER_SIZE + UCX_SHORT;
    struct message *piece = size >= UCX_HEADER_SIZE ? ucx_piece(network, data) : NULL;
    (void)header, (void)header_size;
    if (!piece)
        return UCS_OK;
    bool filled = true;
    if (size > UCX_HEADER_SIZE + UCX_SHORT)
        filled = ucx_fill(network, piece, data, size, &keep);
    else if (size > UCX_HEADER_SIZE)
        filled =
            ucx_fill_short(piece, (unsigned char *)data + UCX_HEADER_SIZE, size - UCX_HEADER_SIZE);
    if (!filled) {
        message_free(piece);
        return UCS_OK;
    }
    piece->next = NULL;
    *network->arrived_end = piece;
    network->arrived_end = &piece->next;
    return keep ? UCS_INPROGRESS : UCS_OK;
}

struct message *ucx_network_take(struct ucx_network *network)
{
    struct message *arrived = network->arrived;
    network->arrived = NULL;
    network->arrived_end = &network->arrived;
    return arrived;
}

/* Making. -------------------------------------------------------------------------------------- */

/* Whether this host has an adapter that is no other device in disguise. */
static bool ucx_has_adapter(void)
{
    bool found = false;
    DIR *adapters = opendir(UCX_ADAPTERS);
    const struct dirent *adapter;
    while (adapters && !found && (adapter = readdir(adapters)) != NULL) {
        char path[sizeof UCX_ADAPTERS + sizeof adapter->d_name + sizeof "/device"];
        snprintf(path, sizeof path, UCX_ADAPTERS "/%s/device", adapter->d_name);
        found = adapter->d_name[0] != '.' && access(path, F_OK) == 0;
    }
    if (adapters)
        closedir(adapters);
    return found;
}

/*
 * Within a host the port over is there. One lane keeps messages in order. NULL: UCX finds no
 * network of this kind.
 */
static ucp_context_h ucx_make_context(const struct ucx_calls *calls, bool tcp)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
    ucp_context_h context = NULL;
    ucp_config_t *config;
    if (calls->config_read(NULL, NULL, &config) != UCS_OK)
        return NULL;
    calls->config_modify(config, "TLS", tcp ? "tcp" : "^tcp,sm,self");
    if (tcp)
        calls->config_modify(config, "ZCOPY_THRESH", "0");
    calls->config_modify(config, "RNDV_THRESH", "inf");
    calls->config_modify(config, "MAX_EAGER_LANES", "1");
    calls->config_modify(config, "KEEPALIVE_INTERVAL", "inf");
    if (calls->init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context) != UCS_OK)
        context = NULL;
    calls->config_release(config);
    return context;
}

/* With NETWORK_AUTO, TCP is left to the port under, which has less to do for it. */
static const char *ucx_choose(struct ucx_network *network)
{
    network->context = ucx_make_context(&network->calls, false);
    if (!network->context && network->setting != NETWORK_AUTO)
        network->context = ucx_make_context(&network->calls, true);
    return network->context ? NULL : "UCX finds no network that it can use";
}

static const char *ucx_make_worker(struct ucx_network *network)
{
    const struct ucx_calls *calls = &network->calls;
    const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = UCX_KIND,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = ucx_receive,
        .arg = network};
    if (calls->worker_create(network->context, &params, &network->worker) != UCS_OK)
        return "UCX makes no worker";
    if (calls->worker_get_efd(network->worker, &network->descriptor) != UCS_OK)
        return "its transport has no descriptor to wait at";
    if (calls->worker_set_am_recv_handler(network->worker, &handler) != UCS_OK ||
        calls->worker_get_address(network->worker, &network->address, &network->address_size) !=
            UCS_OK)
        return "UCX tells no address";
    return NULL;
}

/* Not closed by exec otherwise, and then peers would not see this process end. */
static const char *ucx_watch(struct ucx_network *network)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &network->engine->far_part};
    int set = network->engine->waiting.epoll;
    network->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (network->alarm < 0 || epoll_ctl(set, EPOLL_CTL_ADD, network->alarm, &event) < 0 ||
        epoll_ctl(set, EPOLL_CTL_ADD, network->descriptor, &event) < 0)
        return "the system has no descriptor left";
    return NULL;
}

static void ucx_unmake(struct ucx_network *network)
{
    const struct ucx_calls *calls = &network->calls;
    ucp_worker_h worker = network->worker;
    network->worker = NULL;
    if (network->address)
        calls->worker_release_address(worker, network->address);
    if (worker)
        calls->worker_destroy(worker);
    if (network->context)
        calls->cleanup(network->context);
    if (network->alarm >= 0)
        close(network->alarm);
    network->address = NULL;
    network->context = NULL;
    network->alarm = network->descriptor = -1;
}

static const char *ucx_try(struct ucx_network *network)
{
    if (network->setting == NETWORK_AUTO && !ucx_has_adapter())
        return NULL;
    const char *reason = ucx_calls_load(&network->calls);
    if (!reason)
        reason = ucx_choose(network);
    if (!reason)
        reason = ucx_make_worker(network);
    if (!reason)
        reason = ucx_watch(network);
    return reason;
}

bool ucx_network_start(struct ucx_network *network, const char **reason)
{
    enum ucx_state state = UCX_UNTRIED;
    *reason = NULL;
    if (!atomic_compare_exchange_strong(&network->state, &state, UCX_STARTING))
        return state == UCX_THERE;
    lock_acquire(&network->lock);
    *reason = ucx_try(network);
    bool there = network->alarm >= 0 && !*reason;
    if (!there)
        ucx_unmake(network);
    lock_release(&network->lock);
    atomic_store_explicit(&network->state, there ? UCX_THERE : UCX_ABSENT, memory_order_release);
    return there;
}

static void ucx_free_list(struct message *list)
{
    while (list) {
        struct message *next = list->next;
        message_free(list);
        list = next;
    }
}

void ucx_network_clear(struct ucx_network *network)
{
    lock_acquire(&network->lock);
    struct message *useless = network->useless;
    network->useless = NULL;
    lock_release(&network->lock);
    ucx_free_list(useless);
}

void ucx_network_free(struct ucx_network *network)
{
    ucx_free_list(ucx_network_take(network));
    ucx_network_clear(network);
    ucx_unmake(network);
    lock_destroy(&network->lock);
    free(network);
}

/* Moving. -------------------------------------------------------------------------------------- */

bool ucx_network_progress(struct ucx_network *network)
{
    int rounds = 0;
    while (rounds < UCX_ROUNDS && network->calls.worker_progress(network->worker) > 0)
        rounds++;
    return rounds > 0;
}

bool ucx_network_arm(struct ucx_network *network)
{
    return !network->arrived && !network->touched &&
           network->calls.worker_arm(network->worker) != UCS_ERR_BUSY;
}
