/*
 * shm.h - messages between the tasks of one host through memory that both map.
 *
 * A task that sends to another task of its host for the first time connects to the socket of that
 * task (shm_socket.h), introduces itself and shows it a ring (ring.h); once the other task has
 * mapped the ring, messages go through it. Each direction of a pair is a link of its own. Short
 * bodies lie in the ring; longer ones stay where they were packed, in the sender's arena (arena.h),
 * and the receiver reads them there: a message that it gets is a list of slices as always, of a
 * chunk whose last release gives the body back. All receivers of a multicast share one body. A task
 * that does not listen, such as a task of 3.4.6, gets its messages the other way: through the
 * daemon or over a direct route.
 *
 * Order. A link carries messages only while it is *engaged*. Before the first one a fence goes the
 * other way, a control message that says: what follows is in the ring. A ring that is full goes on
 * in a piece of the sender's arena, which the receiver follows. When the arena is at its limit, or
 * too many bodies are still in use, a marker goes into the ring, for which there is always room,
 * and the message goes the other way; a new fence comes before the ring is used again. So nothing
 * waits for a receiver that does not read but where 3.4.6 does, and what waits is bounded. The
 * receiver reads a ring only behind its fence, and reads it to the marker, or to its end, before it
 * takes in anything that the same task sent another way: so messages of one task never overtake
 * each other, and word of a task's end is told after what it sent. A thread that engages a link or
 * leaves it holds the lock of the other way.
 *
 * Messages of several tasks are taken in the order in which they were sent, at least as far as one
 * may have caused another. Each has a stamp (stamp.h), and the oldest of all rings is taken first
 * (shm_look.c). A link that is read to a marker is *away* until its next fence. What goes another
 * way meanwhile is counted in the area, with its stamp, as soon as all of it has left the sender:
 * from then on it will come, whatever becomes of the sender. Until it has come, nothing younger is
 * taken, not what comes other ways either (shm_late.c). A new link begins away, and its first fence
 * goes before the first message that is counted; a fence tells the number of its call, which may
 * have been declined meanwhile. The receiver may not have answered its call yet: so each message in
 * a ring tells when last its sender, or whoever its sender has heard of, may have called anybody,
 * its news; the receiver answers all calls up to this moment, and up to half a millisecond ago,
 * before it takes the message (shm_hear_calls).
 *
 * Rendezvous. A body is copied twice, to the arena and out of there. Once will do when the receiver
 * waits already, in a receive of a message from this one task to memory of its own (pvm_precv), and
 * the message lies in memory of the program (sent in place): the receive offers its memory
 * (rendezvous.h), the sender claims the offer and has the system write there (process_vm_writev);
 * then a slot of the ring says so, and the message is taken in as any other. Nobody waits for a
 * receive: without an offer the message goes through the arena, and so it does where that has been
 * found to be faster (core/one_copy.h). Whether the message is really for this receive is decided
 * when it is taken in; if not, since a message handler or another receive wants it, or the receive
 * has been interrupted or has ended, it is copied out of there. A receive that ends while its offer
 * is claimed waits until the sender has settled it or is gone: for as long as the copy takes,
 * unless the sender is stopped amid it. Meanwhile only another message of the same task, or the end
 * of the connection to the daemon, ends a receive. What the system does not allow (another name
 * space of processes, ptrace_scope, a filter of system calls) is tried once for a link, and then
 * goes the other way. Where two copies are faster, both sides copy at once: the sender shows the
 * receiver which pieces of the body are in the arena, and the receiver's leader copies them to the
 * memory of the receive (shm_ahead.c).
 *
 * Waking. Each process has a page that those who send to its tasks map: the number there says
 * whether it sleeps, or may, and until what (enum nap, in the lowest bits), and each nap has a
 * number of its own. A sender that has written a message and then sees a nap which the message
 * ends, and for which it has not rung yet, rings the doorbell of the process. Nobody makes a system
 * call for a process that is awake. Urgent messages are counted beside the ring, so that a reader
 * which goes to sleep until there is one sees whether there is one already.
 *
 * The end. A sender that leaves the virtual machine ends its half of the socket. The receiver then
 * takes in what lies in the ring. While its program has bodies of the link, it keeps their mapping
 * and its own half of the socket. A sender whose peer has bodies parts with the link: it keeps the
 * link, and writes over none of these bodies, until they have been given back or the peer's half of
 * the socket has ended, as it does with the peer's process. Pieces in which the ring goes on are
 * kept in the same way until the peer has read them. A receiver that leaves says so in the area: it
 * reads no further, and the bodies that it has are kept in the same way. One that goes on in
 * another process must lose nothing. It says that it leaves, and reads on; then it ends the ring
 * where it has read to. A sender looks at this word behind each message that it has written. If it
 * finds the word, it ends the ring behind the message; if the ring has ended in front of that, the
 * message goes another way (shm_retire.c).
 *
 * Threads: as each function says; the leader is the thread that leads or looks (wait.h).
 */
