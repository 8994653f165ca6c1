/* membership.c - entries of the table with their links. */
#include "daemon/hosts/membership.h"

#include <stdlib.h>

#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"

static void member_free(struct host *host)
{
    if (host->link)
        host_link_free(host->link);
    free(host);
}

/* From its first packet on, if it holds the secret of the machine. */
static void member_seal(const struct hosts *hosts, struct host *host)
{
    const struct machine_key *key = &hosts->daemon->post->machine_key;
    unsigned char pair[KEYED_HASH_KEY_SIZE];
    if (machine_key_of_pair(key, hosts->own->part >> TID_HOST_SHIFT, host->part >> TID_HOST_SHIFT,
                            pair))
        host_key_seal(&host->key, pair, hosts->own->part, host->part, key->secrecy);
}

struct host *membership_add(struct hosts *hosts, uint32_t part)
{
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->part = part;
    host->pending = true;
    member_seal(hosts, host);
    host->link = host_link_new(hosts->daemon, host);
    if (!host->link) {
        free(host);
        return NULL;
    }
    hosts->table[part >> TID_HOST_SHIFT] = host;
    keep_alive_begin(&hosts->daemon->host_room->keep_alive);
    hosts->daemon->post->upcalls.host_added(hosts->daemon, host);
    return host;
}

static void member_run_removal(struct loop_work *work)
{
    member_free(LIST_OWNER(work, struct host, removal));
}

void membership_remove(struct hosts *hosts, struct host *host)
{
    hosts->table[host->part >> TID_HOST_SHIFT] = NULL;
    hosts->daemon->post->machine_key.salts[host->part >> TID_HOST_SHIFT] = 0;
    former_hosts_add(&hosts->daemon->host_room->former_hosts, host);
    host_link_stop(host->link);
    loop_work_start(&host->removal, member_run_removal);
    loop_defer(&hosts->daemon->loop, &host->removal);
}

void membership_finish(struct hosts *hosts)
{
    for (uint32_t i = 0; i <= TID_HOST_MAX; i++)
        if (hosts->table[i])
            member_free(hosts->table[i]);
}
