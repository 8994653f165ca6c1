/*
 * records.h - what stands around the bytes of a connection between two daemons that hold the secret
 * of the machine.
 *
 * A record is the length of the whole record (4 bytes), bytes of the connection, and a code over
 * both (daemon/base/cipher.h). Each direction of each connection has a key of its own
 * (host_key_start_records). The records of a direction are numbered from 1, and a number that is
 * not the next one gives a wrong code. So nobody can change, drop, repeat, move or insert anything.
 * With secrecy the bytes of the connection are encrypted, too.
 * What is cut off at the end is seen by the side that sent it, which awaits word of all that it has
 * sent (host_stream.h).
 *
 * One thread.
 */
#ifndef DAEMON_POST_RECORDS_H
#define DAEMON_POST_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chunk.h"
#include "daemon/base/cipher.h"
#include "daemon/base/frame_queue.h"

#define RECORD_HEAD_SIZE 4
#define RECORD_AROUND    (RECORD_HEAD_SIZE + CIPHER_CODE_SIZE)

/* Bytes of a record: few, since what has come of one is of no use before its code. */
#define RECORD_MOST (16u * 1024)

struct record_way {
    unsigned char key[CIPHER_KEY_SIZE];
    uint64_t count; /* of records so far */
};

struct records {
    bool there;  /* begun: the connection carries records */
    bool secret; /* whose bytes are encrypted */
    struct record_way sending;
    struct record_way receiving;
    struct pool *chunks; /* where the memory comes from that is read to; set by the owner */
    struct chunk *chunk; /* what has been read */
    size_t start;        /* first byte not yet taken */
    size_t end;          /* first byte not yet read */
    size_t opened;       /* bytes from `start` on that belong to a good record */
};

/* For a new connection, which carries no records yet. */
void records_start(struct records *records, struct pool *chunks);
void records_finish(struct records *records);

/* From now on the connection carries records, with these keys; `secret`: encrypted. */
void records_begin(struct records *records, const unsigned char sending[CIPHER_KEY_SIZE],
                   const unsigned char receiving[CIPHER_KEY_SIZE], bool secret);

/* Moves the first bytes of `from` to a record at the end of `to`. 0, or -1: no memory. */
int records_write(struct records *records, struct frame_queue *from, struct frame_queue *to);

/* Where to read records to; *size says how much fits, never 0. NULL when memory is short. */
unsigned char *records_space(struct records *records, size_t *size);
/* Says that `bytes` have been read to the space. */
void records_filled(struct records *records, size_t bytes);

enum records_result {
    RECORDS_MORE,  /* nothing whole yet: read on */
    RECORDS_BYTES, /* bytes were taken */
    RECORDS_WRONG, /* the other side has not written this record; the connection is lost */
};

/* Takes the next bytes of the connection, at most `room` and at least one. */
enum records_result records_read(struct records *records, unsigned char *to, size_t room,
                                 size_t *size);

/* Gives the memory back if all that has been read is taken. */
void records_rest(struct records *records);

#endif
