/* unsent.c - TCP_NOTSENT_LOWAT by the rate of the connection. */
#include "daemon/base/unsent.h"

#include <netinet/in.h>
#ifdef HAVE_STRUCT_TCP_INFO_TCPI_DELIVERY_RATE
#include <netinet/tcp.h>
#else
#include <linux/tcp.h> /* has the rate where netinet/tcp.h lacks it */
#endif
#include <sys/socket.h>

void unsent_start(struct unsent *unsent, int64_t now)
{
    *unsent = (struct unsent){.bytes = UNSENT_LEAST, .grown = now};
}

static uint64_t unsent_bytes(uint64_t rate)
{
    uint64_t bytes = rate / 1000 * UNSENT_MOMENT;
    if (bytes < UNSENT_LEAST)
        return UNSENT_LEAST;
    return bytes < UNSENT_MOST ? bytes : UNSENT_MOST;
}

void unsent_adapt(struct unsent *unsent, uint64_t rate, int64_t now)
{
    uint64_t bytes = unsent_bytes(rate);
    if (bytes <= unsent->bytes / 2) {
        unsent->bytes = (uint32_t)bytes;
    } else if (bytes / 2 >= unsent->bytes && now - unsent->grown >= UNSENT_PAUSE) {
        unsent->bytes *= 2;
        unsent->grown = now;
    }
}

void unsent_set(const struct unsent *unsent, int fd)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent->bytes, sizeof unsent->bytes);
}

/* A kernel that does not know the rate leaves it 0. */
void unsent_look(struct unsent *unsent, int fd, int64_t now)
{
    const uint32_t present = unsent->bytes;
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0)
        return;
    unsent_adapt(unsent, info.tcpi_delivery_rate, now);
    if (unsent->bytes != present)
        unsent_set(unsent, fd);
}
