/*
 * cast.h - processes with an endpoint each, or threads of one, which play a scene at a post (post.h).
 *
 * The process that begins the scene has no thread and no endpoint of its own. In an actor's process
 * everything is checked by CHECK, and by actors' functions, which end the process when something
 * else comes than they say.
 */
#ifndef UNIT_CAST_H
#define UNIT_CAST_H

#include <pthread.h>
#include <sys/types.h>

#include "ck/endpoint/endpoint.h"
#include "ck/ports/lossy/lossy.h"

#include "check.h"
#include "post.h"

#define CAST_MOST 6

/* How the endpoints of a scene are set. */
struct setting {
    uint32_t tids[CAST_MOST];
    enum routing routing;
    size_t memory;                   /* bytes of an arena; 0: nothing is shared */
    const struct lossy_plan *losses; /* of the ports; NULL: there are none */
    bool together;                   /* all roles are threads of one process */
    enum network network;            /* to tasks of other hosts */
};

/* Of the program's own, by which an actor is told that another one is over. */
#define GONE 900000

/*
 * Moments of a scene, each of which one process brings about, and another one may wait for.
 * CUE_DEAD comes by itself, when a role that is to die has.
 */
enum cue { CUE_READY, CUE_ENOUGH, CUE_DIE, CUE_CHILD, CUE_DEAD, CUES };

struct actor {
    struct endpoint endpoint;
    const struct scene *scene;
    const struct setting *setting;
    int role;
    uint32_t tid;
    uint32_t peer; /* of role 0: role 1; of all others: role 0; of one that is alone: itself */
    atomic_int losses;
    atomic_int drops;
    atomic_int names; /* made so far */
    atomic_int open;  /* descriptors of routes that listen or are open */
    int daemon;       /* the socket to it */
    struct lossy lossy;
};

/*
 * Plays a scene: each of the first `count` roles acts when all endpoints are open, in a process of
 * its own unless the setting has them together. The roles in `dying`, a bit each, are to end by SIGKILL. The test fails if any process
 * ends otherwise than it should, or leaves descriptors open.
 */
struct scene {
    const char *name;
    int count;
    unsigned dying;
    void (*act)(struct actor *actor);
};

void cast_play(const struct scene *scene, const struct setting *setting);

/* Without waiting for anybody; waits until it has been given. One wait for each. */
void cue_give(enum cue cue);
void cue_await(enum cue cue);

/* Messages from task to task that the daemons have carried. */
unsigned long cast_carried(void);

/* Bytes of the body of a message with this tag: most are short, some are long. */
size_t letter_size(int32_t tag);

/* Sends one with this tag, and says what endpoint_send did; actor_send checks that it was 0. */
int actor_try(struct actor *actor, uint32_t to, int32_t tag, size_t size);
void actor_send(struct actor *actor, uint32_t to, int32_t tag, size_t size);

/* The next message, for which it waits; the caller's (message_free). */
struct message *actor_hears(struct actor *actor);

/* Says whether a message is one that was sent so. */
bool letter_is(const struct message *message, uint32_t source, int32_t tag, size_t size);

/* The next message must be such a one. */
void actor_expect(struct actor *actor, uint32_t source, int32_t tag, size_t size);

/* Asks the daemon for word of the peer's end, a message with the tag GONE; and takes it. */
void actor_watches_peer(struct actor *actor);
void actor_expect_gone(struct actor *actor);

/*
 * Sends and receives `count` messages of the peer, with tags from `first` on and sizes by
 * letter_size; and both: first the one, then the other.
 */
void actor_sends_some(struct actor *actor, int32_t first, int count);
void actor_receives_some(struct actor *actor, int32_t first, int count);
void actor_exchanges(struct actor *actor, int32_t first, int count);

/*
 * Both sides talk until nothing that they say goes through the daemons any more; if the setting has
 * no other way, it must go there.
 */
void actor_meets(struct actor *actor);

/* A thread that sends to the peer. */
struct writer {
    pthread_t thread;
    struct actor *actor;
    pthread_barrier_t *gate; /* NULL: begins at once */
    int32_t first;           /* tag */
    int count;
    size_t size; /* of each; 0: by letter_size */
    atomic_bool enough;
    atomic_bool done;
    int sent;
};

/* Sends `count` messages, or fewer when it is told that there are enough, with growing tags. */
void writer_begin(struct writer *writer);
void writer_join(struct writer *writer);

/* Returns when the sender waits, or is done. Nobody else waits at the endpoint. */
void writer_await_rest(struct writer *writer);

#endif