#ifndef CK_PORTS_SHM_SHM_H
#define CK_PORTS_SHM_SHM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ck/endpoint/endpoint.h"
#include "ck/base/lock.h"
#include "ck/ports/shm/arena.h"
#include "ck/ports/shm/ring.h"
#include "ck/base/stamp.h"
#include "ck/peers/way.h"
#include "core/message.h"
#include "core/one_copy.h"
#include "core/pool.h"

struct loan;
struct shm_ahead;
struct shm_gate;
struct shm_letter;

/* What a descriptor in the set belongs to; its data is the address of one of these. */
enum shm_kind { SHM_GATE, SHM_GUEST, SHM_OUT, SHM_IN };

/* A body that lies in the arena, shared by the rings that tell of it. */
struct shm_load {
    atomic_uint references;
    struct pool *home;
    unsigned extent_count;
    unsigned chunk_count;
    uint32_t files; /* a bit for each file that it lies in */
    struct ring_extent *extents;
    struct chunk **chunks; /* a reference to each */
    struct ring_extent few_extents[RING_EXTENTS];
    struct chunk *few_chunks[RING_EXTENTS];
};

/* A block of the arena in which a ring goes on (shm_piece.c). */
struct shm_piece {
    struct chunk *chunk;
    uint32_t end; /* the position behind it, once the ring has moved on */
    struct shm_piece *next;
};

enum shm_out_state {
    SHM_CALLING, /* the peer has not answered yet */
    SHM_READY,   /* the peer has answered; messages go the other way */
    SHM_ENGAGED,
    SHM_OVER,
};

/* A link to a task. */
struct shm_out {
    struct entry entry;
    enum shm_kind kind;
    uint32_t peer;
    uint32_t number; /* of the call */
    struct shm *shm; /* of the endpoint, as long as the link is in a record */
    struct shm_shared *shared;
    _Atomic(enum shm_out_state) state; /* changed with the lock */
    struct lock lock;                  /* LOCK_LINKS; guards what follows */
    bool announced;                    /* the peer gets a fence, and counts from the fence on */
    int socket;
    int doorbell;
    pid_t process; /* the peer's, to write to; 0: not that way */
    struct ring_area *area;
    struct ring_writer writer;
    struct shm_piece *pieces; /* that the peer may read, the oldest first; or NULL */
    struct shm_piece *last;   /* of them; the ring is there if it is not home */
    uint32_t home_end;        /* the position behind the home of the ring, since it left home */
    const _Atomic uint32_t *page;
    uint32_t rung;  /* the nap for which we rang last */
    uint32_t files; /* that the peer has been given, a bit each */
    size_t since;   /* bytes sent since we last looked what has come back */
    struct one_copy one_copy;
    struct shm_load *loads[RING_COOKIES]; /* what the peer has, by cookie */
    struct shm_out *next;                 /* of the parted; under the lock of the endpoint */
};

