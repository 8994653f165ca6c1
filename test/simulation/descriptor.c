/* descriptor.c - a table of numbers, sets that keep what may be ready, and connections. */
#include "descriptor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "machine.h"

/* Bytes of one direction of a stream that nobody has read. */
#define STREAM_ROOM (256u << 10)

/* So long a way may be cut before the system breaks a connection. */
#define STREAM_PATIENCE (30 * (int64_t)SECOND)
#define STREAM_RETRY    (200 * (int64_t)MILLISECOND)

static struct {
    struct descriptor **list; /* by number */
    size_t count, room;
    size_t open;
} table;

struct descriptor *descriptor_find(int number)
{
    size_t place = (size_t)(number - DESCRIPTOR_FIRST);
    struct descriptor *found = NULL;
    if (number >= 0 && number < STANDARD_DESCRIPTORS && world.running)
        found = world.running->standard[number];
    else if (number >= DESCRIPTOR_FIRST && place < table.count)
        found = table.list[place];
    if (!found)
        errno = EBADF;
    return found;
}

struct descriptor *descriptor_new(enum descriptor_kind kind, struct process *process)
{
    struct descriptor *descriptor = world_allocate(sizeof *descriptor);
    if (table.count == table.room) {
        table.room = table.room ? 2 * table.room : 1024;
        table.list = realloc(table.list, table.room * sizeof(struct descriptor *));
        if (!table.list)
            exit(2);
    }
    descriptor->number = DESCRIPTOR_FIRST + (int)table.count;
    table.list[table.count++] = descriptor;
    table.open++;
    descriptor->kind = kind;
    descriptor->process = process;
    list_start(&descriptor->node);
    list_start(&descriptor->bound);
    list_start(&descriptor->ready);
    list_start(&descriptor->arrived);
    list_start(&descriptor->refused);
    list_start(&descriptor->flights);
    if (process) {
        descriptor->machine = process->machine;
        list_append(&process->descriptors, &descriptor->node);
    }
    return descriptor;
}

size_t descriptor_count(void)
{
    return table.open;
}

void descriptors_finish(void)
{
    for (size_t i = 0; i < table.count; i++)
        if (table.list[i])
            descriptor_drop(table.list[i]);
    free(table.list);
    memset(&table, 0, sizeof table);
}

static void parcels_free(struct list *parcels)
{
    while (!list_is_empty(parcels)) {
        struct list *first = parcels->next;
        list_remove(first);
        free(LIST_OWNER(first, struct parcel, node));
    }
}

/* Streams. ------------------------------------------------------------------------------------- */

/* A piece on the way to an end; of no bytes: the end of what the other side sends. */
struct flight {
    struct list node;
    const struct machine *from;
    int64_t time;
    size_t size;
    unsigned char bytes[];
};

/* Of the first piece. */
struct arrival {
    struct event event;
    int number; /* of the end */
};

static bool stream_is_local(const struct descriptor *end, const struct descriptor *other)
{
    return end->machine == other->machine;
}

static void stream_put(struct descriptor *end, const void *bytes, size_t size)
{
    unsigned char *grown = realloc(end->bytes, end->size + size);
    if (!grown)
        exit(2);
    memcpy(grown + end->size, bytes, size);
    end->bytes = grown;
    end->size += size;
}

static void stream_land(struct descriptor *end, const void *bytes, size_t size)
{
    if (size == 0)
        end->ended = true;
    else
        stream_put(end, bytes, size);
    descriptor_changed(end);
}

static void stream_break(struct descriptor *end, int error)
{
    if (end->peer)
        end->peer->peer = NULL;
    end->peer = NULL;
    end->error = error;
    end->ended = true;
    end->connecting = false;
    descriptor_changed(end);
}

/* The way between the two is cut for too long: both find it out. */
static bool stream_loses_patience(struct descriptor *end)
{
    if (end->stuck == 0)
        end->stuck = world.now;
    if (world.now - end->stuck < STREAM_PATIENCE)
        return false;
    struct descriptor *peer = end->peer;
    if (peer)
        stream_break(peer, ETIMEDOUT);
    stream_break(end, ETIMEDOUT);
    return true;
}

static void stream_arrive(struct event *event)
{
    struct arrival *arrival = (struct arrival *)event;
    struct descriptor *end = descriptor_find(arrival->number);
    struct flight *flight = end ? LIST_OWNER(end->flights.next, struct flight, node) : NULL;
    int64_t next = -1;
    if (end && !machine_reaches(flight->from, end->machine)) {
        if (!stream_loses_patience(end))
            next = STREAM_RETRY;
    } else if (end) {
        end->stuck = 0;
        list_remove(&flight->node);
        end->flying -= flight->size;
        stream_land(end, flight->bytes, flight->size);
        free(flight);
        if (!list_is_empty(&end->flights)) {
            next = LIST_OWNER(end->flights.next, struct flight, node)->time - world.now;
            next = next < 0 ? 0 : next;
        }
    }
    if (next < 0)
        free(arrival);
    else
        world_plan(event, next, stream_arrive);
}

