/* datagram_trial.c - one packet. */
#include "console/datagram_trial.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/packet.h"
#include "core/tid.h"

static struct sockaddr_in trial_address(uint32_t address, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
}

bool datagram_trial_start(struct datagram_trial *trial, uint32_t address)
{
    long port = environment_get_number("PVMNETSOCKPORT", 0);
    struct sockaddr_in own;
    socklen_t size = sizeof own;

    port = port < 0 || port > UINT16_MAX ? 0 : port;
    *trial = (struct datagram_trial){.address = address};
    trial->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool bound = false;
    for (bool more = trial->fd >= 0; more && !bound; port++) {
        own = trial_address(address, (uint16_t)port);
        bound = bind(trial->fd, (struct sockaddr *)&own, sizeof own) == 0;
        more = port > 0 && port < UINT16_MAX;
    }
    if (!bound || getsockname(trial->fd, (struct sockaddr *)&own, &size) != 0) {
        datagram_trial_finish(trial);
        return false;
    }
    trial->port = ntohs(own.sin_port);
    return true;
}

void datagram_trial_finish(struct datagram_trial *trial)
{
    if (trial->fd >= 0)
        close(trial->fd);
    trial->fd = -1;
}

void datagram_trial_ask(const struct datagram_trial *trial, uint32_t address, uint16_t port,
                        bool now)
{
    const struct packet packet = {.destination = (uint32_t)TRIAL_SLAVE << TID_HOST_SHIFT,
                                  .source = (uint32_t)TRIAL_MASTER << TID_HOST_SHIFT,
                                  .sequence = now ? 0 : 1,
                                  .flags = now ? PACKET_FIN | PACKET_ACK : PACKET_FIN};
    unsigned char header[PACKET_HEADER_SIZE];
    struct sockaddr_in to = trial_address(address, port);
    packet_encode(&packet, header);
    sendto(trial->fd, header, sizeof header, 0, (struct sockaddr *)&to, sizeof to);
}

bool datagram_trial_take(const struct datagram_trial *trial, uint32_t address, uint16_t port)
{
    unsigned char data[PACKET_HEADER_SIZE];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t got =
        recvfrom(trial->fd, data, sizeof data, MSG_TRUNC, (struct sockaddr *)&from, &size);
    return got >= PACKET_HEADER_SIZE && ntohl(from.sin_addr.s_addr) == address &&
           ntohs(from.sin_port) == port;
}
