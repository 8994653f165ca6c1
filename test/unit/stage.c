/* stage.c - sockets, and threads at them. */
#include "stage.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <pvm3.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "core/environment.h"
#include "core/tid.h"

#include "quiet_owner.h"
#include "unit.h"

static struct side sides[2];
struct side *const me = &sides[0];
struct side *const other = &sides[1];
char stage_folder[64];
static int descriptors_before;

static bool side_wants(void *owner, const struct message_header *header)
{
    (void)owner;
    return header->tag == CUE || header->context == CONTROL_CONTEXT_TC;
}

static bool side_intercept(void *owner, struct message *message)
{
    struct side *side = owner;
    if (message->header.tag == CUE)
        side->on_cue(side);
    if (message->header.context != CONTROL_CONTEXT_TC)
        return false;
    message_free(message); /* word of an end, of which the endpoint knows already */
    return true;
}

static void side_lost(void *owner, const char *reason)
{
    (void)reason;
    ((struct side *)owner)->losses++;
}

static void side_dropped(void *owner, const char *reason)
{
    (void)reason;
    ((struct side *)owner)->drops++;
}

static bool side_name(void *owner, char *path)
{
    struct side *side = owner;
    bool taken = side->taken > 0;
    side->taken -= taken;
    if (taken) /* the folder itself is there */
        snprintf(path, ENVIRONMENT_PATH_SIZE, "%s", stage_folder);
    else
        snprintf(path, ENVIRONMENT_PATH_SIZE, "%s/%0*x.%d", stage_folder, side->name_width,
                 side->tid, side->names++);
    return !side->nameless;
}

static void side_routed(void *owner, uint32_t peer, int descriptor)
{
    struct side *side = owner;
    side->told[side->told_count++] = (struct told){peer, descriptor};
}

int side_attach(struct side *side)
{
    side->daemon = talk_attach(&side->endpoint);
    talk_reader_start(&side->heard, side->daemon);
    return side->daemon < 0 ? -1 : 0;
}

int side_start(struct side *side, uint32_t tid)
{
    struct endpoint_owner owner = quiet_owner(side);
    owner.wants = side_wants;
    owner.intercept = side_intercept;
    owner.lost = side_lost;
    owner.dropped = side_dropped;
    owner.name = side_name;
    owner.routed = side_routed;
    memset(side, 0, sizeof *side);
    side->tid = tid;
    if (talk_begin(&side->endpoint, &owner) < 0)
        return -1;
    if (side_attach(side) < 0) {
        side_finish(side);
        return -1;
    }
    endpoint_open(&side->endpoint, tid, LOOPBACK);
    return 0;
}

void side_close_daemon(struct side *side)
{
    if (side->daemon >= 0)
        close(side->daemon);
    side->daemon = -1;
    talk_reader_finish(&side->heard);
}

void side_finish(struct side *side)
{
    if (!side->tid)
        return;
    talk_end(&side->endpoint);
    side_close_daemon(side);
    side->tid = 0;
}

void side_look(struct side *side)
{
    talk_look(&side->endpoint);
}

void side_expect_told(const struct side *side, int which, uint32_t peer, bool there)
{
    assert_true(which < side->told_count);
    assert_int_equal(side->told[which].peer, peer);
    assert_int_equal(side->told[which].descriptor >= 0, there);
}

int side_state(struct side *side, uint32_t peer)
{
    lock_acquire(&side->endpoint.waiting->lock);
    const struct peer *record = peers_find(&side->endpoint.peers, peer);
    const struct route *route = record ? route_to(record) : NULL;
    int state = route ? (int)route->state : -1;
    lock_release(&side->endpoint.waiting->lock);
    return state;
}

static void side_await_state(struct side *side, uint32_t peer, int state)
{
    while (side_state(side, peer) != state)
        sched_yield();
}

void side_expect_arrival(struct side *side, uint32_t source, int32_t tag)
{
    struct message *message = talk_next(&side->endpoint);
    assert_non_null(message);
    assert_int_equal(message->header.source, source);
    talk_expect(message, tag, SIZE);
}

void side_expect_no_arrival(struct side *side)
{
    assert_null(talk_next(&side->endpoint));
}

int side_send_now(struct side *side, uint32_t to, int32_t tag)
{
    return talk_send(&side->endpoint, to, tag, SIZE);
}

/* The daemon's part. --------------------------------------------------------------------------- */

void daemon_brings(struct side *side, uint32_t source, struct message *message)
{
    talk_write(side->daemon, message, side->tid, source);
    message_free(message);
}

void daemon_brings_tag(struct side *side, uint32_t source, int32_t tag)
{
    daemon_brings(side, source, talk_make(tag, 0, SIZE));
}

