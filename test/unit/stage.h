/*
 * stage.h - on which stage do tests let endpoints make direct routes, and which moves are there?
 *
 * A side is an endpoint whose daemon is the test: it reads and brings each message when the test
 * says so. Peers may be another side, or the test's own hand. Threads that send are watched until
 * they wait. Every function lets the test fail when something else comes than it says.
 */
#ifndef UNIT_STAGE_H
#define UNIT_STAGE_H

#include <pthread.h>

#include "ck/ports/stream/direct.h"

#include "talk.h"

#define ME       0x40002u
#define LOWER    0x40001u
#define HIGHER   0x40003u
#define FAR      0x80001u    /* of another host: routes to it are TCP */
#define LOOPBACK 0x7f000001u /* the address of every host */
#define SIZE     10          /* of most messages */
#define CUE      888888      /* a tag at whose arrival the endpoint's owner does something */
#define THREADS  4

struct told {
    uint32_t peer;
    int descriptor;
};

struct side {
    struct endpoint endpoint;
    uint32_t tid;
    int daemon;               /* the daemon's end of its socket */
    struct talk_reader heard; /* what the daemon reads */
    int losses;
    int drops;
    struct told told[512]; /* by owner.routed */
    int told_count;
    int names; /* made so far */
    int taken; /* so many of the next names are in use */
    bool nameless;
    int name_width; /* of a part of them */
    void (*on_cue)(struct side *side);
};

extern struct side *const me; /* is there in every test */
extern struct side *const other;
extern char stage_folder[64]; /* where the names of sockets are */

/* An address that a peer was told. */
typedef char address_text[OFFER_ADDRESS_SIZE];

/* Start and finish of each test. */

/*
 * The folder and `me`, which no endpoint knows yet; and away with all. What a test left behind is a
 * failure: a descriptor, or a name in the folder.
 */
int stage_start(void **state);
int stage_finish(void **state);

/* In a folder; 2 are in an empty one. */
int stage_entries(const char *path);

/* A side. */

/* 0 or -1. side_attach is a part of it, for a side that was detached. */
int side_start(struct side *side, uint32_t tid);
int side_attach(struct side *side);
void side_start_other(uint32_t tid);
void side_close_daemon(struct side *side);
void side_finish(struct side *side);
void side_request_routes(struct side *side);

/* One look after the other by this thread, until nothing happens any more. */
void side_look(struct side *side);

/* Of the route to `peer`; -1 without one. */
int side_state(struct side *side, uint32_t peer);

/* What owner.routed was told, the first time being 0. */
void side_expect_told(const struct side *side, int which, uint32_t peer, bool there);

/* What comes next, from whom and with which tag; or that nothing does. */
void side_expect_arrival(struct side *side, uint32_t source, int32_t tag);
void side_expect_no_arrival(struct side *side);

/* Sends from this thread, which waits for nobody then. */
int side_send_now(struct side *side, uint32_t to, int32_t tag);

/* `me` asks `peer` for a route, gets this answer, and sends through the daemon, now and later. */
void side_expect_refused(uint32_t peer, struct message *answer);

/* The daemon of a side. */

/* The daemon passes on what `source` sent. The message is freed. */
void daemon_brings(struct side *side, uint32_t source, struct message *message);
void daemon_brings_tag(struct side *side, uint32_t source, int32_t tag);

/* The next message to it is one to `destination`; it is the caller's (message_free). */
struct message *daemon_hears(struct side *side, uint32_t destination);
void daemon_hears_tag(struct side *side, uint32_t destination, int32_t tag);

/* A request for a route or the answer, with what belongs to it. The message is the caller's. */
struct message *daemon_hears_request(struct side *side, uint32_t peer, address_text address);
struct message *daemon_hears_answer(struct side *side, uint32_t peer, bool granted,
                                    address_text address);

/* The daemons pass on the request of one side to the other. */
void daemon_passes_request(struct side *from, struct side *to);

/* With the first denial word of the peer's end is asked for, since it is kept until then. */
void daemon_hears_denial(struct side *side, uint32_t peer, bool first);

void daemon_hears_multicast(int32_t tag, const uint32_t *tids, int count);
void daemon_expect_silence(const struct side *side);

/* A peer by hand: messages, and sockets that are closed in the end. */

/* `address` may be NULL, and is missing then. */
struct message *hand_request(int version, const char *address);
struct message *hand_answer(int version, int denied, const char *address);
/* The same with what tasks of ours put behind the address. */
struct message *hand_request_with(const unsigned char secret[OFFER_SECRET_SIZE]);
struct message *hand_answer_with(const char *address, int say_secret);
struct message *hand_end(uint32_t tid);

/* Has a descriptor closed in the end. */
int hand_keep(int descriptor);
void hand_close(int descriptor);

/* A socket that listens in the folder, or on the network for a peer far away. */
int hand_listen(bool near, int backlog, address_text address);

/* The one connection that was asked for; the listening socket and its name go. */
int hand_accept(int listening, const char *address);

/* Connects a socket: 0 or -1. */
int hand_dial(int descriptor, const char *address);
/* Connects as a peer would, on the network from the address that hand_address tells. */
int hand_connect(const char *address);

/* An address of the kind that reaches `peer`; far away, the one from which it connects. */
const char *hand_address(uint32_t peer);

/* The peer asks `me` for a route, and is granted it. */
void hand_asks(uint32_t peer, address_text address);

/* The peer's end of a route that it asked for. */
int hand_opens(uint32_t peer);
void hand_sends(int descriptor, uint32_t source, int32_t tag);

/* The next message on a route, of which nothing more is read than that. */
void hand_hears(int descriptor, int32_t tag);

/* Threads that send. */

struct sender {
    pthread_t thread;
    struct side *side;
    uint32_t tids[4]; /* more than one: a multicast */
    int tid_count;
    int32_t tag; /* of the first message; those of the next follow */
    int count;
    size_t size;
    int result;
};

extern struct sender senders[THREADS];

/* Starts thread `i`: with what senders[i] says, or with one message. */
void sender_begin(int i);
void sender_begin_one(int i, struct side *side, uint32_t to, int32_t tag);
void sender_join(int i, int result);

/* Thread 0 sends to FAR, to whom the route is on its way, for ever. */
void sender_begin_connecting(void);

/* All threads send to one task, with tags 1000, 1001... and 2000... and so on; and wait. */
void senders_begin(struct side *side, uint32_t to, int count, size_t size);

/* The next message of any of those threads, which must be its next one. */
void senders_expect_next(struct message *message, int next[THREADS]);
void senders_join(int result);

#endif