static int64_t stream_delay(void)
{
    return world.weather.delay / 2 + (int64_t)world_draw((uint64_t)world.weather.delay + 1);
}

/* Lets bytes fly to the end, or its end of stream. */
static void stream_fly(const struct machine *from, struct descriptor *end, const void *bytes,
                       size_t size)
{
    struct flight *flight = world_allocate(sizeof *flight + size);
    int64_t delay = stream_delay();
    if (size > 0)
        memcpy(flight->bytes, bytes, size);
    flight->from = from;
    flight->size = size;
    flight->time = world.now + delay;
    bool first = list_is_empty(&end->flights);
    list_append(&end->flights, &flight->node);
    end->flying += size;
    if (!first)
        return;
    struct arrival *arrival = world_allocate(sizeof *arrival);
    arrival->number = end->number;
    world_plan(&arrival->event, delay, stream_arrive);
}

static void stream_pass(struct descriptor *from, struct descriptor *end, const void *bytes,
                        size_t size)
{
    if (stream_is_local(from, end)) {
        stream_land(end, bytes, size);
        return;
    }
    world.stream_bytes += size;
    stream_fly(from->machine, end, bytes, size);
}

void stream_pair(struct descriptor *one, struct descriptor *other)
{
    one->peer = other;
    other->peer = one;
    one->connecting = other->connecting = false;
}

struct descriptor *stream_take_over(struct descriptor *end, struct machine *machine)
{
    struct descriptor *taker = descriptor_new(DESCRIPTOR_STREAM, NULL);
    taker->machine = machine;
    taker->bytes = end->bytes;
    taker->size = end->size;
    if (end->peer)
        stream_pair(taker, end->peer);
    end->bytes = NULL;
    end->size = 0;
    end->peer = NULL;
    return taker;
}

static size_t stream_room(const struct descriptor *end)
{
    size_t used = end->size + end->flying;
    return used < STREAM_ROOM ? STREAM_ROOM - used : 0;
}

ptrdiff_t stream_write(struct descriptor *end, const void *bytes, size_t size)
{
    if (end->error || end->shut || (!end->peer && end->ended)) {
        errno = end->error ? end->error : EPIPE;
        return -1;
    }
    if (end->connecting || (end->peer && stream_room(end->peer) == 0)) {
        errno = EAGAIN;
        return -1;
    }
    if (!end->peer)
        return (ptrdiff_t)size; /* nobody is there, and word of that is on the way */
    size_t room = stream_room(end->peer);
    size_t taken = size < room ? size : room;
    if (taken > 0)
        stream_pass(end, end->peer, bytes, taken);
    return (ptrdiff_t)taken;
}

ptrdiff_t stream_read(struct descriptor *end, void *bytes, size_t size)
{
    size_t taken = end->size < size ? end->size : size;
    if (taken == 0 && (end->error || !end->ended)) {
        errno = end->error ? end->error : EAGAIN;
        return -1;
    }
    if (taken == 0)
        return 0;
    memcpy(bytes, end->bytes, taken);
    end->size -= taken;
    memmove(end->bytes, end->bytes + taken, end->size);
    if (end->peer)
        descriptor_changed(end->peer);
    descriptor_changed(end);
    return (ptrdiff_t)taken;
}

void stream_shut(struct descriptor *end)
{
    if (end->peer && !end->shut)
        stream_pass(end, end->peer, NULL, 0);
    end->shut = end->ended = true;
    descriptor_changed(end);
}

/* A TCP connection on its way. */
struct call {
    struct event event;
    int number;
    uint32_t address;
    uint16_t port;
    int64_t since;
};

static struct descriptor *port_find(const struct machine *machine, enum descriptor_kind kind,
                                    uint16_t port)
{
    LIST_FOR_EACH(node, &machine->bound)
    {
        struct descriptor *bound = LIST_OWNER(node, struct descriptor, bound);
        if (bound->kind == kind && bound->port == port)
            return bound;
    }
    return NULL;
}

static void port_take(struct descriptor *port, struct descriptor *end)
{
    struct descriptor *other = descriptor_new(DESCRIPTOR_STREAM, port->process);
    list_remove(&other->node);
    list_append(&port->arrived, &other->node);
    other->address = end->address;
    other->port = end->port;
    other->pid = end->pid;
    stream_pair(end, other);
    descriptor_changed(port);
    descriptor_changed(end);
}

