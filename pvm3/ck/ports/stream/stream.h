/* stream.h - the port under: the common way to the daemon, and direct routes. */
#ifndef CK_PORTS_STREAM_STREAM_H
#define CK_PORTS_STREAM_STREAM_H

#include "ck/port.h"

extern const struct port port_stream;

#endif
