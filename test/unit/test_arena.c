/* test_arena.c - memory files: bounded, given out by halves, and whole again when all is back. */
#include "ck/ports/shm/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shortage.h"
#include "unit.h"

#define MB    ((size_t)1 << 20)
#define LEAST (ARENA_BLOCK_LEAST - ARENA_FRONT)

static struct arena arena;

UNIT_STEP(start)
{
    arena_start(&arena, 8 * MB);
    atomic_store(&arena.maker.wanted, true);
    return 0;
}

UNIT_STEP(finish)
{
    arena_finish(&arena);
    return 0;
}

static struct chunk *make(size_t capacity)
{
    return arena.maker.make(&arena.maker, capacity);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(chunk_is_where_its_file_says)
{
    struct chunk *chunk = make(10000);
    assert_non_null(chunk);
    assert_true(chunk->capacity >= 10000);
    memset(chunk->data, 7, chunk->capacity);
    uint32_t file, offset;
    arena_locate(&arena, chunk, chunk->data + 5, &file, &offset);
    int descriptor = arena.files[file].descriptor;
    unsigned char *seen = arena_map(descriptor, arena.files[file].size, false);
    assert_non_null(seen);
    assert_int_equal(seen[offset], 7);
    chunk->data[5] = 8;
    assert_int_equal(seen[offset], 8);
    munmap(seen, arena.files[file].size);
    chunk_release(chunk);
}

TEST(files_cannot_shrink)
{
    chunk_release(make(1));
    int descriptor = arena.files[0].descriptor;
    assert_true(arena_is_file(descriptor, arena.files[0].size));
    assert_false(arena_is_file(descriptor, arena.files[0].size * 2));
    assert_int_equal(ftruncate(descriptor, 4096), -1);
    int other = memfd_create("other", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    assert_int_equal(ftruncate(other, 4096), 0);
    assert_false(arena_is_file(other, 4096)); /* it could */
    close(other);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_false(arena_is_file(ends[0], 0));
    close(ends[0]);
    close(ends[1]);
}

TEST(limit_holds_and_all_can_be_had_again)
{
    struct chunk *chunks[2049]; /* the last one is NULL */
    for (int turn = 0; turn < 2; turn++) {
        size_t count = 0;
        while ((chunks[count] = make(LEAST)) != NULL)
            count++;
        assert_int_equal(count, 2048);
        assert_int_equal(arena.size, 8 * MB);
        for (size_t i = 0; i < count; i++) { /* none lies in another one */
            memset(chunks[i]->data, (int)i, chunks[i]->capacity);
            assert_int_equal(chunks[i]->capacity, LEAST);
        }
        for (size_t i = 0; i < count; i++)
            assert_int_equal(chunks[i]->data[LEAST - 1], (unsigned char)i);
        for (size_t i = 0; i < count; i++)
            chunk_release(chunks[(i * 769) % count]);
    }
    /* Everything has grown together. */
    for (int i = 0; i < arena.file_count; i++)
        assert_int_equal(arena.files[i].used, 0);
    struct chunk *large = make(4 * MB - ARENA_FRONT);
    assert_non_null(large);
    assert_null(make(8 * MB));
    chunk_release(large);
}

TEST(sizes_of_all_kinds_do_not_meet)
{
    struct chunk *chunks[64] = {NULL};
    unsigned random = 1;
    for (int turn = 0; turn < 20000; turn++) {
        random = random * 1103515245 + 12345;
        unsigned place = random >> 16 & 63;
        if (chunks[place]) {
            assert_int_equal(chunks[place]->data[0], place);
            assert_int_equal(chunks[place]->data[chunks[place]->capacity - 1], place);
            chunk_release(chunks[place]);
            chunks[place] = NULL;
            continue;
        }
        chunks[place] = make((random >> 8 & 0xffff) + 1);
        if (!chunks[place])
            continue;
        chunks[place]->data[0] = (unsigned char)place;
        chunks[place]->data[chunks[place]->capacity - 1] = (unsigned char)place;
    }
    for (int i = 0; i < 64; i++)
        chunk_release(chunks[i]);
    for (int i = 0; i < arena.file_count; i++)
        assert_int_equal(arena.files[i].used, 0);
}

TEST(steady_use_allocates_nothing)
{
    chunk_release(make(10000));
    unsigned long before = shortage_allocations();
    for (int i = 0; i < 100; i++)
        chunk_release(make(10000));
    assert_int_equal(shortage_allocations(), before);
}

TEST(block_that_was_freed_last_is_the_next)
{
    const unsigned char *freed[3];
    struct chunk *chunks[3];
    for (int i = 0; i < 3; i++) {
        chunks[i] = make(100000);
        freed[i] = chunks[i]->data;
    }
    chunk_release(make(10000)); /* another size does not disturb that */
    for (int i = 0; i < 3; i++)
        chunk_release(chunks[i]);
    for (int i = 2; i >= 0; i--) {
        chunks[i] = make(100000);
        assert_ptr_equal(chunks[i]->data, freed[i]);
    }
    for (int i = 0; i < 3; i++)
        chunk_release(chunks[i]);
}

static blkcnt_t blocks_in_use(void)
{
    blkcnt_t blocks = 0;
    for (int i = 0; i < arena.file_count; i++) {
        struct stat status;
        assert_int_equal(fstat(arena.files[i].descriptor, &status), 0);
        blocks += status.st_blocks;
    }
    return blocks;
}

TEST(unused_memory_goes_back)
{
    arena.limit = 64 * MB;
    struct chunk *chunks[4];
    for (int i = 0; i < 4; i++) {
        chunks[i] = make(8 * MB - ARENA_FRONT);
        memset(chunks[i]->data, 1, chunks[i]->capacity);
    }
    assert_true(blocks_in_use() >= (blkcnt_t)(32 * MB / 512));
    arena_give_back(&arena);
    assert_true(blocks_in_use() >= (blkcnt_t)(32 * MB / 512)); /* in use */
    for (int i = 0; i < 3; i++)
        chunk_release(chunks[i]);
    arena_give_back(&arena);
    assert_true(blocks_in_use() <= (blkcnt_t)((ARENA_KEPT + 8 * MB) / 512)); /* but for one */
    for (size_t i = 0; i < chunks[3]->capacity; i += 1000)
        assert_int_equal(chunks[3]->data[i], 1);
    chunk_release(chunks[3]);
    arena_give_back(&arena);
    assert_true(blocks_in_use() <= (blkcnt_t)(ARENA_KEPT / 512));
    struct chunk *again = make(32 * MB - ARENA_FRONT);
    assert_non_null(again);
    memset(again->data, 2, again->capacity);
    chunk_release(again);
}

TEST(wanted_maker_is_asked_first)
{
    struct chunk *shared = chunk_new_by(&arena.maker, 100);
    assert_true(shared->foreign);
    assert_false(chunk_is_unwanted(shared, &arena.maker));
    struct chunk *large = chunk_new_by(&arena.maker, 9 * MB); /* beyond the limit */
    assert_non_null(large);
    assert_false(large->foreign);
    assert_true(chunk_is_unwanted(large, &arena.maker));
    chunk_release(large);
    chunk_release(shared);
    atomic_store(&arena.maker.wanted, false);
    struct chunk *plain = chunk_new_by(&arena.maker, 100);
    assert_false(plain->foreign);
    assert_false(chunk_is_unwanted(plain, &arena.maker));
    chunk_release(plain);
}