struct message *daemon_hears(struct side *side, uint32_t destination)
{
    struct message *message = talk_read(&side->heard);
    assert_int_equal(message->header.source, side->tid);
    assert_int_equal(message->header.destination, destination);
    return message;
}

void daemon_hears_tag(struct side *side, uint32_t destination, int32_t tag)
{
    talk_expect(daemon_hears(side, destination), tag, SIZE);
}

void daemon_expect_silence(const struct side *side)
{
    assert_true(talk_is_silent(&side->heard));
}

static void daemon_expect_field(struct control_reader *reader, int32_t value)
{
    assert_int_equal(control_get_int(reader), value);
    assert_false(reader->failed);
}

static void expect_kind(const struct message *message, int32_t tag, int32_t context)
{
    assert_int_equal(message->header.tag, tag);
    assert_int_equal(message->header.context, context);
}

/* The request for word of the peer's end. */
static void daemon_hears_notify(struct side *side, uint32_t peer)
{
    struct message *message = daemon_hears(side, TID_OWN_DAEMON);
    struct control_reader reader;
    expect_kind(message, TM_NOTIFY, CONTROL_CONTEXT_TM);
    control_read(&reader, message);
    daemon_expect_field(&reader, PvmTaskExit);
    daemon_expect_field(&reader, CONTROL_CONTEXT_TC);
    daemon_expect_field(&reader, TC_TASKEXIT);
    daemon_expect_field(&reader, 1);
    daemon_expect_field(&reader, (int32_t)peer);
    message_free(message);
}

static void take_address(struct control_reader *reader, address_text address)
{
    char *text = control_get_string(reader, OFFER_ADDRESS_SIZE);
    assert_non_null(text);
    strcpy(address, text);
    free(text);
}

struct message *daemon_hears_request(struct side *side, uint32_t peer, address_text address)
{
    struct message *message = daemon_hears(side, peer);
    struct control_reader reader;
    expect_kind(message, TC_CONREQ, CONTROL_CONTEXT_TC);
    control_read(&reader, message);
    daemon_expect_field(&reader, CONTROL_TASK_PROTOCOL);
    take_address(&reader, address);
    assert_int_equal(address[0] == '/', tid_host_part(peer) == tid_host_part(side->tid));
    daemon_hears_notify(side, peer);
    return message;
}

struct message *daemon_hears_answer(struct side *side, uint32_t peer, bool granted,
                                    address_text address)
{
    struct message *message = daemon_hears(side, peer);
    struct control_reader reader;
    expect_kind(message, TC_CONACK, CONTROL_CONTEXT_TC);
    control_read(&reader, message);
    daemon_expect_field(&reader, CONTROL_TASK_PROTOCOL);
    daemon_expect_field(&reader, !granted);
    take_address(&reader, address);
    if (granted)
        daemon_hears_notify(side, peer);
    else
        assert_string_equal(address, "");
    return message;
}

void daemon_passes_request(struct side *from, struct side *to)
{
    address_text address;
    daemon_brings(to, from->tid, daemon_hears_request(from, to->tid, address));
}

void daemon_hears_denial(struct side *side, uint32_t peer, bool first)
{
    address_text address;
    message_free(daemon_hears_answer(side, peer, false, address));
    if (first)
        daemon_hears_notify(side, peer);
}

struct message *hand_request(int version, const char *address)
{
    struct message *message = control_new(TC_CONREQ, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, version);
    if (address)
        control_put_string(message, address);
    assert_true(control_is_whole(message));
    return message;
}

struct message *hand_request_with(const unsigned char secret[OFFER_SECRET_SIZE])
{
    struct message *message = hand_request(CONTROL_TASK_PROTOCOL, hand_address(FAR));
    control_put_bytes(message, secret, OFFER_SECRET_SIZE);
    assert_true(control_is_whole(message));
    return message;
}

struct message *hand_answer(int version, int denied, const char *address)
{
    struct message *message = control_new(TC_CONACK, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, version);
    control_put_int(message, denied);
    if (address)
        control_put_string(message, address);
    assert_true(control_is_whole(message));
    return message;
}

struct message *hand_answer_with(const char *address, int say_secret)
{
    struct message *message = hand_answer(CONTROL_TASK_PROTOCOL, 0, address);
    control_put_int(message, say_secret);
    assert_true(control_is_whole(message));
    return message;
}

struct message *hand_end(uint32_t tid)
{
    struct message *message = control_new(TC_TASKEXIT, CONTROL_CONTEXT_TC, 0);
    control_put_tid(message, tid);
    assert_true(control_is_whole(message));
    return message;
}

/* The peer by hand. ---------------------------------------------------------------------------- */

static int hands[128]; /* descriptors to be closed in the end */
static int hand_count;
static uint16_t hand_port; /* from which peers far away connect */

