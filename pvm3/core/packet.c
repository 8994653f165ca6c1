/* packet.c - headers of datagrams. */
#include "core/packet.h"

#include "core/tid.h"
#include "core/xdr.h"

/* 24 bits, of which the index of a host changes the lower half. */
#define MARK        0x717d76u
#define TAGGED_MARK 0x727d76u
#define SEALED_MARK 0x737d76u

static uint32_t packet_mark(uint32_t mark, uint32_t source)
{
    return mark ^ tid_host_part(source) >> TID_HOST_SHIFT;
}

void packet_encode(const struct packet *packet, unsigned char header[PACKET_HEADER_SIZE])
{
    uint32_t mark = packet->sealed ? SEALED_MARK : packet->tagged ? TAGGED_MARK : MARK;
    xdr_store(header, packet->destination);
    xdr_store(header + 4, packet->source);
    xdr_store(header + 8, (uint32_t)packet->sequence << 16 | packet->acknowledgement);
    xdr_store(header + 12, (uint32_t)packet->flags << 24 | packet_mark(mark, packet->source));
}

void packet_decode(struct packet *packet, const unsigned char header[PACKET_HEADER_SIZE])
{
    uint32_t numbers = xdr_load(header + 8);
    packet->destination = xdr_load(header);
    packet->source = xdr_load(header + 4);
    packet->sequence = (uint16_t)(numbers >> 16);
    packet->acknowledgement = (uint16_t)numbers;
    packet->flags = header[12];
    uint32_t mark = xdr_load(header + 12) & 0xffffff;
    packet->tagged = mark == packet_mark(TAGGED_MARK, packet->source);
    packet->sealed = mark == packet_mark(SEALED_MARK, packet->source);
    packet->ours = packet->tagged || packet->sealed || mark == packet_mark(MARK, packet->source);
}
