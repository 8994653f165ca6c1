/* test_mpi_windows.c - the parts of windows that need no messages. */
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/datatypes/layout_message.h"
#include "mpi/windows/attached.h"
#include "mpi/windows/lock_queue.h"
#include "mpi/windows/shared.h"
#include "unit.h"

enum { BYTES = 4096, TRIALS = 2000 };

static unsigned seed = 1;

static unsigned any(unsigned most)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % (most + 1);
}

/* A tree of any shape, of at most so many floors. */
static const struct layout *any_layout(int floors)
{
    const struct layout *part, *made;
    struct layout *list;
    MPI_Count at = 0;
    switch (floors > 0 ? any(2) : 0) {
    case 0:
        return layout_block(basic_of(any(1) ? MPI_INT : MPI_DOUBLE), 1 + any(3));
    case 1:
        part = any_layout(floors - 1);
        made = layout_loop(part, 1 + any(3), any(16), part->high + any(8));
        layout_drop(part);
        return made;
    default:
        list = layout_list(3);
        for (int i = 0; i < 3; i++) {
            part = any_layout(floors - 1);
            assert_true(layout_add(list, part, at + any(4)));
            at += part->high + 8;
            layout_drop(part);
        }
        return layout_of_list(list);
    }
}

UNIT_TEST(a_layout_that_is_written_and_read_is_the_same)
{
    static char memory[BYTES], one[BYTES], other[BYTES], bytes[BYTES];
    for (int i = 0; i < BYTES; i++)
        memory[i] = (char)any(255);
    for (int i = 0; i < TRIALS; i++) {
        const struct layout *layout = any_layout(2);
        size_t size = layout_write_size(layout);
        assert_true(size <= sizeof bytes && layout->high <= BYTES);
        layout_write(layout, bytes);
        const struct layout *read = layout_read(bytes, size);
        assert_non_null(read);
        assert_true(read->size == layout->size && read->low == layout->low &&
                    read->high == layout->high && read->basic == layout->basic);
        layout_pack(layout, memory, 0, layout->size, one);
        layout_pack(read, memory, 0, read->size, other);
        assert_memory_equal(one, other, (size_t)layout->size);
        assert_null(layout_read(bytes, size - sizeof(int64_t)));
        layout_drop(read);
        layout_drop(layout);
    }
}

UNIT_TEST(bytes_that_are_no_layout_are_refused)
{
    const int64_t wrong[][4] = {{7, 0, 0, 0},
                                {LAYOUT_BLOCK, 0, 1, 0},
                                {LAYOUT_BLOCK, (intptr_t)MPI_INT, -1, 0},
                                {LAYOUT_BLOCK, (intptr_t)MPI_INT, INT64_MAX, 0},
                                {LAYOUT_LIST, 1000, 0, 0},
                                {LAYOUT_LOOP, -1, 0, 8}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (size_t size = 0; size <= sizeof wrong[i]; size += sizeof(int64_t))
            assert_null(layout_read(wrong[i], size));
}

UNIT_TEST(locks_are_given_in_the_order_in_which_they_are_asked_for)
{
    struct lock_queue queue = {0};
    struct lock_asker places[5] = {0};
    assert_true(lock_queue_ask(&queue, &places[4], MPI_LOCK_SHARED, 0));
    assert_true(lock_queue_ask(&queue, &places[0], MPI_LOCK_SHARED, 0));
    assert_false(lock_queue_ask(&queue, &places[3], MPI_LOCK_EXCLUSIVE, 0));
    assert_false(lock_queue_ask(&queue, &places[1], MPI_LOCK_SHARED, 0));
    assert_false(lock_queue_ask(&queue, &places[2], MPI_LOCK_SHARED, 0));
    lock_queue_release(&queue, MPI_LOCK_SHARED);
    assert_int_equal(lock_queue_grant(&queue, places, 5), -1);
    lock_queue_release(&queue, MPI_LOCK_SHARED);
    assert_int_equal(lock_queue_grant(&queue, places, 5), 3);
    assert_int_equal(lock_queue_grant(&queue, places, 5), -1);
    lock_queue_release(&queue, MPI_LOCK_EXCLUSIVE);
    assert_int_equal(lock_queue_grant(&queue, places, 5), 1);
    assert_int_equal(lock_queue_grant(&queue, places, 5), 2);
    assert_int_equal(lock_queue_grant(&queue, places, 5), -1);
    assert_true(lock_queue_ask(&queue, &places[0], MPI_LOCK_SHARED, 0));
}

UNIT_TEST(memory_counts_as_attached_if_all_of_it_is)
{
    static char memory[64];
    struct attached attached = {0};
    const struct layout *sixteen = layout_block(basic_of(MPI_BYTE), 16);
    attached_begin(&attached);
    assert_int_equal(attached_add(&attached, memory, 16), MPI_SUCCESS);
    assert_int_equal(attached_add(&attached, memory + 16, 16), MPI_SUCCESS);
    assert_int_equal(attached_add(&attached, memory + 31, 8), MPI_ERR_RMA_ATTACH);
    assert_true(attached_has(&attached, memory, sixteen));
    assert_true(attached_has(&attached, memory + 8, sixteen));
    assert_false(attached_has(&attached, memory + 17, sixteen));
    assert_int_equal(attached_remove(&attached, memory), MPI_SUCCESS);
    assert_int_equal(attached_remove(&attached, memory), MPI_ERR_RMA_ATTACH);
    assert_false(attached_has(&attached, memory + 8, sixteen));
    assert_true(attached_has(&attached, memory + 16, sixteen));
    layout_drop(sixteen);
    attached_end(&attached);
}

UNIT_TEST(a_process_that_dies_with_the_lock_leaves_it_to_the_next)
{
    int file = shared_file(2, 64);
    struct shared *shared = shared_map(file, 2, 64);
    assert_non_null(shared);
    int status;
    pid_t child = fork();
    if (child == 0) {
        int again = shared_open(getppid(), file);
        struct shared *other = again < 0 ? NULL : shared_map(again, 2, 64);
        if (!other)
            _exit(1);
        shared_lock(other, 1);
        shared_memory(other)[5] = 7;
        _exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    for (int i = 0; i < 2; i++) {
        shared_lock(shared, 1);
        assert_int_equal(shared_memory(shared)[5], 7);
        shared_unlock(shared, 1);
    }
    shared_unmap(shared);
    close(file);
}
