/* check_address.c - names and addresses, as people write them. */
#include "console/check.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

uint32_t check_look_up(const char *name)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found;
    if (getaddrinfo(name, NULL, &wanted, &found) != 0)
        return 0;
    uint32_t address = ntohl(((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr.s_addr);
    freeaddrinfo(found);
    return address;
}

void check_show_address(uint32_t address, char text[CHECK_ADDRESS])
{
    struct in_addr shown = {.s_addr = htonl(address)};
    inet_ntop(AF_INET, &shown, text, CHECK_ADDRESS);
}

bool check_is_loopback(uint32_t address)
{
    return address >> 24 == IN_LOOPBACKNET;
}