int hand_keep(int descriptor)
{
    assert_true(descriptor >= 0);
    hands[hand_count++] = descriptor;
    return descriptor;
}

void hand_close(int descriptor)
{
    int i = 0;
    while (hands[i] != descriptor)
        i++;
    hands[i] = hands[--hand_count];
    close(descriptor);
}

static struct sockaddr_un unix_name(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strcpy(name.sun_path, path);
    return name;
}

int hand_listen(bool near, int backlog, address_text address)
{
    int descriptor = hand_keep(socket(near ? AF_UNIX : AF_INET, SOCK_STREAM, 0));
    struct sockaddr_in host = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(LOOPBACK)};
    socklen_t size = sizeof host;
    snprintf(address, OFFER_ADDRESS_SIZE, "%s/hand.%d", stage_folder, hand_count);
    struct sockaddr_un path = unix_name(address);
    struct sockaddr *name = near ? (struct sockaddr *)&path : (struct sockaddr *)&host;
    assert_int_equal(bind(descriptor, name, near ? sizeof path : sizeof host), 0);
    assert_int_equal(listen(descriptor, backlog), 0);
    if (!near) {
        getsockname(descriptor, (struct sockaddr *)&host, &size);
        environment_format_address(address, LOOPBACK, ntohs(host.sin_port));
    }
    return descriptor;
}

int hand_accept(int listening, const char *address)
{
    int descriptor = accept(listening, NULL, NULL);
    hand_close(listening);
    if (address[0] == '/')
        unlink(address);
    return hand_keep(descriptor);
}

int hand_dial(int descriptor, const char *address)
{
    struct sockaddr_in host = {.sin_family = AF_INET};
    uint32_t number;
    uint16_t port;
    if (address[0] == '/') {
        struct sockaddr_un path = unix_name(address);
        return connect(descriptor, (struct sockaddr *)&path, sizeof path);
    }
    assert_true(environment_parse_address(address, &number, &port));
    host.sin_addr.s_addr = htonl(number);
    host.sin_port = htons(port);
    return connect(descriptor, (struct sockaddr *)&host, sizeof host);
}

/* A socket with the address that peers far away tell; all of them share its port. */
static int hand_far_socket(void)
{
    static const int one = 1;
    int descriptor = hand_keep(socket(AF_INET, SOCK_STREAM, 0));
    struct sockaddr_in host = {.sin_family = AF_INET, .sin_port = htons(hand_port)};
    socklen_t size = sizeof host;
    host.sin_addr.s_addr = htonl(LOOPBACK);
    assert_int_equal(setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one), 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&host, sizeof host), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&host, &size), 0);
    hand_port = ntohs(host.sin_port);
    return descriptor;
}

int hand_connect(const char *address)
{
    int descriptor =
        address[0] == '/' ? hand_keep(socket(AF_UNIX, SOCK_STREAM, 0)) : hand_far_socket();
    assert_int_equal(hand_dial(descriptor, address), 0);
    return descriptor;
}

const char *hand_address(uint32_t peer)
{
    static address_text address;
    if (tid_host_part(peer) == tid_host_part(ME))
        return "/any";
    environment_format_address(address, LOOPBACK, hand_port);
    return address;
}

void hand_asks(uint32_t peer, address_text address)
{
    daemon_brings(me, peer, hand_request(CONTROL_TASK_PROTOCOL, hand_address(peer)));
    side_look(me);
    message_free(daemon_hears_answer(me, peer, true, address));
    assert_int_equal(side_state(me, peer), ROUTE_GRANTED);
    assert_int_equal(address[0], hand_address(peer)[0] == '/' ? '/' : '7');
    daemon_expect_silence(me);
}

int hand_opens(uint32_t peer)
{
    address_text address;
    hand_asks(peer, address);
    int descriptor = hand_connect(address);
    side_look(me);
    assert_true(endpoint_has_route(&me->endpoint, peer));
    return descriptor;
}

void hand_sends(int descriptor, uint32_t source, int32_t tag)
{
    struct message *message = talk_make(tag, 0, SIZE);
    talk_write(descriptor, message, ME, source);
    message_free(message);
}

void hand_hears(int descriptor, int32_t tag)
{
    struct talk_reader reader;
    talk_reader_start(&reader, descriptor);
    talk_expect(talk_read(&reader), tag, SIZE);
    assert_true(talk_is_silent(&reader));
    talk_reader_finish(&reader);
}

/* Start and finish of each test. --------------------------------------------------------------- */

