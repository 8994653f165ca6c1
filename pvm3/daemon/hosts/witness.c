/* witness.c - questions of other daemons, each answered once. */
#include "daemon/hosts/witness.h"

#include <stdlib.h>

#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"

/* Ticks; the first one may come right behind the question. */
#define TICKS 2

struct probe {
    struct list node;
    uint32_t asker; /* host parts */
    uint32_t suspect;
    int32_t round; /* the asker's number of the question */
    unsigned ticks;
};

void witness_start(struct witness *witness)
{
    list_start(&witness->probes);
}

static struct probe *probe_at(struct list *node)
{
    return LIST_OWNER(node, struct probe, node);
}

static void probe_free(struct probe *probe)
{
    list_remove(&probe->node);
    free(probe);
}

void witness_finish(struct witness *witness)
{
    while (!list_is_empty(&witness->probes))
        probe_free(probe_at(witness->probes.next));
}

/* Answers and forgets the question. */
static void probe_answer(struct daemon *daemon, struct probe *probe, bool reached)
{
    struct host_link *asker = hosts_link(&daemon->post->hosts, probe->asker);
    struct message *answer = control_new(CONTROL_PROBED, 0, 0);
    control_put_tid(answer, probe->suspect);
    control_put_int(answer, probe->round);
    control_put_int(answer, reached);
    if (asker && control_is_whole(answer))
        host_packets_send(asker, answer);
    message_free(answer);
    probe_free(probe);
}

/* Only what comes from now on counts. */
static void probe_begin(struct host_link *suspect)
{
    if (suspect->heard)
        suspicion_tick(&suspect->suspicion, true, false);
    suspect->heard = false;
    if (host_link_is_idle(suspect))
        host_packets_ask(suspect);
}

/* The question that the asker has asked before is over; NULL: no memory. */
static struct probe *probe_take(struct witness *witness, uint32_t asker, uint32_t suspect)
{
    LIST_FOR_EACH(node, &witness->probes)
    {
        if (probe_at(node)->asker == asker && probe_at(node)->suspect == suspect)
            return probe_at(node);
    }
    struct probe *probe = calloc(1, sizeof *probe);
    if (!probe)
        return NULL;
    probe->asker = asker;
    probe->suspect = suspect;
    list_append(&witness->probes, &probe->node);
    return probe;
}

enum request_result witness_take_probe(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t suspect = tid_host_part(control_get_tid(&request->body));
    int32_t round = control_get_int(&request->body);
    if (request->body.failed || suspect == hosts_own(&daemon->post->hosts)->part)
        return REQUEST_MALFORMED;
    struct host_link *link = hosts_link(&daemon->post->hosts, suspect);
    if (!link && !former_hosts_has(&daemon->host_room->former_hosts, suspect))
        return REQUEST_DONE; /* the host is too new to be known here */
    struct probe *probe =
        probe_take(&daemon->host_room->witness, tid_host_part(request->origin.tid), suspect);
    if (!probe)
        return REQUEST_DONE; /* no memory; the asker asks others */
    probe->round = round;
    probe->ticks = 0;
    if (link)
        probe_begin(link);
    return REQUEST_DONE;
}

/* A host that is in the table no more was given up. */
void witness_tick(struct daemon *daemon, unsigned stretch)
{
    LIST_FOR_EACH(node, &daemon->host_room->witness.probes)
    {
        struct probe *probe = probe_at(node);
        const struct host_link *suspect = hosts_link(&daemon->post->hosts, probe->suspect);
        if (suspect && suspect->suspicion.quiet == 0)
            probe_answer(daemon, probe, true);
        else if (!suspect || ++probe->ticks > TICKS * stretch)
            probe_answer(daemon, probe, false);
    }
}
