/* packet.c - headers of datagrams. */
#include "core/packet.h"

#include <string.h>

#include "core/xdr.h"

void packet_encode(const struct packet *packet, unsigned char header[PACKET_HEADER_SIZE])
{
    memset(header, 0, PACKET_HEADER_SIZE);
    xdr_store(header, packet->destination);
    xdr_store(header + 4, packet->source);
    xdr_store(header + 8, (uint32_t)packet->sequence << 16 | packet->acknowledgement);
    header[12] = packet->flags;
}

void packet_decode(struct packet *packet, const unsigned char header[PACKET_HEADER_SIZE])
{
    uint32_t numbers = xdr_load(header + 8);
    packet->destination = xdr_load(header);
    packet->source = xdr_load(header + 4);
    packet->sequence = (uint16_t)(numbers >> 16);
    packet->acknowledgement = (uint16_t)numbers;
    packet->flags = header[12];
}
