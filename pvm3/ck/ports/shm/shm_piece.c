/*
 * shm_piece.c - pieces of the arena in which a ring goes on while its reader is behind.
 *
 * A ring stays at home, in its area, as long as its reader keeps up. When home is full, the ring
 * moves to a piece. When the piece is full, the ring moves home if the reader has left home, and
 * otherwise to a further piece. An idle ring moves home, too. The reader finds pieces in files of
 * the arena, as it finds bodies. The reader's position says which pieces it has left: these go back
 * to the arena, and no word of the reader is needed.
 */
#include <stdlib.h>

#include "ck/ports/shm/shm.h"

static bool shm_out_is_home(const struct shm_out *out)
{
    return out->writer.slots == out->area->slots;
}

/* Gives the oldest piece back to the arena. */
static void shm_out_drop_piece(struct shm_shared *shared, struct shm_out *out)
{
    struct shm_piece *piece = out->pieces;
    out->pieces = piece->next;
    chunk_release(piece->chunk);
    free(piece);
    atomic_fetch_sub_explicit(&shared->lent, 1, memory_order_relaxed);
}

void shm_out_drop_pieces(struct shm_shared *shared, struct shm_out *out)
{
    while (out->pieces)
        shm_out_drop_piece(shared, out);
}

/* Gives back the pieces that the peer had left when it was looked at last. */
static void shm_out_drop_left_pieces(struct shm_shared *shared, struct shm_out *out)
{
    while (out->pieces && (out->pieces != out->last || shm_out_is_home(out)) &&
           ring_has_passed(&out->writer, out->pieces->end))
        shm_out_drop_piece(shared, out);
}

/* The ring goes on in `run`, of a file of the arena, or home if it is NULL. */
static void shm_out_move(struct shm_out *out, struct ring_slot *run, uint32_t file, uint32_t offset)
{
    uint32_t *end = shm_out_is_home(out) ? &out->home_end : &out->last->end;
    ring_move(&out->writer, run, file, offset);
    *end = out->writer.tail;
}

/* Moves to a new piece. False when there is none, or the peer cannot be given its file just now. */
static bool shm_out_grow(struct shm_shared *shared, struct shm_out *out)
{
    struct chunk_maker *maker = &shared->arena.maker;
    struct shm_piece *piece = malloc(sizeof *piece);
    struct chunk *chunk = piece ? maker->make(maker, RING_RUN_SIZE - ARENA_FRONT) : NULL;
    uint32_t file, offset;
    if (chunk)
        arena_locate(&shared->arena, chunk, arena_block(chunk), &file, &offset);
    if (!chunk || !shm_out_give_files(shared, out, 1u << file)) {
        chunk_release(chunk);
        free(piece);
        return false;
    }
    shm_out_move(out, (struct ring_slot *)(void *)arena_block(chunk), file, offset);
    *piece = (struct shm_piece){.chunk = chunk};
    *(out->pieces ? &out->last->next : &out->pieces) = piece;
    out->last = piece;
    atomic_fetch_add_explicit(&shared->lent, 1, memory_order_relaxed);
    return true;
}

bool shm_out_make_room(struct shm_shared *shared, struct shm_out *out, unsigned slots)
{
    if (!ring_refresh(&out->writer)) {
        shm_out_over(out);
        return false;
    }
    shm_out_drop_left_pieces(shared, out);
    if (!shm_out_is_home(out) && ring_has_passed(&out->writer, out->home_end)) {
        shm_out_move(out, NULL, RING_HOME, 0);
        return true;
    }
    return ring_has_room(&out->writer, slots) || shm_out_grow(shared, out);
}

void shm_out_collect_pieces(struct shm_shared *shared, struct shm_out *out)
{
    bool left = atomic_load_explicit(&out->area->use, memory_order_acquire) == RING_LEFT;
    if (left && out->state == SHM_OVER) { /* then this task does not write there any more, either */
        shm_out_drop_pieces(shared, out);
        return;
    }
    if (left || !ring_refresh(&out->writer)) {
        shm_out_over(out);
        return;
    }
    if (out->state == SHM_ENGAGED && !shm_out_is_home(out) && ring_is_drained(&out->writer)) {
        shm_out_move(out, NULL, RING_HOME, 0);
        ring_show_move(&out->writer, shm_stamp(out->shm));
    }
    shm_out_drop_left_pieces(shared, out);
}
