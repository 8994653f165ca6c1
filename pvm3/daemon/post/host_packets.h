/*
 * host_packets.h - what goes to another daemon in packets over the datagram socket.
 *
 * A round writes at its end, to a link that got something or was acknowledged something, as many
 * packets as may be underway. One thread.
 */
#ifndef DAEMON_POST_HOST_PACKETS_H
#define DAEMON_POST_HOST_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/frame_reader.h"
#include "core/message.h"

struct host_link;

void host_packets_start(struct host_link *link);
/* Sends no more. */
void host_packets_stop(struct host_link *link);

/* The message as one frame, behind the room for its header. NULL in the chunk: no memory. */
struct received_frame host_packets_frame(const struct message *message, uint32_t destination,
                                         uint32_t source);

/* Queues a message of this daemon to the other one; it stays the caller's. */
void host_packets_send(struct host_link *link, const struct message *message);
/* Asks the other side for a sign of life: it acknowledges the packet. */
void host_packets_ask(struct host_link *link);
/* Queues a frame as it came. */
void host_packets_forward(struct host_link *link, const struct received_frame *received,
                          uint32_t destination);

/* Asks the other side to end (FIN). */
void host_packets_end(struct host_link *link);
/* Says, once and unreliably, that this side ends (FIN and ACK). */
void host_packets_say_ended(struct host_link *link);
/* Says, once and unreliably, that the packet with this number has come. */
void host_packets_acknowledge(struct host_link *link, uint16_t number);

/*
 * The packet with this number has arrived at the other daemon. True when it asked the other side to
 * end.
 */
bool host_packets_take_acknowledgement(struct host_link *link, uint16_t number);

/* The socket takes packets again. */
void host_packets_unblock(struct host_link *link);

#endif