/* A link from a task; the leader's own, but for references and where it says so. */
struct shm_in {
    enum shm_kind kind;
    bool current;        /* the next message is in the ring */
    bool younger;        /* the message that the last look saw is younger than the look */
    bool away;           /* messages may be on another way */
    bool counts;         /* what comes another way: since the first fence */
    uint32_t taken;      /* how much that was, */
    uint32_t deferred;   /* and how much of it has come, and is to be taken later; */
    uint32_t fences;     /* and fences that are */
    unsigned gap;        /* its place in shm.gaps */
    struct shm_in *next; /* changed with the lock of the endpoint */
    uint32_t urgent;     /* urgent messages that were taken out of the ring */
    struct ring_reader reader;
    uint32_t peer;            /* changed with the endpoint's lock, */
    struct peer *record;      /* like its record; NULL: it has not met us */
    uint32_t number;          /* of its call: fences of other calls are not for this link */
    atomic_uint references;   /* the list's, and one for each body of a message */
    int socket;               /* -1 when it has ended */
    int tie;                  /* the socket then, open while a body is in use; or -1, */
    struct shm_in *next_tied; /* and the next one of these; with the lock of the ties */
    struct shm *shm;          /* of the endpoint, until the link is removed */
    struct shm_shared *shared;
    bool given_up;            /* it is not read any more, and goes when nothing of it is claimed */
    bool ended;               /* the peer is gone; this and what follows: the endpoint's lock */
    _Atomic uint32_t closing; /* the number of a rendezvous whose end somebody waits for, or 0 */
    uint32_t offers;          /* so far */
    struct loan *loan;        /* the one that is offered, or NULL */
    struct message *stranded; /* what came for a receive that has ended since, or NULL, */
    uint32_t stranded_number; /* until the ring tells of it */
    uint64_t placed;          /* what the leader has seen last of pieces (shm_ahead.c); its own */
    struct ring_area *area;
    struct {
        const unsigned char *base;
        size_t size;
    } files[ARENA_FILES];
};

/* The chunk of a message that lies in the memory of another task. */
struct shm_body {
    struct chunk chunk;
    struct shm_in *link;
    uint32_t cookie;
};

/*
 * Where the next message of a link appears: it is there when the number there is `awaited`. A look
 * goes through an array of gaps, which is quick, however many links there are.
 */
struct shm_gap {
    const _Atomic uint32_t *position;
    uint32_t awaited;
    struct shm_in *in;
};

/* A message that has come another way, and is to be taken later (shm_late.c). */
struct shm_late {
    uint64_t stamp;
    bool daemon;     /* by which it came */
    uint32_t *count; /* the link's count that includes it; or NULL */
    struct message *message;
    struct shm_late *next;
};

/* A message that has appeared, and when it was written. */
struct shm_head {
    uint64_t stamp;
    struct shm_in *in;
};

#define SHM_PAGE_SIZE 4096

/* What all endpoints of a process share: the engine's part of the port. */
struct shm_shared {
    atomic_uint listening; /* endpoints that do; changed with the lock, and read by the leader */
    int epoll;             /* of all our sockets, itself in the set that the leader sleeps on */
    int descriptors;       /* sockets of links have smaller numbers: the program needs some, too */
    int page_file;
    _Atomic uint32_t *page; /* while any endpoint listens */
    int64_t one_copy;       /* the setting (core/one_copy.h) */
    struct arena arena;
    struct pool bodies;
    struct pool loads;
    enum stamp_clock clock;
    struct shm_out *_Atomic parted; /* of earlier enrolments; peers have bodies of them; with the
                                       engine's lock */
    struct lock ties_lock;          /* LOCK_ARENA: bodies are given back with any lock */
    struct shm_in *ties;            /* links that have ended, with bodies in use */
    atomic_uint lent;               /* bodies that peers have, and pieces of rings */
    struct shm_gate *gates;         /* where others call (shm_gate.h) */
    _Atomic uint64_t news;          /* the moment before which something that tasks of this process
                                       know of went elsewhere, if anything did */
};

/* The endpoint's part. */
struct shm {
    bool listening;
    struct shm_gate *gate; /* where others call, when it listens */
    struct endpoint *endpoint;
    struct shm_shared *shared;
    struct shm_in *in;               /* changed with the lock */
    atomic_bool closing;             /* somebody may wait for the end of a rendezvous */
    _Atomic(struct shm_in *) lender; /* the link with the latest loan, or NULL; with the lock */
    struct shm_gap *gaps;            /* the leader's, of all links; */
    struct shm_head *heads;          /* and a heap with room for all, used in a look only */
    unsigned head_count;
    unsigned gap_count;
    unsigned gap_room;
    unsigned away;          /* links that are away; */
    bool changed;           /* a link has become away */
    bool held;              /* the last look has left messages for what is on its way */
    bool heedless;          /* everything that is there is taken, whatever is on its way */
    struct shm_late *late;  /* the oldest first */
    uint64_t answered;      /* the moment before which all calls have been; the leader's so far */
    _Atomic uint32_t calls; /* that this task has made */
};

