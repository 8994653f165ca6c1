/* door.c - a listening socket and a secret, and what connects to it. */
#include "lib/spawn/door.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ck/base/whole.h"

static bool door_make_secret(struct door *door)
{
    unsigned char bytes[DOOR_SECRET / 2];
    if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(door->secret + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool door_open(struct door *door, uint32_t host, int count)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
    socklen_t size = sizeof name;
    if (!door_make_secret(door))
        return false;
    door->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door->listening < 0)
        return false;
    if (bind(door->listening, (struct sockaddr *)&name, sizeof name) < 0 ||
        listen(door->listening, count) < 0 ||
        getsockname(door->listening, (struct sockaddr *)&name, &size) < 0) {
        door_close(door);
        return false;
    }
    environment_format_address(door->address, host, ntohs(name.sin_port));
    return true;
}

void door_close(const struct door *door)
{
    close(door->listening);
}

void door_be_patient(int connection)
{
    const struct timeval limit = {.tv_sec = DOOR_PATIENCE / 1000};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    /* Each side waits for short words of the other: none waits for more to send. */
    const int at_once = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

void door_stay(int connection)
{
    const struct timeval none = {.tv_sec = 0};
    const int alive = 1, seconds = DOOR_PATIENCE / 1000 / 4, probes = 3;
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &alive, sizeof alive);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

bool door_put(int connection, const void *bytes, size_t size)
{
    return send_whole(connection, bytes, size, 0);
}

bool door_get(int connection, void *bytes, size_t size)
{
    return receive_whole(connection, bytes, size);
}

static bool connection_knows(int connection, const char *secret)
{
    char said[DOOR_SECRET];
    return recv(connection, said, sizeof said, MSG_WAITALL) == sizeof said &&
           memcmp(said, secret, sizeof said) == 0;
}

int door_answered(const struct door *door, int milliseconds)
{
    struct pollfd set = {.fd = door->listening, .events = POLLIN};
    while (poll(&set, 1, milliseconds) > 0) {
        int connection = accept4(door->listening, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0)
            return -1;
        door_be_patient(connection);
        if (connection_knows(connection, door->secret))
            return connection;
        close(connection);
    }
    return -1;
}

int door_enter(const char *address, const char *secret)
{
    uint32_t host;
    uint16_t port;
    if (!environment_parse_address(address, &host, &port))
        return -1;
    const struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(host), .sin_port = htons(port)};
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -1;
    door_be_patient(connection);
    if (connect(connection, (const struct sockaddr *)&name, sizeof name) < 0 ||
        !door_put(connection, secret, strlen(secret))) {
        close(connection);
        return -1;
    }
    return connection;
}
