/* ring.c - slots, positions and cookies. */
#include "ck/ports/shm/ring.h"

#include <string.h>

#include "core/signature.h"

/* What the other process may change at any time is read once. */
#define READ_ONCE(place) (*(const volatile __typeof__(place) *)&(place))

/* The slot of the writer at `position`, and the one that the reader is at. */
static struct ring_slot *ring_slot(const struct ring_writer *writer, uint32_t position)
{
    return &writer->slots[position % RING_SLOTS];
}

static const struct ring_slot *ring_next(const struct ring_reader *reader)
{
    return &reader->slots[reader->head % RING_SLOTS];
}

#define RING_ENDED ((uint64_t)1 << 32)

uint32_t ring_end(struct ring_area *area, uint32_t position)
{
    uint64_t end = 0;
    return atomic_compare_exchange_strong(&area->end, &end, RING_ENDED | position) ? position
                                                                                   : (uint32_t)end;
}

void ring_writer_start(struct ring_writer *writer, struct ring_area *area, uint32_t first)
{
    first %= RING_SLOTS;
    *writer = (struct ring_writer){
        .area = area, .slots = area->slots, .tail = first, .floor = first, .head = first};
    atomic_store(&area->head, first);
}

bool ring_refresh(struct ring_writer *writer)
{
    uint32_t head = atomic_load_explicit(&writer->area->head, memory_order_acquire);
    if (writer->tail - head > writer->tail - writer->head)
        return false;
    writer->head = head;
    if (ring_has_passed(writer, writer->floor))
        writer->floor = head;
    return true;
}

bool ring_has_passed(const struct ring_writer *writer, uint32_t position)
{
    return writer->tail - writer->head <= writer->tail - position;
}

void ring_move(struct ring_writer *writer, struct ring_slot *run, uint32_t file, uint32_t offset)
{
    struct ring_slot *jump = ring_slot(writer, writer->tail);
    jump->kind = RING_JUMP;
    jump->extents[0] = (struct ring_extent){.file = run ? file : RING_HOME, .offset = offset};
    writer->jump = jump;
    writer->floor = ++writer->tail;
    writer->slots = run ? run : writer->area->slots;
    /* What has been in this memory is no position that the reader awaits. */
    for (uint32_t i = 0; run && i < RING_SLOTS; i++)
        atomic_store_explicit(&ring_slot(writer, writer->tail + i)->position, writer->tail + i,
                              memory_order_relaxed);
}

/* Behind a jump the reader finds a slot of this kind. Stamps do not decrease. */
static void ring_show_jump(struct ring_writer *writer, struct stamp stamp, unsigned kind)
{
    struct ring_slot *jump = writer->jump;
    writer->jump = NULL;
    jump->stamp = stamp.written;
    jump->age = stamp.age;
    jump->count = (uint16_t)kind;
    atomic_store(&jump->position, writer->tail);
}

void ring_show_move(struct ring_writer *writer, struct stamp stamp)
{
    ring_show_jump(writer, stamp, RING_NOTHING);
}

/*
 * In one order with the load by which the writer asks whether the reader sleeps: so either it sees
 * that, or the reader sees the message. The first slot of a run is there when the reader comes.
 */
static void ring_publish(struct ring_writer *writer, struct ring_slot *slot, unsigned slots)
{
    atomic_store(&slot->position, writer->tail + 1);
    if (writer->jump)
        ring_show_jump(writer, (struct stamp){slot->stamp, slot->age}, slot->kind);
    writer->tail += slots;
    __builtin_prefetch(ring_slot(writer, writer->tail), 1); /* the reader's processor has it */
}

void ring_write_short(struct ring_writer *writer, struct stamp stamp,
                      const struct host_header *header, const void *body, size_t size)
{
    struct ring_slot *slot = ring_slot(writer, writer->tail);
    slot->stamp = stamp.written;
    slot->age = stamp.age;
    slot->kind = RING_SHORT_MESSAGE;
    slot->count = (uint16_t)size;
    slot->header = *header;
    if (size > 0)
        memcpy(slot->body, body, size);
    ring_publish(writer, slot, 1);
}

