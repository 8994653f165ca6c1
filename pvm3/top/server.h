/*
 * server.h - serves metrics to Prometheus by HTTP, on the loopback address alone. The virtual
 * machine is looked at when somebody asks, and not before.
 */
#ifndef TOP_SERVER_H
#define TOP_SERVER_H

#include <stdint.h>

#include "top/survey.h"

/*
 * Prints the address and serves until the virtual machine is gone. `port`: 0 for one that is free.
 * Returns the exit status.
 */
int server_run(struct survey *survey, uint16_t port);

#endif