int stage_entries(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

int stage_start(void **state)
{
    (void)state;
    hand_count = 0;
    hand_port = 0;
    other->tid = 0;
    snprintf(stage_folder, sizeof stage_folder, "/tmp/test_direct.XXXXXX");
    if (!mkdtemp(stage_folder))
        return -1;
    descriptors_before = stage_entries("/proc/self/fd");
    hand_far_socket(); /* holds the port */
    return side_start(me, ME);
}

int stage_finish(void **state)
{
    (void)state;
    side_finish(me);
    side_finish(other);
    while (hand_count > 0)
        hand_close(hands[0]);
    int left = stage_entries("/proc/self/fd") - descriptors_before;
    int removed = rmdir(stage_folder);
    if (left != 0 || removed < 0)
        print_error("%d descriptors left, folder removed: %d\n", left, removed);
    return left != 0 || removed < 0;
}

/* Threads that send. --------------------------------------------------------------------------- */

struct sender senders[THREADS];

static void *sender_run(void *argument)
{
    struct sender *sender = argument;
    for (int i = 0; i < sender->count && sender->result == 0; i++) {
        struct message *message = talk_make(sender->tag + i, 0, sender->size);
        const struct parcel parcel = {message, sender->tids[0]};
        sender->result = sender->tid_count == 1
                             ? endpoint_send(&sender->side->endpoint, &parcel, true)
                             : endpoint_send_all(&sender->side->endpoint, message, sender->tids,
                                                 sender->tid_count);
        message_free(message);
    }
    return NULL;
}

void sender_begin(int i)
{
    assert_int_equal(pthread_create(&senders[i].thread, NULL, sender_run, &senders[i]), 0);
}

void sender_begin_one(int i, struct side *side, uint32_t to, int32_t tag)
{
    senders[i] = (struct sender){.side = side, .tids = {to}, .tid_count = 1, .tag = tag};
    senders[i].count = 1;
    senders[i].size = SIZE;
    sender_begin(i);
}

void sender_join(int i, int result)
{
    assert_int_equal(pthread_join(senders[i].thread, NULL), 0);
    assert_int_equal(senders[i].result, result);
}

void senders_begin(struct side *side, uint32_t to, int count, size_t size)
{
    for (int i = 0; i < THREADS; i++) {
        senders[i] = (struct sender){.side = side, .tids = {to}, .tid_count = 1};
        senders[i].tag = (i + 1) * 1000;
        senders[i].count = count;
        senders[i].size = size;
        sender_begin(i);
    }
    talk_await_waiting(&side->endpoint, THREADS);
}

void senders_expect_next(struct message *message, int next[THREADS])
{
    int thread = message->header.tag / 1000 - 1;
    assert_in_range(thread, 0, THREADS - 1);
    assert_int_equal(message->header.tag % 1000, next[thread]);
    next[thread]++;
    message_free(message);
}

void senders_join(int result)
{
    for (int i = 0; i < THREADS; i++)
        sender_join(i, result);
}

void side_request_routes(struct side *side)
{
    atomic_store(&side->endpoint.routing, ROUTING_REQUESTED);
}

void side_start_other(uint32_t tid)
{
    assert_int_equal(side_start(other, tid), 0);
}

/* What several tests begin with. --------------------------------------------------------------- */

void side_expect_refused(uint32_t peer, struct message *answer)
{
    daemon_brings(me, peer, answer); /* read once we wait for it */
    assert_int_equal(side_send_now(me, peer, 1), 0);
    address_text mine;
    message_free(daemon_hears_request(me, peer, mine));
    daemon_hears_tag(me, peer, 1);
    assert_int_equal(side_state(me, peer), ROUTE_DENIED);
    assert_int_equal(stage_entries(stage_folder), 2);
    assert_int_equal(side_send_now(me, peer, 2), 0);
    daemon_hears_tag(me, peer, 2);
    daemon_expect_silence(me);
    assert_int_equal(me->told_count, 0);
}

/* A socket that listens, but takes no connection any more: to connect to it takes for ever. */
static void hand_listens_in_vain(address_text address)
{
    hand_listen(false, 0, address);
    hand_connect(address);
}

void sender_begin_connecting(void)
{
    address_text address, mine;
    hand_listens_in_vain(address);
    side_request_routes(me);
    sender_begin_one(0, me, FAR, 1);
    message_free(daemon_hears_request(me, FAR, mine));
    daemon_brings(me, FAR, hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
    side_await_state(me, FAR, ROUTE_CONNECTING);
}

void daemon_hears_multicast(int32_t tag, const uint32_t *tids, int count)
{
    struct message *list = daemon_hears(me, TID_OWN_DAEMON);
    struct control_reader reader;
    assert_int_equal(list->header.tag, TM_MCA);
    control_read(&reader, list);
    daemon_expect_field(&reader, count);
    for (int i = 0; i < count; i++)
        daemon_expect_field(&reader, (int32_t)tids[i]);
    assert_int_equal(control_rest(&reader), 0);
    message_free(list);
    daemon_hears_tag(me, ME | TID_MULTICAST_BIT, tag);
}