void ring_write_long(struct ring_writer *writer, struct stamp stamp,
                     const struct host_header *header, uint32_t cookie,
                     const struct ring_extent *extents, unsigned count)
{
    struct ring_slot *slot = ring_slot(writer, writer->tail);
    unsigned slots = ring_slots_for(count);
    unsigned done = count < RING_EXTENTS ? count : RING_EXTENTS;
    slot->stamp = stamp.written;
    slot->age = stamp.age;
    slot->kind = RING_LONG_MESSAGE;
    slot->count = (uint16_t)count;
    slot->cookie = cookie;
    slot->header = *header;
    memcpy(slot->extents, extents, done * sizeof *extents);
    for (unsigned i = 1; i < slots; i++) {
        struct ring_slot *further = ring_slot(writer, writer->tail + i);
        unsigned some = count - done < RING_MORE ? count - done : RING_MORE;
        memcpy(further->more, extents + done, some * sizeof *extents);
        done += some;
    }
    ring_publish(writer, slot, slots);
}

void ring_write_landed(struct ring_writer *writer, struct stamp stamp,
                       const struct host_header *header, uint32_t number)
{
    struct ring_slot *slot = ring_slot(writer, writer->tail);
    slot->stamp = stamp.written;
    slot->age = stamp.age;
    slot->kind = RING_LANDED_MESSAGE;
    slot->count = 0;
    slot->cookie = number;
    slot->header = *header;
    ring_publish(writer, slot, 1);
}

void ring_write_marker(struct ring_writer *writer, struct stamp stamp)
{
    struct ring_slot *slot = ring_slot(writer, writer->tail);
    slot->stamp = stamp.written;
    slot->age = stamp.age;
    slot->kind = RING_MARKER;
    slot->count = 0;
    ring_publish(writer, slot, 1);
}

void ring_note_elsewhere(struct ring_writer *writer, uint64_t stamp)
{
    struct ring_area *area = writer->area;
    uint32_t count = atomic_load_explicit(&area->elsewhere, memory_order_relaxed);
    atomic_store_explicit(&area->sent[count % RING_ELSEWHERE], stamp, memory_order_relaxed);
    atomic_store(&area->elsewhere, count + 1);
}

/*
 * In one order with ring_publish and the reader's word that it has left: so either the writer sees
 * this word, or the reader sees the message when it looks for what comes last.
 */
bool ring_arrives(struct ring_writer *writer)
{
    return atomic_load(&writer->area->use) == RING_READ ||
           (int32_t)(ring_end(writer->area, writer->tail) - writer->tail) >= 0;
}

bool ring_is_drained(const struct ring_writer *writer)
{
    return atomic_load_explicit(&writer->area->head, memory_order_acquire) == writer->tail;
}

int ring_take_cookie(struct ring_writer *writer)
{
    for (unsigned i = 0; i < RING_COOKIES / 64; i++) {
        if (writer->used[i] == UINT64_MAX)
            continue;
        unsigned bit = (unsigned)__builtin_ctzll(~writer->used[i]);
        writer->used[i] |= (uint64_t)1 << bit;
        writer->used_count++;
        return (int)(64 * i + bit);
    }
    return -1;
}

void ring_drop_cookie(struct ring_writer *writer, unsigned cookie)
{
    writer->used[cookie / 64] &= ~((uint64_t)1 << cookie % 64);
    writer->used_count--;
}

void ring_collect(struct ring_writer *writer, void (*take)(void *owner, unsigned cookie),
                  void *owner)
{
    for (unsigned i = 0; i < RING_COOKIES / 64 && writer->used_count > 0; i++) {
        _Atomic uint64_t *word = &writer->area->released[i];
        if (writer->used[i] == 0 || atomic_load_explicit(word, memory_order_relaxed) == 0)
            continue;
        uint64_t released =
            atomic_exchange_explicit(word, 0, memory_order_acquire) & writer->used[i];
        for (; released; released &= released - 1) {
            unsigned cookie = 64 * i + (unsigned)__builtin_ctzll(released);
            ring_drop_cookie(writer, cookie);
            take(owner, cookie);
        }
    }
}

