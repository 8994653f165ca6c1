/* link_upgrade.c - offers, switches and what is said of them. */
#include "daemon/post/link_upgrade.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"
#include "daemon/post/post_room.h"

#define MAKING_MOST  20000  /* milliseconds until a connection is up */
#define AGAIN_FIRST  1000   /* milliseconds to the next try, */
#define AGAIN_MOST   300000 /* doubled with every failure up to this */
#define RETRY_MEMORY 500

static void link_upgrade_offer(struct host_link *link);
static void link_upgrade_resume(struct host_link *link, uint64_t confirmed);

/* The side that offers. */
static bool link_upgrade_is_ours_to_offer(const struct host_link *link)
{
    return hosts_own(&link->daemon->post->hosts)->part < link->host->part;
}

static void link_upgrade_set_timer(struct host_link *link, int milliseconds)
{
    loop_timer_set(&link->daemon->loop, &link->upgrade.timer, milliseconds);
}

static void link_upgrade_expire(struct loop_timer *timer)
{
    struct host_link *link = LIST_OWNER(timer, struct host_link, upgrade.timer);
    switch (link->upgrade.state) {
    case UPGRADE_NONE:
        if (host_stream_holds_any(&link->stream))
            link_upgrade_resume(link, 0);
        else
            link_upgrade_offer(link);
        break;
    case UPGRADE_OFFERED:
    case UPGRADE_CONNECTING:
        link_upgrade_break(link, "it took too long");
        break;
    case UPGRADE_UP:
    case UPGRADE_BROKEN:
        break;
    }
}

static const struct host_stream_events link_upgrade_events = {
    .broken = link_upgrade_break,
    .useless = link_upgrade_give_up,
    .word = link_upgrade_take_here,
};

void link_upgrade_start(struct host_link *link)
{
    link->upgrade = (struct link_upgrade){.state = UPGRADE_NONE};
    loop_timer_start(&link->upgrade.timer, link_upgrade_expire);
    host_stream_start(&link->stream, link, &link_upgrade_events);
}

void link_upgrade_stop(struct host_link *link)
{
    loop_timer_cancel(&link->upgrade.timer);
    host_stream_close(&link->stream);
}

static void link_upgrade_say(struct host_link *link, const struct link_word *word)
{
    unsigned char bytes[LINK_WORD_SIZE];
    struct message *message = control_new(LINK_TAG, 0, 0);
    link_word_encode(word, bytes);
    control_put_bytes(message, bytes, sizeof bytes);
    if (control_is_whole(message))
        host_packets_send(link, message);
    else
        log_write("no memory to tell the host %s of a connection", link->host->name);
    message_free(message);
}

/* Making one. ---------------------------------------------------------------------------------- */

static void link_upgrade_offer(struct host_link *link)
{
    struct link_upgrade *upgrade = &link->upgrade;
    struct host_key *key = &link->host->key;
    struct link_word offer = {.kind = LINK_OFFER, .number = upgrade->number + 1};
    bool first = !key->known;
    if (first && !host_key_make(offer.secret))
        return;
    if (first)
        host_key_take(key, offer.secret);
    if (link->daemon->settings.use_streams)
        offer.port = doorman_port(&link->daemon->post->doorman);
    if (offer.port != 0) {
        upgrade->number = offer.number;
        upgrade->state = UPGRADE_OFFERED;
        link_upgrade_set_timer(link, MAKING_MOST);
    }
    if (first || offer.port != 0)
        link_upgrade_say(link, &offer);
}

void link_upgrade_meet(struct host_link *link)
{
    struct link_upgrade *upgrade = &link->upgrade;
    if (upgrade->known || link->host->part == 0)
        return;
    upgrade->known = true;
    link->daemon->post->upcalls.host_met(link->daemon, link->host);
    log_debug(LOG_HOSTS, "the daemon of %s is one of ours", link->host->name);
    if (link_upgrade_is_ours_to_offer(link))
        link_upgrade_offer(link);
}

