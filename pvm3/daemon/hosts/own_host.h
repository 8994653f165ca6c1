/*
 * own_host.h - the address of the own host, and the datagram socket there.
 */
#ifndef DAEMON_HOSTS_OWN_HOST_H
#define DAEMON_HOSTS_OWN_HOST_H

#include <stdint.h>

struct hosts;

/*
 * Finds the address of the own host, by its name unless `address` gives another one, and opens the
 * datagram socket. May wait for the resolver: only before the loop runs. 0, or -1 after a line on
 * the log.
 */
int own_host_open(struct hosts *hosts, const char *address, unsigned first_port);
/* Like own_host_open, for a slave, whose address is known. */
int own_host_open_at(struct hosts *hosts, uint32_t address);

#endif
