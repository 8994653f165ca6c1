/*
 * descriptor.h - what the descriptors of virtual processes lead to: epoll sets, streams, ports and
 * packets.
 *
 * A stream is one end of a connection. Both ends of a pipe are streams, too. The bytes of one
 * direction arrive in order, after a delay if the ends are on different machines. A cut on the way
 * holds them up. One thread.
 */
#ifndef SIMULATION_DESCRIPTOR_H
#define SIMULATION_DESCRIPTOR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/list.h"
#include "world.h"

/* Numbers from here on are virtual: the system gives no such number to this process. */
#define DESCRIPTOR_FIRST (1 << 24)

struct machine;
struct process;

enum descriptor_kind {
    DESCRIPTOR_SET,     /* of epoll */
    DESCRIPTOR_STREAM,  /* connected, or on its way to be */
    DESCRIPTOR_PORT,    /* waits for connections */
    DESCRIPTOR_PACKETS, /* sends and receives datagrams */
    DESCRIPTOR_CHILD,   /* stands for a process */
};

struct descriptor {
    struct list node; /* of its process */
    int number;
    enum descriptor_kind kind;
    struct process *process; /* NULL: the simulation itself has it */
    struct machine *machine;
    struct list bound; /* in the list of its machine */
    uint32_t address;
    uint16_t port;
    char path[108]; /* of a port for tasks */

    struct descriptor *set; /* that watches it, or NULL */
    uint32_t interest;
    void *data;
    struct list ready; /* in a set: those that may be ready; otherwise the place there */

    struct list arrived; /* packets; descriptors of connections; refused packets are in `refused` */
    struct list refused;
    size_t size; /* bytes that have arrived and were not read */

    struct descriptor *peer; /* of a stream; NULL: it is gone */
    unsigned char *bytes;    /* that have arrived */
    struct list flights;     /* pieces on the way to this end, in order */
    size_t flying;           /* bytes there */
    bool connecting, ended;  /* ended: the other side sends no more */
    bool shut;               /* this side sends no more */
    int error;
    int pid;                              /* of the process that connected, or of the child */
    void (*take)(struct descriptor *end); /* without a process: something has arrived */
    void *owner;                          /* of `take` */
    int64_t stuck;                        /* since when a piece cannot arrive, or 0 */
};

/* NULL with errno: the number means nothing to the process that runs. */
struct descriptor *descriptor_find(int number);
struct descriptor *descriptor_new(enum descriptor_kind kind, struct process *process);
/* As the system closes it: the other side is told. */
void descriptor_close(struct descriptor *descriptor);
/* Nobody is told. */
void descriptor_drop(struct descriptor *descriptor);
/* How many there are. */
size_t descriptor_count(void);
void descriptors_finish(void);

/* The events of epoll that hold now. */
uint32_t descriptor_events(const struct descriptor *descriptor);
/* They may have changed. */
void descriptor_changed(struct descriptor *descriptor);

/* Connects two ends of nothing. */
void stream_pair(struct descriptor *one, struct descriptor *other);
/* The end, with all that has arrived there, becomes that of a descriptor that no process has. */
struct descriptor *stream_take_over(struct descriptor *end, struct machine *machine);
/* Connects an end to the port; false when nobody is there. The peer waits to be accepted. */
bool stream_connect(struct descriptor *end, struct descriptor *port);
/* Begins to connect the end to a port of another machine. */
void stream_call(struct descriptor *end, uint32_t address, uint16_t port);
/* Bytes that were taken; -1 with errno. */
ptrdiff_t stream_write(struct descriptor *end, const void *bytes, size_t size);
/* Bytes, 0 at the end; -1 with errno. */
ptrdiff_t stream_read(struct descriptor *end, void *bytes, size_t size);
/* Nothing comes any more and nothing goes. */
void stream_shut(struct descriptor *end);

/* A datagram: first an event, its arrival, and then in a list of its socket. */
struct parcel {
    struct event event;
    struct list node;
    struct sockaddr_in from, to;
    size_t size;
    unsigned char bytes[];
};

/* Sends a datagram on its way. */
void packets_send(struct descriptor *from, const struct sockaddr_in *to, const void *bytes,
                  size_t size);
/* The first one, which is the caller's to free; NULL: none has arrived, or none was refused. */
struct parcel *packets_take(struct descriptor *descriptor, bool refused);

#endif
