/*
 * own_address.h - by which address other hosts find this one, where its name does not tell.
 *
 * Debian and Ubuntu give the name of a host without a fixed address 127.0.1.1 in /etc/hosts. No
 * other host can use that.
 */
#ifndef CORE_OWN_ADDRESS_H
#define CORE_OWN_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* True when `name` was given that address by the installer of the system, and is not the number. */
bool own_address_is_hidden(const char *name, uint32_t address);

/* The address that packets to far hosts have as their source; 0 without a route. Sends nothing. */
uint32_t own_address_of_route(void);

#endif
