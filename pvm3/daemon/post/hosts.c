/* hosts.c - entries by index. */
#include "daemon/post/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/signature.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"

#define FIRST_INDEX 1u

/*
 * Packets underway to a host. The pvmd of 3.4.6 sends one at a time, but takes any number. 32
 * packets of 4 KB keep a network of 1 Gbit/s busy while an acknowledgement takes 1 ms. More would
 * be lost at a pvmd of 3.4.6 that does not read just then: the receive buffer that Linux gives it
 * by default holds about 25.
 */
#define WINDOW_DEFAULT 32
#define WINDOW_MOST    49 /* of tickle, as in 3.4.6 */

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

bool hosts_may_rule(const struct hosts *hosts, const struct host_key *key)
{
    return key->seal.there || (key->required && !hosts->daemon->post->machine_key.known);
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
