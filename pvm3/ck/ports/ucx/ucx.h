/* ucx.h - the port far: other hosts by a network that a program uses without the kernel, by UCX. */
#ifndef CK_PORTS_UCX_UCX_H
#define CK_PORTS_UCX_UCX_H

#include "ck/endpoint/port.h"

extern const struct port port_ucx;

#endif
