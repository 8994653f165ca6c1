/* hosts.c - entries by index. */
#include "daemon/hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/own_address.h"
#include "core/signature.h"
#include "daemon/daemon.h"
#include "daemon/host_link.h"
#include "daemon/host_packets.h"
#include "daemon/log.h"
#include "daemon/lookup.h"

#define FIRST_INDEX 1u

/* Those of 3.4.6, which sends one at a time, are taken in any number. */
#define WINDOW_DEFAULT 32
#define WINDOW_MOST    49

static int hosts_set_name(struct host *own, const char *name)
{
    if (!name) {
        if (gethostname(own->name, sizeof own->name) == 0 &&
            memchr(own->name, '\0', sizeof own->name))
            return 0;
        log_error("cannot tell the name of this host: give one with -n");
        return -1;
    }
    if (strlen(name) >= sizeof own->name) {
        log_error("the host name given with -n is longer than %zu bytes", sizeof own->name - 1);
        return -1;
    }
    strcpy(own->name, name);
    return 0;
}

int hosts_start(struct hosts *hosts, struct daemon *daemon, uint32_t index, const char *name)
{
    struct host *own = calloc(1, sizeof *own);
    if (!own) {
        log_error("no memory for the table of hosts");
        return -1;
    }
    *hosts = (struct hosts){.daemon = daemon, .own = own, .master = own, .serial = 1};
    hosts->cursor = FIRST_INDEX;
    hosts->window = WINDOW_DEFAULT;
    hosts->table[index] = own;
    own->part = index << TID_HOST_SHIFT;
    own->mtu = HOST_MTU;
    own->signature = signature_native();
    snprintf(own->architecture, sizeof own->architecture, "%s", SETTINGS_ARCHITECTURE);
    return hosts_set_name(own, name);
}

static int hosts_open_datagrams(struct hosts *hosts, unsigned port)
{
    struct host *own = hosts->own;
    struct datagrams *datagrams = &hosts->daemon->datagrams;
    own->port = datagrams_start(datagrams, hosts->daemon, own->address, port);
    if (own->port != 0)
        return 0;
    struct in_addr shown = {htonl(own->address)};
    log_note("no socket at the address %s of %s (%s): using 127.0.0.1", inet_ntoa(shown), own->name,
             strerror(errno));
    own->address = INADDR_LOOPBACK;
    own->port = datagrams_start(datagrams, hosts->daemon, own->address, port);
    if (own->port != 0)
        return 0;
    log_error("cannot open a datagram socket: %s%s", strerror(errno), error_remedy(errno));
    return -1;
}

/* The name means an address that no other host can use. */
static void hosts_choose_address(struct host *own, const char *name)
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

int hosts_open(struct hosts *hosts, const char *address, unsigned first_port)
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
        hosts_choose_address(own, name);
    return hosts_open_datagrams(hosts, first_port);
}

int hosts_open_at(struct hosts *hosts, uint32_t address)
{
    hosts->own->speed = hosts->daemon->settings.speed;
    hosts->own->address = address;
    return hosts_open_datagrams(hosts, 0);
}

static void host_free(struct host *host)
{
    if (host->link)
        host_link_free(host->link);
    free(host);
}

void hosts_finish(struct hosts *hosts)
{
    for (uint32_t i = 0; i <= TID_HOST_MAX; i++)
        if (hosts->table[i])
            host_free(hosts->table[i]);
}

struct host *hosts_next(const struct hosts *hosts, const struct host *host)
{
    for (uint32_t i = host ? (host->part >> TID_HOST_SHIFT) + 1 : 1; i <= TID_HOST_MAX; i++)
        if (hosts->table[i] && !hosts->table[i]->pending)
            return hosts->table[i];
    return NULL;
}

struct host *hosts_next_other(const struct hosts *hosts, const struct host *host)
{
    for (uint32_t i = host ? (host->part >> TID_HOST_SHIFT) + 1 : 1; i <= TID_HOST_MAX; i++)
        if (hosts->table[i] && hosts->table[i]->link)
            return hosts->table[i];
    return NULL;
}