static inline struct shm_shared *shm_shared_of(const struct engine *engine)
{
    return engine->over_part;
}

static inline struct shm *shm_of(const struct endpoint *endpoint)
{
    return endpoint->over_part;
}

/*
 * The link to a peer; NULL if it does not exist. With the lock of the endpoint, or by the leader.
 */
static inline struct shm_out *shm_out_to(const struct peer *peer)
{
    return (struct shm_out *)(void *)atomic_load_explicit(&peer->to[ROLE_OVER],
                                                          memory_order_relaxed);
}

extern const struct port port_shm;

/*
 * Lets other tasks of the host find this one, unless the arena's limit is 0 or the system
 * does not allow it. Still (port.h).
 */
void shm_listen(struct endpoint *endpoint);

/* Watches nothing of the endpoint any more; then ends all links (port.h). */
void shm_withdraw(struct endpoint *endpoint);
void shm_leave(struct endpoint *endpoint);

/* Ends the links from peers without losing anything; as port.h says. */
void shm_retire(struct endpoint *endpoint);
bool shm_settle(struct endpoint *endpoint);

/* Sending; as port.h says. --------------------------------------------------------------------- */

void shm_offer(struct endpoint *endpoint, struct peer *peer);
bool shm_send(struct endpoint *endpoint, struct sending *sending, const struct message *message);
void shm_place(struct endpoint *endpoint, struct sending *sending, const struct message *message);
bool shm_send_or_leave(struct endpoint *endpoint, struct sending *sending,
                       const struct message *message, struct way *way);
void shm_conclude(struct endpoint *endpoint, struct sending *sending, bool sent);

/*
 * The body of `message` in the arena; NULL when there is no room, or it is in too many pieces. With
 * `ahead`, all of it lies in memory of the program, and the receiver is shown each piece.
 */
struct shm_load *shm_load_of(struct shm_shared *shared, const struct message *message,
                             struct shm_ahead *ahead);

/* One reference more, which is returned, or less. NULL is allowed. */
struct shm_load *shm_load_hold(struct shm_load *load);
void shm_load_release(struct shm_load *load);

/* Memory that a receive lends; as port.h says. ------------------------------------------------- */

void shm_lend(struct endpoint *endpoint, struct loan *loan, struct receiver *receiver);
void shm_reclaim(struct endpoint *endpoint, struct loan *loan);

/* Receiving; the leader only. ------------------------------------------------------------------ */

/*
 * Takes in up to `most` messages out of all rings in the order in which they were written, UINT_MAX
 * being all that were there at the time. True when there were any. Makes hardly any system call.
 */
bool shm_look(struct endpoint *endpoint, unsigned most);

/*
 * Answers the calls that may have been made before a message was sent which is taken in next: by
 * the moment of its news, and, because tasks hear of each other by other means too, until shortly
 * before it was written. Asks the system only when it is not known that nobody has called.
 */
void shm_hear_calls(struct endpoint *endpoint, uint64_t news, uint64_t written);

/* Takes in what has come over links before; says whether everything that is there counts as due. */
void shm_come_first(struct endpoint *endpoint);
void shm_insist(struct endpoint *endpoint, bool insist);

/* Does what our sockets are ready for. */
bool shm_serve(struct engine *engine);

/*
 * Keeps `message`, which came another way, if something older is on its way as yet. False when it
 * is to be taken in now, or when memory is short.
 */
bool shm_defer(struct endpoint *endpoint, const struct peer *peer, struct message *message,
               bool daemon);

/*
 * The next kept message that may be taken in now, or NULL; first takes in what may come before it
 * in the rings.
 */
struct message *shm_due(struct endpoint *endpoint, bool *daemon);

/*
 * Before `message`, which came another way, is taken in: what its sender put in its ring before.
 * True when it is a fence, which is freed.
 */
bool shm_precede(struct endpoint *endpoint, const struct peer *peer, struct message *message);

/*
 * Says that nobody looks any more, or again. True when there is something in a ring after all that
 * would end the nap, or may be: then it is to be looked at, or the program to be told.
 */
