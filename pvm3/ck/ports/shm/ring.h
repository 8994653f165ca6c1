/*
 * ring.h - messages from one process to another through memory that both have: a ring of slots with
 * one writer and one reader, which grows.
 *
 * A slot tells of a message: its header, and its body, if that is short; otherwise where in files
 * of the writer's arena (arena.h) it lies. A long description takes several slots. The reader gives
 * each body back by a number, the writer's cookie for it, when nobody uses it any more: a set of
 * bits, in any order, by any thread. A marker says that the next message comes another way; there
 * is always room for one. Another kind of slot says that the body lies where the reader has offered
 * room for it (rendezvous.h).
 *
 * Slots stand in runs of RING_SLOTS. The first run, the home of the ring, lies in the area, and is
 * used over and over. When the current run is full, the ring can move to another run, which the
 * writer provides: a jump, the last slot of the run before, says where the other run lies. A run
 * belongs to its writer again as soon as the reader has passed the jump that leads out of it. The
 * ring moves home when the reader has left home. Positions count on from run to run, and the slot
 * of a position is the same in each run.
 *
 * A slot begins with its position, written last: the reader need not touch what the writer counts,
 * nor the writer what the reader counts unless the ring seems full. So a short message touches one
 * or two lines of the cache. Behind it stands when the slot was written (stamp.h): a reader of many
 * rings takes what is oldest.
 *
 * Neither side believes the other. Whatever lies in the shared memory is read once, into the
 * reader's own memory, and checked there; a wrong position, count or cookie is found out, and
 * contents are only contents.
 *
 * Threads: one at a time on each side; the writer's is guarded by its owner's lock.
 */
#ifndef CK_PORTS_SHM_RING_H
#define CK_PORTS_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck/peers/host_message.h"
#include "ck/ports/shm/rendezvous.h"
#include "ck/base/stamp.h"
#include "core/message.h"

#define RING_SLOTS      256u /* a power of two */
#define RING_SLOT_SIZE  256u
#define RING_SHORT      HOST_SHORT /* bytes of a body that goes in its slot */
#define RING_COOKIES    1024u
#define RING_EXTENTS    13u /* in the first slot of a message */
#define RING_MORE       15u /* in each further one */
#define RING_SLOTS_MOST 64u /* for one message */
#define RING_ELSEWHERE  256u
#define RING_RUN_SIZE   (RING_SLOTS * RING_SLOT_SIZE)
#define RING_KEPT       2u         /* slots of each run: for a marker, and for a jump behind it */
#define RING_HOME       UINT32_MAX /* in place of a file: the first run */

#define RING_EXTENTS_MOST (RING_EXTENTS + (RING_SLOTS_MOST - 1) * RING_MORE)

/* The most segments that are no runs. */
#define RING_SEGMENTS_MOST (1u << 16)

/*
 * A part of a body: `count` fragments of `length` bytes, one behind the other. Or the place of a
 * run; the file is then RING_HOME if the run is home.
 */
struct ring_extent {
    uint32_t file;
    uint32_t offset;
    uint32_t length;
    uint32_t count;
};

struct ring_slot {
    _Atomic uint32_t position; /* of this slot plus 1, when it is written */
    uint16_t kind;             /* enum ring_kind */
    uint16_t count;            /* bytes of a short body; or extents; or of a jump the kind of the
                                  slot behind it, RING_NOTHING if that may not be written yet */
    uint64_t stamp;
    union {
        struct {
            struct host_header header;
            uint32_t cookie;
            uint32_t age; /* of the stamp */
            union {
                unsigned char body[RING_SHORT];
                struct ring_extent extents[RING_EXTENTS];
            };
        };
        struct ring_extent more[RING_MORE];
    };
};

_Static_assert(sizeof(struct ring_slot) == RING_SLOT_SIZE, "slots begin at lines of the cache");

/* Whether the reader reads; it is leaving: what is written now may not come (ring_arrives). */
enum ring_use { RING_NEW, RING_READ, RING_LEAVING, RING_LEFT };