static void stream_call_arrive(struct event *event)
{
    struct call *call = (struct call *)event;
    struct descriptor *end = descriptor_find(call->number);
    struct machine *machine = machine_find(call->address);
    bool late = world.now - call->since > STREAM_PATIENCE;
    if (end && !(machine && machine->on && machine_reaches(end->machine, machine)) && !late) {
        world_plan(event, STREAM_RETRY, stream_call_arrive);
        return;
    }
    struct descriptor *port = end && !late ? port_find(machine, DESCRIPTOR_PORT, call->port) : NULL;
    if (port)
        port_take(port, end);
    else if (end)
        stream_break(end, late ? ETIMEDOUT : ECONNREFUSED);
    free(call);
}

bool stream_connect(struct descriptor *end, struct descriptor *port)
{
    if (!port)
        return false;
    port_take(port, end);
    return true;
}

void stream_call(struct descriptor *end, uint32_t address, uint16_t port)
{
    struct call *call = world_allocate(sizeof *call);
    *call =
        (struct call){.number = end->number, .address = address, .port = port, .since = world.now};
    end->connecting = true;
    world_plan(&call->event, stream_delay(), stream_call_arrive);
}

/* The other side lost power: its system does not answer any more. */
static void stream_lose(struct event *event)
{
    struct arrival *arrival = (struct arrival *)event;
    struct descriptor *end = descriptor_find(arrival->number);
    if (end && !end->error)
        stream_break(end, ETIMEDOUT);
    free(arrival);
}

static void stream_part(struct descriptor *end, bool told)
{
    struct descriptor *peer = end->peer;
    while (!list_is_empty(&end->flights)) {
        struct list *first = end->flights.next;
        list_remove(first);
        free(LIST_OWNER(first, struct flight, node));
    }
    if (!peer)
        return;
    if (told && !end->shut)
        stream_pass(end, peer, NULL, 0);
    peer->peer = NULL;
    descriptor_changed(peer);
    if (told)
        return;
    struct arrival *arrival = world_allocate(sizeof *arrival);
    arrival->number = peer->number;
    world_plan(&arrival->event, STREAM_PATIENCE, stream_lose);
}

/* ---------------------------------------------------------------------------------------------- */

static void descriptor_remove(struct descriptor *descriptor, bool told)
{
    while (!list_is_empty(&descriptor->arrived) && descriptor->kind == DESCRIPTOR_PORT)
        descriptor_remove(LIST_OWNER(descriptor->arrived.next, struct descriptor, node), told);
    if (descriptor->kind == DESCRIPTOR_STREAM)
        stream_part(descriptor, told);
    if (descriptor->kind == DESCRIPTOR_SET) {
        while (!list_is_empty(&descriptor->ready))
            list_remove(descriptor->ready.next);
        LIST_FOR_EACH(node, &descriptor->process->descriptors)
        LIST_OWNER(node, struct descriptor, node)->set = NULL;
    }
    parcels_free(&descriptor->arrived);
    parcels_free(&descriptor->refused);
    list_remove(&descriptor->node);
    list_remove(&descriptor->bound);
    list_remove(&descriptor->ready);
    table.list[descriptor->number - DESCRIPTOR_FIRST] = NULL;
    table.open--;
    free(descriptor->bytes);
    free(descriptor);
}

void descriptor_close(struct descriptor *descriptor)
{
    descriptor_remove(descriptor, true);
}

void descriptor_drop(struct descriptor *descriptor)
{
    descriptor_remove(descriptor, false);
}

static uint32_t stream_events(const struct descriptor *end)
{
    uint32_t events = 0;
    if (end->connecting)
        return 0;
    if (end->size > 0 || end->ended)
        events |= EPOLLIN;
    if (end->error)
        events |= EPOLLERR | EPOLLHUP;
    if (end->ended && (end->shut || (!end->peer && end->address == 0)))
        events |= EPOLLHUP;
    if (!end->peer || stream_room(end->peer) > 0)
        events |= EPOLLOUT;
    return events;
}

uint32_t descriptor_events(const struct descriptor *descriptor)
{
    switch (descriptor->kind) {
    case DESCRIPTOR_STREAM:
        return stream_events(descriptor);
    case DESCRIPTOR_PORT:
        return list_is_empty(&descriptor->arrived) ? 0 : EPOLLIN;
    case DESCRIPTOR_PACKETS:
        return (list_is_empty(&descriptor->arrived) ? 0u : EPOLLIN) |
               (list_is_empty(&descriptor->refused) ? 0u : EPOLLERR) | EPOLLOUT;
    case DESCRIPTOR_SET:
    case DESCRIPTOR_CHILD:
        break;
    }
    return 0;
}

