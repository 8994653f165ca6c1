/* records.c - writing and opening. */
#include "daemon/post/records.h"

#include <string.h>

#include "core/xdr.h"

#define VECTORS_AT_ONCE 64
#define READ_AT_ONCE    (64u * 1024)

void records_start(struct records *records, struct pool *chunks)
{
    *records = (struct records){.chunks = chunks};
}

void records_finish(struct records *records)
{
    chunk_release(records->chunk);
    explicit_bzero(&records->sending, sizeof records->sending);
    explicit_bzero(&records->receiving, sizeof records->receiving);
    records_start(records, records->chunks);
}

void records_begin(struct records *records, const unsigned char sending[CIPHER_KEY_SIZE],
                   const unsigned char receiving[CIPHER_KEY_SIZE], bool secret)
{
    records->there = true;
    records->secret = secret;
    memcpy(records->sending.key, sending, CIPHER_KEY_SIZE);
    memcpy(records->receiving.key, receiving, CIPHER_KEY_SIZE);
}

/* Of the next record. */
static void record_code(const struct record_way *way, const unsigned char *record, size_t size,
                        unsigned char code[CIPHER_CODE_SIZE])
{
    const struct iovec part = {(void *)(uintptr_t)record, size};
    cipher_code(way->key, way->count + 1, &part, 1, code);
}

/* Encrypts or decrypts the bytes of the next record. */
static void record_hide(const struct records *records, const struct record_way *way,
                        unsigned char *bytes, size_t size)
{
    if (records->secret)
        cipher_hide(way->key, way->count + 1, bytes, size, bytes);
}

/* Sending. ------------------------------------------------------------------------------------- */

/* How many bytes of the vectors go into one record. */
static size_t records_size(const struct iovec *vectors, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += vectors[i].iov_len;
    return size < RECORD_MOST - RECORD_AROUND ? size : RECORD_MOST - RECORD_AROUND;
}

static void records_gather(const struct iovec *vectors, size_t size, unsigned char *to)
{
    for (; size > 0; vectors++) {
        size_t part = vectors->iov_len < size ? vectors->iov_len : size;
        memcpy(to, vectors->iov_base, part);
        to += part;
        size -= part;
    }
}

int records_write(struct records *records, struct frame_queue *from, struct frame_queue *to)
{
    struct iovec vectors[VECTORS_AT_ONCE];
    size_t size = records_size(vectors, frame_queue_fill(from, vectors, VECTORS_AT_ONCE));
    unsigned char *record = frame_queue_reserve(to, size + RECORD_AROUND);
    if (!record)
        return -1;
    xdr_store(record, (uint32_t)(size + RECORD_AROUND));
    records_gather(vectors, size, record + RECORD_HEAD_SIZE);
    record_hide(records, &records->sending, record + RECORD_HEAD_SIZE, size);
    record_code(&records->sending, record, RECORD_HEAD_SIZE + size,
                record + RECORD_HEAD_SIZE + size);
    if (frame_queue_commit(to, size + RECORD_AROUND) < 0)
        return -1;
    records->sending.count++;
    frame_queue_advance(from, size);
    return 0;
}

/* Receiving. ----------------------------------------------------------------------------------- */

/* Bytes of the next record, as far as it has come: those of its head before that is whole. */
static size_t records_need(const struct records *records)
{
    return records->end - records->start < RECORD_HEAD_SIZE
               ? RECORD_HEAD_SIZE
               : xdr_load(records->chunk->data + records->start);
}

unsigned char *records_space(struct records *records, size_t *size)
{
    if (!records->chunk)
        records->chunk = chunk_new_from(records->chunks, READ_AT_ONCE);
    if (!records->chunk)
        return NULL;
    if (records->start == records->end)
        records->start = records->end = 0;
    if (records->start + records_need(records) > READ_AT_ONCE || records->end == READ_AT_ONCE) {
        memmove(records->chunk->data, records->chunk->data + records->start,
                records->end - records->start);
        records->end -= records->start;
        records->start = 0;
    }
    *size = READ_AT_ONCE - records->end;
    return records->chunk->data + records->end;
}

void records_filled(struct records *records, size_t bytes)
{
    records->end += bytes;
}

/* The next record. */
static enum records_result records_open(struct records *records)
{
    unsigned char code[CIPHER_CODE_SIZE];
    size_t held = records->end - records->start, size = held ? records_need(records) : 0;
    if (held < RECORD_HEAD_SIZE)
        return RECORDS_MORE;
    if (size <= RECORD_AROUND || size > RECORD_MOST)
        return RECORDS_WRONG;
    if (held < size)
        return RECORDS_MORE;
    unsigned char *record = records->chunk->data + records->start;
    record_code(&records->receiving, record, size - CIPHER_CODE_SIZE, code);
    if (!cipher_code_is(code, record + size - CIPHER_CODE_SIZE))
        return RECORDS_WRONG;
    record_hide(records, &records->receiving, record + RECORD_HEAD_SIZE, size - RECORD_AROUND);
    records->receiving.count++;
    records->start += RECORD_HEAD_SIZE;
    records->opened = size - RECORD_AROUND;
    return RECORDS_BYTES;
}

enum records_result records_read(struct records *records, unsigned char *to, size_t room,
                                 size_t *size)
{
    enum records_result result = records->opened > 0 ? RECORDS_BYTES : records_open(records);
    if (result != RECORDS_BYTES)
        return result;
    *size = records->opened < room ? records->opened : room;
    memcpy(to, records->chunk->data + records->start, *size);
    records->start += *size;
    records->opened -= *size;
    if (records->opened == 0)
        records->start += CIPHER_CODE_SIZE;
    return RECORDS_BYTES;
}

void records_rest(struct records *records)
{
    if (records->start != records->end)
        return;
    chunk_release(records->chunk);
    records->chunk = NULL;
    records->start = records->end = 0;
}