/* What both processes map. Only the reader writes to the first lines, but for `end`. */
struct ring_area {
    _Alignas(64) _Atomic uint32_t use;
    _Atomic uint64_t end; /* where a ring ends that is left (ring_end); 0: it goes on */
    _Alignas(64) _Atomic uint32_t head; /* slots that it has read */
    _Alignas(64) _Atomic uint64_t released[RING_COOKIES / 64];
    _Alignas(64) struct rendezvous_strip rendezvous;
    _Alignas(64) _Atomic uint32_t elsewhere; /* messages that have gone another way */
    _Atomic uint32_t urgent;                 /* messages in the ring that were, so far */
    _Atomic uint64_t sent[RING_ELSEWHERE];   /* when each of the last ones elsewhere was sent */
    _Alignas(256) struct ring_slot slots[RING_SLOTS];
};

/*
 * A ring that its reader is leaving ends at `position`, unless the other side has ended it before.
 * Returns where it ends: the reader reads to there, and what is written behind that never comes. By
 * either side, and no side waits for the other.
 */
uint32_t ring_end(struct ring_area *area, uint32_t position);

/* The writer's side. --------------------------------------------------------------------------- */

struct ring_writer {
    struct ring_area *area;
    struct ring_slot *slots; /* the current run */
    struct ring_slot *jump;  /* to it, if nothing has been written behind the jump yet; or NULL */
    uint32_t tail;           /* slots written */
    uint32_t floor;          /* the first position of this run, or of it that may be unread */
    uint32_t head;           /* the reader's, as it was seen last */
    uint64_t used[RING_COOKIES / 64];
    unsigned used_count;
};

/*
 * Both sides begin at the same slot, whichever: when a reader's rings begin at different ones, what
 * it looks at lies in different sets of its processor's cache.
 */
void ring_writer_start(struct ring_writer *writer, struct ring_area *area, uint32_t first);

/* Slots that a description with so many extents takes. */
static inline unsigned ring_slots_for(unsigned extents)
{
    return extents <= RING_EXTENTS ? 1 : 1 + (extents - RING_EXTENTS + RING_MORE - 1) / RING_MORE;
}

/* True when `slots` are free in the current run, as far as is known, beside those that are kept. */
static inline bool ring_has_room(const struct ring_writer *writer, unsigned slots)
{
    return writer->tail - writer->floor + slots + RING_KEPT <= RING_SLOTS;
}

/* Looks how far the reader is. False when its count is impossible. */
bool ring_refresh(struct ring_writer *writer);

/* Whether the reader has read all slots before `position`, when it was looked at last. */
bool ring_has_passed(const struct ring_writer *writer, uint32_t position);

/*
 * Moves to `run`, of which the reader reads nothing, and which lies at `offset` of `file` for the
 * reader; NULL: home. What is written next is written there. Not twice without a slot between.
 */
void ring_move(struct ring_writer *writer, struct ring_slot *run, uint32_t file, uint32_t offset);

/* Lets the reader follow a move, though nothing has been written behind it. */
void ring_show_move(struct ring_writer *writer, struct stamp stamp);

/*
 * Writes into the room that was found. A short body is `size` bytes at `body`. Stamps do not
 * decrease.
 */
void ring_write_short(struct ring_writer *writer, struct stamp stamp,
                      const struct host_header *header, const void *body, size_t size);
void ring_write_long(struct ring_writer *writer, struct stamp stamp,
                     const struct host_header *header, uint32_t cookie,
                     const struct ring_extent *extents, unsigned count);
void ring_write_landed(struct ring_writer *writer, struct stamp stamp,
                       const struct host_header *header, uint32_t number);
void ring_write_marker(struct ring_writer *writer, struct stamp stamp);

/*
 * Counts what has just been written as urgent, in one order with that and with the load by which the
 * writer asks whether the reader sleeps.
 */
static inline void ring_note_urgent(struct ring_writer *writer)
{
    atomic_fetch_add(&writer->area->urgent, 1);
}