bool hosts_has_address(const struct hosts *hosts, uint32_t address)
{
    for (uint32_t i = 1; i <= TID_HOST_MAX; i++) {
        const struct host *host = hosts->table[i];
        if (host && host->address == address && !(host->link && host->link->ending))
            return true;
    }
    return false;
}

struct host *hosts_find_name(const struct hosts *hosts, const char *name)
{
    struct host *host = NULL;
    if (strcmp(name, ".") == 0)
        return hosts->own;
    while ((host = hosts_next(hosts, host)) != NULL && strcmp(host->name, name) != 0)
        continue;
    return host;
}

struct host *hosts_find_socket(const struct hosts *hosts, uint32_t address, uint16_t port)
{
    struct host *host = NULL;
    while ((host = hosts_next_other(hosts, host)) != NULL)
        if (host->address == address && host->port == port)
            return host;
    return NULL;
}

struct host_link *hosts_link(const struct hosts *hosts, uint32_t part)
{
    const struct host *host = hosts_find(hosts, part);
    return host ? host->link : NULL;
}

struct host *hosts_add(struct hosts *hosts, uint32_t part)
{
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->part = part;
    host->pending = true;
    host->link = host_link_new(hosts->daemon, host);
    if (!host->link) {
        free(host);
        return NULL;
    }
    hosts->table[part >> TID_HOST_SHIFT] = host;
    keep_alive_begin(&hosts->daemon->keep_alive);
    return host;
}

void hosts_describe(struct host *host, const struct host_facts *facts)
{
    snprintf(host->name, sizeof host->name, "%s", facts->name);
    snprintf(host->architecture, sizeof host->architecture, "%s", facts->architecture);
    host->address = facts->address;
    host->port = facts->port;
    host->mtu = facts->mtu < HOST_MTU ? facts->mtu : HOST_MTU;
    host->speed = facts->speed;
    host->signature = facts->signature;
}

int hosts_commit(struct hosts *hosts, uint32_t added[TID_HOST_MAX])
{
    int count = 0;
    for (uint32_t i = TID_HOST_MAX; i > 0; i--) {
        struct host *host = hosts->table[i];
        if (!host || !host->pending)
            continue;
        host->pending = false;
        added[count++] = host->part;
    }
    return count;
}

static void host_run_removal(struct loop_work *work)
{
    host_free(LIST_OWNER(work, struct host, removal));
}

void hosts_remove(struct hosts *hosts, struct host *host)
{
    hosts->table[host->part >> TID_HOST_SHIFT] = NULL;
    former_hosts_add(&hosts->daemon->former_hosts, host);
    host_link_stop(host->link);
    loop_work_start(&host->removal, host_run_removal);
    loop_defer(&hosts->daemon->loop, &host->removal);
}

void hosts_set_window(struct hosts *hosts, int32_t window)
{
    struct host *host = NULL;
    if (window < 1 || window > WINDOW_MOST) {
        log_note("%d packets cannot be underway: it stays at %u", window, hosts->window);
        return;
    }
    hosts->window = (unsigned)window;
    while ((host = hosts_next_other(hosts, host)) != NULL)
        host->link->packets.window = hosts->window;
}

void hosts_unblock(struct hosts *hosts)
{
    struct host *host = NULL;
    while ((host = hosts_next_other(hosts, host)) != NULL)
        host_packets_unblock(host->link);
}

uint32_t hosts_next_part(struct hosts *hosts)
{
    for (uint32_t tried = 0; tried < TID_HOST_MAX; tried++) {
        hosts->cursor = hosts->cursor < TID_HOST_MAX ? hosts->cursor + 1 : FIRST_INDEX;
        if (!hosts->table[hosts->cursor])
            return hosts->cursor << TID_HOST_SHIFT;
    }
    return 0;
}