/* Somebody of the simulation has the end. */
struct notice {
    struct event event;
    int number;
};

static void descriptor_notice(struct event *event)
{
    struct notice *notice = (struct notice *)event;
    struct descriptor *descriptor = descriptor_find(notice->number);
    if (descriptor && descriptor->machine->frozen) {
        world_plan(event, SECOND, descriptor_notice);
        return;
    }
    free(notice);
    if (descriptor && descriptor->take)
        descriptor->take(descriptor);
}

void descriptor_changed(struct descriptor *descriptor)
{
    struct descriptor *set = descriptor->set;
    if (descriptor->take && (descriptor->size > 0 || descriptor->ended)) {
        struct notice *notice = world_allocate(sizeof *notice);
        notice->number = descriptor->number;
        world_plan(&notice->event, ROUND_COST, descriptor_notice);
    }
    if (!set || !(descriptor_events(descriptor) & (descriptor->interest | EPOLLERR | EPOLLHUP)))
        return;
    if (list_is_empty(&descriptor->ready))
        list_append(&set->ready, &descriptor->ready);
    process_wake(set->process);
}

/* Packets. ------------------------------------------------------------------------------------- */

/* What the memory of a socket holds. */
#define PACKETS_ROOM (1u << 20)

static struct machine *packet_machine(const struct sockaddr_in *address)
{
    return machine_find(ntohl(address->sin_addr.s_addr));
}

static void packet_refuse(struct parcel *parcel, const struct machine *there)
{
    struct machine *from = packet_machine(&parcel->from);
    struct descriptor *sender = port_find(from, DESCRIPTOR_PACKETS, ntohs(parcel->from.sin_port));
    if (!sender || !machine_reaches(there, from)) {
        free(parcel);
        return;
    }
    list_append(&sender->refused, &parcel->node);
    descriptor_changed(sender);
}

static void packet_arrive(struct event *event)
{
    struct parcel *parcel = (struct parcel *)event;
    struct machine *to = packet_machine(&parcel->to);
    bool reached = to && to->on && machine_reaches(packet_machine(&parcel->from), to);
    struct descriptor *socket =
        reached ? port_find(to, DESCRIPTOR_PACKETS, ntohs(parcel->to.sin_port)) : NULL;
    if (reached && !socket) {
        packet_refuse(parcel, to);
    } else if (!socket || socket->size + parcel->size > PACKETS_ROOM) {
        free(parcel);
    } else {
        list_append(&socket->arrived, &parcel->node);
        socket->size += parcel->size;
        descriptor_changed(socket);
    }
}

static void packet_fly(const struct descriptor *from, const struct sockaddr_in *to,
                       const void *bytes, size_t size)
{
    const struct weather *weather = &world.weather;
    struct parcel *parcel = world_allocate(sizeof *parcel + size);
    int64_t delay = stream_delay();
    if (world_chance(weather->straggling))
        delay += (int64_t)world_draw((uint64_t)weather->straggle + 1);
    parcel->from = (struct sockaddr_in){.sin_family = AF_INET,
                                        .sin_port = htons(from->port),
                                        .sin_addr.s_addr = htonl(from->address)};
    parcel->to = *to;
    parcel->size = size;
    memcpy(parcel->bytes, bytes, size);
    list_start(&parcel->node);
    world_plan(&parcel->event, delay, packet_arrive);
}

void packets_send(struct descriptor *from, const struct sockaddr_in *to, const void *bytes,
                  size_t size)
{
    world.packets++;
    world.bytes += size;
    bool lost = world_chance(world.weather.loss);
    world_tell("%x sends %zu bytes to %x, %016llx%s", from->address, size,
               ntohl(to->sin_addr.s_addr), (unsigned long long)world_hash(0, bytes, size),
               lost ? ": lost" : "");
    if (!lost)
        packet_fly(from, to, bytes, size);
    if (!lost && world_chance(world.weather.doubling))
        packet_fly(from, to, bytes, size);
}

struct parcel *packets_take(struct descriptor *descriptor, bool refused)
{
    struct list *list = refused ? &descriptor->refused : &descriptor->arrived;
    if (list_is_empty(list))
        return NULL;
    struct parcel *parcel = LIST_OWNER(list->next, struct parcel, node);
    list_remove(&parcel->node);
    if (!refused)
        descriptor->size -= parcel->size;
    return parcel;
}