bool shm_sleep(struct engine *engine, enum nap nap);

/* Between the numbers of two naps on the page: in the lowest bits it says until what (enum nap). */
#define SHM_NAPS 4u

/*
 * Before sleeping: what peers have given back is free; with `idle` the system gets it back, if it
 * is much. True when `idle` would be worth it later.
 */
bool shm_tidy(struct engine *engine, bool idle);

/* Between the files. --------------------------------------------------------------------------- */

/* Answers all that call. True when anybody does. */
bool shm_answer(struct endpoint *endpoint);

/*
 * Maps the ring of a task that has introduced itself by `letter`, and welcomes it. True when the
 * link has the descriptor, which it closes if they do not meet; otherwise it is the caller's.
 */
bool shm_meet(struct endpoint *endpoint, int descriptor, const struct shm_letter *letter, int ring);

/* Reads one letter about files. False when there was none, or it ended the link. */
bool shm_in_hear_file(struct shm_in *in, bool *ended);

/*
 * Stops reading the socket. It stays open for a peer that has parted, which keeps what it sent as
 * it is until the socket ends.
 */
void shm_in_hang_up(struct shm_in *in);

/* What is ready at a link from a task, which may be gone then. */
bool shm_in_serve(struct endpoint *endpoint, struct shm_in *in);

bool shm_has_due(const struct shm *shm);
struct message *shm_late_take(struct shm *shm, bool *daemon);
void shm_forget_late(struct shm *shm);

/* A link is gone; its messages are not. */
void shm_late_part(struct shm *shm, const struct shm_in *in);

/* Whether there is a message that may be taken, or somebody to be told of a rendezvous. */
bool shm_sees(const struct shm *shm);
bool shm_sees_urgent(const struct shm *shm);

/*
 * This task knows now that before the moment `news` something may have gone elsewhere, and so do
 * those of its process, whom it may tell. By any thread.
 */
static inline void shm_learn(const struct shm *shm, uint64_t news)
{
    _Atomic uint64_t *all = &shm->shared->news;
    uint64_t known = atomic_load_explicit(all, memory_order_relaxed);
    while (news > known && !atomic_compare_exchange_weak(all, &known, news))
        continue;
}

/* For what is written now. By any thread. */
static inline struct stamp shm_stamp(const struct shm *shm)
{
    uint64_t news = atomic_load_explicit(&shm->shared->news, memory_order_relaxed);
    return stamp_of(stamp_now(shm->shared->clock), news);
}

/* Removes a link whose peer is gone when everything has been taken in. */
void shm_in_check_end(struct endpoint *endpoint, struct shm_in *in);

static inline bool shm_gap_is_filled(const struct shm_gap *gap)
{
    return atomic_load(gap->position) == gap->awaited;
}

/* A link enters the array of gaps, whose memory may be short, or leaves it. */
bool shm_add_gap(struct shm *shm, struct shm_in *in);
void shm_drop_gap(struct shm *shm, struct shm_in *in);

/* After its next message is elsewhere in the ring, or in the ring at all. */
void shm_in_await(struct shm_in *in);

/* Messages may be on another way from now on, or are not. */
void shm_in_is_away(struct shm_in *in, bool away);
bool shm_in_lacks(const struct shm_in *in);

/*
 * When the oldest message was sent that is on another way, messages of the task `but` (0: none)
 * left out. UINT64_MAX when no message is.
 */
uint64_t shm_missing(const struct shm *shm, uint32_t but);

void shm_watch(const struct shm_shared *shared, int descriptor, void *what);
void shm_unwatch(const struct shm_shared *shared, int descriptor);

/* The link from the task `peer`, looked up anew; NULL if it does not exist. By the leader. */
struct shm_in *shm_in_find(struct endpoint *endpoint, uint32_t peer);

/*
 * Keeps the socket of a link that has ended until the last body is given back, or the peer is gone
 * as a process. Then, or if there is no body, shm_untie ends it. And in a child of fork.
 */
void shm_tie(struct shm_in *in);
void shm_untie(struct shm_in *in);
void shm_tie_abandon(struct shm_shared *shared);

/*
 * Takes in up to `most` messages of one ring, if it is current. False when there were none, or when
 * the link makes no sense; then the link may be freed.
 */
