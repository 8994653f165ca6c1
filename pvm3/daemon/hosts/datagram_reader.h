/*
 * datagram_reader.h - packets that come in at the datagram socket.
 *
 * A packet is believed when its source names a host of the table, it came from the address and port
 * of that host's daemon, and it has the right tag if a key is agreed on (host_key.h). What the
 * system tells of packets that were refused goes to the host's link. One thread.
 */
#ifndef DAEMON_HOSTS_DATAGRAM_READER_H
#define DAEMON_HOSTS_DATAGRAM_READER_H

#include <stdint.h>

struct loop_source;

/* Reads what has come to the socket of a struct datagrams, whose `source` this is. */
void datagram_reader_handle(struct loop_source *source, uint32_t events);

#endif
