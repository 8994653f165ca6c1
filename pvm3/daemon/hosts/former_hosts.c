/* former_hosts.c - a ring of the last ones. */
#include "daemon/hosts/former_hosts.h"

#include <arpa/inet.h>

#include "core/tid.h"
#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"

void former_hosts_add(struct former_hosts *former, const struct host *host)
{
    former->list[former->next] = (struct former_host){
        .part = host->part,
        .address = host->address,
        .port = host->port,
        .end = packet_link_end(&host->link->packets),
        .deposed = host->deposed,
        .key = host->key,
    };
    former->next = (former->next + 1) % FORMER_HOSTS_MAX;
}

bool former_hosts_has(const struct former_hosts *former, uint32_t part)
{
    for (int i = 0; i < FORMER_HOSTS_MAX; i++)
        if (part != 0 && former->list[i].part == part)
            return true;
    return false;
}

static struct former_host *former_hosts_find(struct former_hosts *former, uint32_t part,
                                             const struct sockaddr_in *from)
{
    for (int i = 0; i < FORMER_HOSTS_MAX; i++) {
        struct former_host *host = &former->list[i];
        if (host->part == part && host->address == ntohl(from->sin_addr.s_addr) &&
            host->port == ntohs(from->sin_port))
            return host;
    }
    return NULL;
}

void former_hosts_end(struct daemon *daemon, struct former_host *former)
{
    struct host there = {.address = former->address, .port = former->port, .key = former->key};
    const struct packet end = {.destination = former->part | TID_DAEMON_BIT,
                               .source = hosts_own(&daemon->post->hosts)->part | TID_DAEMON_BIT,
                               .sequence = former->key.used ? former->end : 0,
                               .acknowledgement = former->deposed ? PACKET_DEPOSES : 0,
                               .flags = PACKET_FIN | PACKET_ACK};
    const struct packet_body nothing = {0};
    datagrams_send(&daemon->post->datagrams, &there, &end, &nothing);
    former->key = there.key; /* it has given out a number */
}

static void former_hosts_tell(struct daemon *daemon, struct former_host *former)
{
    struct in_addr address = {htonl(former->address)};
    complain(&daemon->complaints, former->part,
             "%s:%u was given up or deleted and sends all the same: it is told to end",
             inet_ntoa(address), former->port);
    former_hosts_end(daemon, former);
}

void former_hosts_remind(struct daemon *daemon)
{
    for (int i = 0; i < FORMER_HOSTS_MAX; i++)
        if (daemon->host_room->former_hosts.list[i].deposed)
            former_hosts_end(daemon, &daemon->host_room->former_hosts.list[i]);
}

static bool former_host_deposes(const struct daemon *daemon, struct former_host *former,
                                const struct packet *packet, const struct former_bytes *bytes)
{
    size_t size = bytes->size;
    return packet_deposes(packet) && hosts_may_rule(&daemon->post->hosts, &former->key) &&
           host_key_judge(&former->key, packet, bytes->data, &size) == SEAL_GOOD;
}

/* A packet that only acknowledges, or says that its sender ends, needs no answer. */
bool former_hosts_take(struct daemon *daemon, const struct packet *packet,
                       const struct former_bytes *bytes, const struct sockaddr_in *from)
{
    uint32_t part = tid_host_part(packet->source);
    struct former_host *former =
        part == 0 ? NULL : former_hosts_find(&daemon->host_room->former_hosts, part, from);
    if (!former)
        return false;
    if (former_host_deposes(daemon, former, packet, bytes))
        daemon->post->upcalls.deposed(daemon, former->part);
    else if (hosts_is_master(&daemon->post->hosts) && !(packet->flags & PACKET_ACK))
        former_hosts_tell(daemon, former);
    return true;
}
