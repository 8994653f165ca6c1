/* packet.c - headers of datagrams. */
#include "core/packet.h"

#include "core/tid.h"
#include "core/xdr.h"

#define MARK 0x706d76u /* 24 bits */

static uint32_t packet_mark(uint32_t source)
{
    return MARK ^ tid_host_part(source) >> TID_HOST_SHIFT;
}

void packet_encode(const struct packet *packet, unsigned char header[PACKET_HEADER_SIZE])
{
    xdr_store(header, packet->destination);
    xdr_store(header + 4, packet->source);
    xdr_store(header + 8, (uint32_t)packet->sequence << 16 | packet->acknowledgement);
    xdr_store(header + 12, (uint32_t)packet->flags << 24 | packet_mark(packet->source));
}

void packet_decode(struct packet *packet, const unsigned char header[PACKET_HEADER_SIZE])
{
    uint32_t numbers = xdr_load(header + 8);
    packet->destination = xdr_load(header);
    packet->source = xdr_load(header + 4);
    packet->sequence = (uint16_t)(numbers >> 16);
    packet->acknowledgement = (uint16_t)numbers;
    packet->flags = header[12];
    packet->ours = (xdr_load(header + 12) & 0xffffff) == packet_mark(packet->source);
}
