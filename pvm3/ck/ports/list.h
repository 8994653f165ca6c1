/* list.h - the ports that endpoints have. */
#ifndef CK_PORTS_LIST_H
#define CK_PORTS_LIST_H

#include "ck/endpoint/port.h"

extern const struct ports port_list;

#endif
