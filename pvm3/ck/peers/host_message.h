/*
 * host_message.h - a message as it passes between tasks of one host, or from a task to itself.
 *
 * Its header is in numbers of the processor, and says less than a frame does: sender and receiver
 * are known already. Threads: any, for a message of its own.
 */
#ifndef CK_PEERS_HOST_MESSAGE_H
#define CK_PEERS_HOST_MESSAGE_H

#include "core/message.h"
#include "core/pool.h"

/* Bytes of a body that is passed without being shared. */
#define HOST_SHORT 208u

struct host_header {
    uint32_t encoding;
    int32_t tag;
    int32_t context;
    int32_t wait;
    uint32_t checksum;
    uint32_t longs; /* 1: all large words of longs are negative */
};

/* The header of a message, and back; what else is in `header` stays. */
struct host_header host_header_of(const struct message_header *header);
void host_header_to(const struct host_header *host, struct message_header *header);

/* Gives a message that arrives from `source` at `destination` its header. */
void host_message_head(struct message *message, uint32_t source, uint32_t destination,
                       const struct host_header *header);

/*
 * A message of `size` bytes, at most HOST_SHORT, as it arrives: *body is room for its body. NULL
 * when memory is short. The caller's (message_free); its memory is of `pool`.
 */
struct message *host_message_short(struct pool *pool, uint32_t source, uint32_t destination,
                                   const struct host_header *header, size_t size,
                                   unsigned char **body);

#endif
