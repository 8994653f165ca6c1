/* list.c - the one place that names the ports. */
#include "ck/ports/list.h"

#include "ck/ports/self/self.h"
#include "ck/ports/shm/shm.h"
#include "ck/ports/stream/stream.h"

const struct ports port_list = {.self = &port_self, .under = &port_stream, .over = &port_shm};
