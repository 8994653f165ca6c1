/* test_daemon_records.c - does only what the other side has written come out of the records? */
#include "daemon/post/records.h"

#include "daemon/base/keyed_hash.h"
#include "shortage.h"
#include "unit.h"

#define LONG (3 * RECORD_MOST)

/* Two sides, and what one of them has written. */
struct connection {
    struct pool chunks;
    struct records writer, reader;
    unsigned char *wire;
    size_t size;
    bool secret;
};

static void begin(struct connection *connection)
{
    static const unsigned char one[CIPHER_KEY_SIZE] = {1}, other[CIPHER_KEY_SIZE] = {2};
    assert_true(keyed_hash_start());
    records_start(&connection->writer, &connection->chunks);
    records_start(&connection->reader, &connection->chunks);
    records_begin(&connection->writer, one, other, connection->secret);
    records_begin(&connection->reader, other, one, connection->secret);
    connection->size = 0;
}

/* A step of a test, whose state is the connection. */
static int start(void **state)
{
    struct connection *connection = calloc(1, sizeof *connection);
    pool_start(&connection->chunks, 4);
    connection->wire = malloc(2 * LONG);
    begin(connection);
    *state = connection;
    return 0;
}

static void end(struct connection *connection)
{
    records_finish(&connection->writer);
    records_finish(&connection->reader);
}

static int finish(void **state)
{
    struct connection *connection = *state;
    end(connection);
    pool_finish(&connection->chunks, free);
    free(connection->wire);
    free(connection);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 7 + at / 256);
}

/* One side writes bytes, in as many records as they need. Returns how many records. */
static int write_bytes(struct connection *connection, size_t first, size_t size)
{
    int count = 0;
    struct frame_queue from, to;
    struct iovec vectors[64];
    frame_queue_start(&from);
    frame_queue_start(&to);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(frame_queue_copy(&from, &(unsigned char){byte_at(first + i)}, 1), 0);
    for (; !frame_queue_is_empty(&from); count++)
        assert_int_equal(records_write(&connection->writer, &from, &to), 0);
    int vectors_used = frame_queue_fill(&to, vectors, COUNT_OF(vectors));
    for (int i = 0; i < vectors_used; i++) {
        memcpy(connection->wire + connection->size, vectors[i].iov_base, vectors[i].iov_len);
        connection->size += vectors[i].iov_len;
    }
    frame_queue_finish(&from);
    frame_queue_finish(&to);
    return count;
}

/* Takes what has come; the bytes must be those that were written. */
static enum records_result take(struct connection *connection, size_t room, size_t *taken)
{
    unsigned char bytes[1000];
    enum records_result result;
    size_t size;
    while ((result = records_read(&connection->reader, bytes, room, &size)) == RECORDS_BYTES) {
        assert_in_range(size, 1, room);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], byte_at((*taken)++));
    }
    return result;
}

/* What is on the wire arrives, `step` bytes at a time, and is taken, `room` bytes at a time. */
static enum records_result arrive(struct connection *connection, size_t step, size_t room,
                                  size_t *taken)
{
    enum records_result result = RECORDS_MORE;
    *taken = 0;
    for (size_t at = 0; at < connection->size && result == RECORDS_MORE;) {
        size_t space;
        unsigned char *to = records_space(&connection->reader, &space);
        assert_non_null(to);
        assert_true(space > 0);
        size_t part = connection->size - at < step ? connection->size - at : step;
        part = part < space ? part : space;
        memcpy(to, connection->wire + at, part);
        records_filled(&connection->reader, part);
        at += part;
        result = take(connection, room, taken);
    }
    return result;
}

TEST(all_bytes_come_in_order)
{
    static const size_t steps[] = {1 << 20, 70000, 4096, 777, 1};
    struct connection *connection = *state;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        size_t taken;
        end(connection);
        connection->secret = i % 2;
        begin(connection);
        assert_int_equal(write_bytes(connection, 0, 1), 1);
        assert_int_equal(write_bytes(connection, 1, LONG), 4);
        assert_int_equal(write_bytes(connection, 1 + LONG, 10), 1);
        assert_int_equal(arrive(connection, steps[i], 1 + i * 249, &taken), RECORDS_MORE);
        assert_int_equal(taken, LONG + 11);
        records_rest(&connection->reader);
        assert_null(connection->reader.chunk);
    }
}

