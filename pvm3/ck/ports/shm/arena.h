/*
 * arena.h - memory that other processes of the host can read where it lies.
 *
 * An arena consists of memory files (memfd_create), which exist as long as somebody has them open
 * or mapped, and nowhere in the file system. They are sealed against shrinking, so that nobody who
 * reads them meets memory that is gone. The first has 1 MB; each further one is as large as all
 * before, up to the arena's limit; a larger chunk gets a file of its size. In a file blocks are
 * given out by halves (buddies). A block that is freed is the next of its size to be given out:
 * what was written last is most likely still in the cache. What is free grows together again only
 * when another size finds nothing, or when memory is given back to the system.
 *
 * Blocks are chunks (core/chunk.h): the last reference, here or given back by the last reader,
 * frees them. Headers and lists lie in ordinary memory: what a broken process could do to the files
 * changes contents, never where anything is.
 *
 * Source of the idea: the shared messages with reference counts of Santos and Aude, "PM-PVM: A
 * Portable Multithreaded PVM", 1999.
 * Threads: any thread may call anything, under the arena's own lock.
 */
#ifndef CK_PORTS_SHM_ARENA_H
#define CK_PORTS_SHM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck/base/lock.h"
#include "core/chunk.h"

/*
 * Where the data of a chunk begin in its block: a multiple of a line of the cache, and such that
 * the default fragment fits the least block. Copying from the very beginning of a page is slow on
 * some processors when the target lies a few bytes behind the beginning of a page, as large memory
 * of malloc does.
 */
#define ARENA_FRONT ((size_t)64)

#define ARENA_FILES       16
#define ARENA_BLOCK_LEAST ((size_t)4096)
#define ARENA_FILE_LEAST  ((size_t)1 << 20)
#define ARENA_FILE_MOST   ((size_t)1 << 30)
#define ARENA_KEPT        ((size_t)16 << 20)
#define ARENA_ORDERS      19 /* of blocks: each is twice as large as the one before */

/* The places of a file at which a block of the least size may begin. */
struct arena_place {
    struct chunk chunk; /* when a block that is given out begins here */
    unsigned char file;
    unsigned char order; /* of the block that begins here */
    bool free;           /* and whether it is in `free`, by next and previous */
    struct arena_place *next;
    struct arena_place *previous;
};

struct arena_file {
    int descriptor;
    unsigned char *base;
    size_t size; /* bytes, a power of two */
    size_t used; /* in blocks that are given out */
    bool dirty;  /* has been used since it was made or given back */
    struct arena_place *places;
};

struct arena {
    struct chunk_maker maker; /* `wanted` is the owner's to set */
    struct lock lock;         /* LOCK_ARENA; guards what follows */
    size_t limit;             /* bytes of all files together */
    size_t size;
    int file_count; /* the files before it stay as they are */
    struct arena_file files[ARENA_FILES];
    struct arena_place *free[ARENA_ORDERS];
    struct arena_place *recent[ARENA_ORDERS]; /* the last freed first, by next */
};

/* An arena without files, which is not wanted yet. */
void arena_start(struct arena *arena, size_t limit);

/* The block of a chunk, which begins at a page, and ARENA_FRONT bytes before the chunk. */
static inline unsigned char *arena_block(const struct chunk *chunk)
{
    return chunk->data - ARENA_FRONT;
}

/* Closes the files. Their chunks are gone. */
void arena_finish(struct arena *arena);

/* In a child of fork, which has no mapping of the files: closes its descriptors. */
void arena_abandon(struct arena *arena);

/* Where `data`, in a chunk of the arena, lies: the number of its file, and the byte in there. */
void arena_locate(const struct arena *arena, const struct chunk *chunk, const unsigned char *data,
                  uint32_t *file, uint32_t *offset);

/*
 * Gives memory that is not in use back to the system, but for files of ARENA_KEPT bytes: to get a
 * page anew costs as much as to copy it. Takes system calls.
 */
void arena_give_back(struct arena *arena);

/* Whether files of more than ARENA_KEPT bytes have been used since they were made or given back. */
bool arena_is_large(struct arena *arena);

/* A memory file of `size` bytes, sealed against shrinking and growing; -1 when there is none. */
int arena_make_file(const char *name, size_t size);

/* True when `descriptor` is a memory file of `size` bytes that cannot shrink. */
bool arena_is_file(int descriptor, size_t size);

/*
 * Maps a memory file, to be written too if `writable`; a child of fork will not have it. NULL: no.
 */
void *arena_map(int descriptor, size_t size, bool writable);

#endif