/* A socket on its way to the port at the other host; -1 with errno. */
static int link_upgrade_connect(const struct host_link *link, uint16_t port)
{
    const struct sockaddr_in from = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(hosts_own(&link->daemon->post->hosts)->address),
    };
    const struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(link->host->address),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (const struct sockaddr *)&from, sizeof from) == 0 &&
        (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* The first key counts. The other side knows that it is known here by the tags. */
static void link_upgrade_take_key(struct host_key *key, const struct link_word *offer)
{
    if (key->known)
        return;
    host_key_take(key, offer->secret);
    key->used = true;
}

static bool link_upgrade_take_offer(struct host_link *link, const struct link_word *offer)
{
    struct link_upgrade *upgrade = &link->upgrade;
    if (upgrade->state != UPGRADE_NONE || link_upgrade_is_ours_to_offer(link))
        return false;
    link_upgrade_take_key(&link->host->key, offer);
    if (offer->port == 0)
        return true;
    upgrade->state = UPGRADE_CONNECTING;
    upgrade->number = offer->number;
    upgrade->switched = false;
    int fd = link->daemon->settings.use_streams ? link_upgrade_connect(link, offer->port) : -1;
    if (fd < 0 || host_stream_open(&link->stream, fd, true) < 0) {
        link_upgrade_break(link, strerror(errno));
        return true;
    }
    link_upgrade_set_timer(link, MAKING_MOST);
    struct link_word hello = {.kind = LINK_HELLO, .number = upgrade->number};
    host_key_hello(&link->host->key, upgrade->number, hello.secret);
    host_stream_greet(&link->stream, &hello);
    host_key_start_records(&link->host->key, upgrade->number, &link->stream.records);
    return true;
}

/* Both sides have shown who they are: what is sent from now on goes over the connection. */
static void link_upgrade_switch(struct host_link *link)
{
    struct link_upgrade *upgrade = &link->upgrade;
    upgrade->state = UPGRADE_UP;
    upgrade->established = upgrade->was_up = true;
    host_key_agree(&link->host->key);
    loop_timer_cancel(&upgrade->timer);
    link_upgrade_say(link, &(struct link_word){.kind = LINK_SWITCH, .number = upgrade->number});
    link->stream.sending = true;
    log_note("connected with the host %s", link->host->name);
    host_stream_set_reading(&link->stream, upgrade->switched);
}

bool link_upgrade_awaits(const struct daemon *daemon, uint32_t address)
{
    struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        if (host->link && host->address == address && host->link->upgrade.state == UPGRADE_OFFERED)
            return true;
    return false;
}

bool link_upgrade_expects(const struct daemon *daemon, uint32_t source,
                          const struct link_word *hello)
{
    const struct host_link *link = hosts_link(&daemon->post->hosts, source);
    unsigned char half[HOST_KEY_HALF];
    if (!link || hello->kind != LINK_HELLO || link->upgrade.state != UPGRADE_OFFERED ||
        hello->number != link->upgrade.number)
        return false;
    host_key_hello(&link->host->key, hello->number, half);
    return memcmp(hello->secret, half, sizeof half) == 0;
}

void link_upgrade_accept(struct daemon *daemon, uint32_t source, int fd)
{
    struct host_link *link = hosts_link(&daemon->post->hosts, source);
    if (host_stream_open(&link->stream, fd, false) < 0) {
        link_upgrade_break(link, strerror(errno));
        return;
    }
    struct link_word welcome = {.kind = LINK_WELCOME, .number = link->upgrade.number};
    host_key_welcome(&link->host->key, welcome.number, welcome.secret);
    host_key_start_records(&link->host->key, welcome.number, &link->stream.records);
    host_stream_say(&link->stream, &welcome);
    link->upgrade.switched = false;
    link_upgrade_switch(link);
}

bool link_upgrade_take_here(struct host_link *link, const struct link_word *word)
{
    const struct link_upgrade *upgrade = &link->upgrade;
    unsigned char half[HOST_KEY_HALF];
    if (upgrade->state != UPGRADE_CONNECTING || word->kind != LINK_WELCOME ||
        word->number != upgrade->number)
        return false;
    host_key_welcome(&link->host->key, word->number, half);
    if (memcmp(word->secret, half, sizeof half) != 0)
        return false;
    link_upgrade_switch(link);
    return true;
}

/* Its end. ------------------------------------------------------------------------------------- */

/* Everything that the other side does not have goes over datagrams. */
static void link_upgrade_resume(struct host_link *link, uint64_t confirmed)
{
    struct link_upgrade *upgrade = &link->upgrade;
    struct received_frame received;
    while (host_stream_take_back(&link->stream, confirmed, &received)) {
        host_packets_forward(link, &received, received.frame.destination);
        chunk_release(received.chunk);
    }
    upgrade->state = UPGRADE_NONE;
    if (host_stream_holds_any(&link->stream)) {
        link_upgrade_set_timer(link, RETRY_MEMORY);
        return;
    }
    link->stream.sending = false;
    if (!link_upgrade_is_ours_to_offer(link) || !link->daemon->settings.use_streams)
        return;
    int64_t pause = AGAIN_FIRST;
    for (unsigned i = 0; i < upgrade->failures && pause < AGAIN_MOST; i++)
        pause *= 2;
    link_upgrade_set_timer(link, (int)(pause < AGAIN_MOST ? pause : AGAIN_MOST));
}

void link_upgrade_break(struct host_link *link, const char *reason)
{
    struct link_upgrade *upgrade = &link->upgrade;
    log_debug(LOG_HOSTS, "the connection with the host %s is over: %s", link->host->name, reason);
    upgrade->failures = upgrade->established ? 0 : upgrade->failures + 1;
    upgrade->state = UPGRADE_BROKEN;
    loop_timer_cancel(&upgrade->timer);
    host_stream_close(&link->stream);
    link_upgrade_say(link, &(struct link_word){.kind = LINK_BROKEN,
                                               .number = upgrade->number,
                                               .taken = link->stream.taken});
}

void link_upgrade_give_up(struct host_link *link, const char *reason)
{
    complain(&link->daemon->complaints, link->host->part,
             "the connection with the host %s is closed, and datagrams go on: %s", link->host->name,
             reason);
    link->upgrade.established = false; /* counts as a failure to make a connection */
    link->upgrade.explained = true;
    link_upgrade_break(link, reason);
}

/*
 * Only here is the break of a connection worth a line, since its host lives. A host that leaves
 * ends its connections as well.
 */
static bool link_upgrade_take_broken(struct host_link *link, const struct link_word *word)
{
    struct link_upgrade *upgrade = &link->upgrade;
    if (upgrade->state == UPGRADE_NONE || word->number != upgrade->number)
        return false;
    if (upgrade->state != UPGRADE_BROKEN)
        link_upgrade_break(link, "the other side said so");
    if (upgrade->explained)
        upgrade->explained = false;
    else if (upgrade->established)
        log_write("the connection with the host %s broke: going on over datagrams",
                  link->host->name);
    else if (upgrade->failures == 1)
        log_write("no connection with the host %s could be made: going on over datagrams",
                  link->host->name);
    upgrade->established = false;
    link_upgrade_resume(link, word->taken);
    return true;
}

bool link_upgrade_take(struct host_link *link, const struct link_word *word)
{
    struct link_upgrade *upgrade = &link->upgrade;
    switch (word->kind) {
    case LINK_OFFER:
        return link_upgrade_take_offer(link, word);
    case LINK_BROKEN:
        return link_upgrade_take_broken(link, word);
    case LINK_SWITCH:
        if (word->number != upgrade->number || upgrade->switched)
            return false;
        upgrade->switched = true;
        if (upgrade->state == UPGRADE_UP)
            host_stream_set_reading(&link->stream, true);
        return true;
    case LINK_HELLO:
    case LINK_WELCOME:
    case LINK_TAKEN:
    case LINK_WAIT:
    case LINK_GO_ON:
        break;
    }
    return false;
}