TEST(each_bit_counts)
{
    struct connection *connection = *state;
    for (size_t bit = 0; bit < (size_t)8 * (10 + RECORD_AROUND); bit++) {
        size_t taken;
        end(connection);
        begin(connection);
        write_bytes(connection, 0, 10);
        write_bytes(connection, 10, RECORD_MOST);
        connection->wire[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_equal(arrive(connection, SIZE_MAX, 1000, &taken), RECORDS_WRONG);
        assert_int_equal(taken, 0);
    }
}

TEST(with_secrecy_nobody_else_reads)
{
    struct connection *connection = *state;
    for (int secret = 0; secret < 2; secret++) {
        size_t taken, alike = 0;
        end(connection);
        connection->secret = secret;
        begin(connection);
        write_bytes(connection, 0, 1000);
        for (size_t i = 0; i < 1000; i++)
            alike += connection->wire[RECORD_HEAD_SIZE + i] == byte_at(i);
        assert_true(secret ? alike < 100 : alike == 1000);
        assert_int_equal(arrive(connection, 100, 10, &taken), RECORDS_MORE);
        assert_int_equal(taken, 1000);
    }
}

/* Three records of equal size, in the order in which the wire then has them. */
static enum records_result arrive_as(struct connection *connection, const char *order,
                                     size_t *taken)
{
    const size_t size = 100 + RECORD_AROUND;
    unsigned char written[3 * (100 + RECORD_AROUND)];
    end(connection);
    begin(connection);
    for (size_t i = 0; i < 3; i++)
        write_bytes(connection, i * 100, 100);
    memcpy(written, connection->wire, sizeof written);
    for (connection->size = 0; *order; order++, connection->size += size)
        memcpy(connection->wire + connection->size, written + (size_t)(*order - '0') * size, size);
    return arrive(connection, SIZE_MAX, 1000, taken);
}

TEST(each_record_has_its_place)
{
    struct connection *connection = *state;
    size_t taken;
    assert_int_equal(arrive_as(connection, "012", &taken), RECORDS_MORE);
    assert_int_equal(taken, 300);
    assert_int_equal(arrive_as(connection, "02", &taken), RECORDS_WRONG);
    assert_int_equal(taken, 100);
    assert_int_equal(arrive_as(connection, "0012", &taken), RECORDS_WRONG);
    assert_int_equal(taken, 100);
    assert_int_equal(arrive_as(connection, "0102", &taken), RECORDS_WRONG);
    assert_int_equal(taken, 200);
    assert_int_equal(arrive_as(connection, "12", &taken), RECORDS_WRONG);
    assert_int_equal(taken, 0);
}

TEST(what_was_never_written_is_wrong)
{
    static const unsigned char heads[][RECORD_HEAD_SIZE] = {
        {0, 0, 0, 0}, {0, 0, 0, RECORD_AROUND}, {0, 0, 0x40, 1}, {255, 255, 255, 255}};
    struct connection *connection = *state;
    size_t taken;
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        end(connection);
        begin(connection);
        memcpy(connection->wire, heads[i], RECORD_HEAD_SIZE);
        connection->size = RECORD_HEAD_SIZE;
        assert_int_equal(arrive(connection, 1, 1, &taken), RECORDS_WRONG);
    }
}

TEST(a_record_that_is_sent_back_is_wrong)
{
    struct connection *connection = *state;
    size_t taken;
    write_bytes(connection, 0, 10);
    connection->reader.receiving = connection->reader.sending;
    assert_int_equal(arrive(connection, SIZE_MAX, 1000, &taken), RECORDS_WRONG);
}

/* What failed is tried again, under the same number. */
static void write_with_little_memory(void)
{
    static unsigned char wire[100];
    struct connection connection = {.wire = wire};
    struct frame_queue from, to;
    struct iovec vector;
    size_t taken;
    pool_start(&connection.chunks, 4);
    begin(&connection);
    frame_queue_start(&from);
    frame_queue_start(&to);
    while (frame_queue_copy(&from, &(unsigned char){byte_at(0)}, 1) < 0)
        continue;
    while (records_write(&connection.writer, &from, &to) < 0)
        assert_true(shortage_was_met() && frame_queue_is_empty(&to));
    assert_int_equal(frame_queue_fill(&to, &vector, 2), 1);
    memcpy(wire, vector.iov_base, vector.iov_len);
    connection.size = vector.iov_len;
    if (!records_space(&connection.reader, &taken))
        assert_true(shortage_was_met());
    assert_int_equal(arrive(&connection, SIZE_MAX, 1000, &taken), RECORDS_MORE);
    assert_int_equal(taken, 1);
    frame_queue_finish(&from);
    frame_queue_finish(&to);
    end(&connection);
    pool_finish(&connection.chunks, free);
}

UNIT_TEST(a_shortage_of_memory_loses_nothing)
{
    shortage_try_each(write_with_little_memory, 3);
}