/* Notes a message that has gone another way. */
void ring_note_elsewhere(struct ring_writer *writer, uint64_t stamp);

/*
 * Whether the reader gets what has just been written: not if it is leaving the ring, and has ended
 * it before. What was written first it gets then, and nothing may be written any more.
 */
bool ring_arrives(struct ring_writer *writer);

/* True when the reader has taken everything out, as far as it says. */
bool ring_is_drained(const struct ring_writer *writer);

/* A cookie that is not in use; -1 when all are in use. */
int ring_take_cookie(struct ring_writer *writer);
void ring_drop_cookie(struct ring_writer *writer, unsigned cookie);

/* Calls `take` with each cookie that the reader has given back. Others it cannot give back. */
void ring_collect(struct ring_writer *writer, void (*take)(void *owner, unsigned cookie),
                  void *owner);

/* The reader's side. --------------------------------------------------------------------------- */

struct ring_reader {
    struct ring_area *area;
    const struct ring_slot *slots; /* the current run */
    uint32_t head;
    uint32_t begin; /* the position at which it came to this run */
};

enum ring_kind {
    RING_NOTHING, /* there is no message */
    RING_SHORT_MESSAGE,
    RING_LONG_MESSAGE,
    RING_LANDED_MESSAGE,
    RING_MARKER,
    RING_JUMP,   /* the first extent is the place of the run in which the ring goes on */
    RING_BROKEN, /* what is there makes no sense */
};

struct ring_record {
    enum ring_kind kind;
    unsigned count;  /* bytes of the body, or extents */
    uint32_t cookie; /* or the number of a rendezvous */
    struct host_header header;
};

void ring_reader_start(struct ring_reader *reader, struct ring_area *area, uint32_t first);

/* Where the position of the next slot will be, and which position. */
static inline const _Atomic uint32_t *ring_place(const struct ring_reader *reader)
{
    return &reader->slots[reader->head % RING_SLOTS].position;
}

static inline uint32_t ring_awaited(const struct ring_reader *reader)
{
    return reader->head + 1;
}

static inline bool ring_is_empty(const struct ring_reader *reader)
{
    return atomic_load(ring_place(reader)) != ring_awaited(reader);
}

/* Whether more urgent messages were written than the reader has `taken`. */
static inline bool ring_is_urgent(const struct ring_reader *reader, uint32_t taken)
{
    return (int32_t)(atomic_load(&reader->area->urgent) - taken) > 0;
}

/* When the next slot was written, of a ring that is not empty. */
static inline uint64_t ring_stamp(const struct ring_reader *reader)
{
    return *(const volatile uint64_t *)&reader->slots[reader->head % RING_SLOTS].stamp;
}

/* The moment after the news that its sender had. */
static inline uint64_t ring_news(const struct ring_reader *reader)
{
    const struct ring_slot *slot = &reader->slots[reader->head % RING_SLOTS];
    const struct stamp stamp = {*(const volatile uint64_t *)&slot->stamp,
                                *(const volatile uint32_t *)&slot->age};
    return stamp_news(stamp);
}

/* Whether the next slot is a marker, or leads to one, of a ring that is not empty. */
bool ring_has_marker(const struct ring_reader *reader);

/* When the message number `count`, from 0 on, went another way; 0 when it is long ago. */
uint64_t ring_elsewhere(const struct ring_area *area, uint32_t count);

/* What comes next, without its body or extents, which are to be copied before ring_skip. */
enum ring_kind ring_look(const struct ring_reader *reader, struct ring_record *record);
void ring_copy_body(const struct ring_reader *reader, const struct ring_record *record, void *body);
struct ring_extent ring_extent_at(const struct ring_reader *reader, unsigned index);
void ring_skip(struct ring_reader *reader, const struct ring_record *record);

/* In place of ring_skip, for a jump: goes on in `run`, which is readable as a whole; NULL: home. */
void ring_follow(struct ring_reader *reader, const struct ring_slot *run);

/* By any thread. */
void ring_give_back(struct ring_area *area, uint32_t cookie);

#endif
