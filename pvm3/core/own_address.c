/* own_address.c - a socket that is connected and not written to. */
#include "core/own_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define HIDDEN_ADDRESS 0x7f000101u /* 127.0.1.1 */
#define FAR_ADDRESS    0xc0000201u /* 192.0.2.1, of no host: for documents */
#define FAR_PORT       9

bool own_address_is_hidden(const char *name, uint32_t address)
{
    struct in_addr number;
    return address == HIDDEN_ADDRESS && inet_pton(AF_INET, name, &number) != 1;
}

uint32_t own_address_of_route(void)
{
    struct sockaddr_in far = {.sin_family = AF_INET,
                              .sin_port = htons(FAR_PORT),
                              .sin_addr.s_addr = htonl(FAR_ADDRESS)};
    struct sockaddr_in own = {.sin_family = AF_INET};
    socklen_t size = sizeof own;
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = descriptor >= 0 &&
                 connect(descriptor, (struct sockaddr *)&far, sizeof far) == 0 &&
                 getsockname(descriptor, (struct sockaddr *)&own, &size) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return found ? ntohl(own.sin_addr.s_addr) : 0;
}
