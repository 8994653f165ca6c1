/*
 * test_ulp_cargo.c - memory of a region on its way: what is sent, and where it goes.
 */
#include "ulp/cargo.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ulp/region.h"
#include "ulp/written.h"
#include "unit.h"

enum { PAGES = 65536, STACK = 64 * PAGES, ROOM = 8 << 20 };

/* What a thread has received, up to the end. */
struct freight {
    int connection;
    unsigned char *bytes;
    size_t size;
};

static void *collect(void *memory)
{
    struct freight *freight = memory;
    ssize_t came;
    while ((came = read(freight->connection, freight->bytes + freight->size,
                        ROOM - freight->size)) > 0)
        freight->size += (size_t)came;
    return NULL;
}

static void *deliver(void *memory)
{
    const struct freight *freight = memory;
    for (size_t done = 0; done < freight->size;) {
        ssize_t sent = write(freight->connection, freight->bytes + done, freight->size - done);
        if (sent <= 0)
            break;
        done += (size_t)sent;
    }
    close(freight->connection);
    return NULL;
}

/* All that is sent for the memory, or of that what has been `written`. */
static struct freight load_written(const struct written *written, const unsigned char *from,
                                   const unsigned char *end)
{
    int ends[2];
    pthread_t thread;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct freight freight = {ends[1], test_malloc(ROOM), 0};
    pthread_create(&thread, NULL, collect, &freight);
    assert_true(cargo_put_memory(ends[0], written, from, end) && cargo_put_end(ends[0]));
    close(ends[0]);
    pthread_join(thread, NULL);
    close(ends[1]);
    return freight;
}

static struct freight load(const unsigned char *from, const unsigned char *end)
{
    return load_written(NULL, from, end);
}

/* Whether the region takes it in. */
static bool unload(struct freight *freight, const struct region *region)
{
    int ends[2];
    pthread_t thread;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    freight->connection = ends[1];
    pthread_create(&thread, NULL, deliver, freight);
    bool taken = cargo_get_memory(ends[0], region);
    close(ends[0]);
    pthread_join(thread, NULL);
    test_free(freight->bytes);
    return taken;
}

/* Of the first and the last byte, and of one in three pages in between. */
static void fill(unsigned char *stack, unsigned char value)
{
    static const int pages[] = {0, 7, 8, 30, 63};
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        memset(stack + pages[i] * PAGES + 5, value + (int)i, 100);
}

static bool is_filled(const unsigned char *stack, unsigned char value)
{
    return stack[5] == value && stack[7 * PAGES + 50] == value + 1 &&
           stack[63 * PAGES + 104] == value + 4 && stack[20 * PAGES] == 0;
}

UNIT_TEST(what_is_used_arrives)
{
    unsigned char *stack = region_take_stack(STACK);
    fill(stack, 10);
    struct freight freight = load(stack + 1, stack + STACK - 1);
    assert_true(freight.size < 10 * PAGES);
    fill(stack, 50);
    assert_true(unload(&freight, region_of(stack)));
    assert_true(is_filled(stack, 10));
    region_give_back(stack);
}

UNIT_TEST(nothing_else_is_written_to)
{
    unsigned char *one = region_take_stack(STACK), *other = region_take_stack(STACK);
    fill(one, 10);
    struct freight freight = load(one, one + STACK);
    fill(one, 50);
    assert_false(unload(&freight, region_of(other)));
    assert_true(is_filled(one, 50));
    region_give_back(one);
    region_give_back(other);
}

UNIT_TEST(an_end_amid_it)
{
    unsigned char *stack = region_take_stack(STACK);
    fill(stack, 10);
    for (size_t part = 1; part < 3; part++) {
        struct freight freight = load(stack, stack + STACK);
        freight.size = freight.size * part / 3;
        assert_false(unload(&freight, region_of(stack)));
    }
    region_give_back(stack);
}

UNIT_TEST(blocks)
{
    int ends[2];
    size_t size;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_true(cargo_put_block(ends[0], "text", 4));
    char *block = cargo_get_block(ends[1], &size);
    assert_int_equal(size, 4);
    assert_string_equal(block, "text");
    free(block);
    close(ends[0]);
    assert_null(cargo_get_block(ends[1], &size));
    close(ends[1]);
}

/* Notes what is there, as if it had been sent. The bytes. */
static size_t send_ahead(const struct written *written, unsigned char *from, unsigned char *end)
{
    size_t bytes = 0;
    unsigned char *next;
    while ((next = written_next(written, &from, end, true)) != NULL) {
        bytes += (size_t)(next - from);
        from = next;
    }
    return bytes;
}

UNIT_TEST(what_has_gone_ahead_goes_once)
{
    unsigned char *stack = region_take_stack(STACK);
    struct written written;
    fill(stack, 10);
    if (!written_begin(&written, stack, stack + STACK)) {
        region_give_back(stack);
        skip();
    }
    struct freight freight = load(stack, stack + STACK);
    assert_in_range(send_ahead(&written, stack, stack + STACK), 5 * 4096, 6 * PAGES);
    assert_int_equal(send_ahead(&written, stack, stack + STACK), 0);
    stack[20 * PAGES + 7] = 1;
    stack[30 * PAGES + 7]++;
    struct freight rest = load_written(&written, stack + 20 * PAGES + 1, stack + STACK);
    written_finish(&written);
    assert_in_range(rest.size, 2, 3 * PAGES);
    fill(stack, 50);
    stack[20 * PAGES + 7] = 0;
    assert_true(unload(&freight, region_of(stack)) && unload(&rest, region_of(stack)));
    assert_int_equal(stack[20 * PAGES + 7], 1);
    assert_int_equal(stack[30 * PAGES + 7], 14);
    assert_true(is_filled(stack, 10));
    region_give_back(stack);
}
