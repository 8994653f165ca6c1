/* own_host.c - an address by which other hosts find this one. */
#include "daemon/hosts/own_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "core/error.h"
#include "core/own_address.h"
#include "daemon/base/log.h"
#include "daemon/hosts/datagram_reader.h"
#include "daemon/hosts/host_room.h"
#include "daemon/hosts/lookup.h"

/* The port, or 0 with errno. */
static uint16_t own_host_bind(struct hosts *hosts, unsigned port)
{
    struct daemon *daemon = hosts->daemon;
    return datagrams_start(&daemon->post->datagrams, daemon, datagram_reader_handle,
                           hosts->own->address, port);
}

static int own_host_open_socket(struct hosts *hosts, unsigned port)
{
    struct host *own = hosts->own;
    own->port = own_host_bind(hosts, port);
    if (own->port != 0)
        return 0;
    struct in_addr shown = {htonl(own->address)};
    log_note("no socket at the address %s of %s (%s): using 127.0.0.1", inet_ntoa(shown), own->name,
             strerror(errno));
    own->address = INADDR_LOOPBACK;
    own->port = own_host_bind(hosts, port);
    if (own->port != 0)
        return 0;
    log_error("cannot open a datagram socket: %s%s", strerror(errno), error_remedy(errno));
    return -1;
}

/* The name means an address that no other host can use. */
static void own_host_choose_address(struct host *own, const char *name)
{
    uint32_t address = own_address_of_route();
    struct in_addr hidden = {htonl(own->address)}, chosen = {htonl(address)};
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &hidden, text, sizeof text);
    if (address == 0) {
        log_write("the name %s of this host means %s, by which no other host finds it, and there "
                  "is no default route: to add hosts, start it with -nADDRESS",
                  name, text);
        return;
    }
    log_write("the name %s of this host means %s, by which no other host finds it: using %s, that "
              "of the default route; -nADDRESS chooses another",
              name, text, inet_ntoa(chosen));
    own->address = address;
}

int own_host_open(struct hosts *hosts, const char *address, unsigned first_port)
{
    struct host *own = hosts->own;
    const char *name = address ? address : own->name;
    own->speed = hosts->daemon->settings.speed;
    own->address = lookup_address(name);
    if (own->address == 0) {
        log_note("the name %s of this host has no address: using 127.0.0.1", name);
        own->address = INADDR_LOOPBACK;
    }
    if (own_address_is_hidden(name, own->address))
        own_host_choose_address(own, name);
    return own_host_open_socket(hosts, first_port);
}

int own_host_open_at(struct hosts *hosts, uint32_t address)
{
    hosts->own->speed = hosts->daemon->settings.speed;
    hosts->own->address = address;
    return own_host_open_socket(hosts, 0);
}
