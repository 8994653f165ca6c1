/* list.c - the one place that names the ports. */
#include "ck/ports/list.h"

#include "ck/ports/self/self.h"
#include "ck/ports/shm/shm.h"
#include "ck/ports/stream/stream.h"
#ifdef HAVE_UCX
#include "ck/ports/ucx/ucx.h"
#endif

#ifdef HAVE_UCX
#define PORT_FAR &port_ucx
#else
#define PORT_FAR NULL
#endif

const struct ports port_list = {
    .self = &port_self, .under = &port_stream, .over = &port_shm, .far = PORT_FAR};