bool shm_in_read(struct endpoint *endpoint, struct shm_in *in, unsigned most);

/* Ends a link and its reading; messages that the program has stay. */
void shm_in_remove(struct endpoint *endpoint, struct shm_in *in);

/* Placing a body piece by piece for an offer that the sender has claimed (shm_ahead.c). */
struct shm_ahead {
    struct rendezvous_strip *strip;
    uint32_t number;
    size_t placed; /* bytes */
};

/* The body begins at that place of the arena; and some bytes of it are copied there. */
void shm_ahead_show(struct shm_ahead *ahead, uint32_t file, uint32_t offset);
void shm_ahead_place(struct shm_ahead *ahead, unsigned char *to, const unsigned char *from,
                     size_t size);

/* The part of the body that the receiver has copied already, from 0 to 1. */
double shm_ahead_copied(const struct shm_ahead *ahead);

/* Rendezvous of a link from a task; the leader only. */

/*
 * Copies what a peer has placed since for a receive that lends its memory. True when there was
 * anything.
 */
bool shm_copy_ahead(struct endpoint *endpoint);

/*
 * Takes in `message`, which the ring has told of, if its beginning has been copied. False: it is to
 * be taken in as any other. *whole: there was memory for it.
 */
bool shm_in_land_ahead(struct endpoint *endpoint, struct shm_in *in,
                       const struct ring_record *record, struct message *message, bool *whole);

/*
 * Delivers a message whose body lies in the memory of a loan that is taken: to this receive, or
 * else a copy. False when there is no memory for the copy.
 */
bool shm_deliver_landed(struct endpoint *endpoint, struct message *message, struct loan *loan);

/* With the lock: nobody writes to the memory of the loan any more just now. */
void shm_loan_wake(struct endpoint *endpoint, struct loan *loan);

/* Takes in what came by a rendezvous; false when it makes no sense, or without memory. */
bool shm_in_land(struct endpoint *endpoint, struct shm_in *in, const struct ring_record *record);

/*
 * Whether a peer has settled a rendezvous whose end somebody waits for; shm_in_settle tells the
 * waiting thread.
 */
bool shm_is_settled(struct shm *shm);
bool shm_in_is_settled(struct shm_in *in);
void shm_in_settle(struct endpoint *endpoint, struct shm_in *in);

/* No more is read. True when the link may go; otherwise it may when it is settled. */
bool shm_in_give_up(struct endpoint *endpoint, struct shm_in *in);

/* With the lock of the endpoint: the peer is gone; and the link, too. */
void shm_in_stop(struct endpoint *endpoint, struct shm_in *in);
void shm_in_forget(struct endpoint *endpoint, struct shm_in *in);

/* A link to a task, with its lock. ------------------------------------------------------------- */

/* The peer reads the ring no further. It may still have bodies. */
static inline void shm_out_over(struct shm_out *out)
{
    atomic_exchange(&out->state, SHM_OVER);
}

/* Gives the peer files of the arena, a bit each. False when they cannot be sent just now. */
bool shm_out_give_files(const struct shm_shared *shared, struct shm_out *out, uint32_t files);

/*
 * For a ring whose current run is full, as far as is known: finds that the peer has read on, or
 * moves the ring home, or to a new piece of the arena. False when the arena is at its limit.
 */
bool shm_out_make_room(struct shm_shared *shared, struct shm_out *out, unsigned slots);

/*
 * Gives pieces that the peer has read back to the arena, and moves a ring home in which nothing is
 * left to read. Or gives all back: the peer reads none any more.
 */
void shm_out_collect_pieces(struct shm_shared *shared, struct shm_out *out);
void shm_out_drop_pieces(struct shm_shared *shared, struct shm_out *out);

/* What is ready at a link to a task. */
bool shm_out_serve(struct endpoint *endpoint, struct shm_out *out);

/* Watches no link any more. */
void shm_out_withdraw(struct endpoint *endpoint);

/* This task leaves: its peers are told. Links of which they still have bodies are parted. */
void shm_out_leave(struct endpoint *endpoint);

/* In a child of fork: closes what it has of the parted links. */
void shm_out_abandon_parted(struct shm_shared *shared);

/* Frees the parted links. */
void shm_out_finish(struct shm_shared *shared);

#endif
