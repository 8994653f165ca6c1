/*
 * loan.h - memory that a receive lends to a peer, which may write the message there (rendezvous).
 *
 * It belongs to a thread that waits. The port over fills in what stands behind `size`.
 */
#ifndef CK_INBOX_LOAN_H
#define CK_INBOX_LOAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck/wait/wait.h"

struct receiver;

struct loan {
    unsigned char *memory; /* of `size` bytes */
    size_t size;
    struct receiver *receiver;
    uint32_t number;
    bool taken;     /* the leader is taking in what came by it, or copies there */
    uint64_t place; /* from where the leader has copied pieces of a message that is to come, */
    size_t copied;  /* and how many bytes that were */
    void *link;     /* NULL: nobody may write any more, or not yet */
    struct waiter waiter; /* for the peer to settle, or the leader to be done */
};

#endif