void ring_reader_start(struct ring_reader *reader, struct ring_area *area, uint32_t first)
{
    first %= RING_SLOTS;
    *reader =
        (struct ring_reader){.area = area, .slots = area->slots, .head = first, .begin = first};
}

enum ring_kind ring_look(const struct ring_reader *reader, struct ring_record *record)
{
    record->kind = RING_NOTHING;
    if (ring_is_empty(reader))
        return RING_NOTHING;
    const struct ring_slot *slot = ring_next(reader);
    unsigned kind = READ_ONCE(slot->kind);
    record->count = READ_ONCE(slot->count);
    record->cookie = 0;
    if (kind == RING_MARKER)
        return record->kind = RING_MARKER;
    if (kind == RING_JUMP) /* the first slot of a run is none, so there is an end of jumps */
        return record->kind = reader->head == reader->begin ? RING_BROKEN : RING_JUMP;
    memcpy(&record->header, &slot->header, sizeof record->header);
    if (kind == RING_SHORT_MESSAGE && record->count <= RING_SHORT)
        return record->kind = RING_SHORT_MESSAGE;
    record->cookie = READ_ONCE(slot->cookie);
    if (kind == RING_LANDED_MESSAGE)
        return record->kind = RING_LANDED_MESSAGE;
    if (kind == RING_LONG_MESSAGE && record->count > 0 && record->count <= RING_EXTENTS_MOST &&
        record->cookie < RING_COOKIES)
        return record->kind = RING_LONG_MESSAGE;
    return record->kind = RING_BROKEN;
}

bool ring_has_marker(const struct ring_reader *reader)
{
    const struct ring_slot *slot = ring_next(reader);
    unsigned kind = READ_ONCE(slot->kind);
    return (kind == RING_JUMP ? READ_ONCE(slot->count) : kind) == RING_MARKER;
}

uint64_t ring_elsewhere(const struct ring_area *area, uint32_t count)
{
    if (atomic_load(&area->elsewhere) - count > RING_ELSEWHERE)
        return 0;
    return atomic_load_explicit(&area->sent[count % RING_ELSEWHERE], memory_order_relaxed);
}

void ring_copy_body(const struct ring_reader *reader, const struct ring_record *record, void *body)
{
    memcpy(body, ring_next(reader)->body, record->count);
}

struct ring_extent ring_extent_at(const struct ring_reader *reader, unsigned index)
{
    const struct ring_extent *place;
    if (index < RING_EXTENTS) {
        place = &ring_next(reader)->extents[index];
    } else {
        index -= RING_EXTENTS;
        uint32_t position = reader->head + 1 + index / RING_MORE;
        place = &reader->slots[position % RING_SLOTS].more[index % RING_MORE];
    }
    return (struct ring_extent){READ_ONCE(place->file), READ_ONCE(place->offset),
                                READ_ONCE(place->length), READ_ONCE(place->count)};
}

void ring_skip(struct ring_reader *reader, const struct ring_record *record)
{
    reader->head += record->kind == RING_LONG_MESSAGE ? ring_slots_for(record->count) : 1;
    atomic_store_explicit(&reader->area->head, reader->head, memory_order_release);
}

void ring_follow(struct ring_reader *reader, const struct ring_slot *run)
{
    reader->slots = run ? run : reader->area->slots;
    reader->begin = ++reader->head;
    atomic_store_explicit(&reader->area->head, reader->head, memory_order_release);
}

void ring_give_back(struct ring_area *area, uint32_t cookie)
{
    atomic_fetch_or_explicit(&area->released[cookie / 64], (uint64_t)1 << cookie % 64,
                             memory_order_release);
}
