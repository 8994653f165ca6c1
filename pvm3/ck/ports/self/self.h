/* self.h - the port of messages of a task to itself, which never leave it. */
#ifndef CK_PORTS_SELF_SELF_H
#define CK_PORTS_SELF_SELF_H

#include "ck/endpoint/port.h"

extern const struct port port_self;

#endif
