/* host_message.c - headers in numbers of the processor, and short bodies. */
#include "ck/peers/host_message.h"

#include "core/signature.h"

struct host_header host_header_of(const struct message_header *header)
{
    return (struct host_header){
        .encoding = header->encoding == MESSAGE_IN_PLACE ? signature_native() : header->encoding,
        .tag = header->tag,
        .context = header->context,
        .wait = header->wait,
        .checksum = header->checksum,
        .longs = header->longs == MESSAGE_LONGS_NEGATIVE,
    };
}

void host_header_to(const struct host_header *host, struct message_header *header)
{
    header->encoding = host->encoding;
    header->tag = host->tag;
    header->context = host->context;
    header->wait = host->wait;
    header->checksum = host->checksum;
    header->longs = host->longs ? MESSAGE_LONGS_NEGATIVE : MESSAGE_LONGS_UNKNOWN;
}

void host_message_head(struct message *message, uint32_t source, uint32_t destination,
                       const struct host_header *header)
{
    host_header_to(header, &message->header);
    message->header.source = source;
    message->header.destination = destination;
}

struct message *host_message_short(struct pool *pool, uint32_t source, uint32_t destination,
                                   const struct host_header *header, size_t size,
                                   unsigned char **body)
{
    struct message *message = message_new_from(pool, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    *body = message && size > 0 ? message_append_room(message, size) : NULL;
    if (!message || (size > 0 && !*body)) {
        message_free(message);
        return NULL;
    }
    host_message_head(message, source, destination, header);
    return message;
}
